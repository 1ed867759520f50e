"""Adaptation: what learns when, what moves, and that a broken run goes on as if it had not been."""

import numpy as np
import pytest
import torch

from isogloss.adaptation import AdaptationPlan, default_regimes
from isogloss.adaptation_units import map_name
from isogloss.blocks import parameters_by_layer
from isogloss.drift import Anchor, Probe, anchor_at, mean_distances, similarities
from isogloss.errors import CorpusError, ModelError, RunError, Stopped
from isogloss.jobs import Runs
from isogloss.language_training import LanguageTraining, Schedule
from isogloss.masking import Vocabulary, read_sentences
from isogloss.models import load_model
from isogloss.monolingual import Sizes, read_adaptation_text, read_source
from isogloss.moving_map import MovingMap, spread_moments
from isogloss.regimes import REGIMES, find_regime, regimes_for
from tests.conftest import PAIRS

CHINESE = [target for _, target in PAIRS]


@pytest.fixture
def masked_model(masked_model_directory, store):
    return load_model(str(masked_model_directory), store, device="cpu", language_head=True)


def train_on(model, regime: str, **options) -> LanguageTraining:
    schedule = {"epochs": 3, "batch_size": 4, "learning_rate": 1e-2} | options
    return LanguageTraining(
        network=model.network,
        n_layers=model.n_layers,
        sentences=read_sentences(model, CHINESE, 64),
        vocabulary=Vocabulary.of(model),
        regime=find_regime(regime),
        schedule=Schedule(**schedule),
        seed=1,
    )


# Regimes


def test_the_table_of_regimes():
    assert [regime.name for regime in regimes_for(12)] == [
        "all",
        "last-6",
        "last-3",
        "last-1",
        "gradual",
    ]
    assert [regime.name for regime in regimes_for(6)] == ["all", "last-3", "last-1", "gradual"]
    lowest = {name: regime.first_learning(12) for name, regime in REGIMES.items()}
    assert lowest == {
        "all": (1,),
        "last-6": (7,),
        "last-3": (10,),
        "last-1": (12,),
        "gradual": (9, 5, 1),
    }
    assert find_regime("gradual").first_learning(6) == (5, 3, 1)
    assert find_regime("gradual").first_learning(3) == (3, 2, 1)
    assert find_regime("gradual").first_learning(4) == (3, 2, 1)
    assert find_regime("last-2").first_learning(6) == (5,)
    assert find_regime("last-6").first_learning(3) == (1,)
    for wrong in ("last-0", "last", "first-2", ""):
        with pytest.raises(RunError, match="There is no regime"):
            find_regime(wrong)


@pytest.mark.parametrize("kind", ["masked", "causal"])
@pytest.mark.parametrize("embeddings", [False, True])
def test_gradual_unfreezing_moves_exactly_what_its_table_says(
    kind, embeddings, masked_model, decoder_directory, store
):
    """At each boundary every parameter is looked at: what may learn, and what has changed."""
    model = (
        masked_model
        if kind == "masked"
        else load_model(str(decoder_directory), store, device="cpu", language_head=True)
    )
    training = train_on(model, "gradual", train_embeddings=embeddings, dropout=False)
    assert training.steps_an_epoch == 3
    layers = parameters_by_layer(model.network)
    lowest = [0 if embeddings and first == 1 else first for first in (3, 2, 1)]
    before = {name: weight.detach().clone() for name, weight in model.network.named_parameters()}
    for step in training.steps():
        phase = min(step // 3, 2)
        for name, weight in model.network.named_parameters():
            assert weight.requires_grad == (layers[name] >= lowest[phase]), (step, name)
            has_learned = step > 0 and layers[name] >= lowest[min((step - 1) // 3, 2)]
            assert torch.equal(weight, before[name]) != has_learned, (step, name)
    assert [(phase.step, phase.first_learning) for phase in training.phases()] == [
        (0, 3),
        (3, 2),
        (6, 1),
    ]


def test_dropout_is_on_only_in_what_learns(masked_model):
    blocks = masked_model.network.bert.encoder.layer
    steps = train_on(masked_model, "last-1").steps()
    next(steps), next(steps)
    assert [block.training for block in blocks] == [False, False, True]
    assert not masked_model.network.bert.embeddings.training


def test_the_rate_falls_linearly_and_training_helps(masked_model):
    from isogloss.masking import fixed_questions, measuring_batches, perplexity

    sentences = read_sentences(masked_model, CHINESE, 64)
    batches = measuring_batches(fixed_questions(sentences, Vocabulary.of(masked_model), 0), 0)
    before = perplexity(masked_model.network, batches)
    for _ in train_on(masked_model, "all", epochs=20, dropout=False).steps():
        pass
    assert perplexity(masked_model.network, batches) < 0.7 * before


# Drift


def test_distance_to_itself_is_zero_and_a_shift_is_its_length():
    states = np.random.default_rng(0).normal(size=(4, 30, 8)).astype(np.float32)
    assert (mean_distances(states, states) == 0).all()
    assert similarities(states, states) == pytest.approx(np.ones(4), abs=1e-6)
    shift = np.zeros(8, np.float32)
    shift[:2] = 3, 4
    assert mean_distances(states + shift, states) == pytest.approx(np.full(4, 5), rel=1e-5)
    assert similarities(states + shift, states) == pytest.approx(np.ones(4), abs=1e-5)
    assert np.isnan(similarities(states[:, :3], states[:, :3])).all()


def test_frozen_layers_stay_at_exactly_zero_although_dropout_trains_the_others(masked_model):
    probe = Probe.of(read_sentences(masked_model, CHINESE, 64), padding=0)
    before = probe.states(masked_model.network)
    for _ in train_on(masked_model, "last-1").steps():
        distances = mean_distances(probe.states(masked_model.network), before)
        assert distances[:3].tolist() == [0.0, 0.0, 0.0]
    assert distances[3] > 0


def test_a_reference_of_other_tokens_and_depth_is_met_by_sentences(masked_model, decoder):
    own = read_sentences(masked_model, CHINESE, 64)
    probe = Probe.of(own, padding=0)
    states = probe.states(masked_model.network)
    same = anchor_at(masked_model, own, probe, masked_model.n_layers)
    assert not same.by_sentence
    assert same.measure(probe, states)[0].tolist() == [0.0] * 4
    other = anchor_at(decoder, read_sentences(decoder, CHINESE, 64), probe, masked_model.n_layers)
    assert other.by_sentence
    assert other.states.shape == (4, len(CHINESE), 32)
    distance, similarity = other.measure(probe, states)
    assert (distance > 0).all()
    assert (np.abs(similarity) <= 1).all()
    narrow = Anchor(other.states[:, :, :20], by_sentence=True)
    assert np.isnan(narrow.measure(probe, states)[0]).all()
    assert not np.isnan(narrow.measure(probe, states)[1]).any()


# Text


def test_parts_share_no_sentence_and_languages_are_balanced():
    text = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=0)
    parts = [
        text.train,
        text.validation,
        text.test,
        [sentence for each in text.multilingual.values() for sentence in each],
    ]
    sentences = [sentence for part in parts for sentence in part]
    assert len(set(sentences)) == len(sentences)
    assert {code: len(each) for code, each in text.multilingual.items()} == {"en": 30, "zh": 30}
    assert len(text.validation) == len(text.test) == 50
    assert len(text.train) > 150
    again = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=0)
    other = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=1)
    assert again.content_hashes == text.content_hashes != other.content_hashes


def test_sources_of_every_kind(tmp_path):
    (tmp_path / "plain.txt").write_text("你好，世界。\n\n好的, 明天\t见\n……\n", encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("en\tzh\nYes.\t是。\nNo.\t不。\n", encoding="utf-8")
    (tmp_path / "dev-zh.tsv").write_text("他来了。\t他走了。\tcontradiction\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("\n")
    plain = {"zh": ("你好，世界。", "好的, 明天\t见")}
    assert read_source(str(tmp_path / "plain.txt")) == plain
    assert read_source(str(tmp_path / "pairs.tsv")) == {
        "en": ("Yes.", "No."),
        "zh": ("是。", "不。"),
    }
    assert read_source(str(tmp_path / "dev-zh.tsv")) == {"zh": ("他来了。", "他走了。")}
    assert set(read_source("everyday.en-nl")) == {"en", "nl"}
    with pytest.raises(CorpusError, match=r"empty\.txt is empty"):
        read_source(str(tmp_path / "empty.txt"))
    with pytest.raises(CorpusError, match="There is no file"):
        read_source(str(tmp_path / "nothing.txt"))
    sizes = Sizes(9, 9, 9, 9)
    with pytest.raises(CorpusError, match="but none in zh"):
        read_adaptation_text("zh", ["everyday.en-nl"], ["everyday.en-nl"], sizes, 0)
    with pytest.raises(CorpusError, match="2 different sentences in zh"):
        read_adaptation_text("zh", [str(tmp_path / "pairs.tsv")], ["everyday.en-nl"], sizes, 0)
    with pytest.raises(CorpusError, match="No text in sw comes with Isogloss"):
        read_adaptation_text("sw", (), (), sizes, 0)


# Runs


@pytest.fixture
def plan(masked_model_directory) -> AdaptationPlan:
    return AdaptationPlan(
        model=str(masked_model_directory),
        regimes=("last-1", "gradual"),
        seeds=(0, 1),
        learning_rate=1e-2,
        train_sentences=24,
        validation_sentences=16,
        test_sentences=16,
        multilingual_sentences=16,
        evaluate_every=3,
        longest=32,
        device="cpu",
    )


def carry_out(run, store) -> None:
    with run.lock(wait=True):
        run.carry_out(store)


def without_times(results):
    return {
        unit: {name: value for name, value in result.items() if name != "seconds"}
        for unit, result in results.items()
    }


def test_a_run_measures_what_it_says(plan, store, masked_model_directory):
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    assert list(run.results()) == [
        "last-1 seed 0",
        "gradual seed 0",
        "last-1 seed 1",
        "gradual seed 1",
    ]
    result = run.results()["gradual seed 0"]
    assert result["steps"] == [0, 3, 6, 9]
    assert result["phases"] == [[0, 3], [3, 2], [6, 1]]
    distance = np.array(result["distance"])
    assert distance.shape == (4, 4)
    assert distance[0].tolist() == [0] * 4
    assert (distance[:, 0] == 0).all()
    assert (distance[:3, 1] == 0).all()
    assert (distance[:2, 2] == 0).all()
    assert (distance[1:, 3] > 0).all()
    assert distance[3, 1] > 0
    assert result["best_step"] == result["steps"][int(np.argmin(result["target"]))]
    assert result["test"] != result["test_before"]
    assert run.results()["last-1 seed 0"]["target"][0] == result["target"][0]
    assert run.results()["last-1 seed 1"]["target"] != run.results()["last-1 seed 0"]["target"]
    assert run.facts["sentences"]["train"] == 24
    words = MovingMap.from_arrays(run.kept(map_name("last-1")))
    assert words.steps == (0, 3, 6, 9)
    assert words.coordinates.shape == (4, 4, len(words.texts), 2)
    assert (words.coordinates[:, :3] == words.coordinates[:1, :3]).all()
    assert (words.coordinates[1:, 3] != words.coordinates[:1, 3]).any()
    assert run.kept(map_name("gradual")) is not None


def test_a_broken_run_goes_on_as_if_it_had_not_been(plan, store):
    runs = Runs(store, shipped=None)
    whole, broken = runs.create(plan), runs.create(plan)
    carry_out(whole, store)

    work = broken.plan.carry_out
    with broken.lock(wait=True):
        for count, (unit, result) in enumerate(work(list(broken.units), desk_of(broken, store))):
            broken.append(unit, result)
            if count == 1:
                break
    with (broken.path / "results.jsonl").open("a") as stream:
        stream.write('{"unit": "last-1 seed 1", "resu')  # where a kill came
    assert len(broken.results()) == 2
    carry_out(broken, store)
    assert without_times(broken.results()) == without_times(whole.results())


def desk_of(run, store):
    from isogloss.jobs import Desk

    return Desk(store, run, 0)


def test_a_run_stops_when_asked(plan, store):
    run = Runs(store, shipped=None).create(plan)
    (run.path / "stop").touch()
    with pytest.raises(Stopped):
        carry_out(run, store)
    assert run.state == "stopped"


def test_patience_ends_a_training_that_does_not_help(masked_model_directory, store):
    plan = AdaptationPlan(
        model=str(masked_model_directory),
        regimes=("all",),
        seeds=(0,),
        learning_rate=10.0,
        train_sentences=64,
        validation_sentences=16,
        test_sentences=16,
        multilingual_sentences=16,
        evaluate_every=1,
        patience=2,
        device="cpu",
    )
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    result = run.results()["all seed 0"]
    assert result["stopped_early"]
    assert result["best_step"] == 0
    assert result["steps"] == [0, 1, 2]
    assert result["test"] == result["test_before"]


def test_the_test_is_of_the_model_at_the_best_step(masked_model_directory, store):
    """Also where the best step came before the lower layers began to learn."""
    plan = AdaptationPlan(
        model=str(masked_model_directory),
        regimes=("gradual",),
        seeds=(0,),
        learning_rate=10.0,
        train_sentences=24,
        validation_sentences=16,
        test_sentences=16,
        multilingual_sentences=16,
        evaluate_every=1,
        device="cpu",
    )
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    result = run.results()["gradual seed 0"]
    assert result["best_step"] == 0
    assert len(result["phases"]) == 3
    assert result["test"] == result["test_before"]


def test_a_training_that_diverges_says_so(masked_model):
    with pytest.raises(ModelError, match="lower the learning rate"):
        list(train_on(masked_model, "all", learning_rate=1e30).steps())


def test_a_decoder_and_a_reference(decoder_directory, encoder_directory, store):
    plan = AdaptationPlan(
        model=str(decoder_directory),
        regimes=("last-1",),
        seeds=(0,),
        epochs=1,
        train_sentences=16,
        validation_sentences=16,
        test_sentences=16,
        multilingual_sentences=16,
        evaluate_every=2,
        reference=str(encoder_directory),
        device="cpu",
    )
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    result = run.results()["last-1 seed 0"]
    assert result["target"][-1] < result["target"][0]
    assert np.array(result["distance"])[:, :4].max() == 0
    reference = np.array(result["reference_distance"])
    assert reference.shape == (len(result["steps"]), 5)
    assert (reference > 0).all()
    assert (reference[:, :4] == reference[:1, :4]).all()


def test_plans_are_checked_and_ask_for_themselves(plan, masked_model_directory, store):
    from isogloss.command_line import build_parser

    for wrong in (
        {"epochs": 0},
        {"seeds": ()},
        {"regimes": ()},
        {"regimes": ("none",)},
        {"seeds": (1, 1)},
        {"seeds": (-1,)},
        {"regimes": ("all", "all")},
        {"longest": 2},
    ):
        with pytest.raises(RunError):
            AdaptationPlan(**wrong)
    assert default_regimes(str(masked_model_directory), store) == ("all", "last-1", "gradual")
    changed = AdaptationPlan(dropout=False, train_embeddings=True, text=("a.txt", "b.txt"))
    for each in (plan, changed, AdaptationPlan()):
        options = build_parser().parse_args(each.command())
        assert options.model == each.model
        for name in ("regimes", "seeds", "text"):
            assert tuple(getattr(options, name)) == getattr(each, name)
        for name in ("learning_rate", "dropout", "train_embeddings", "evaluate_every"):
            assert getattr(options, name) == getattr(each, name)


def test_moments_are_spread():
    steps = [*range(0, 300, 20), 300]
    moments = sorted(spread_moments(steps))
    assert len(moments) == 9
    assert moments[0] == 0
    assert moments[-1] == 300
    assert spread_moments([0, 1, 2]) == {0, 1, 2}


def test_a_language_that_is_not_bundled_is_compared_with_those_that_are(tmp_path):
    path = tmp_path / "mine.fr.txt"
    path.write_text("\n".join(f"La phrase numéro {i}." for i in range(40)))
    text = read_adaptation_text("fr", [str(path)], (), Sizes(20, 5, 5, 30), 0)
    assert text.language == "fr"
    assert set(text.multilingual) == {"en", "zh", "nl"}
    with pytest.raises(CorpusError, match="No text in fr comes with Isogloss"):
        read_adaptation_text("fr", (), (), Sizes(20, 5, 5, 30), 0)


def test_a_held_out_text_without_sentences_is_refused(tmp_path):
    path = tmp_path / "nothing.en.txt"
    path.write_text("!!!\n???\n")
    with pytest.raises(CorpusError, match="no sentence in en"):
        read_adaptation_text("zh", (), [str(path)], Sizes(20, 5, 5, 30), 0)
