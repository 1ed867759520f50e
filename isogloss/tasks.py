"""Work in the background of one process: shown, stoppable, and at most two pieces at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from itertools import count

from isogloss.errors import USER_ERRORS, Stopped
from isogloss.store.files import say_if_full

_LOG = logging.getLogger(__name__)

OnProgress = Callable[[float, str], None]
"""Told how far work is, 0 to 1, and what it is at."""
OnShare = Callable[[float], None]
"""Told how far a part of some work is, where the whole says what it is at."""
ShouldStop = Callable[[], bool]
Work = Callable[[OnProgress, ShouldStop], object]
Waiter = tuple[str, str]
"""Who waits, and at which place of theirs the result will be shown, such as "page/panel"."""

AT_ONCE = 2
SECONDS_OF_ABSENCE = 30.0
"""How long everyone who waits may be away, as when a page is loaded again, before work stops."""
MOST_PROBLEMS = 20
"""Of work that failed, so much is remembered for whoever comes back to it."""


@dataclass(frozen=True)
class Progress:
    """How far work is and what it is at; `seconds_left` is None until its pace is known."""

    share: float
    message: str
    seconds_left: float | None


class TimeLeft:
    """How long work will take, by its pace so far; one number that never grows.

    Nothing is said before a twentieth of the work and three seconds have passed: until then there
    is nothing to judge by.
    """

    SHARE, SECONDS = 0.05, 3.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start: tuple[float, float] | None = None
        self.seconds: float | None = None

    def update(self, share: float) -> float | None:
        """Take note of the share done, 0 to 1; returns the seconds left, None if not known."""
        now = self._clock()
        if self._start is None:
            self._start = (now, share)
        passed, done = now - self._start[0], share - self._start[1]
        if done >= self.SHARE and passed >= self.SECONDS:
            estimate = passed * max(1 - share, 0.0) / done
            self.seconds = estimate if self.seconds is None else min(self.seconds, estimate)
        return self.seconds


@dataclass(eq=False)
class Task:
    """One piece of work: how far it is, and how it ended.

    `waiters` is None where the work was asked for by name (a study, a film) and goes on whoever
    looks; else it is done for those who wait for it, and stops when there are none. `preview` is
    the part of the result that can be shown already, `owner` whoever asked for it by name: to them
    it is told how it ended.
    """

    key: Hashable
    title: str
    number: int
    work: Work | None = field(repr=False)
    waiters: set[Waiter] | None = None
    owner: str = ""
    share: float = 0.0
    message: str = "Waiting for its turn"
    begun: bool = False
    finished: bool = False
    problem: str | None = None
    preview: object = None
    left: TimeLeft = field(default_factory=TimeLeft, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """Ask the work to stop at its next step."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def unwanted(self) -> bool:
        """Whether it is done for people of whom nobody waits any more."""
        return self.waiters is not None and not self.waiters


class TaskBoard:
    """The tasks of a process by key; asking twice for the same work joins the one that runs.

    `elsewhere` says how many heavy things other processes have at work, `is_there` whether somebody
    who waits still has the page open.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        elsewhere: Callable[[], int] = lambda: 0,
        is_there: Callable[[str], bool] = lambda who: True,
    ) -> None:
        self._at_once, self._elsewhere, self._is_there = at_once, elsewhere, is_there
        self._tasks: dict[Hashable, Task] = {}
        self._numbers = count()
        self._lock = threading.RLock()

    def find(self, key: Hashable) -> Task | None:
        """The task under `key` that is unfinished, or ended with a problem."""
        return self._tasks.get(key)

    def all(self) -> tuple[Task, ...]:
        """Everything unfinished or ended with a problem, in the order in which it was asked for."""
        self._begin_waiting()
        return tuple(self._tasks.values())

    def unfinished(self) -> tuple[Task, ...]:
        """What is at work or waits for its turn."""
        return tuple(task for task in self.all() if not task.finished)

    def start(
        self,
        key: Hashable,
        title: str,
        work: Work,
        waiter: Waiter | None = None,
        owner: str = "",
    ) -> Task:
        """Have `work` done, unless it is under way; by name, or for a `waiter` until `release`."""
        with self._lock:
            task = self._tasks.get(key)
            if task is None or task.finished or task.stopping:
                self._tasks.pop(key, None)  # so that it comes last
                task = Task(key, title, next(self._numbers), work, set() if waiter else None, owner)
                self._tasks[key] = task
            if waiter is None:
                task.waiters = None
            elif task.waiters is not None:
                task.waiters.add(waiter)
        self._begin_waiting()
        return task

    def release(self, who: str, place: str, but: Collection[Hashable] = ()) -> None:
        """Note that `who` waits for nothing at `place` and within it, except the keys `but`.

        What nobody waits for any more is stopped.
        """
        with self._lock:
            for task in self._tasks.values():
                if task.waiters and task.key not in but:
                    task.waiters -= {
                        (each, at)
                        for each, at in task.waiters
                        if each == who and f"{at}/".startswith(f"{place}/")
                    }
                    if task.unwanted:
                        task.stop()
        self._begin_waiting()

    def forget(self, key: Hashable) -> None:
        """Drop a task that ended with a problem, so that it is not shown again."""
        with self._lock:
            task = self._tasks.get(key)
            if task is not None and task.finished:
                del self._tasks[key]

    def _begin_waiting(self) -> None:
        """Begin what waits for its turn, as far as there is room; drop what was stopped before."""
        with self._lock:
            for task in [task for task in self._tasks.values() if not task.begun]:
                if task.stopping:
                    self._end(task, "Stopped.")
            waiting = [task for task in self._tasks.values() if not task.begun]
            if not waiting:
                return
            at_work = sum(task.begun and not task.finished for task in self._tasks.values())
            room = max(self._at_once - self._elsewhere(), 1) - at_work
            for task in waiting[: max(room, 0)]:
                task.begun, task.message = True, "Starting"
                work = (task, task.work)
                threading.Thread(target=self._run, args=work, name=task.title, daemon=True).start()

    def _run(self, task: Task, work: Work) -> None:
        problem: str | None = None
        watch = _Watch(task, self._is_there)
        try:
            work(watch.report, watch.should_stop)
        except Stopped:
            problem = "Stopped."
        except USER_ERRORS as error:
            problem = str(error)
        except Exception as error:  # a defect must end the task, not leave it for ever
            _LOG.exception("%s failed", task.title)
            problem = (
                say_if_full(error)
                or f"This failed in a way it should not: {type(error).__name__}: {error}"
            )
        with self._lock:
            self._end(task, problem)
        self._begin_waiting()

    def _end(self, task: Task, problem: str | None) -> None:
        """Let go of a finished task; only a problem is kept, for whoever waits to read it."""
        task.begun = task.finished = True
        task.problem, task.work, task.preview = problem, None, None
        if self._tasks.get(task.key) is task and (problem is None or task.unwanted):
            del self._tasks[task.key]
        failed = [each for each in self._tasks.values() if each.finished]
        for old in failed[:-MOST_PROBLEMS]:
            del self._tasks[old.key]


class _Watch:
    """What a task's work is given: to say how far it is, and to ask whether it is to stop."""

    def __init__(self, task: Task, is_there: Callable[[str], bool]) -> None:
        self._task, self._is_there = task, is_there
        self._seen = self._looked = time.monotonic()

    def report(self, share: float, message: str) -> None:
        """Take note of how far the work is; raises Stopped where it is to stop."""
        if self.should_stop():
            raise Stopped("Stopped.")
        self._task.share, self._task.message = share, message
        self._task.left.update(share)

    def should_stop(self) -> bool:
        """Whether someone asked for it, or those who waited have all gone away."""
        now = time.monotonic()
        waiters = self._task.waiters
        if waiters is not None and now - self._looked > 1:
            self._looked = now
            if any(self._is_there(who) for who, _ in tuple(waiters)):
                self._seen = now
            elif now - self._seen > SECONDS_OF_ABSENCE:
                self._task.waiters = set()
                self._task.stop()
        return self._task.stopping
