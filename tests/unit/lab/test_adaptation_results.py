"""What is read from an adaptation, against what was put in."""

from dataclasses import replace

import numpy as np
import pytest

from components.adaptation.wording import (
    basis,
    describe,
    drift_words,
    how_far,
    native_words,
    paper_words,
)
from isogloss.errors import RunError
from isogloss.figures.experiments.layer_drift import layer_drift_figure
from isogloss.figures.experiments.perplexity_curves import perplexity_figure
from isogloss.figures.experiments.regime_bars import (
    describe_regimes,
    regime_bars_figure,
    regime_rows,
)
from isogloss.lab.adaptation.language_training import Phase
from isogloss.lab.adaptation.results import (
    NativeModel,
    RegimeResults,
    read_adaptation,
    read_map,
)
from isogloss.lab.runs.queue import Runs
from isogloss.published import DUTCH_NATIVE, DUTCH_REGIMES
from tests.helpers.adaptations import N_LAYERS, STEPS, made_up_run
from tests.helpers.plans import CountingPlan


@pytest.fixture
def found(store):
    return read_adaptation(made_up_run(store))


def test_what_was_put_in_is_read(found):
    assert list(found.regimes) == ["all", "last-1", "gradual"]
    assert found.languages == ("en", "zh")
    assert found.n_layers == N_LAYERS
    shown = found.regimes["gradual"]
    assert shown.seeds == (0, 1)
    assert shown.steps.tolist() == list(STEPS)
    assert shown.target.tolist() == [[40, 30, 20, 10], [41, 31, 21, 11]]
    assert shown.mean(shown.target)[0] == pytest.approx(np.sqrt(40 * 41))
    assert shown.phases == (Phase(0, 3), Phase(10, 2), Phase(20, 1))
    assert shown.test.tolist() == [21, 22]
    assert found.best is found.regimes["all"]
    assert found.anchors == ("before",)
    assert len(found.rows()) == 3 * 2 * len(STEPS)
    assert found.rows()[0]["perplexity_zh"] == 40


def test_seeds_that_stop_early_count_up_to_where_they_stopped(found):
    whole = found.regimes["last-1"]
    multilingual, drift = whole.multilingual.copy(), whole.drift["before", "distance"].copy()
    multilingual[0] = 25, 30, 40, 80
    multilingual[1, 2:] = drift[1, 2:] = np.nan
    shown = replace(
        whole,
        multilingual=multilingual,
        drift={**whole.drift, ("before", "distance"): drift},
    )
    assert shown.final(multilingual) == pytest.approx(np.sqrt(80 * 25))
    assert shown.frozen_distances().tolist() == [0.0] * len(shown.frozen_distances())
    assert "**exactly 0**" in drift_words(found, shown, "before")
    assert "rises from 25.0 to **44.7**" in describe(found, shown)


def test_embeddings_that_learn_are_not_called_frozen(found):
    for name, from_step in (("all", 0), ("gradual", 20), ("last-1", STEPS[-1])):
        learning = replace(found.regimes[name], trains_embeddings=True)
        assert learning.frozen_until(0) == from_step
        assert found.regimes[name].frozen_until(0) == STEPS[-1]


def test_crossings_are_where_the_curves_meet(found):
    crossing = found.regimes["all"].crossing
    assert crossing.count == 2
    # Chinese falls from 30 to 20 where the other stays at 25: straight lines in the logarithm.
    share = np.log(30 / 25) / np.log(30 / 20)
    assert crossing.steps[0] == pytest.approx(10 + 10 * share)
    assert crossing.perplexities == pytest.approx([25, 25])
    assert crossing.spread == (crossing.steps[0], crossing.steps[1])
    assert crossing.spread[0] < crossing.mean_step < crossing.spread[1]


def test_curves_that_touch_and_part_again_cross_where_they_stay_apart(store):
    run = made_up_run(store, seeds=1, units=0)
    touching = made_up_run(store, seeds=1).results()["all seed 0"]
    run.append("all seed 0", {**touching, "target": [40.0, 24.0, 30.0, 20.0]})
    assert 20 < read_adaptation(run).regimes["all"].crossing.mean_step < 30
    back = made_up_run(store, seeds=1, units=0)
    back.append("all seed 0", {**touching, "target": [40.0, 24.0, 20.0, 30.0]})
    assert read_adaptation(back).regimes["all"].crossing.count == 0


def test_curves_that_do_not_cross_say_so(store):
    found = read_adaptation(made_up_run(store, crossing=False))
    shown = found.regimes["all"]
    assert shown.crossing.count == 0
    assert "do not cross: Chinese stays the higher" in describe(found, shown)
    figure = perplexity_figure(shown, ("Chinese", "All languages"), None)
    assert not [trace for trace in figure.data if trace.name == "crossing"]


def test_how_long_layers_are_frozen(found):
    gradual, last = found.regimes["gradual"], found.regimes["last-1"]
    assert [gradual.frozen_until(layer) for layer in range(4)] == [30, 20, 10, 0]
    assert [last.frozen_until(layer) for layer in range(4)] == [30, 30, 30, 0]
    assert (gradual.frozen_distances() == 0).all()
    assert gradual.frozen_distances().size == 2 * (4 + 3 + 2 + 1)
    assert "**exactly 0** in all 20 measurements" in drift_words(found, gradual, "before")
    assert "dropout was on" in drift_words(found, gradual, "before")


def test_the_words_tell_what_the_numbers_say(found):
    said = describe(found, found.regimes["all"])
    assert "on Chinese from 44.0 to **11.5** (11.0 to 12.0 over 2 seeds)" in said
    assert "On held-out English and Chinese it stays at **25.0**" in said
    assert "cross for good at step **15** (14 to 16 over seeds), at a perplexity of 25.0" in said
    assert "**all layers** reaches the lowest test perplexity, in every seed" in said
    assert "80 sentences in Chinese to learn from" in basis(found)
    assert "Dutch went 11.54 → 7.76 → 5.56" in paper_words()


def test_a_seed_that_stopped_early_ends_early(store):
    run = made_up_run(store, units=3)
    results = run.results()
    shorter = dict(results["all seed 0"], seed=1)
    for name in ("steps", "target", "multilingual", "distance", "similarity"):
        shorter[name] = shorter[name][:2]
    run.append("all seed 1", shorter)
    shown = read_adaptation(run).regimes["all"]
    assert np.isnan(shown.target[1, 2:]).all()
    assert shown.mean(shown.target)[-1] == pytest.approx(10)
    assert shown.crossing.count == 1
    assert len(read_adaptation(run).rows()) == 3 * len(STEPS) + 2


def test_half_a_run_shows_what_it_has(store):
    found = read_adaptation(made_up_run(store, units=2))
    assert list(found.regimes) == ["all", "last-1"]
    assert "**2 of 6 trainings are done**" in how_far(found)
    rows = regime_rows(found, DUTCH_REGIMES)
    assert rows == ["before", "all", "last-6", "last-3", "last-1", "gradual", "native"]
    figure = regime_bars_figure(
        found, "all", ("us", "them"), DUTCH_REGIMES, ("native", DUTCH_NATIVE)
    )
    missing = [note.text for note in figure.layout.annotations if note.name == "note"]
    assert missing == ["all layers, in a model of 3"] * 2 + ["not yet, or not asked"]


def test_other_runs_are_refused(store):
    empty = made_up_run(store, units=0)
    with pytest.raises(RunError, match="has finished nothing yet"):
        read_adaptation(empty)
    other = Runs(store, shipped=None).create(CountingPlan(2))
    with pytest.raises(RunError, match="is no adaptation"):
        read_adaptation(other)


def test_maps_are_read_as_they_were_kept(store):
    words = read_map(made_up_run(store), "all")
    assert words is not None
    assert words.steps == STEPS
    assert words.positions.shape == (4, N_LAYERS + 1, 6, 2)
    assert words.sentences[0] == ("Green tea.", "绿茶。")
    assert read_map(made_up_run(store, units=1), "last-1") is None


# Figures


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_perplexity_has_a_mean_a_band_and_a_crossing(found, mode):
    shown = found.regimes["gradual"]
    figure = perplexity_figure(shown, ("Chinese", "All languages"), 20, mode)
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name["Chinese"].y) == pytest.approx(list(shown.mean(shown.target)))
    assert sum(trace.name == "band" for trace in figure.data) == 2
    assert sum(trace.name == "seed" for trace in figure.data) == 4
    assert by_name["crossing"].x[0] == pytest.approx(shown.crossing.mean_step)
    assert figure.layout.yaxis.type == "log"
    shapes = {shape.name: shape for shape in figure.layout.shapes}
    assert (shapes["crossing"].x0, shapes["crossing"].x1) == shown.crossing.spread
    assert shapes["cursor"].x0 == 20
    phases = [note.text for note in figure.layout.annotations if note.name == "phase"]
    assert phases == ["layer 3 learns", "layers 2–3 learn", "layers 1–3 learn"]


def test_drift_has_a_chart_a_layer_with_frozen_phases_shaded(found):
    shown = found.regimes["gradual"]
    figure = layer_drift_figure(shown, "before", "distance", 10, 2)
    curves = [trace for trace in figure.data if trace.name != "band"]
    assert [trace.name for trace in curves] == ["Embeddings", "Layer 1", "Layer 2", "Layer 3"]
    assert list(curves[3].y) == [0, 30, 60, 90]
    frozen = {shape.xref: shape.x1 for shape in figure.layout.shapes if shape.name == "frozen"}
    assert frozen == {"x": 30, "x2": 20, "x3": 10}
    assert len({axis.range for axis in figure.select_yaxes()}) == 1
    similar = layer_drift_figure(shown, "before", "similarity", None)
    assert list(similar.data[-1].y) == pytest.approx([1, 0.7, 0.4, 0.1])


def test_regimes_stand_beside_the_published_ones(found):
    figure = regime_bars_figure(
        found, "gradual", ("ours", "theirs"), DUTCH_REGIMES, ("BERTje", 23.5)
    )
    by_name = {trace.name: trace for trace in figure.data}
    rows = regime_rows(found, DUTCH_REGIMES)
    ours = dict(zip(by_name["test"].y, by_name["test"].x, strict=True))
    assert ours == {
        rows.index("before"): 44,
        rows.index("all"): 11.5,
        rows.index("last-1"): 31.5,
        rows.index("gradual"): 21.5,
    }
    theirs = dict(zip(by_name["published"].y, by_name["published"].x, strict=True))
    assert theirs[rows.index("last-6")] == 9.045
    assert theirs[rows.index("native")] == 23.5
    assert len(by_name["seeds"].x) == 6
    assert any("▸ Gradual" in text for text in figure.layout.yaxis.ticktext)
    assert describe_regimes(found).endswith("All layers 11.5, Last 1 31.5, Gradual 21.5.")
    assert isinstance(found.best, RegimeResults)


@pytest.mark.parametrize(("perplexity", "is_drawn"), [(60.0, True), (447.0, False), (None, False)])
def test_a_native_model_has_a_bar_unless_it_would_leave_no_room(found, perplexity, is_drawn):
    native = NativeModel("their model", perplexity, (1.5, 1.4))
    figure = regime_bars_figure(
        replace(found, native=native), "all", ("us", "them"), DUTCH_REGIMES, ("BERTje", 23.5)
    )
    place = regime_rows(found, DUTCH_REGIMES).index("native")
    bars = {trace.name: trace for trace in figure.data}["test"]
    assert (place in bars.y) == is_drawn
    notes = [note.text for note in figure.layout.annotations if note.name == "note"]
    assert any("447" in text for text in notes) == (perplexity == 447)
    title = "BERTje" if perplexity is None else "Native model"
    assert figure.layout.yaxis.ticktext[place] == title
    assert figure.layout.xaxis.range[1] < 100
    assert ("no head" in native_words(native)) == (perplexity is None)


def test_nearness_to_the_native_model_is_told(found):
    shown = found.regimes["all"]
    drift = {**shown.drift, ("reference", "similarity"): shown.drift["before", "similarity"]}
    said = drift_words(
        replace(found, native=NativeModel("their model", None, (1, 1))),
        replace(shown, drift=drift),
        "reference",
    )
    assert "CKA goes from 1.00 to 0.40" in said
