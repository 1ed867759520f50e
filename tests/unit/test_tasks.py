"""Background work: progress, stopping, joining, and how it ends."""

import threading

from isogloss.errors import IsoglossError, Stopped
from isogloss.tasks import TaskBoard


def wait_for(task):
    for _ in range(500):
        if task.finished:
            return task
        threading.Event().wait(0.01)
    raise AssertionError("the task did not finish")


def test_a_result_and_its_progress():
    def work(progress, should_stop):
        progress(0.5, "half way")
        return 42

    task = wait_for(TaskBoard().start("key", "Counting", work))
    assert (task.result, task.problem, task.message, task.share) == (42, None, "half way", 1.0)


def test_asking_twice_joins_the_running_work():
    gate, runs = threading.Event(), []
    board = TaskBoard()

    def work(progress, should_stop):
        runs.append(1)
        gate.wait(5)

    first, second = board.start("key", "a", work), board.start("key", "a", work)
    assert first is second
    assert board.running() == (first,)
    gate.set()
    wait_for(first)
    assert runs == [1]
    assert board.running() == ()


def test_stop_is_heard():
    began = threading.Event()

    def work(progress, should_stop):
        began.set()
        while not should_stop():
            threading.Event().wait(0.005)
        raise Stopped("stopped")

    board = TaskBoard()
    task = board.start("key", "Endless", work)
    began.wait(5)
    task.stop()
    assert wait_for(task).problem == "Stopped."
    board.forget("key")
    assert board.find("key") is None


def test_what_the_user_can_mend_is_said_as_it_is():
    def work(progress, should_stop):
        raise IsoglossError("The file is empty: choose another.")

    assert (
        wait_for(TaskBoard().start("k", "t", work)).problem == "The file is empty: choose another."
    )


def test_a_defect_ends_the_task_too():
    def work(progress, should_stop):
        raise ZeroDivisionError("oh")

    task = wait_for(TaskBoard().start("k", "t", work))
    assert "ZeroDivisionError" in task.problem
