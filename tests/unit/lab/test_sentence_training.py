"""Siamese fine-tuning: what is read, what learns, what is measured, and what a kill leaves."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.command_line import build_parser
from isogloss.command_line.arguments import plan_values
from isogloss.errors import ModelError, NliError, RunError
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.encoder import (
    ENCODER_POOLINGS,
    build_encoder,
    encode_layers,
    find_layer,
)
from isogloss.lab.sentences.plan import PAIRS_AT_MOST, SentencesPlan
from isogloss.lab.sentences.results import BOTH, read_sentence_results, relative_reduction
from isogloss.lab.sentences.training import (
    OBJECTIVES,
    Example,
    SiameseOptions,
    batches_of,
    draw_examples,
    fine_tune_siamese,
    make_examples,
)
from isogloss.lab.sentences.translation_hits import (
    find_translations,
    packed_hits,
    unpacked_hits,
)
from isogloss.measures.sentence_retrieval import score_layers
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.tokens import tokenise
from isogloss.store import Store
from isogloss.text.nli import LABELS, NliSet
from isogloss.text.parallel import ParallelText

SENTENCES = ("Yes.", "The cat sleeps on the mat.", "猫睡在垫子上。", "I like green tea.")


def hidden_states(model: LoadedModel, sentence: str) -> list[np.ndarray]:
    """Each layer's states of one sentence alone, (tokens, width), as transformers gives them."""
    import torch

    ids = torch.tensor([tokenise(model, [sentence])[0].ids])
    with torch.no_grad():
        states = model.network(input_ids=ids, output_hidden_states=True).hidden_states
    return [layer[0].numpy() for layer in states]


def fresh(model: LoadedModel, tmp_path: Path) -> LoadedModel:
    return load_model(model.files, Store(tmp_path / "models", demo=None), device="cpu")


def weights(model: LoadedModel) -> dict[str, Any]:
    return {name: each.detach().clone() for name, each in model.network.named_parameters()}


def test_pooling_is_what_a_hand_computes_at_every_layer(model: LoadedModel) -> None:
    found = encode_layers(model, SENTENCES, 64)
    assert found.shape == (3, model.n_layers + 1, len(SENTENCES), model.width)
    for place, sentence in enumerate(SENTENCES):
        for layer, states in enumerate(hidden_states(model, sentence)):
            by_hand = (states.mean(0), states.max(0), states[0])
            for pooled, expected in zip(found[:, layer, place], by_hand, strict=True):
                np.testing.assert_allclose(pooled, expected, atol=2e-5)


def test_an_encoder_reads_the_layer_it_is_asked_for(model: LoadedModel) -> None:
    everything = encode_layers(model, SENTENCES, 64)
    for place, pooling in enumerate(ENCODER_POOLINGS):
        for layer in (-1, -2, 1, 0):
            vectors = build_encoder(model, layer, pooling, 64).encode(list(SENTENCES))
            expected = everything[place, find_layer(layer, model.n_layers)]
            np.testing.assert_allclose(vectors, expected, atol=2e-5)


def test_pooling_is_the_librarys(encoder: LoadedModel, encoder_directory: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    reads = Transformer(str(encoder_directory), processor_kwargs={"model_max_length": 64})
    for pooling in ENCODER_POOLINGS:
        pools = Pooling(encoder.width, pooling_mode=pooling)
        theirs = SentenceTransformer(modules=[reads, pools], device="cpu").encode(list(SENTENCES))
        ours = build_encoder(encoder, -1, pooling, 64).encode(list(SENTENCES))
        np.testing.assert_allclose(ours, theirs, atol=2e-5)


def test_layers_count_from_the_top_where_negative() -> None:
    assert [find_layer(layer, 6) for layer in (-1, -2, -7, 0, 6)] == [6, 5, 0, 0, 6]
    for beyond in (-8, 7):
        with pytest.raises(ModelError, match="no layer"):
            find_layer(beyond, 6)


def test_retrieval_error_is_that_of_alignment_and_of_the_library(
    encoder: LoadedModel, bitext: ParallelText
) -> None:
    from sentence_transformers.sentence_transformer.evaluation import TranslationEvaluator

    hits = find_translations(encoder, bitext, 64)
    assert hits.shape == (3, encoder.n_layers + 1, 2, len(bitext))
    vectors = encode_layers(encoder, (*bitext.source, *bitext.target), 64)
    for place, pooling in enumerate(ENCODER_POOLINGS):
        X, Y = vectors[place, :, : len(bitext)], vectors[place, :, len(bitext) :]
        precision = score_layers(X, Y, "cosine").values[:, :, 0]
        # All first tokens are alike at layer 0, and ties are no hits here.
        np.testing.assert_allclose(hits[place, 1:].mean(-1), precision[1:])
        evaluate = TranslationEvaluator(list(bitext.source), list(bitext.target), write_csv=False)
        theirs = evaluate(build_encoder(encoder, -1, pooling, 64))
        forward, backward = hits[place, -1].mean(-1)
        assert theirs["src2trg_accuracy"] == pytest.approx(forward)
        assert theirs["trg2src_accuracy"] == pytest.approx(backward)


NLI = NliSet(
    "train.en.tsv",
    "en",
    premises=("a cat", "a cat", "a cat", "tea", "a book", "a book"),
    hypotheses=("an animal", "a dog", "asleep", "a drink", "a text", "a film"),
    labels=tuple(
        LABELS.index(label)
        for label in (
            "entailment", "contradiction", "neutral", "entailment", "entailment", "contradiction",
        )
    ),
)  # fmt: skip


def test_examples_to_classify_are_all_pairs() -> None:
    examples = make_examples("softmax", NLI)
    assert [example.sentences for example in examples][1] == ("a cat", "a dog")
    assert [example.label for example in examples] == list(NLI.labels)


def test_examples_to_rank_have_a_contradiction_where_there_is_one() -> None:
    assert [example.sentences for example in make_examples("ranking", NLI)] == [
        ("a cat", "an animal", "a dog"),
        ("tea", "a drink"),
        ("a book", "a text", "a film"),
    ]
    neutral = replace(NLI, labels=(LABELS.index("neutral"),) * 6)
    with pytest.raises(NliError, match="no entailment"):
        make_examples("ranking", neutral)


def test_batches_have_every_example_once_and_are_of_one_kind() -> None:
    examples = [Example(("x" * i, "y")) for i in range(1, 40)]
    examples += [Example(("x" * i, "y", "z")) for i in range(1, 30)]
    batches = batches_of(examples, 8, seed=1)
    seen = [example for batch in batches for example in batch]
    assert sorted(seen, key=str) == sorted(examples, key=str)
    assert all(len({len(example.sentences) for example in batch}) == 1 for batch in batches)
    assert all(len(batch) <= 8 for batch in batches)
    assert batches != batches_of(examples, 8, seed=2)
    assert batches == batches_of(examples, 8, seed=1)


def test_a_draw_is_by_seed_and_keeps_the_order() -> None:
    examples = [Example((str(i), "y")) for i in range(50)]
    drawn = draw_examples(examples, 20, seed=3)
    assert len(set(drawn)) == 20
    assert drawn == draw_examples(examples, 20, seed=3)
    assert [int(each.sentences[0]) for each in drawn] == sorted(
        int(each.sentences[0]) for each in drawn
    )
    assert drawn != draw_examples(examples, 20, seed=4)
    assert draw_examples(examples, None, seed=0) == tuple(examples)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("frozen", "layer"), [(0, -1), (1, -1), (0, -2), (-1, -1)])
def test_frozen_parts_stay_to_the_bit_and_the_others_learn(
    encoder: LoadedModel, tmp_path: Path, objective: str, frozen: int, layer: int
) -> None:
    from isogloss.models.blocks import parameters_by_layer

    model = fresh(encoder, tmp_path)
    before = weights(model)
    options = SiameseOptions(frozen=frozen, layer=layer, learning_rate=1e-3, max_tokens=32)
    fine_tune_siamese(model, make_examples(objective, NLI), objective, seed=0, options=options)
    after = weights(model)
    top = find_layer(layer, model.n_layers)
    layers = parameters_by_layer(model.network)
    for name, values in before.items():
        same = bool((values == after[name]).all())
        read = frozen < layers[name] <= top and "pooler" not in name
        if not read:
            assert same, name
        elif "embeddings" not in name and "key.bias" not in name:
            # The bias of keys moves all scores of a query alike, which softmax does not see.
            assert not same, name
    words = "embeddings.word_embeddings.weight"
    assert bool((before[words] == after[words]).all()) == (frozen >= 0)


def test_nothing_to_learn_is_said(encoder: LoadedModel) -> None:
    examples = make_examples("ranking", NLI)
    for options in (SiameseOptions(frozen=3), SiameseOptions(frozen=2, layer=-2)):
        with pytest.raises(ModelError, match="nothing would learn"):
            fine_tune_siamese(encoder, examples, "ranking", seed=0, options=options)


def test_the_same_seed_trains_the_same_model(encoder: LoadedModel, tmp_path: Path) -> None:
    import torch

    examples = make_examples("softmax", NLI)
    options = SiameseOptions(learning_rate=1e-3, max_tokens=32)

    def trained(seed: int) -> list[float]:
        torch.rand(1)  # what happened before must not matter
        model = fresh(encoder, tmp_path)
        fine_tune_siamese(model, examples, "softmax", seed=seed, options=options)
        return weights(model)["encoder.layer.2.output.dense.weight"].flatten().tolist()

    first = trained(1)
    assert trained(1) == first
    assert trained(2) != first


def test_a_tie_is_kept_as_the_chance_that_it_is() -> None:
    hits = np.array([[0.0, 1.0, 1 / 3, 1 / 1000, 0.5]])
    np.testing.assert_allclose(unpacked_hits(packed_hits(hits), 5), hits)
    old = {"found": np.packbits(np.array([[0, 1, 1]], bool), axis=-1)}
    np.testing.assert_allclose(unpacked_hits(old, 3), [[0, 1, 1]])


def test_an_easy_case_improves(encoder: LoadedModel, bitext: ParallelText, tmp_path: Path) -> None:
    """Ranking the translations themselves, which no zero-shot run may see, must find them."""
    model = fresh(encoder, tmp_path)
    pairs = zip(bitext.source, bitext.target, strict=True)
    examples = [Example(pair) for pair in pairs]
    before = 1 - find_translations(model, bitext, 64)[0, -1].mean()
    options = SiameseOptions(learning_rate=3e-3, epochs=100, max_tokens=64)
    losses = fine_tune_siamese(model, examples, "ranking", seed=0, options=options)
    after = 1 - find_translations(model, bitext, 64)[0, -1].mean()
    assert losses[-1] < losses[0]
    assert after < before / 2


def test_the_reduction_is_that_of_the_error() -> None:
    before = np.array([[1, 1, 1, 1, 0], [1, 0, 0, 0, 0]], float)
    after = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]], float)
    found = relative_reduction(before, after)
    np.testing.assert_allclose(found.values, [1 - 0.2 / 0.8, 1 - 0.4 / 0.2])
    assert np.isnan(relative_reduction(np.zeros((2, 5)), after).values).all()
    rows = np.tile(before, 200), np.tile(after, 200)
    many = relative_reduction(*rows)
    np.testing.assert_allclose(many.values, found.values)
    assert (many.low < many.values).all()
    assert (many.values < many.high).all()
    assert (many.high - many.low < 0.5).all()


@pytest.fixture
def plan(encoder_directory: Path, tmp_path: Path) -> SentencesPlan:
    """A run on the tiny encoder and a few pairs: seconds."""
    rows = ["premise\thypothesis\tlabel"]
    rows += [
        f"{premise}\t{hypothesis}\t{LABELS[label]}"
        for premise, hypothesis, label in zip(NLI.premises, NLI.hypotheses, NLI.labels, strict=True)
    ]
    nli = tmp_path / "train.en.tsv"
    nli.write_text("\n".join(rows) + "\n", encoding="utf-8")
    bitext = tmp_path / "pairs.en-zh.tsv"
    bitext.write_text("Yes.\t是。\nTea.\t茶。\nThe cat.\t猫。\nA book.\t书。\n", encoding="utf-8")
    sts = tmp_path / "sts.en.tsv"
    sts.write_text("a cat\tthe cat\t5\na cat\ttea\t0\na book\tbooks\t4\n", encoding="utf-8")
    return SentencesPlan(
        model=str(encoder_directory),
        seeds=(0, 1),
        nli=str(nli),
        text=str(bitext),
        sts=(str(sts),),
        max_tokens=32,
        learning_rate=1e-3,
        device="cpu",
    )


def carry_out(run: Run, store: Store, units: int | None = None) -> None:
    """All units of a run, or the first few, as if it were killed after them."""
    if units is None:
        run.carry_out(store)
        return
    from isogloss.lab.runs.context import RunContext

    context = RunContext(store, run.path, len(run.units), 0)
    for _, (unit, result) in zip(
        range(units), run.plan.carry_out(run.units, context), strict=False
    ):
        run.append(unit, result)


def figures(run: Run) -> Mapping[str, Any]:
    return {unit: dict(result) for unit, result in run.results().items()}


def test_a_run_that_was_killed_and_resumed_equals_one_that_was_not(
    plan: SentencesPlan, store: Store
) -> None:
    runs = Runs(store, shipped=None)
    whole, broken = runs.create(plan), runs.create(plan)
    carry_out(whole, store)
    carry_out(broken, store, units=2)
    assert len(broken.results()) == 2
    carry_out(broken, store)
    assert figures(whole) == figures(broken)
    for unit in whole.units:
        one, other = whole.kept(unit), broken.kept(unit)
        assert one is not None
        assert other is not None
        assert (one["found"] == other["found"]).all()


def test_results_are_the_units_put_together(plan: SentencesPlan, store: Store) -> None:
    run = Runs(store, shipped=None).create(plan)
    assert run.units == ("before", "softmax-0", "ranking-0", "softmax-1", "ranking-1")
    assert read_sentence_results(run) is None
    carry_out(run, store, units=4)
    found = read_sentence_results(run)
    assert found is not None
    raw = run.results()
    assert (found.languages, found.rows, found.layer, found.n_layers) == (("en", "zh"), 4, 3, 3)
    np.testing.assert_allclose(found.before.values[..., :2], raw["before"]["error"])
    softmax = np.mean([raw["softmax-0"]["error"], raw["softmax-1"]["error"]], axis=0)
    np.testing.assert_allclose(found.after["softmax"].values[..., :2], softmax)
    np.testing.assert_allclose(found.after["softmax"].values[..., BOTH], softmax.mean(-1))
    assert len(found.after["softmax"].by_seed) == 2
    assert len(found.after["ranking"].by_seed) == 1
    assert (found.after["softmax"].low <= found.after["softmax"].values).all()
    mean, maximum = list(ENCODER_POOLINGS).index("mean"), list(ENCODER_POOLINGS).index("max")
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = 1 - softmax[mean, 3] / np.array(raw["before"]["error"])[maximum, 3]
    reduction = found.reduction("softmax", baseline="max").values[:2]
    np.testing.assert_allclose(reduction, np.where(np.isfinite(expected), expected, np.nan))
    cosine = raw["softmax-1"]["sts"]["en"]["cosine"]
    np.testing.assert_allclose(found.sts_after["softmax"][1, 0, 0], cosine)


def test_the_command_asks_for_the_same_plan(plan: SentencesPlan) -> None:
    for each in (plan, SentencesPlan(), SentencesPlan(layer=-2, frozen=3, objectives=("ranking",))):
        options = build_parser().parse_args(each.command())
        model = str(Path(each.model)) if each is plan else each.model
        assert SentencesPlan(**plan_values(SentencesPlan, options)) == replace(each, model=model)


def test_pairs_in_another_language_are_refused(plan: SentencesPlan, tmp_path: Path) -> None:
    foreign = Path(plan.nli).rename(tmp_path / "train-zh.tsv")
    with pytest.raises(NliError, match=r"train-zh\.tsv has pairs in zh but none in English"):
        replace(plan, nli=str(foreign)).read_data()


def test_a_long_text_is_thinned_evenly(plan: SentencesPlan, tmp_path: Path) -> None:
    long = tmp_path / "long.en-zh.tsv"
    rows = [f"Number {i}.\t第{i}号。" for i in range(3 * PAIRS_AT_MOST)]
    long.write_text("\n".join(rows) + "\n", encoding="utf-8")
    bitext = replace(plan, text=str(long)).read_data().text
    assert len(bitext) == PAIRS_AT_MOST
    assert bitext.source[0] == "Number 0."
    assert bitext.source[-1] == f"Number {3 * PAIRS_AT_MOST - 1}."
    assert len(set(bitext.source)) == PAIRS_AT_MOST


def test_a_plan_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ModelError, match="no pooling"):
        SentencesPlan(pooling="median")
    with pytest.raises(ModelError, match="no objective"):
        SentencesPlan(objectives=("triplet",))
    with pytest.raises(RunError, match="at least one objective"):
        SentencesPlan(objectives=())
    with pytest.raises(RunError, match="at least one seed"):
        SentencesPlan(seeds=())
    for wrong in ({"seeds": (1, 1)}, {"objectives": ("ranking", "ranking")}, {"max_tokens": 1}):
        with pytest.raises(RunError):
            SentencesPlan(**wrong)
    with pytest.raises(RunError, match="learning rate"):
        SentencesPlan(learning_rate=-1.0)
    with pytest.raises(RunError, match="seed"):
        SentencesPlan(seeds=(-1,))
    with pytest.raises(RunError, match="two examples"):
        SentencesPlan(examples=1)
