"""Why do two languages meet? Runs that are finished, one under way, the form, and the address."""

import pytest

from components.emergence import form
from components.emergence.live import show_condition
from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.runs.queue import QUEUED
from tests.helpers.emergence_run import SECOND, begin, finish, show_look
from tests.helpers.pages import said

TOPS = {"as-it-is": (0.8, 0.84), "positions": (0.05, 0.03)}


@pytest.fixture
def finished(runs, app_store):
    run = begin(runs)
    finish(run, app_store, TOPS)
    return run


@pytest.fixture
def under_way(runs, app_store):
    """A run whose first condition has shown two looks, in the hands of a worker."""
    run = begin(runs)
    with run.lock():
        show_look(run, app_store, "as-it-is", 0)
        show_look(run, app_store, "as-it-is", 1)
        yield run


def test_a_finished_run_says_what_each_condition_reaches(open_app, finished):
    app = open_app("emergence")
    assert app.title[0].value == "Why do two languages meet?"
    text = said(app).replace("\u00a0", " ")
    assert "**As it is**: after 40 steps, 80 % of the words find their counterpart" in text
    assert "(chance 2.0 %)" in text
    assert "Other seeds: 84 %." in text
    assert "As it is, 82 %, mean of 2 seeds. Below three times chance:" in text
    assert dict(app.query_params) == {"run": finished.id, "layer": "1"}
    app.selectbox(key="emergence-condition").set_value("positions").run()
    text = said(app).replace("\u00a0", " ")
    assert "**Own positions**: after 40 steps, 5 % of the words" in text
    assert "as it is, 80 %." in text
    assert app.query_params["condition"] == "positions"


def test_a_link_reopens_condition_score_and_place(open_app, finished):
    query = {"condition": "positions", "score": "sentences", "layer": "2", "step": "20"}
    app = open_app("emergence", **query, walk="layers", pins="3")
    assert app.selectbox(key="emergence-condition").value == "positions"
    assert "of the sentences find" in said(app)
    assert "**Layer 2, step 20**" in said(app)
    assert app.select_slider(key="emergence-step-slider").value == 20
    assert {name: app.query_params[name] for name in app.query_params} == {
        "run": finished.id, "walk": "layers", "pins": "3", **query
    }  # fmt: skip


def test_nonsense_in_the_address_is_ignored(open_app, finished):
    app = open_app("emergence", condition="x", score="y", layer="99", step="z", walk="moon")
    assert "**Layer 2, step 40**" in said(app)
    assert app.selectbox(key="emergence-condition").value == "as-it-is"


def test_a_run_under_way_is_shown_and_grows(open_app, under_way, app_store):
    app = open_app("emergence")
    steps = under_way.plan.look_steps()
    assert f"**As it is**: after {steps[1]} steps" in said(app)
    assert f"**Layer 1, step {steps[1]}**" in said(app)
    before = show_condition(under_way, "as-it-is")
    show_look(under_way, app_store, "as-it-is", 2)
    app.run()
    assert not app.exception
    assert f"**Layer 1, step {steps[2]}**" in said(app)  # whoever is at the end stays at the end
    after = show_condition(under_way, "as-it-is")
    assert after.map.steps == steps[:3]
    # What was on the map has not moved.
    assert (after.map.positions[:2] == before.map.positions).all()


def test_a_run_that_has_shown_nothing_yet_says_what_it_does(open_app, runs):
    run = begin(runs)
    runs.enqueue(run)
    assert (run.path / QUEUED).exists()
    app = open_app("emergence")
    assert [each.value for each in app.info] == ["Waiting."]


def test_what_is_not_finished_is_no_bar(open_app, runs, app_store):
    run = begin(runs)
    finish(run, app_store, {"as-it-is": (0.8,)})
    with run.lock():
        show_look(run, app_store, "positions", 0)
        app = open_app("emergence")
        assert app.selectbox(key="emergence-condition").options == ["As it is", "Own positions"]
        assert app.selectbox(key="emergence-condition").value == "positions"
        assert "Of 80" not in said(app)
        (bars,) = (chart for chart in app.get("plotly_chart") if "Published" in chart.proto.spec)
        assert "Own positions" not in bars.proto.spec


def test_words_of_the_map_are_text(open_app, finished):
    app = open_app("emergence")
    assert SECOND not in "\n".join(each.value for each in app.markdown)


def test_the_form_starts_a_run_as_it_stands(open_app, runs, monkeypatch):
    monkeypatch.setattr(form, "measure_step_seconds", lambda plan: 0.1)
    app = open_app("emergence")  # with nothing to show, the form is open
    assert "2 parts" in said(app)
    assert "on this machine" in said(app)
    app.button(key="start-emergence-run").click().run()
    assert not app.exception
    (run,) = runs.all(EmergencePlan.KIND)
    assert run.plan == EmergencePlan(seeds=(0,))
    assert run.state == "queued"


def test_a_condition_can_be_typed_and_a_wrong_one_is_refused(open_app, runs, monkeypatch):
    monkeypatch.setattr(form, "measure_step_seconds", lambda plan: 0.1)
    app = open_app("emergence")
    app.session_state["emergence-run-conditions"] = ["nothing"]
    app.run()
    assert "There is no condition 'nothing'" in said(app)
    app.session_state["emergence-run-conditions"] = ["as-it-is", "first-2+order"]
    app.run()
    app.button(key="start-emergence-run").click().run()
    (run,) = runs.all(EmergencePlan.KIND)
    assert run.plan.conditions == ("as-it-is", "first-2+order")
