"""The parts that all pages with runs share, with runs that need no model."""

import shutil
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.shared import session
from components.shared.runs import run_panel
from components.shared.runs.run_panel import as_csv
from components.shared.task_list import POLL_SECONDS
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.worker import work
from isogloss.models.presets import DEFAULT_MODEL
from tests.helpers.plans import CountingPlan, as_if_of_another_version
from tests.helpers.waiting import PATIENCE


def page():
    import streamlit as st

    from components.shared import task_list
    from components.shared.runs import run_panel, starting
    from tests.helpers.plans import CountingPlan

    task_list.show()
    run_panel.broken_off_runs("counting")
    starting.start_button(CountingPlan(3), lambda: "About 2 s.", "start")
    run = run_panel.choose_run("counting", "chosen")
    if run is None:
        st.caption("nothing yet")
    else:
        st.metric("squares", sum(part["square"] for part in run.results().values()))
        run_panel.run_facts(run)
        run_panel.table_download([{"run": run.id}], "runs")


@pytest.fixture
def open_page(runs):
    def open_at(**query: str) -> AppTest:
        app = AppTest.from_function(page, default_timeout=PATIENCE)
        for name, value in query.items():
            app.query_params[name] = value
        return settled(app)

    return open_at


def settled(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def finished(runs, store, count: int, started_by: str = "") -> queue.Run:
    run = runs.create(CountingPlan(count), started_by=started_by)
    runs.enqueue(run)
    work(store)
    return run


def broken_off(runs) -> queue.Run:
    """A run that was killed after its first unit."""
    run = runs.create(CountingPlan(4))
    run.append("unit 0", {"square": 0})
    return run


def bars(app: AppTest) -> list[str]:
    """What the sidebar's list says of each that is under way."""
    return [bar.proto.text.replace("\\", "") for bar in app.sidebar.get("progress")]


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click()
    return settled(app)


def test_a_run_is_started_once_and_shown_when_it_has_results(open_page, runs, app_store):
    app = open_page()
    assert app.caption[-1].value == "nothing yet"
    assert "About 2 s." in app.caption[0].value
    press(app, "start")
    (run,) = runs.all("counting")
    assert run.state == "queued"
    assert run.plan == CountingPlan(3)
    assert app.button(key="start").disabled, "a second press would start the same again"
    work(app_store)
    settled(app)
    assert app.metric[0].value == "5"
    assert app.query_params["run"] == run.id
    assert not app.button(key="start").disabled


def test_a_run_under_way_shows_how_far_it_is_and_can_be_stopped(open_page, runs):
    run = broken_off(runs)
    with run.lock():
        app = open_page()
        assert bars(app) == ["1 of 4 parts done, waiting"]
        assert not [button for button in app.button if button.key == f"remove-{run.id}"]
        press(app, f"stop-{run.id}")
        assert run.stopping
        assert app.button(key=f"stop-{run.id}").disabled
    assert run.state == "stopped"


def test_a_queued_run_waits_for_its_turn(open_page, runs):
    first, second = (runs.create(CountingPlan(count)) for count in (1, 2))
    runs.enqueue(first)
    runs.enqueue(second)
    app = open_page()
    assert sorted(bars(app)) == [
        "0 of 1 part done, waiting for its turn",
        "0 of 2 parts done, waiting for its turn, 1 before it",
    ]
    assert "It waits for 2 runs before it" in app.caption[0].value


def test_a_broken_run_is_resumed_and_finishes(open_page, runs, app_store):
    run = broken_off(runs)
    app = open_page()
    press(app, f"resume-{run.id}")
    assert run.state == "queued"
    work(app_store)
    settled(app)
    assert run.state == "finished"
    assert app.metric[0].value == "14"
    assert not app.get("progress")


def test_a_failed_run_says_why_shows_its_log_and_can_be_removed(open_page, runs, app_store):
    run = runs.create(CountingPlan(4, fails_at=1))
    runs.enqueue(run)
    work(app_store)
    app = open_page()
    assert app.error[0].value == "Unit seven is out of reach: take a ladder."
    assert any("finished unit 0" in block.value for block in app.code)
    press(app, f"remove-{run.id}")
    assert runs.all() == ()
    assert app.caption[-1].value == "nothing yet"


def test_nothing_is_polled_unless_a_run_is_at_work(open_page, runs, app_store, monkeypatch):
    polls: list[float | None] = []

    def fragment(draw, *, run_every=None):
        polls.append(run_every)
        return draw

    monkeypatch.setattr(st, "fragment", fragment)
    finished(runs, app_store, 2)
    open_page()
    run = broken_off(runs)
    open_page()
    with run.lock():
        open_page()
    assert polls == [POLL_SECONDS]


def test_the_newest_run_is_shown_unless_the_link_or_the_user_names_another(
    open_page, runs, app_store, monkeypatch
):
    old = finished(runs, app_store, 3)
    monkeypatch.setattr(queue, "now", lambda: "2999-01-01T00:00:00+00:00")
    new = finished(runs, app_store, 4)
    app = open_page()
    assert app.selectbox(key="chosen").value == new.id
    app.selectbox(key="chosen").set_value(old.id)
    settled(app)
    assert app.metric[0].value == "5"
    assert app.query_params["run"] == old.id
    assert open_page(run=old.id[:4]).metric[0].value == "5"


def test_a_link_to_a_run_without_results_waits_for_them(open_page, runs, app_store):
    shown = finished(runs, app_store, 3)
    awaited = runs.create(CountingPlan(4))
    app = open_page(run=awaited.id)
    assert app.selectbox(key="chosen").value == shown.id
    assert app.query_params["run"] == awaited.id
    awaited.append("unit 2", {"square": 4})
    settled(app)
    assert app.selectbox(key="chosen").value == awaited.id


def test_a_dead_link_says_so_and_stays_in_the_address(open_page, runs, app_store):
    run = finished(runs, app_store, 3)
    app = open_page(run="nowhere")
    for _ in range(2):
        assert "nowhere" in app.warning[0].value
        assert app.metric[0].value == "5"
        assert app.query_params == {"run": "nowhere"}
        settled(app)
    press(app, "without-run-counting")
    assert not app.warning
    assert app.query_params == {"run": run.id}


def test_a_run_of_another_version_can_only_be_removed(open_page, runs):
    run = runs.create(CountingPlan(4))
    as_if_of_another_version(run)
    app = open_page()
    assert "made by another version" in app.warning[0].value
    press(app, f"remove-{run.id}")
    assert runs.all() == ()


def test_a_run_removed_in_another_window_disappears(open_page, runs, app_store):
    run = finished(runs, app_store, 2)
    app = open_page()
    shutil.rmtree(run.path)
    settled(app)
    assert app.caption[-1].value == "nothing yet"


def test_shipped_runs_come_after_the_users_own(open_page, runs, app_store, tmp_path, monkeypatch):
    other = queue.Store(tmp_path / "shipped", demo=None)
    for count in (5, 3):
        finished(Runs(other, shipped=None), other, count)
    monkeypatch.setattr(Runs.__init__, "__defaults__", (other.root / "runs",))
    app = open_page()
    assert "comes with Isogloss" in app.selectbox(key="chosen").options[0]
    assert app.metric[0].value == "30", "the one with most to show"
    broken_off(runs)
    assert open_page().metric[0].value == "30", "rather than one that was broken off"
    own = finished(runs, app_store, 2)
    app = open_page()
    assert app.selectbox(key="chosen").value == own.id


def test_what_another_visitor_started_is_nobody_elses_default(
    open_page, runs, app_store, monkeypatch
):
    monkeypatch.setattr(session, "visitor", lambda: "me")
    mine = finished(runs, app_store, 2, "me")
    monkeypatch.setattr(queue, "now", lambda: "2999-01-01T00:00:00+00:00")
    other = finished(runs, app_store, 3, "somebody else")
    failed = runs.create(CountingPlan(4), started_by="somebody else")
    failed.append("unit 0", {"square": 0})
    app = open_page()
    assert app.selectbox(key="chosen").value == mine.id
    assert not [each for each in app.button if each.key == f"resume-{failed.id}"]
    app.selectbox(key="chosen").set_value(other.id)
    settled(app)
    assert not [each for each in app.button if each.key == f"remove-{other.id}"]


def test_of_shipped_runs_the_default_models_opens_first():
    def shipped(model: str, results: int) -> Any:
        plan = SimpleNamespace(model=model)
        return SimpleNamespace(
            shipped=True, started_by="", plan=plan, results=lambda: dict.fromkeys(range(results))
        )

    few, many = shipped(DEFAULT_MODEL, 2), shipped("another", 9)
    assert run_panel._default([many, few]) is few
    assert run_panel._default([many, shipped("a third", 3)]) is many


def test_how_it_was_made_names_command_and_plan(open_page, runs, app_store):
    run = finished(runs, app_store, 3)
    app = open_page()
    assert run.command in [block.value for block in app.code]
    table = app.dataframe[0].value
    facts = dict(zip(table["What"], table["Value"], strict=True))
    assert facts["made_by"] == "the tests"
    assert facts["plan · count"] == "3"
    assert not any("settings were chosen" in each.value for each in app.caption)
    (run.path / "note.md").write_text("By dice.")
    assert any(each.value.endswith("chosen.** By dice.") for each in settled(app).caption)


def test_rows_become_csv():
    rows = [{"N": -1, "note": 'a "b", c'}, {"N": 0, "note": None}]
    assert as_csv(rows) == 'N,note\n-1,"a ""b"", c"\n0,\n'
    assert as_csv([]) == ""
