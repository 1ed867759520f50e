"""The desk that a plan works at: where it says how far it is and leaves what it has."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cache import Store
from isogloss.errors import RunError, Stopped
from isogloss.run_files import (
    BORROWED,
    FACTS,
    KEPT,
    LOG,
    PROGRESS,
    STOP,
    as_json,
    now,
    replace_json,
)

if TYPE_CHECKING:
    from isogloss.jobs import Run

_SAME_FOR_ALL_PARTS = {"model", "data", "text", "reference"}


class Desk:
    """What a plan at work has: the store, and ways to tell how far it is and to leave things."""

    def __init__(self, store: Store, run: Run, begun_with: int) -> None:
        self.store = store
        self._run = run
        self._began = time.monotonic()
        self._begun_with = begun_with
        self._done = begun_with
        self._told = 0.0

    def report(self, unit_share: float, message: str) -> None:
        """Say how far the unit at work is, 0 to 1; raises Stopped if the user asked to stop."""
        if (self._run.path / STOP).exists():
            raise Stopped("Stopped; what was finished is kept.")
        now = time.monotonic()
        if now - self._told > 0.5 or unit_share >= 1:
            self._told = now
            self._write(self._done + min(unit_share, 1.0), message)

    def finish(self, unit: str, result: Mapping[str, Any]) -> None:
        """Keep a unit's result for good."""
        self._run.append(unit, result)
        self._done += 1
        self._write(self._done, f"finished {unit}")
        self.log(f"finished {unit}")

    def _write(self, done: float, message: str) -> None:
        total = max(len(self._run.units), 1)
        fresh, spent = done - self._begun_with, time.monotonic() - self._began
        left = spent * (total - done) / fresh if fresh > 0.02 and spent > 2 else None
        replace_json(
            self._run.path / PROGRESS,
            {"share": done / total, "message": message, "seconds_left": left, "pid": os.getpid()},
        )

    def log(self, line: str) -> None:
        """Write a line to the run's log."""
        with (self._run.path / LOG).open("a", encoding="utf-8") as stream:
            stream.write(f"{now()}  {line}\n")

    def note(self, **facts: Any) -> None:
        """Keep provenance: hashes of data, versions, the device.

        Raises RunError if parts are finished already with another model or other data.
        """
        known = self._run.facts
        for what in _SAME_FOR_ALL_PARTS & facts.keys() & known.keys():
            if self._begun_with and known[what] != json.loads(as_json(facts[what])):
                raise RunError(
                    f"The {what} of this run has changed since it began, and its parts would not "
                    "compare: start a new run, or put back what there was."
                )
        replace_json(self._run.path / FACTS, {**known, **facts})

    def borrow(self, key: str) -> None:
        """Note an entry of the store that only this run needs; it is removed with its end."""
        with (self._run.path / BORROWED).open("a", encoding="utf-8") as stream:
            stream.write(f"{key}\n")

    def keep(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Keep arrays under `name` with the run; `Run.kept` reads them again."""
        from safetensors.numpy import save_file

        place = self._run.path / KEPT
        place.mkdir(exist_ok=True)
        save_file(dict(arrays), place / f"{name}.tmp")
        os.replace(place / f"{name}.tmp", place / f"{name}.safetensors")
