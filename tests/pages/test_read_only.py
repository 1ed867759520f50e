"""A read-only server: every page can be looked at, and nothing can be brought, run or stopped."""

import pytest
import streamlit as st
from streamlit import config

from isogloss.errors import RunError
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from tests.helpers.layers_needed_run import written_run
from tests.helpers.plans import CountingPlan
from tests.helpers.server import ROOT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
FREE_TEXT = {"Contains", "What to say at this layer, with these pins"}
"""Text that a visitor may type, since it stays in their own session and address."""


@pytest.fixture(autouse=True)
def read_only(monkeypatch):
    allowed = config.get_option("server.maxUploadSize")
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    yield
    config.set_option("server.maxUploadSize", allowed)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_takes_anything(open_app, study, page):
    app = open_app(page)
    assert not app.exception
    assert not app.get("file_uploader")
    assert not app.text_area
    assert {each.label for each in app.text_input} <= FREE_TEXT
    assert not any(each.label in ("Start", "Resume", "Read the text") for each in app.button)
    assert all(str(study.entry.store.root) not in each.value for each in app.caption)


def test_results_are_shown_but_not_removed(open_app, app_store, study):
    run = written_run(Runs(app_store, shipped=None))
    app = open_app("layers_needed")
    assert [box.value for box in app.selectbox if box.label == "Run"] == [run.id]
    assert not [each for each in app.get("popover") if each.proto.popover.label == "Remove"]


def test_files_sent_without_a_page_are_refused(open_app, study):
    open_app()
    assert config.get_option("server.maxUploadSize") == 0


def test_runs_cannot_be_changed(app_store, monkeypatch):
    started = []
    monkeypatch.setattr(queue, "start_worker_process", started.append)
    monkeypatch.setattr(queue, "PATIENCE_SECONDS", -1)
    waiting = Runs(app_store, shipped=None).create(CountingPlan())
    Runs(app_store, shipped=None).enqueue(waiting, start_worker=False)
    shown = Runs(app_store, shipped=None, read_only=True)
    for change in (
        lambda: shown.create(CountingPlan()),
        lambda: shown.enqueue(waiting),
        lambda: shown.stop(waiting),
        lambda: shown.remove(waiting),
    ):
        with pytest.raises(RunError, match="only shows"):
            change()
    shown.revive()
    assert (shown.get(waiting.id).state, started) == ("queued", [])


def test_nobody_stops_what_is_at_work(open_app, app_store, study, monkeypatch):
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    runs = Runs(app_store, shipped=None)
    run = runs.create(CountingPlan())
    runs.enqueue(run)
    app = open_app()
    assert app.sidebar.get("progress")
    assert not [each for each in app.sidebar.button if each.label == "Stop"]
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "0")
    st.cache_resource.clear()
    app = open_app()
    assert [each.label for each in app.sidebar.button if each.label == "Stop"] == ["Stop"]
