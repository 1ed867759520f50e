"""Two languages from nothing: what they share, what is scored, and that a kill changes no bit."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from isogloss.errors import RunError, Stopped
from isogloss.lab.emergence.batches import (
    BEGIN,
    END,
    MASK,
    SPECIALS,
    Numbering,
    hide,
    make_batch,
)
from isogloss.lab.emergence.conditions import (
    CONDITIONS,
    Setup,
    condition_explanation,
    condition_title,
    read_condition,
)
from isogloss.lab.emergence.docstrings import sentences_of
from isogloss.lab.emergence.network import Shape, TwoLanguageBert
from isogloss.lab.emergence.plan import EmergencePlan, emergence_unit
from isogloss.lab.emergence.results import read_results, score_table
from isogloss.lab.emergence.scores import HeldOut
from isogloss.lab.emergence.sources import SourceText, read_source, split_words
from isogloss.lab.emergence.text import (
    UNKNOWN,
    Amounts,
    TwoLanguages,
    deal_out,
    own_words,
    shuffled,
)
from isogloss.lab.emergence.training import Recipe, Training
from isogloss.lab.runs.context import RunContext
from isogloss.store import Store

AMOUNTS = Amounts(words=60, shortest=3, longest=8, unknown=1, held_out=40)
WORDS = [a + b for a in ("ka", "to", "mi", "ru", "se", "na", "po") for b in ("l", "n", "r", "s")]


def write_sentences(rng: np.random.Generator, count: int) -> list[tuple[str, ...]]:
    """Sentences of a small chain: each word is mostly followed by one of a few."""
    found = []
    for _ in range(count):
        word, sentence = int(rng.integers(len(WORDS))), []
        for _ in range(int(rng.integers(3, 9))):
            sentence.append(WORDS[word])
            word = (word * 3 + int(rng.integers(4))) % len(WORDS)
        found.append(tuple(sentence))
    return found


@pytest.fixture(scope="module")
def source() -> SourceText:
    rng = np.random.default_rng(1)
    domains = {
        name: [(sentence,) for sentence in write_sentences(rng, 700)] for name in ("one", "two")
    }
    return SourceText(("en",), domains, {})


def deal(source: SourceText, condition: str = "as-it-is", seed: int = 0) -> TwoLanguages:
    return deal_out(source, AMOUNTS, read_condition(condition), seed)


def sentences(rows: np.ndarray, lengths: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(row[:n]) for row, n in zip(rows.tolist(), lengths, strict=True)}


# What the two languages share


def test_no_word_and_no_sentence_is_in_both_languages(source: SourceText) -> None:
    text = deal(source)
    assert not set(text.first.words) & set(text.second.words)
    assert len(set(text.second.words)) == len(text.first.words)
    first = sentences(text.first.train, text.first.train_lengths)
    second = sentences(text.second.train, text.second.train_lengths)
    held_out = sentences(text.first.held_out, text.first.held_out_lengths)
    assert len(first) > 300
    assert len(second) > 300
    assert not first & second
    assert not held_out & (first | second)


def test_tokens_of_the_languages_are_apart_but_for_specials_and_anchors(
    source: SourceText,
) -> None:
    for condition, shared in (("as-it-is", 0), ("anchors-25", 7), ("anchors-50", 14)):
        text = deal(source, condition)
        numbering = Numbering.of(text, read_condition(condition))
        words = np.arange(len(text.first.words))
        both = set(numbering.tokens(words, 0)) & set(numbering.tokens(words, 1))
        assert len(both) == shared
        assert {token - SPECIALS for token in both} == text.anchor_words


def test_specials_and_positions_are_shared_unless_each_language_has_its_own(
    source: SourceText,
) -> None:
    text = deal(source)
    for condition, specials, positions in (
        ("as-it-is", True, True),
        ("specials", False, True),
        ("positions", True, False),
        ("positions+specials", False, False),
    ):
        numbering = Numbering.of(text, read_condition(condition))
        batch = whole_batch(text, numbering)
        marks = [set(batch.tokens[~batch.is_word & (batch.side == side)]) for side in (0, 1)]
        places = [set(batch.positions[batch.side == side]) for side in (0, 1)]
        assert (marks[0] == marks[1]) is specials
        assert bool(marks[0] & marks[1]) is specials
        assert bool(places[0] & places[1]) is positions
        assert max(places[1]) < numbering.positions


def test_the_order_of_a_copy_can_be_turned_round(source: SourceText) -> None:
    text = deal(source)
    plain, turned = (
        whole_batch(text, Numbering.of(text, read_condition(name)))
        for name in ("as-it-is", "order")
    )
    for sentence in range(5):
        here = (plain.side == 1) & (plain.sentence == sentence) & plain.is_word
        assert plain.tokens[here].tolist() == turned.tokens[here].tolist()[::-1]
        assert plain.place[here].tolist() == turned.place[here].tolist()[::-1]
        first = (turned.side == 0) & (turned.sentence == sentence)
        assert plain.tokens[first].tolist() == turned.tokens[first].tolist()


def test_two_domains_give_each_language_its_own_files(source: SourceText) -> None:
    text = deal(source, "domains")
    numbers = {word: k for k, word in enumerate(text.first.words)}
    by_domain = [
        {tuple(numbers.get(word, UNKNOWN) for word in row[0]) for row in rows}
        for rows in source.domains.values()
    ]
    first = sentences(text.first.train, text.first.train_lengths)
    second = sentences(text.second.train, text.second.train_lengths)
    assert any(first <= own and second <= other for own, other in (by_domain, by_domain[::-1]))


def test_less_text_is_part_of_the_same_text(source: SourceText) -> None:
    whole, part = deal(source), deal(source, "text-50")
    assert len(part.first.train) == pytest.approx(len(whole.first.train) / 2, abs=1)
    assert sentences(part.first.train, part.first.train_lengths) < sentences(
        whole.first.train, whole.first.train_lengths
    )
    assert np.array_equal(part.first.held_out, whole.first.held_out)


def test_own_words_look_like_words_and_are_none_of_them() -> None:
    words = ("dog", "fug", "a", ".", "it's", "2", "dogs")
    new = own_words(words)
    assert not set(new) & set(words)
    assert len(set(new)) == len(words)
    assert all(
        any(map(str.isalpha, found)) == any(map(str.isalpha, word))
        for word, found in zip(words, new, strict=True)
    )


def test_words_are_small_and_keep_only_marks_that_end_or_part() -> None:
    assert split_words("“Don’t go,” she said (twice).", "en") == (
        "don't",
        "go",
        ",",
        "she",
        "said",
        "twice",
        ".",
    )


def test_docstrings_give_sentences_and_no_code() -> None:
    docstring = """Return the mean of a row.

    It is fast. Use ``x[0]`` for the first row.

    Parameters
    ----------
    rows : array_like
        The rows to read.
    - A list of names.
    >>> mean([1])
    """
    assert list(sentences_of(docstring)) == [
        "Return the mean of a row.",
        "It is fast.",
        "The rows to read.",
        "A list of names.",
    ]


def test_real_text_deals_each_language_other_pairs(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = dict.fromkeys(write_sentences(rng, 900))
    file = tmp_path / "pairs.en-de.tsv"
    lines = [f"{' '.join(row)}\t{' '.join(word + 'en' for word in row)}" for row in rows]
    file.write_text("\n".join(lines), encoding="utf-8")
    text = deal_out(read_source([str(file)], ("en", "de")), AMOUNTS, Setup(), 0)
    assert text.counterpart is None
    assert all(word.endswith("en") for word in text.second.words)
    assert not set(text.first.words) & set(text.second.words)
    own = [
        {
            " ".join(side.words[k].removesuffix("en") for k in row[:n] if k >= 0)
            for row, n in zip(side.train, side.train_lengths, strict=True)
        }
        for side in (text.first, text.second)
    ]
    assert not own[0] & own[1]
    first, second = text.first, text.second
    for row in range(5):
        n = first.held_out_lengths[row]
        assert [first.words[k] + "en" for k in first.held_out[row, :n]] == [
            second.words[k] for k in second.held_out[row, : second.held_out_lengths[row]]
        ]


def test_plain_text_has_a_sentence_a_line(tmp_path: Path) -> None:
    file = tmp_path / "text.en.txt"
    file.write_text("The cat sees the dog.\nA dog sleeps.\n", encoding="utf-8")
    said: list[str] = []
    assert read_source([str(file)], ("en",), said.append).domains["text.en.txt"] == [
        (("the", "cat", "sees", "the", "dog", "."),),
        (("a", "dog", "sleeps", "."),),
    ]
    assert said == ["text.en.txt"]


@pytest.mark.parametrize(
    ("sources", "languages", "sentence"),
    [
        (("docstrings", "x"), ("en",), "docstrings alone"),
        (("docstrings",), ("en", "zh"), "English only"),
        (("nowhere.txt",), ("en",), "There is no file nowhere.txt"),
        (("everyday.en-zh",), ("fr",), "none in fr"),
    ],
)
def test_text_that_cannot_be_read_is_refused_in_a_sentence(
    sources: tuple[str, ...], languages: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(RunError, match=sentence):
        read_source(sources, languages)


def test_too_little_text_says_how_much_there_is() -> None:
    rows = [(tuple(f"a b c {k}".split()),) for k in range(150)]
    with pytest.raises(RunError, match=r"Only \d+ different sentences of 3 to 8 words"):
        deal_out(SourceText(("en",), {"one": rows}, {}), AMOUNTS, Setup(), 0)


# Conditions


def test_every_condition_is_read_and_spoken() -> None:
    for name, condition in CONDITIONS.items():
        word = f"{name}-{condition.number[0]}" if condition.number else name
        assert (read_condition(word) == Setup()) is (name == "as-it-is")
        assert "{" not in condition_title(word) + condition_explanation(word)
        assert condition_explanation(word).endswith(".")


def test_conditions_join_and_wrong_ones_are_refused() -> None:
    joined = read_condition("positions+specials+last-2")
    assert (joined.own_positions, joined.own_specials, joined.own_last) == (True, True, 2)
    assert [joined.is_own(block, 4) for block in (1, 2, 3, 4)] == [False, False, True, True]
    assert [read_condition("blocks").is_own(block, 3) for block in (1, 2, 3)] == [True] * 3
    for wrong in ("nothing", "first", "first-0", "positions-2", "anchors-95", "", "first-x", "+"):
        with pytest.raises(RunError, match="condition"):
            read_condition(wrong)


# The model


def whole_batch(text: TwoLanguages, numbering: Numbering):  # type: ignore[no-untyped-def]
    return make_batch(
        numbering,
        [(side.held_out, side.held_out_lengths) for side in (text.first, text.second)],
    )


def test_states_are_those_of_transformers_bert(source: SourceText) -> None:
    """The packed passes of shared blocks equal BertModel's padded ones with the same weights."""
    from transformers import BertConfig, BertModel

    text = deal(source)
    numbering = Numbering.of(text, Setup())
    torch.manual_seed(0)
    model = TwoLanguageBert(numbering, Shape(2, 16, 2), Setup())
    with torch.no_grad():
        for parameter in model.parameters.values():
            parameter.normal_(0.1, 0.3)
    config = BertConfig(
        vocab_size=numbering.vocabulary,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=numbering.positions,
        layer_norm_eps=1e-5,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    bert = BertModel(config, add_pooling_layer=False).eval()
    ours = {name: value.detach() for name, value in model.parameters.items()}
    own = {
        "embeddings.word_embeddings.weight": ours["word.weight"],
        "embeddings.position_embeddings.weight": ours["position.weight"],
        "embeddings.token_type_embeddings.weight": torch.zeros(2, 16),
        "embeddings.LayerNorm.weight": ours["norm.weight"],
        "embeddings.LayerNorm.bias": ours["norm.bias"],
    }
    for number in (0, 1):
        theirs, block = f"encoder.layer.{number}", f"block {number + 1}.0"
        for kind in ("weight", "bias"):
            together = ours[f"{block}.attention_in.{kind}"].split(16)
            for name, part in zip(("query", "key", "value"), together, strict=True):
                own[f"{theirs}.attention.self.{name}.{kind}"] = part
            for name, mine in (
                ("attention.output.dense", "attention_out"),
                ("attention.output.LayerNorm", "attention_norm"),
                ("intermediate.dense", "wide"),
                ("output.dense", "narrow"),
                ("output.LayerNorm", "norm"),
            ):
                own[f"{theirs}.{name}.{kind}"] = ours[f"{block}.{mine}.{kind}"]
    missing = bert.load_state_dict(own, strict=False)
    assert not [name for name in missing.missing_keys if "position_ids" not in name]
    batch = whole_batch(text, numbering)
    with torch.inference_mode():
        layers = model.states(batch.tokens, batch)
        for side, sentence in ((0, 0), (1, 0), (0, 7), (1, 33)):
            here = np.flatnonzero((batch.side == side) & (batch.sentence == sentence))
            theirs = bert(
                torch.from_numpy(batch.tokens[here])[None], output_hidden_states=True
            ).hidden_states
            for own_layer, their_layer in zip(layers, theirs, strict=True):
                assert torch.allclose(own_layer[here], their_layer[0], atol=1e-5)


def test_own_blocks_read_one_language_and_equal_shared_ones_of_the_same_weights(
    source: SourceText,
) -> None:
    text = deal(source)
    setup = read_condition("last-1")
    numbering = Numbering.of(text, setup)
    torch.manual_seed(0)
    model = TwoLanguageBert(numbering, Shape(2, 16, 2), setup)
    assert sorted({name.partition(".wide")[0] for name in model.parameters if ".wide" in name}) == [
        "block 1.0",
        "block 2.0",
        "block 2.1",
    ]
    batch = whole_batch(text, numbering)
    with torch.inference_mode():
        different = model.states(batch.tokens, batch)[-1]
        values = dict(model.parameters)
        for name, value in values.items():
            if name.startswith("block 2.0"):
                values[name.replace("2.0", "2.1")] = value
        model.load(values)
        same = model.states(batch.tokens, batch)[-1]
        plain = TwoLanguageBert(numbering, Shape(2, 16, 2), Setup())
        plain.load(values)
        shared = plain.states(batch.tokens, batch)[-1]
    side = torch.from_numpy(batch.side)
    assert torch.allclose(same, shared, atol=1e-6)
    assert torch.equal(different[side == 0], same[side == 0])
    assert not torch.allclose(different[side == 1], same[side == 1], atol=1e-2)


def test_hidden_words_are_masked_replaced_or_kept_in_their_shares(source: SourceText) -> None:
    text = deal(source)
    numbering = Numbering.of(text, read_condition("specials"))
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(text.first.train), 4_000)
    batch = make_batch(
        numbering,
        [
            (side.train[rows % len(side.train)], side.train_lengths[rows % len(side.train)])
            for side in (text.first, text.second)
        ],
    )
    tokens, asked = hide(batch, numbering, rng, random_words=True)
    assert batch.is_word[asked].all()
    assert len(asked) / batch.is_word.sum() == pytest.approx(0.2, abs=0.01)
    untouched = np.setdiff1d(np.arange(len(tokens)), asked)
    assert np.array_equal(tokens[untouched], batch.tokens[untouched])
    masks = np.where(batch.side[asked] == 0, MASK, MASK + SPECIALS // 2)
    masked = tokens[asked] == masks
    kept = tokens[asked] == batch.tokens[asked]
    assert masked.mean() == pytest.approx(0.8, abs=0.02)
    assert kept.mean() == pytest.approx(0.1, abs=0.02)
    replaced = tokens[asked][~masked & ~kept]
    assert replaced.min() >= SPECIALS
    assert (replaced >= SPECIALS + len(text.first.words)).mean() == pytest.approx(0.5, abs=0.05)
    tokens, asked = hide(batch, numbering, rng, random_words=False)
    changed = tokens[asked] != batch.tokens[asked]
    assert set(tokens[asked][changed]) == {MASK, MASK + SPECIALS // 2}


def test_unknown_words_stay_hidden_and_are_never_asked(source: SourceText) -> None:
    text = deal_out(source, replace(AMOUNTS, words=20), Setup(), 0)
    assert (text.first.train[:, 0] == UNKNOWN).any()
    numbering = Numbering.of(text, Setup())
    batch = make_batch(numbering, [(s.train, s.train_lengths) for s in (text.first, text.second)])
    hidden = ~batch.is_word & (batch.tokens != BEGIN) & (batch.tokens != END)
    assert hidden.any()
    assert set(batch.tokens[hidden]) == {MASK}
    _, asked = hide(batch, numbering, np.random.default_rng(0), random_words=True)
    assert not hidden[asked].any()


# Scores


def test_a_model_that_gives_counterparts_the_same_vectors_is_found_whole(
    source: SourceText,
) -> None:
    text = deal(source)
    numbering = Numbering.of(text, Setup())
    torch.manual_seed(0)
    model = TwoLanguageBert(numbering, Shape(2, 32, 2), Setup())
    count = len(text.first.words)
    with torch.no_grad():
        model.parameters["word.weight"][SPECIALS + count :] = model.parameters["word.weight"][
            SPECIALS : SPECIALS + count
        ]
    scores = HeldOut(text, numbering).score(model, True)
    assert np.allclose(scores.sentences, 1.0)
    assert np.array(scores.words)[0].min() > 0.95
    assert np.allclose(scores.cka, 1.0, atol=1e-4)


def test_wrong_counterparts_give_chance(source: SourceText) -> None:
    text = deal(source)
    numbering = Numbering.of(text, Setup())
    torch.manual_seed(0)
    model = TwoLanguageBert(numbering, Shape(2, 32, 2), Setup())
    count = len(text.first.words)
    with torch.no_grad():
        model.parameters["word.weight"][SPECIALS + count :] = model.parameters["word.weight"][
            SPECIALS : SPECIALS + count
        ]
    found, chance = [], HeldOut(text, numbering).chance()
    for seed in range(30):
        scores = HeldOut(shuffled(text, seed), numbering).score(model, True)
        found.append((np.mean(scores.words), np.mean(scores.sentences)))
    words, sentences_found = np.mean(found, axis=0)
    assert chance.sentences == 1 / 40
    assert words == pytest.approx(1 / count, abs=0.03)
    assert chance.words == pytest.approx(1 / count, abs=0.03)
    assert sentences_found == pytest.approx(1 / 40, abs=0.02)


def test_anchors_are_not_scored(source: SourceText) -> None:
    text = deal(source, "anchors-50")
    numbering = Numbering.of(text, read_condition("anchors-50"))
    held_out = HeldOut(text, numbering)
    side, _, tokens = held_out.picture_words(40)
    assert set(tokens[side == 0] - SPECIALS).isdisjoint(text.anchor_words)
    assert (side == 0).sum() == (side == 1).sum()


# Training


def write_by_place(rng: np.random.Generator, count: int) -> list[tuple[tuple[str, ...]]]:
    """Sentences whose every place has three words of its own, one of them commoner than another."""
    found = []
    for _ in range(count):
        length = int(rng.integers(5, 9))
        ranks = np.minimum(rng.geometric(0.45, length) - 1, 2)
        found.append((tuple(f"w{place}{'abc'[rank]}" for place, rank in enumerate(ranks)),))
    return found


def train(text: TwoLanguages, condition: str, steps: int) -> Training:
    training = Training(
        text, read_condition(condition), Shape(2, 32, 2), Recipe(steps, 48, 4e-3, 20, 3), 0
    )
    for _ in training.go(lambda share, message: None):
        pass
    return training


def test_words_known_by_their_place_are_found_unless_each_language_has_its_own_places() -> None:
    source = SourceText(("en",), {"one": write_by_place(np.random.default_rng(1), 1_400)}, {})
    shared, own = (train(deal(source), name, 60) for name in ("as-it-is", "positions"))
    assert [look.step for look in shared.looks] == [0, 20, 40, 60]
    for training in (shared, own):
        assert np.mean(training.looks[-1].scores.loss) < np.mean(training.looks[0].scores.loss) - 1
    words = [max(map(np.mean, each.looks[-1].scores.words)) for each in (shared, own)]
    assert words[0] > 0.2
    assert words[1] < 0.12


def make_plan(tmp_path: Path, **values: object) -> EmergencePlan:
    rng = np.random.default_rng(3)
    file = tmp_path / "text.en-de.tsv"
    file.write_text(
        "\n".join(f"{' '.join(row)}\t{'x ' * len(row)}" for row in write_sentences(rng, 900)),
        encoding="utf-8",
    )
    given = {
        "conditions": ("as-it-is", "positions"),
        "seeds": (0,),
        "text": (str(file),),
        "words": 60,
        "longest": 8,
        "held_out": 40,
        "blocks": 2,
        "width": 16,
        "heads": 2,
        "steps": 24,
        "sentences": 16,
        "pictured": 3,
    }
    return EmergencePlan(**{**given, **values})  # type: ignore[arg-type]


class StopsAt(RunContext):
    """A context that is asked to stop at the n-th report."""

    def __init__(self, path: Path, reports: int) -> None:
        super().__init__(Store(path / "store", demo=None), path, 2, 0)
        self.left = reports

    def report(self, unit_share: float, message: str) -> None:
        self.left -= 1
        if self.left == 0:
            raise Stopped("Stopped.")


def without_seconds(found: dict[str, dict[str, object]]) -> str:
    return json.dumps(
        {unit: {k: v for k, v in each.items() if k != "seconds"} for unit, each in found.items()}
    )


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    whole_place, killed_place = tmp_path / "whole", tmp_path / "killed"
    for place in (whole_place, killed_place):
        place.mkdir()
    whole = dict(plan.carry_out(plan.units(), StopsAt(whole_place, 0)))
    assert set(whole) == set(plan.units())
    found: dict[str, dict[str, object]] = {}
    for reports in (15, 9, 33, 0):  # in the middle of a unit, soon again, in the second unit
        todo = [unit for unit in plan.units() if unit not in found]
        try:
            for unit, result in plan.carry_out(todo, StopsAt(killed_place, reports)):
                found[unit] = dict(result)
        except Stopped:
            continue
    assert without_seconds(found) == without_seconds(whole)
    kept = {path.name: path.read_bytes() for path in (whole_place / "kept").iterdir()}
    assert kept == {path.name: path.read_bytes() for path in (killed_place / "kept").iterdir()}
    assert emergence_unit("as-it-is", 0) + ".safetensors" not in kept  # no checkpoint is left
    assert set(kept) == {f"{unit}, map.safetensors" for unit in plan.units()}


def test_a_plan_is_checked_and_spoken(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    assert plan.units() == ("as-it-is, seed 0", "positions, seed 0")
    assert plan.command()[0] == "emergence"
    for wrong in (
        {"conditions": ()},
        {"conditions": ("as-it-is", "as-it-is")},
        {"conditions": ("width-50",), "width": 10, "heads": 2},
        {"shortest": 9},
        {"seeds": ()},
    ):
        with pytest.raises(RunError):
            make_plan(tmp_path, **wrong)
    with pytest.raises(RunError, match="There is no file"):
        make_plan(tmp_path, text=("nowhere.tsv",)).read_data()


# Results


def a_result(words: float, sentences: float, layers: int = 2) -> dict[str, Any]:
    """A unit's result whose last look reads so much at the top layer, and less below."""

    def scores(share: float) -> dict[str, object]:
        def by_layer(top: float) -> list[list[float]]:
            return [
                [share * top * (layer + 1) / layers + way / 100 for way in (-1, 1)]
                for layer in range(layers)
            ]

        return {
            "words": by_layer(words),
            "sentences": by_layer(sentences),
            "cka": [share] * layers,
            "loss": [3.0 - share, 4.0 - share],
        }

    return {
        "looks": [
            {"step": step, "words_seen": 100 * step, "loss": None, "scores": scores(step / 10)}
            for step in (0, 5, 10)
        ],
        "chance": {"words": 0.02, "sentences": 0.0025},
        "shuffled": scores(0.0),
    }


def test_results_are_those_of_the_units_by_condition_and_seed(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, seeds=(0, 1, 2))
    tops = {"as-it-is": (0.8, 0.82, 0.84), "positions": (0.1, 0.2)}
    results = {
        emergence_unit(condition, seed): a_result(top, top / 2)
        for condition, by_seed in tops.items()
        for seed, top in enumerate(by_seed)
    }
    found = read_results(plan, results)
    assert found.measured() == ("as-it-is", "positions")
    best = found.best("as-it-is", "words")
    assert (best.mean, best.n) == (pytest.approx(0.82), 3)
    # t of two degrees of freedom is 4.3027; the deviation of .80 .82 .84 is .02.
    assert best.high - best.mean == pytest.approx(4.3027 * 0.02 / 3**0.5, rel=1e-4)
    fit = found.fits["as-it-is", 1]
    assert fit.steps.tolist() == [0, 5, 10]
    assert fit.words[:, 1].tolist() == pytest.approx([0, 0.41, 0.82])
    assert fit.losses[2].tolist() == [2.0, 3.0]
    rows = score_table(found)
    assert len(rows) == 5 * 3 * 2
    (row,) = (
        row
        for row in rows
        if (row["condition"], row["seed"]) == ("positions", 1)
        and (row["step"], row["layer"]) == (10, 1)
    )
    assert row["words"] == pytest.approx(0.2)


def test_results_of_real_text_have_no_words(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, conditions=("as-it-is",))
    result = a_result(0.5, 0.5)
    for scores in (result["shuffled"], *(look["scores"] for look in result["looks"])):
        scores["words"] = []
    found = read_results(plan, {"as-it-is, seed 0": result})
    assert np.isnan(found.best("as-it-is", "words").mean)
    assert found.best("as-it-is", "sentences").mean == pytest.approx(0.5)
    assert {row["words"] for row in score_table(found)} == {None}
