"""Runs of adaptation: measured, broken off, stopped, tested at their best step."""

import numpy as np
import pytest

from isogloss.errors import RunError, Stopped
from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.results import read_adaptation
from isogloss.lab.adaptation.training import map_name
from isogloss.lab.adaptation.training_map import TrainingMap, spread_moments
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store


def small_plan(directory, **changes) -> AdaptationPlan:
    """An adaptation of a tiny model on a few sentences."""
    values = {
        "model": str(directory),
        "seeds": (0,),
        "validation_sentences": 16,
        "test_sentences": 16,
        "multilingual_sentences": 16,
        "evaluate_every": 1,
        "device": "cpu",
    }
    return AdaptationPlan(**values | changes)


@pytest.fixture(scope="module")
def plan(masked_model_directory) -> AdaptationPlan:
    return small_plan(
        masked_model_directory,
        regimes=("last-1", "gradual"),
        seeds=(0, 1),
        learning_rate=1e-2,
        train_sentences=24,
        evaluate_every=3,
        longest=32,
    )


def carry_out(run, store) -> None:
    with run.lock(wait=True):
        run.carry_out(store)


def without_times(results):
    return {
        unit: {name: value for name, value in result.items() if name != "seconds"}
        for unit, result in results.items()
    }


@pytest.fixture(scope="module")
def whole_run(plan, tmp_path_factory) -> Run:
    """The plan carried out without a break; nobody changes it."""
    store = Store(tmp_path_factory.mktemp("whole"), demo=None)
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    return run


def test_a_run_measures_what_it_says(whole_run):
    run = whole_run
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
    words = TrainingMap.from_arrays(run.kept(map_name("last-1")))
    assert words.steps == (0, 3, 6, 9)
    assert words.positions.shape == (4, 4, len(words.texts), 2)
    assert (words.positions[:, :3] == words.positions[:1, :3]).all()
    assert (words.positions[1:, 3] != words.positions[:1, 3]).any()
    assert run.kept(map_name("gradual")) is not None


def test_a_broken_run_goes_on_as_if_it_had_not_been(plan, store, whole_run):
    broken = Runs(store, shipped=None).create(plan)
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
    assert without_times(broken.results()) == without_times(whole_run.results())


def desk_of(run, store):
    from isogloss.lab.runs.context import RunContext

    return RunContext(store, run.path, len(run.units), 0)


def test_a_run_stops_when_asked(plan, store):
    run = Runs(store, shipped=None).create(plan)
    (run.path / "stop").touch()
    with pytest.raises(Stopped):
        carry_out(run, store)
    assert run.state == "stopped"


def test_patience_ends_a_training_that_does_not_help(masked_model_directory, store):
    plan = small_plan(
        masked_model_directory,
        regimes=("all",),
        learning_rate=10.0,
        train_sentences=32,
        longest=32,
        patience=2,
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
    plan = small_plan(
        masked_model_directory,
        regimes=("gradual",),
        learning_rate=10.0,
        train_sentences=24,
        evaluate_every=3,
        longest=32,
    )
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    result = run.results()["gradual seed 0"]
    assert result["best_step"] == 0
    assert len(result["phases"]) == 3
    assert result["test"] == result["test_before"]


def test_a_decoder_and_a_reference(decoder_directory, encoder_directory, store):
    plan = small_plan(
        decoder_directory,
        regimes=("last-1",),
        epochs=1,
        train_sentences=16,
        evaluate_every=2,
        reference=str(encoder_directory),
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
    assert run.facts["native"]["test"] is None  # it was saved without the head that guesses


def test_a_native_model_is_tested_as_it_is(masked_model_directory, store):
    plan = small_plan(
        masked_model_directory,
        regimes=("last-1",),
        epochs=1,
        train_sentences=8,
        evaluate_every=4,
        reference=str(masked_model_directory),
    )
    run = Runs(store, shipped=None).create(plan)
    carry_out(run, store)
    found = read_adaptation(run)
    assert found.native.test == found.regimes["last-1"].test_before
    own, other = found.native.characters_per_token
    assert own == other > 0


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
    assert AdaptationPlan.suited(3).regimes == ("all", "last-1", "gradual")
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
