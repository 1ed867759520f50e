"""Background work: progress, stopping, joining, waiting for its turn, and how it ends."""

import threading

import pytest

from isogloss import tasks
from isogloss.errors import IsoglossError, Stopped
from isogloss.tasks import TaskBoard, TimeLeft
from tests.helpers.waiting import wait_until


class Endless:
    """Work that goes on until it is stopped or let go."""

    def __init__(self):
        self.began, self.may_end, self.ended = threading.Event(), threading.Event(), False

    def __call__(self, progress, should_stop):
        self.began.set()
        while not self.may_end.wait(0.005):
            if should_stop():
                raise Stopped("stopped")
        self.ended = True


def nothing(progress, should_stop):
    """Work that is done at once."""


def ended(task):
    wait_until(lambda: task.finished)
    return task


def test_progress_is_seen_and_a_finished_task_is_let_go_of():
    board, gate = TaskBoard(), threading.Event()

    def work(progress, should_stop):
        progress(0.5, "half way")
        gate.wait(240)

    task = board.start("key", "Counting", work)
    wait_until(lambda: (task.share, task.message) == (0.5, "half way"))
    assert board.unfinished() == (task,)
    gate.set()
    assert ended(task).problem is None
    assert board.all() == ()
    assert task.work is None, "what the work held is let go of, too"


def test_asking_twice_joins_the_running_work():
    board, work = TaskBoard(), Endless()
    first, second = board.start("key", "a", work), board.start("key", "a", work)
    assert first is second
    work.may_end.set()
    ended(first)


def test_stop_is_heard_and_said_and_the_work_can_be_asked_for_again():
    board, work = TaskBoard(), Endless()
    task = board.start("key", "Endless", work)
    work.began.wait(240)
    task.stop()
    assert ended(task).problem == "Stopped."
    assert board.find("key") is task
    again = board.start("key", "Endless", nothing)
    assert again is not task
    ended(again)
    assert board.find("key") is None


def test_work_that_only_reports_is_stopped_by_its_next_report():
    def work(progress, should_stop):
        while True:
            progress(0.1, "on and on")

    task = TaskBoard().start("key", "Reporting", work)
    task.stop()
    assert ended(task).problem == "Stopped."


def test_two_at_once_the_rest_wait_in_order_and_can_be_stopped_before():
    board, works = TaskBoard(at_once=2), [Endless() for _ in range(4)]
    first, second, third, fourth = (board.start(i, str(i), w) for i, w in enumerate(works))
    works[0].began.wait(240)
    works[1].began.wait(240)
    assert [task.begun for task in board.unfinished()] == [True, True, False, False]
    third.stop()
    assert [task.key for task in board.unfinished()] == [0, 1, 3]
    assert ended(third).problem == "Stopped."
    works[0].may_end.set()
    works[3].began.wait(240)
    assert not works[2].began.is_set()
    for work in works:
        work.may_end.set()
    for task in (first, second, fourth):
        ended(task)


def test_what_other_processes_do_takes_room_but_never_all_of_it():
    elsewhere, works = [5], [Endless(), Endless()]
    board = TaskBoard(at_once=2, elsewhere=lambda: elsewhere[0])
    first, second = (board.start(i, str(i), work) for i, work in enumerate(works))
    works[0].began.wait(240)
    assert not second.begun
    elsewhere[0] = 0
    assert board.unfinished() == (first, second)
    assert second.begun
    for work in works:
        work.may_end.set()
    ended(first)
    ended(second)


def test_twenty_choices_leave_one_piece_of_work():
    board, works, started = TaskBoard(), [Endless() for _ in range(20)], []
    for i, work in enumerate(works):
        started.append(board.start(i, "Layout", work, waiter=("me", "map")))
        board.release("me", "map", but={i})  # as a page does at the end of each run
    for task in started[:-1]:
        ended(task)
    assert board.all() == (started[-1],)
    works[-1].began.wait(240)
    board.release("me", "map")
    ended(started[-1])
    assert board.all() == (), "nobody waits, so nobody is told that it was stopped"


def test_work_that_someone_else_waits_for_or_asked_for_by_name_goes_on():
    board, shared, named = TaskBoard(), Endless(), Endless()
    both = board.start("shared", "Layout", shared, waiter=("me", "map"))
    board.start("shared", "Layout", shared, waiter=("you", "map"))
    film = board.start("film", "Film", named)
    board.release("me", "map")
    assert not both.stopping
    assert not film.stopping
    board.release("you", "map")
    assert ended(both)
    assert not film.stopping
    named.may_end.set()
    ended(film)


def test_a_page_without_a_panel_waits_for_nothing_of_it_and_another_page_does():
    board, works = TaskBoard(at_once=9), [Endless() for _ in range(3)]
    places = ("map", "map/panel", "maps/panel")
    page, panel, other = (
        board.start(place, place, work, waiter=("me", place))
        for place, work in zip(places, works, strict=True)
    )
    board.release("me", "map", but=["map"])
    ended(panel)
    assert not page.stopping
    assert not other.stopping
    board.release("you", "maps")
    assert not other.stopping
    for work in works:
        work.may_end.set()


def test_work_stops_when_all_who_waited_have_closed_their_pages(monkeypatch):
    monkeypatch.setattr(tasks, "SECONDS_OF_ABSENCE", 0.0)
    there = {"me"}
    board, work = TaskBoard(is_there=lambda who: who in there), Endless()
    task = board.start("key", "Layout", work, waiter=("me", "map"))
    work.began.wait(240)
    there.clear()
    ended(task)
    assert board.all() == ()


def test_what_the_user_can_mend_is_said_as_it_is():
    def work(progress, should_stop):
        raise IsoglossError("The file is empty: choose another.")

    board = TaskBoard()
    task = ended(board.start("k", "t", work))
    assert task.problem == "The file is empty: choose another."
    assert board.find("k") is task
    board.forget("k")
    assert board.find("k") is None


def test_a_defect_ends_the_task_too():
    def work(progress, should_stop):
        raise ZeroDivisionError("oh")

    assert "ZeroDivisionError" in ended(TaskBoard().start("k", "t", work)).problem


def test_only_so_many_problems_are_remembered():
    def work(progress, should_stop):
        raise IsoglossError("no")

    board = TaskBoard()
    for number in range(tasks.MOST_PROBLEMS + 5):
        ended(board.start(number, "t", work))
    assert len(board.all()) == tasks.MOST_PROBLEMS


class TestTimeLeft:
    @pytest.fixture
    def said(self):
        """What is said after a share at a time, in seconds, of one piece of work."""
        now = [0.0]
        left = TimeLeft(lambda: now[0])

        def after(seconds, share):
            now[0] = seconds
            return left.update(share)

        return after

    def test_nothing_is_said_before_there_is_something_to_judge_by(self, said):
        assert said(0, 0.0) is None
        assert said(60, 0.01) is None, "too little is done"
        assert said(61, 0.06) is not None

    def test_a_quick_start_is_no_judgement(self, said):
        said(0, 0.0)
        assert said(1, 0.5) is None, "too little time has passed"

    def test_steady_work_is_foreseen(self, said):
        said(0, 0.0)
        assert said(10, 0.25) == pytest.approx(30)
        assert said(30, 0.75) == pytest.approx(10)
        assert said(40, 1.0) == 0

    def test_it_never_grows(self, said):
        said(0, 0.0)
        known = [said(seconds, share) for seconds, share in
                 ((10, 0.5), (40, 0.6), (90, 0.61), (100, 0.9))]  # fmt: skip
        assert known == sorted(known, reverse=True)
        assert known[1] == known[0]

    def test_what_was_done_before_does_not_count_as_pace(self, said):
        said(0, 0.8)
        assert said(10, 0.9) == pytest.approx(10)
