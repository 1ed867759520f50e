"""Work that goes on in the background of one process, with progress, and can be stopped."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from isogloss.errors import USER_ERRORS, Stopped

_LOG = logging.getLogger(__name__)

OnProgress = Callable[[float, str], None]
ShouldStop = Callable[[], bool]
Work = Callable[[OnProgress, ShouldStop], Any]


@dataclass
class Task:
    """One piece of work: how far it is, and how it ended."""

    title: str
    share: float = 0.0
    message: str = "Starting"
    result: Any = None
    problem: str | None = None
    finished: bool = False
    began: float = field(default_factory=time.monotonic)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """Ask the work to stop at its next step."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far; None until there is something to judge by."""
        spent = time.monotonic() - self.began
        if self.share < 0.02 or spent < 1:
            return None
        return spent * (1 - self.share) / self.share


class TaskBoard:
    """The tasks of a process by key; asking twice for the same work joins the one that runs."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task] = {}
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Task | None:
        """The task started under `key`, finished or not."""
        return self._tasks.get(key)

    def running(self) -> tuple[Task, ...]:
        """The tasks that are still at work."""
        return tuple(task for task in list(self._tasks.values()) if not task.finished)

    def start(self, key: Hashable, title: str, work: Work) -> Task:
        """Start `work` unless it is running already."""
        with self._lock:
            task = self._tasks.get(key)
            if task is not None and not task.finished:
                return task
            task = self._tasks[key] = Task(title)
        threading.Thread(target=_run, args=(task, work), name=title, daemon=True).start()
        return task

    def forget(self, key: Hashable) -> None:
        """Drop a finished task, so that its outcome is not shown again."""
        with self._lock:
            task = self._tasks.get(key)
            if task is not None and task.finished:
                del self._tasks[key]


def _run(task: Task, work: Work) -> None:
    def on_progress(share: float, message: str) -> None:
        task.share, task.message = share, message

    try:
        task.result = work(on_progress, task._stop.is_set)
        task.share = 1.0
    except Stopped:
        task.problem = "Stopped."
    except USER_ERRORS as error:
        task.problem = str(error)
    except Exception as error:  # a defect of ours must end the task, not leave it running forever
        _LOG.exception("%s failed", task.title)
        task.problem = f"This failed in a way it should not: {type(error).__name__}: {error}"
    finally:
        task.finished = True
