"""What is running: one list in the sidebar of every page, and pages that wait without hanging."""

import threading

import pytest

from components.shared import background, loading, session, task_list
from isogloss.errors import IsoglossError, Stopped
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.measures.projection.methods import PERPLEXITY
from isogloss.tasks import TaskBoard
from tests.helpers.pages import labelled
from tests.helpers.plans import CountingPlan
from tests.helpers.waiting import PATIENCE, wait_until


class Endless:
    """Work that says it is half done and goes on until it is stopped or let go."""

    def __init__(self):
        self.may_end = threading.Event()

    def __call__(self, progress, should_stop):
        while not self.may_end.wait(0.005):
            progress(0.5, "half_way")


def fails(progress, should_stop):
    raise IsoglossError("The disk is full: free some space.")


@pytest.fixture
def board(app_store, monkeypatch) -> TaskBoard:
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    board = TaskBoard()
    monkeypatch.setattr(loading, "the_tasks", lambda: board)
    yield board
    for task in board.all():
        task.stop()


def listed(app):
    return [
        text.value.replace("\\", "").strip("*")
        for text in app.sidebar.markdown
        if text.value.startswith("**")
    ]


@pytest.mark.parametrize("page", ["token_map", "your_text", "adaptation"])
def test_every_page_lists_what_is_running_and_stops_it(open_app, board, app_store, page):
    work = Endless()
    task = board.start("film", "Drawing a GIF", work)
    run = Runs(app_store, shipped=None).create(CountingPlan(3))
    Runs(app_store, shipped=None).enqueue(run)
    wait_until(lambda: task.share and task.message == "half_way")
    app = open_app(page)
    assert listed(app) == ["Drawing a GIF", "counting to 3"]
    texts = [bar.proto.text.replace("\\", "") for bar in app.sidebar.get("progress")]
    assert texts == ["half_way", "0 of 3 parts done, waiting for its turn"]
    app.button(key=f"stop-task-{task.number}").click().run()
    wait_until(lambda: task.finished)
    app.button(key=f"stop-{run.id}").click().run()
    assert run.state == "stopped"
    app.run()
    assert not app.exception
    assert not listed(app)


def test_the_end_of_what_a_button_asked_for_is_told_on_any_page(open_app, board):
    good, bad = Endless(), Endless()
    made = board.start("study", "Extracting: a · b", good)
    app = open_app("emergence", moment="7")
    good.may_end.set()
    wait_until(lambda: made.finished)
    app.run()
    failed = board.start("other", "Extracting: c · d", fails)
    wait_until(lambda: failed.finished)
    app.run()
    assert "free some space" in app.sidebar.warning[0].value
    app.button(key=f"dismiss-{failed.number}").click().run()
    assert not app.sidebar.warning
    assert board.all() == ()
    bad.may_end.set()


def test_how_work_ended_is_told_to_whoever_asked_for_it(open_app, board, monkeypatch):
    monkeypatch.setattr(session, "visitor", lambda: "me")
    for who in ("me", "somebody else"):
        board.start(who, f"Extracting for {who}", fails, owner=who)
    wait_until(lambda: all(task.finished for task in board.all()))
    app = open_app("your_text")
    (told,) = app.sidebar.warning
    assert told.value.startswith("Extracting for me: The disk is full")
    labelled(app.sidebar.button, "Dismiss").click()
    app.run()
    assert not app.sidebar.warning
    assert [task.owner for task in board.all()] == ["somebody else"]


def test_what_is_done_stays_in_the_list_until_it_is_dismissed(open_app, board, monkeypatch):
    monkeypatch.setattr(session, "visitor", lambda: "me")
    works = {who: Endless() for who in ("me", "somebody else")}
    tasks = [board.start(who, f"Film of {who}", work, owner=who) for who, work in works.items()]
    app = open_app("your_text")
    for work in works.values():
        work.may_end.set()
    wait_until(lambda: all(task.finished for task in tasks))
    app.run()
    told = [each.value for each in app.sidebar.caption if each.value.endswith("done.")]
    assert len(told) == 1
    assert "Film of me" in told[0]
    app.button(key="dismiss-done-0").click().run()
    assert not [each for each in app.sidebar.caption if each.value.endswith("done.")]


def test_another_choice_stops_the_layout_that_nobody_waits_for(open_app, board, study, monkeypatch):
    laid_out = []

    def slow(study, store, options, progress, should_stop, show):
        laid_out.append(options)
        while not should_stop():
            threading.Event().wait(0.005)
        raise Stopped("stopped")

    monkeypatch.setattr(background, "make_map", slow)
    monkeypatch.setattr(background, "PATIENCE", 0.0)
    app = open_app()
    for perplexity in (7, 8, 9):
        app.slider[0].set_value(perplexity).run()
        assert "Laying out the map" in app.get("progress")[0].proto.text
    wait_until(lambda: len(board.all()) == 1)
    wait_until(lambda: laid_out and laid_out[-1].projection.perplexity == 9)
    app.slider[0].set_value(PERPLEXITY.default).run()
    assert app.metric, "this one is kept"
    wait_until(lambda: board.all() == ())


def test_a_stopped_layout_can_be_tried_again(open_app, board, study, monkeypatch):
    def stopped(*_):
        raise Stopped("stopped")

    monkeypatch.setattr(background, "PATIENCE", PATIENCE)
    app = open_app()
    with monkeypatch.context() as patch:
        patch.setattr(background, "make_map", stopped)
        app.slider[0].set_value(7).run()
    assert app.warning[0].value == "Stopped."
    labelled(app.button, "Try again").click().run()
    assert not app.exception


def test_a_page_is_drawn_again_when_a_task_has_more_to_show(board):
    task = board.start("map", "Laying out the map", Endless())
    seen = task_list._look()
    assert not task_list._page_is_outdated(seen, task_list._look())
    task.preview = "three layers"
    assert task_list._page_is_outdated(seen, task_list._look())
    assert not task_list._page_is_outdated(task_list._look(), task_list._look())
