"""Which layers carry the transfer? The finding, the bars, the heatmap, the form."""

from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.lab.layers_needed.plan import LayersNeededPlan
from tests.helpers.layers_needed_run import written_run
from tests.helpers.pages import figures, metrics, said, unfolded

CHANGES = "What fine-tuning changes"


@pytest.fixture
def open_page(runs, open_app):
    return partial(open_app, "layers_needed")


def bars(app: AppTest) -> dict[str, dict]:
    (chart,) = [each for each in figures(app) if each["data"][0]["type"] == "bar"]
    return {trace["name"]: trace for trace in chart["data"] if trace["type"] == "bar"}


def whiskers(app: AppTest) -> np.ndarray:
    drawn = bars(app)["Chinese"]["error_y"]
    return np.array(drawn["array"], float) if drawn["visible"] else np.array([np.nan])


def hovers(app: AppTest) -> list[str]:
    """What the heatmap's cells say."""
    (chart,) = [each for each in figures(app) if each["data"][0]["type"] == "heatmap"]
    return [text for trace in chart["data"] for text in trace.get("hovertext", [])]


def test_a_run_is_told_drawn_and_explained(open_page, runs):
    run = written_run(runs)
    app = open_page()
    assert app.title[0].value == "Which layers carry the transfer?"
    assert app.markdown[1].value == (
        "Transfer to **Chinese** needs the lower half of the model more than the upper."
    )
    assert "This run shows that transfer to Chinese needs the lower half more." in said(app)
    found = bars(app)
    assert list(found) == ["English", "Chinese"]
    assert found["Chinese"]["y"] == pytest.approx([10, 8, 0.2, -0.2])
    assert found["English"]["y"] == pytest.approx([5, 4, 0.1, -0.1])
    assert "costs 10.0 points" in found["Chinese"]["hovertext"][0]
    assert "accuracy 49.9\u00a0%, of the full model 59.9\u00a0%" in found["Chinese"]["hovertext"][0]
    chinese = app.dataframe[0].value.set_index("Language").loc["Chinese"]
    assert chinese["Cost within layers 1–2"] == "9.0 (9.0 to 9.0)"
    assert "What Muller et al. 2021 found" in said(app)
    assert "paired t intervals (95 %) over 3 seeds" in said(app)
    assert app.query_params["run"] == run.id
    assert any(run.command in block.value for block in app.code)


def test_the_heatmap_follows_the_chosen_block_and_the_address_keeps_it(open_page, runs):
    written_run(runs)
    app = unfolded(open_page(), CHANGES)
    assert metrics(app)["Chinese, full model"] == "59.9\u00a0%"
    assert "Kept in fine-tuning, English, layer 2<br><b>0.810</b>" in hovers(app)
    assert "English–Chinese, after, layer 3<br><b>0.400</b>" in hovers(app)
    assert "block" not in app.query_params
    app.selectbox(key="layers-needed-block").set_value("2-2").run()
    assert "Kept in fine-tuning, English, layer 2 (re-initialised)<br><b>0.250</b>" in hovers(app)
    assert metrics(app) == {
        "English loses": "4.0 points",
        "Chinese loses": "8.0 points",
    }
    assert app.query_params["block"] == "2-2"
    again = open_page(block="2-2")
    assert again.selectbox(key="layers-needed-block").value == "2-2"
    assert open_page(block="nonsense").selectbox(key="layers-needed-block").value == ""


def test_whiskers_are_drawn_from_three_seeds_on(open_page, runs):
    written_run(runs)
    assert np.isfinite(whiskers(open_page())).all()


def test_two_seeds_have_dots_alone(open_page, runs):
    written_run(runs, units=10)
    app = open_page()
    assert len(bars(app)["Chinese"]["y"]) == 4
    assert np.isnan(whiskers(app)).all()


def test_a_run_that_has_just_begun_shows_what_it_has(open_page, runs):
    written_run(runs, units=1)
    app = unfolded(open_page(), CHANGES)
    assert "Not enough is finished to compare" in said(app)
    assert "the first re-initialised layers are under way" in said(app)
    assert len(figures(app)) == 1
    assert "1 of 15 parts" in said(app)


def test_languages_that_the_probe_does_not_have_are_said(open_page, runs):
    written_run(runs, kept={}, across={})
    app = unfolded(open_page(), CHANGES)
    assert "have none of this run's languages" in said(app)
    assert len(figures(app)) == 1


def test_without_a_run_the_form_is_open_and_starts_one(open_page, runs):
    app = open_page()
    assert not figures(app)
    assert "training pairs" in said(app)
    assert "on this machine" in said(app)
    app.segmented_control(key="layers-needed-blocks").set_value("single").run()
    app.number_input(key="layers-needed-seeds").set_value(2).run()
    app.toggle(key="layers-needed-train_embeddings").set_value(True).run()
    app.button(key="start-layers-needed").click().run()
    assert not app.exception
    (run,) = runs.all("layers-needed")
    plan = run.plan
    assert isinstance(plan, LayersNeededPlan)
    assert (plan.model, plan.blocks, plan.n_layers) == ("multilingual-e5-small", "single", 12)
    assert plan.seeds == (0, 1)
    assert plan.train_embeddings
    assert run.state == "queued"
    assert len(run.units) == 26
