"""Who may write and who is reading, between threads and between processes.

Every lock is a file locked by the operating system, which lets go when its holder dies: nothing
here can be left locked by a killed process.
"""

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def exclusive(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock at `path` alone; yields whether it is held, which is certain when waiting.

    Raises FileNotFoundError without its directory: locking what was removed must not bring it back.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent} is not there")
    lock = FileLock(path)  # a new object each time, so that threads exclude each other too
    while True:
        try:
            lock.acquire(blocking=wait)
            break
        except Timeout:
            if is_held(path):
                yield False
                return
            # Someone looked at just this moment, which must not count as holding it.
    try:
        yield True
    finally:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether someone holds the lock at `path`; looking hinders nobody and makes no file.

    It takes a shared lock for an instant, which any number may have at once but nobody beside the
    holder.
    """
    try:
        looking = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(looking)
    return False


class Marks:
    """When each entry was last used, and whether someone uses it right now.

    They lie beside the entries and not inside, so that a finished entry is never written again.
    """

    def __init__(self, root: Path) -> None:
        self._used = root / "used"
        self._holds = root / "in_use"

    def touch(self, name: str) -> None:
        """Note that `name` was used just now."""
        self._used.mkdir(parents=True, exist_ok=True)
        mark = self._used / name
        mark.touch()
        now = time.time_ns()  # finer than the clock the file system stamps with
        os.utime(mark, ns=(now, now))

    def last_used(self, name: str) -> int | None:
        """When `name` was last used, in nanoseconds since 1970, or None if that was never noted."""
        try:
            return (self._used / name).stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def forget(self, name: str) -> None:
        """Drop the note of when `name` was used."""
        (self._used / name).unlink(missing_ok=True)

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Mark `name` as in use, for as long as the context and this process live."""
        mark = self._holds / name / f"{uuid.uuid4().hex}.lock"
        mark.parent.mkdir(parents=True, exist_ok=True)
        try:
            with exclusive(mark):
                yield
        finally:
            mark.unlink(missing_ok=True)

    def is_held(self, name: str) -> bool:
        """Whether a living process marks `name` as in use; marks of dead ones are cleared away."""
        for mark in sorted(self._holds.glob(f"{name}/*.lock")):
            if is_held(mark):
                return True
            mark.unlink(missing_ok=True)
        return False
