"""Two models and a map: a planted rotation is undone, shuffled words give the floor."""

import json
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

from isogloss.errors import RunError, TreebankError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.files import as_json
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.lab.training.costs import Speed
from isogloss.lab.two_models.costs import estimate_two_models_seconds
from isogloss.lab.two_models.data import (
    ParallelWords,
    TaskData,
    read_parallel,
    read_task,
)
from isogloss.lab.two_models.networks import Settings, Vectors, train_network
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.reading import Side, Sides, read_layer
from isogloss.lab.two_models.results import read_results, score_table
from isogloss.lab.two_models.tasks import TASKS, Predicted, confusions, score
from isogloss.lab.two_models.word_states import (
    Located,
    WordStates,
    word_states,
)
from isogloss.models.loading import LoadedModel
from isogloss.models.preview import ModelSize
from isogloss.models.tokens import tokenise
from isogloss.store import Store
from isogloss.text.readers.tagged_words import TaggedSentence
from isogloss.text.reading import load_bundled
from isogloss.text.treebanks import Treebank
from isogloss.text.words import locate

WIDTH, TAGS = 24, ("NOUN", "VERB", "DET", "ADJ")
SETTINGS = Settings(depth=0, epochs=12, learning_rate=5e-3, batch_words=200)


# A made-up language: each tag has a direction, and every word follows the sentence's one verb


def sentence(generator: np.random.Generator) -> TaggedSentence:
    tags = [*generator.choice(["NOUN", "DET", "ADJ"], 6), "VERB"]
    heads = [7] * 6 + [0]
    relations = [{"NOUN": "nsubj:x", "DET": "det", "ADJ": "amod"}[tag] for tag in tags[:6]]
    words = tuple(f"w{i}" for i in range(7))
    spans = tuple((3 * i, 3 * i + 2) for i in range(7))
    return TaggedSentence(
        " ".join(words), words, spans, tuple(map(str, tags)), tuple(heads), (*relations, "root")
    )


def bank(name: str, count: int, seed: int) -> Treebank:
    generator = np.random.default_rng(seed)
    return Treebank(name, "en", tuple(sentence(generator) for _ in range(count)))


@dataclass(frozen=True, eq=False)
class Planted(WordStates):
    """Word states that were made up instead of computed."""

    values: np.ndarray = None

    def rows(self, layer: int) -> np.ndarray:
        return self.values


def planted(values: np.ndarray, words: int = 7) -> Planted:
    return Planted(None, np.arange(0, len(values) + 1, words), 1, values)


def states_of(each: Treebank, seed: int) -> np.ndarray:
    """The direction of each word's tag, with noise, somewhere away from the origin."""
    directions = np.random.default_rng(0).standard_normal((len(TAGS), WIDTH))
    tags = [TAGS.index(tag) for one in each.sentences for tag in one.tags]
    noise = np.random.default_rng(seed).standard_normal((len(tags), WIDTH))
    return 2.0 + directions[tags] + 0.4 * noise


def two_models(width: int, task: str = "upos") -> dict:
    """The source's states, and the same of another model: turned, stretched and moved."""
    train, test, texts = bank("train", 60, 1), bank("test", 40, 2), bank("parallel", 80, 3)
    turn = np.linalg.qr(np.random.default_rng(9).standard_normal((width, width)))[0][:WIDTH]
    found = {each.name: states_of(each, seed) for seed, each in enumerate((train, test, texts))}
    turned = {name: 3.0 * values @ turn for name, values in found.items()}
    noise = np.random.default_rng(4).standard_normal((len(found["parallel"]), width))
    source = Side(
        {each.content_hash: planted(found[each.name]) for each in (train, test)},
        planted(found["parallel"]),
        None,
        1,
    )
    target = Side(
        {each.content_hash: planted(turned[each.name]) for each in (train, test)},
        None,
        planted(turned["parallel"]),
        1,
    )
    random = replace(target, target_words=planted(noise))
    text = Located("made up", (), ())
    rows = tuple((i, i) for i in range(len(found["parallel"])))
    return read_layer(
        task,
        1,
        0,
        TaskData(train, test, test, train),
        Sides(source, target, random, None),
        ParallelWords(text, text, rows, {}),
        None,
        SETTINGS,
    )


@pytest.mark.parametrize("width", [WIDTH, WIDTH + 9], ids=["same width", "a wider target"])
def test_a_planted_rotation_is_undone(width):
    found = two_models(width)["scores"]
    assert found["mapped"] == found["source"]
    right, words = found["mapped"]["accuracy"]
    assert right / words > 0.95
    assert found["target"]["accuracy"][0] / words > 0.95


def test_a_planted_rotation_is_undone_for_trees():
    found = two_models(WIDTH, "parsing")["scores"]
    assert found["mapped"] == found["source"]
    assert found["mapped"]["uas"][0] / found["mapped"]["uas"][1] > 0.95
    assert found["mapped"]["las"][0] > 0.9 * found["mapped"]["uas"][0]


def test_a_shuffled_dictionary_gives_the_floor():
    """By chance a quarter to a third are right, since three of the tags are as frequent."""
    found = two_models(WIDTH)
    right, words = found["scores"]["shuffled"]["accuracy"]
    assert right / words < 0.5
    assert found["scores"]["mapped"]["accuracy"][0] / words > 0.95


def test_more_parallel_words_make_a_better_map():
    found = two_models(WIDTH)
    curve = {
        int(count): right / n
        for count, value in found["curve"].items()
        for right, n in [value["accuracy"]]
    }
    assert list(curve) == [50, 100, 200, 500, 560]
    assert curve[560] == found["scores"]["mapped"]["accuracy"][0] / 280
    # 280 words are judged, so a few of them may fall either way.
    assert curve[50] <= curve[560] + 0.03


def test_the_same_seed_gives_the_same_network_and_leaves_the_generator_alone():
    import torch

    each = bank("a", 30, 5)
    vectors = Vectors(states_of(each, 0).astype(np.float32), np.arange(0, 211, 7))
    state = torch.get_rng_state()
    for depth in (0, 1):
        settings = replace(SETTINGS, depth=depth, epochs=2)
        one, again, other = (
            train_network(TASKS["upos"], vectors, each.sentences, settings, seed)
            for seed in (0, 0, 1)
        )
        assert one.losses == again.losses != other.losses
        assert one.losses[-1] < one.losses[0]
        assert one.predict(vectors) == again.predict(vectors)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_tagger_begins_with_how_frequent_each_label_is():
    """After a step that hardly moves it, words that say nothing get the most frequent label."""
    each = bank("a", 30, 5)
    vectors = Vectors(np.zeros((210, WIDTH), np.float32), np.arange(0, 211, 7))
    settings = Settings(depth=0, epochs=1, learning_rate=1e-9, batch_words=1_000)
    network = train_network(TASKS["upos"], vectors, each.sentences, settings, 0)
    tags = Counter(tag for one in each.sentences for tag in one.tags)
    shares = np.array([tags[label] for label in network.labels]) / 210
    assert network.losses[0] == pytest.approx(-(shares * np.log(shares)).sum(), rel=1e-4)
    assert network.predict(vectors)[0].labels[0] == tags.most_common(1)[0][0]


# Scores by hand


def test_scores_by_hand():
    gold = [
        TaggedSentence(
            "a b c",
            ("a", "b", "c"),
            ((0, 1), (2, 3), (4, 5)),
            ("B-PER", "I-PER", "B-LOC"),
            (2, 0, 2),
            ("nsubj:pass", "root", "obj"),
        )
    ]
    said = [Predicted(("B-PER", "I-PER", "B-ORG"))]
    assert score("entities", gold, said) == {"f1": (2, 4)}
    assert score("upos", gold, said) == {"accuracy": (2, 3)}
    trees = [Predicted(("nsubj", "root", "obj"), (2, 0, 1))]
    assert score("parsing", gold, trees) == {"uas": (2, 3), "las": (2, 3)}
    trees = [Predicted(("obl", "root", "obj"), (2, 0, 2))]
    assert score("parsing", gold, trees) == {"uas": (3, 3), "las": (2, 3)}
    labels, counts = confusions("parsing", gold, trees)
    assert labels == ["nsubj", "obj", "obl", "root"]
    assert counts.tolist() == [[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]


# What is read


def test_a_words_state_is_the_mean_of_its_tokens(model: LoadedModel, store: Store):
    texts = ("The weather is fine.", "Rain!")
    words = (
        locate(("The", "weather", "is", "fine", "."), texts[0]),
        locate(("Rain", "!"), texts[1]),
    )
    found = word_states(model, Located("two", texts, words), store)
    assert found.starts.tolist() == [0, 5, 7]
    assert found.rows(0).shape == (7, model.width)
    one = tokenise(model, texts[:1])[0]
    import torch

    with torch.no_grad():
        states = model.network(
            input_ids=torch.tensor([one.ids]), output_hidden_states=True
        ).hidden_states
    inside = [i for i, (a, b) in enumerate(one.spans) if b > a and a < 11 and b > 4]
    for layer, values in enumerate(states):
        expected = values[0, inside].float().mean(0).numpy()
        np.testing.assert_allclose(found.rows(layer)[1], expected, atol=1e-4)


def test_sentences_that_are_tested_teach_the_map_nothing():
    data = read_task("upos", "bundled", ("en", "zh"), "test")
    banks = [data.train, data.source_test, data.target_test, data.target_train]
    everyday, news = load_bundled("everyday.en-zh"), load_bundled("news.en-zh")
    found = read_parallel(("bundled",), ("en", "zh"), None, banks)
    assert len(found.source.texts) == len(everyday) + len(news) - 72
    tested = {each.text for one in banks for each in one.sentences}
    assert not tested & {*found.source.texts, *found.target.texts}
    # Links that were made by hand are taken as they are.
    row = next(
        i for i, gold in enumerate(everyday.gold) if gold and everyday.source[i] not in tested
    )
    place = found.source.texts.index(everyday.source[row])
    starts = found.source.starts, found.target.starts
    links = {
        (i - starts[0][place], j - starts[1][place])
        for i, j in found.pairs
        if starts[0][place] <= i < starts[0][place + 1]
    }
    assert links == everyday.gold[row].sure
    with pytest.raises(RunError, match="is in en and zh and not in en and nl"):
        read_parallel(("bundled",), ("en", "nl"), None, banks)


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(TreebankError, match="parts of speech and no trees, which parsing needs"):
        TwoModelsPlan(tasks=("parsing",)).read_data()
    with pytest.raises(TreebankError, match=r"no train set in en for named entities .*_mine-train"):
        read_task("entities", str(tmp_path), ("en", "zh"), "dev")
    with pytest.raises(RunError, match="layers 0 to 6; 9 is none"):
        TwoModelsPlan(layers=(9,))
    with pytest.raises(RunError, match="the same language"):
        TwoModelsPlan(target_language="english")


def test_a_language_without_training_set_trains_on_dev_unless_that_is_scored(tmp_path):
    line = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\n"
    for name in ("en_a-train", "en_a-dev", "en_a-test", "zh_a-dev", "zh_a-test"):
        (tmp_path / f"{name}.conllu").write_text(line)
    scored = read_task("upos", str(tmp_path), ("en", "zh"), "test")
    assert (scored.train.name, scored.target_train.name) == ("en_a-train.conllu", "zh_a-dev.conllu")
    chosen = read_task("upos", str(tmp_path), ("en", "zh"), "dev")
    assert (chosen.target_test.name, chosen.target_train) == ("zh_a-dev.conllu", None)


# A whole run, and its results


@pytest.fixture(scope="module")
def finished(encoder_directory, tmp_path_factory) -> tuple[Run, Store]:
    """A run of tiny models over two layers and two seeds, on a little of the bundled sample."""
    store = Store(tmp_path_factory.mktemp("two-models"), demo=None)
    plan = TwoModelsPlan.suited(
        3,
        model=str(encoder_directory),
        target_model=str(encoder_directory),
        bilingual_model=None,
        layers=(0, 2),
        seeds=(0, 1),
        epochs=2,
        parallel_size=40,
        device="cpu",
    )
    runs = Runs(store, shipped=None)
    run = runs.create(plan)
    runs.enqueue(run, start_worker=False)
    work(store)
    return run, store


def test_a_run_taken_up_again_ends_as_an_unbroken_one(finished, tmp_path):
    run, store = finished
    assert run.state == "finished", run.problem
    done = run.results()
    noted = [run.facts["model"], *run.facts["model"]["beside"]]
    names = [run.plan.model, run.plan.target_model, f"random:{run.plan.target_model}"]
    assert [each["name"] for each in noted] == names
    assert run.facts["text"]["pairs of words"] > 50
    assert store.entries() == ()  # the states that only this run needed are gone with it
    again = RunContext(store, tmp_path, len(run.units), 3)
    (last,) = run.plan.carry_out(run.units[3:], again)
    assert last[0] == run.units[3]
    whole = {**done[last[0]], "seconds": 0}
    assert json.loads(as_json({**last[1], "seconds": 0})) == whole


def test_results_by_layer_seed_and_word(finished):
    run, _ = finished
    found = read_results(run.plan, run.results())
    assert found.layers("upos") == (0, 2)
    assert found.setups("upos") == ("mapped", "random", "shuffled", "target", "source")
    line = found.line("upos", "accuracy", "mapped")
    by_seed = found.scores("upos", "accuracy", "mapped")
    np.testing.assert_allclose(line.mean, by_seed.mean(1))
    assert (line.low <= line.mean).all()
    assert (line.mean <= line.high).all()
    curve = found.word_line("upos", "accuracy", 2)
    assert curve.places[0] == 50
    assert curve.mean[-1] == pytest.approx(line.mean[1])
    labels, shares = found.confusion("upos", 0)
    assert np.isin(np.round(shares.sum(1), 6), (0, 1)).all()
    assert {"NOUN", "VERB"} <= set(labels)
    pairs = found.shown("upos", 2)
    assert [word.text for word in pairs[0].source][:3] == ["A", "spring", "in"]
    assert [word.gold for word in pairs[0].mapped] == [word.gold for word in pairs[0].shuffled]
    assert all(word.right == (word.said == word.gold) for word in pairs[0].mapped)
    assert len(score_table(found)) == 2 * 2 * 5


def result(layer: int, seed: int, **right: int) -> dict:
    """A unit with so many of 100 words right in each set-up."""
    scores = {name.replace("_", " "): {"accuracy": [n, 100]} for name, n in right.items()}
    return {"layer": layer, "seed": seed, "task": "upos", "scores": scores}


def test_the_best_layer_and_how_far_the_map_goes():
    plan = TwoModelsPlan(layers=(0, 1), seeds=(0, 1))
    found = read_results(
        plan,
        {
            "upos layer=0 seed=0": result(0, 0, mapped=50, shuffled=10, target=90, bilingual=70),
            "upos layer=1 seed=0": result(1, 0, mapped=60, shuffled=20, target=80, bilingual=50),
            "upos layer=0 seed=1": result(0, 1, mapped=52, shuffled=10, target=90, bilingual=74),
            "upos layer=1 seed=1": result(1, 1, mapped=64, shuffled=20, target=80, bilingual=50),
        },
    )
    assert found.best_layer("upos", "accuracy") == 1
    assert found.best_layer("upos", "accuracy", "bilingual") == 0
    assert found.difference("upos", "accuracy", "bilingual", "mapped").mean == pytest.approx(0.10)
    assert found.recovered("upos", "accuracy").mean == pytest.approx((40 / 60 + 44 / 60) / 2)
    half = read_results(plan, {"upos layer=0 seed=0": result(0, 0, mapped=50, shuffled=10)})
    assert half.recovered("upos", "accuracy") is None
    assert half.layers("upos") == (0,)
    assert read_results(plan, {}).tasks == ()


def test_a_longer_run_is_told_to_take_longer():
    plan = TwoModelsPlan()
    data, size, speed = plan.read_data(), ModelSize(6, 384, 12 * 384.0**2, 0), Speed(5e10, 1e9)
    short = estimate_two_models_seconds(plan, data, size, speed)
    longer = estimate_two_models_seconds(replace(plan, depth=4), data, size, speed)
    assert 30 < short < 300
    assert longer > 1.5 * short
