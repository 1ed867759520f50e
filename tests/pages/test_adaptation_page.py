"""The adaptation page: what it shows of a run, what moves its charts, and the form."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.lab.training.costs import Speed
from tests.helpers.adaptations import STEPS, made_up_run
from tests.helpers.pages import figures, labelled, said, unfolded


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """Runs wait until a test carries them out, and the machine is not timed."""
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    monkeypatch.setattr("isogloss.lab.training.costs.measure_speed", lambda *_: Speed(1e11, 1e9))


DRIFT = "How far does each layer move?"


@pytest.fixture
def open_page(open_app):
    def open_at(**query: str) -> AppTest:
        return settled(open_app("adaptation", **query))

    return open_at


def settled(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """A chart as the browser gets it."""
    return figures(app, f"-{key}")[0]


def test_only_models_with_a_language_head_are_offered(open_page):
    offered = labelled(open_page().selectbox, "Model")
    assert offered.value == "mini-en-zh"
    assert not any("e5" in title or title == "LaBSE" for title in offered.options)


def test_a_run_is_shown_with_its_finding(open_page, app_store):
    run = made_up_run(app_store)
    app = unfolded(open_page(), DRIFT)
    assert app.query_params["run"] == run.id
    assert app.markdown[1].value == (
        "All layers: training takes perplexity on Chinese from 44.0 to **11.5**; on English and "
        "Chinese it stays at **25.0**."
    )
    assert "from 44.0 to **11.5**" in said(app)
    assert "cross for good at step **15**" in said(app)
    assert "**exactly 0** in all" in said(app)
    assert "Dutch went 11.54 → 7.76 → 5.56" in said(app)
    names = [trace.get("name") for trace in figure(app, "adaptation-perplexity")["data"]]
    assert {"Chinese", "All languages", "crossing"} <= set(names)
    assert len(figure(app, "adaptation-drift")["layout"]["annotations"]) >= 5


def test_regime_measure_layer_and_step_follow_the_widgets_and_the_address(open_page, app_store):
    made_up_run(app_store)
    app = unfolded(open_page(regime="gradual", measure="similarity", layer="1", step="10"), DRIFT)
    numbers = {each.label: (each.value, each.delta) for each in app.metric}
    assert numbers["Chinese, step 10"] == ("30.5", "−25\u00a0%")
    assert app.query_params["regime"] == "gradual"
    assert "from 44.0 to **21.5**" in said(app)
    assert app.sidebar.select_slider[0].value == 1
    assert "CKA" in json.dumps(figure(app, "adaptation-drift")["layout"]["yaxis"])
    cursors = [
        shape["x0"]
        for shape in figure(app, "adaptation-perplexity")["layout"]["shapes"]
        if shape.get("name") == "cursor"
    ]
    assert cursors == [STEPS[1]]
    app.segmented_control(key="adaptation-regime").set_value("last-1")
    app.sidebar.select_slider[0].set_value(2)
    app.segmented_control(key="adaptation-measure").set_value("distance")
    settled(app.run())
    assert "from 44.0 to **31.5**" in said(app)
    assert app.query_params["regime"] == "last-1"
    assert app.query_params["layer"] == "2"
    assert "measure" not in app.query_params


def test_a_half_finished_run_shows_what_it_has(open_page, app_store):
    made_up_run(app_store, units=1)
    app = open_page(regime="gradual")
    assert app.segmented_control(key="adaptation-regime").value == "all"
    assert "regime" not in app.query_params
    assert "**1 of 6 trainings are done**" in said(app)


def test_without_a_run_the_suggested_one_is_a_press_away(open_page, app_store):
    app = open_page()
    assert any("sentences, 69 steps each" in caption.value for caption in app.caption)
    assert any("on this machine" in caption.value for caption in app.caption)
    app.button(key="start-adaptation").click()
    settled(app.run())
    (run,) = Runs(app_store, shipped=None).all("adaptation")
    assert run.state == "queued"
    assert run.plan == AdaptationPlan()
    assert app.button(key="start-adaptation").disabled


def test_the_form_takes_files_and_says_what_is_missing(open_page, app_store):
    app = open_page()
    app.segmented_control(key="adaptation-source").set_value("files")
    settled(app.run())
    assert any("Bring a file to learn from" in info.value for info in app.info)
    lines = "\n".join(f"第{number}句话。" for number in range(40))
    app.get("file_uploader")[0].upload("mine.zh.txt", lines.encode(), "text/plain")
    settled(app.run())
    assert any("24 sentences, 9 steps each" in caption.value for caption in app.caption)
    app.multiselect(key="adaptation-regimes-6").set_value([])
    settled(app.run())
    assert any("Choose at least one regime" in info.value for info in app.info)
    app.multiselect(key="adaptation-regimes-6").set_value(["last-1"])
    settled(app.run())
    app.button(key="start-adaptation").click()
    settled(app.run())
    (run,) = Runs(app_store, shipped=None).all("adaptation")
    assert isinstance(run.plan, AdaptationPlan)
    assert run.plan.regimes == ("last-1",)
    assert run.plan.language == "zh"
    assert run.plan.text[0].endswith("mine.zh.txt")
    assert len(run.plan.read_data().train) == 24


def test_a_bad_file_is_told_in_a_sentence(open_page, app_store):
    app = open_page()
    app.segmented_control(key="adaptation-source").set_value("files")
    settled(app.run())
    app.get("file_uploader")[0].upload("empty.txt", b"\n", "text/plain")
    settled(app.run())
    assert any("empty.txt is empty" in warning.value for warning in app.warning)
