"""When do the languages meet? The chart, the cursors, the walks, and the link that reopens it."""

import json
from functools import partial
from pathlib import Path

import pytest

from components.emergence.recorded.data import moment_name
from isogloss.studies.training_surface import read_trajectory, training_surface
from tests.helpers.pages import said

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def trajectory():
    return read_trajectory()


@pytest.fixture
def open_training(open_app):
    return partial(open_app, "emergence")


def figure(app):
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def address(app):
    return {name: app.query_params[name] for name in app.query_params}


def test_the_page_opens_at_the_end_of_training_and_says_what_happened(open_training, trajectory):
    app = open_training(moment="7")
    assert app.title[0].value == "When do the languages meet?"
    assert training_surface(trajectory, "sentences").describe() in said(app)
    assert f"**Layer 4, {moment_name(trajectory.tokens[-1])}**" in said(app)
    assert [metric.value for metric in app.metric] == [
        f"{trajectory.retrieval[-1, 4]:.3f}",
        f"{trajectory.nearest_share[-1, 4]:.3f}",
    ]
    assert all("Can't tell" in metric.help for metric in app.metric)
    assert "did not start from nothing" in said(app)
    assert address(app) == {"layer": "4", "moment": "7"}


def test_a_link_reopens_the_view(open_training, trajectory):
    query = {"layer": "2", "moment": "3", "walk": "layers", "score": "words", "drawn": "surface"}
    app = open_training(**query, pins="4.7", color="sentence")
    assert f"**Layer 2, {moment_name(trajectory.tokens[3])}**" in said(app)
    assert training_surface(trajectory, "words").describe() in said(app)
    assert figure(app)["data"][0]["type"] == "surface"
    assert app.select_slider(key="training-moment").value == 3
    assert address(app) == query | {"pins": "4.7", "color": "sentence"}


def test_numbers_in_the_address_are_brought_within_bounds(open_training):
    app = open_training(
        layer="99", moment="-1", walk="moon", score="x", color="alignment", pins="a"
    )
    assert address(app) == {"layer": "6", "moment": "0"}


def test_both_cursors_move_and_stay_when_the_walk_turns(open_training, trajectory):
    app = open_training(moment="7")
    app.slider(key="training-layer").set_value(1).run()
    app.segmented_control(key="training-walk").set_value("layers").run()
    app.select_slider(key="training-moment").set_value(2).run()
    assert not app.exception
    assert f"**Layer 1, {moment_name(trajectory.tokens[2])}**" in said(app)
    assert app.metric[0].value == f"{trajectory.retrieval[2, 1]:.3f}"
    assert address(app) == {"layer": "1", "moment": "2", "walk": "layers"}
    shapes = {shape["name"]: shape for shape in figure(app)["layout"]["shapes"]}
    assert (shapes["cell"]["x0"], shapes["cell"]["y0"]) == (1.5, 0.5)
    app.segmented_control(key="training-walk").set_value("training").run()
    assert app.slider(key="training-layer").value == 1


def test_before_training_there_is_no_change_to_speak_of(open_training):
    app = open_training(moment="0")
    assert [metric.delta for metric in app.metric] == ["before training"] * 2
    app = open_training(moment="7", layer="0")
    assert app.metric[0].delta.startswith("−0.0")
    assert [metric.label for metric in app.metric] == [
        "Sentences found",
        "Words found (links by hand)",
    ]
