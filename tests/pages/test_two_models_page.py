"""Can one map join two models? The finding, the lines, the words, the pair, the form."""

import json
from base64 import b64decode
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.shared.runs import starting
from isogloss.lab.training.costs import Speed
from isogloss.lab.two_models.plan import TwoModelsPlan
from tests.helpers.pages import metrics, said, unfolded
from tests.helpers.two_models_run import written_run


@pytest.fixture
def open_page(runs, open_app):
    return partial(open_app, "two_models")


def lines(app: AppTest) -> dict[str, np.ndarray]:
    """The scores by layer of every set-up that is drawn."""
    (chart,) = [each for each in app.get("plotly_chart") if "two-models-lines" in each.proto.id]
    return {
        trace["name"]: np.frombuffer(b64decode(trace["y"]["bdata"]), trace["y"]["dtype"])
        for trace in json.loads(chart.proto.spec)["data"]
        if "name" in trace and isinstance(trace["y"], dict)
    }


def test_a_run_is_told_drawn_and_compared_with_the_paper(open_page, runs):
    run = written_run(runs)
    app = open_page()
    assert app.title[0].value == "Can one map join two models?"
    assert "Two models that never met can be joined by a rotation: Chinese" in said(app)
    assert "best at layer 1, in the middle" in said(app)
    assert "two models, mapped 71.0\u00a0% (layer 1)" in said(app)
    # From the floor at 20 to the ceiling at 85 the map goes 50 of 65.
    assert "goes 77\u00a0% (95\u00a0%: 77\u00a0% to 77\u00a0%) of the way" in said(app)
    assert lines(app)["Two models, mapped"] == pytest.approx([0.51, 0.71, 0.41])
    assert lines(app)["Map from shuffled pairs"] == pytest.approx([0.21] * 3)
    assert "| | Conneau et al. 2020 | This run |" in said(app)
    assert (
        "| Dependencies: the best layer to map | in the middle, not the last | layer 1 of 2, in "
        "the middle |"
    ) in said(app)
    assert (
        "mapped | ahead, but for one pair of languages | 10.0 points behind (95\u00a0%: 10.0 to "
        "10.0) |"
    ) in said(app)
    assert "Which is easier to map" not in said(app)  # without entities
    assert app.query_params["run"] == run.id


def test_how_many_words_a_map_needs_is_seen_between_floor_and_ceiling(open_page, runs):
    written_run(runs, ("upos",))
    app = unfolded(open_page(layer="1"), "Parallel words the map needs")
    (chart,) = [each for each in app.get("plotly_chart") if "two-models-words" in each.proto.id]
    layout = json.loads(chart.proto.spec)["layout"]
    assert [shape["y0"] for shape in layout["shapes"]] == pytest.approx([0.21, 0.86])
    told = [note["text"] for note in layout["annotations"]]
    assert told == ["floor 21\u00a0%", "ceiling 86\u00a0%"]


def test_task_measure_and_layer_are_chosen_and_kept_in_the_address(open_page, runs):
    written_run(runs)
    app = open_page(task="parsing", measure="las", layer="2")
    assert lines(app)["Two models, mapped"] == pytest.approx([0.36, 0.56, 0.26])
    assert app.sidebar.select_slider[0].value == 2
    numbers = metrics(app)
    assert numbers["Two models, mapped"] == "26.0\u00a0%"
    assert numbers["Map from shuffled pairs"] == "6.0\u00a0%"
    app.segmented_control(key="two-models-parsing-measure").set_value("uas").run()
    assert lines(app)["Two models, mapped"] == pytest.approx([0.41, 0.61, 0.31])
    assert "measure" not in app.query_params, "the task's first"
    assert app.query_params["task"] == "parsing"


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ((20, 20, 20), "dependencies, by 20.0 points (95\u00a0%: 20.0 to 20.0)"),
        ((-20, -20, -20), "named entities, by 20.0 points (95\u00a0%: 20.0 to 20.0)"),
        ((20, -20, 0), "seeds do not tell: 0.0 points (95\u00a0%: −49.7 to 49.7)"),
    ],
)
def test_which_task_is_easier_to_map_is_read_off_the_figures(open_page, runs, lost, told):
    """By seed, entities lose so many words of 100 more than parsing does."""
    written_run(runs, ("parsing", "entities"), entities_lost=lost)
    assert f"bilingual model | dependencies | {told} |" in said(open_page())


def test_a_pair_is_tagged_word_by_word_and_the_map_is_seen(open_page, runs):
    written_run(runs)
    app = unfolded(open_page(), "One sentence in both languages")
    assert "Chinese, through the map · 10 of 10 right" in said(app)
    assert "through a map learned from shuffled pairs · 3 of 10 right" in said(app)
    shown = " ".join(each.proto.body for each in app.get("html"))
    assert '<span class="right">弹簧<small>NOUN</small></span>' in shown
    assert 'title="VERB by hand">断<small>NOUN</small>' in shown


def test_a_map_that_carries_no_more_than_a_random_encoder_is_not_praised(open_page, runs):
    written_run(runs, ("upos",), random=75)
    assert "but no better than by a random encoder" in said(open_page())


def test_one_seed_has_no_interval(open_page, runs):
    written_run(runs, ("upos",), (0,))
    app = open_page()
    assert "With one seed there is no interval" in said(app)
    assert "so there are no intervals" in said(app)


def test_the_form_asks_for_what_the_command_asks_for(open_page, runs, monkeypatch):
    monkeypatch.setattr(starting, "machine_speed", lambda width, device: Speed(5e10, 1e9))
    app = open_page()
    assert "48 (en_everyday-train.conllu)" in said(app)
    app.button(key="start-two-models-new").click().run()
    assert not app.exception
    (run,) = runs.all()
    assert run.plan == TwoModelsPlan.suited(6)
