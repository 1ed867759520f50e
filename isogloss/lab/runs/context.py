"""What a plan at work has: the store, and ways to say how far it is and to leave things."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.errors import RunError, Stopped
from isogloss.lab.runs.files import (
    BORROWED,
    FACTS,
    KEPT,
    LOG,
    PROGRESS,
    STOP,
    as_json,
    now,
    read_sealed,
    replace_json,
)
from isogloss.store import Store
from isogloss.store.files import translate_os_errors
from isogloss.store.results import read_arrays, write_arrays
from isogloss.tasks import TimeLeft

SAME_FOR_ALL_UNITS = frozenset({"model", "data", "text", "reference"})
"""Provenance without which the units of a run could not be compared."""


class RunContext:
    """The narrow view of a run that its plan works with; results are written by the run itself.

    `units` is how many the plan has, `finished` how many of them were done before.
    """

    def __init__(self, store: Store, path: Path, units: int, finished: int) -> None:
        self.store = store
        self._path = path
        self._units = max(units, 1)
        self._finished = finished
        self._left = TimeLeft()
        self._left.update(finished / self._units)
        self._reported = 0.0

    def report(self, unit_share: float, message: str) -> None:
        """Say how far the unit at work is, 0 to 1, or the sum where several are at work.

        Raises Stopped if the user asked to stop.
        """
        if (self._path / STOP).exists():
            raise Stopped("Stopped; what was finished is kept.")
        now = time.monotonic()
        if now - self._reported > 0.5 or unit_share >= 1:
            self._reported = now
            self._write_progress(self._finished + unit_share, message)

    def unit_finished(self, unit: str) -> None:
        """Count a unit whose result has been written."""
        self._finished += 1
        self._write_progress(self._finished, f"finished {unit}")
        self.log(f"finished {unit}")

    def _write_progress(self, done: float, message: str) -> None:
        share = min(done / self._units, 1.0)
        replace_json(
            self._path / PROGRESS,
            {
                "share": share,
                "message": message,
                "seconds_left": self._left.update(share),
                "pid": os.getpid(),
            },
        )

    def log(self, line: str) -> None:
        """Write a line to the run's log."""
        with translate_os_errors(self._path), (self._path / LOG).open("a", encoding="utf-8") as log:
            log.write(f"{now()}  {line}\n")

    def note(self, **facts: Any) -> None:
        """Keep provenance: hashes of data, versions, the device.

        Raises RunError if units are finished already with another model or other data.
        """
        known = self._known_facts()
        for what in SAME_FOR_ALL_UNITS & facts.keys() & known.keys():
            if self._finished and known[what] != json.loads(as_json(facts[what])):
                raise RunError(
                    f"The {what} of this run has changed since it began, and its parts would not "
                    "compare: start a new run, or put back what there was."
                )
        replace_json(self._path / FACTS, {**known, **facts})

    def _known_facts(self) -> dict[str, Any]:
        try:
            return read_sealed(self._path / FACTS) or {}
        except ValueError as error:
            raise RunError(f"Run {self._path.name} is damaged: {error}.") from error

    def borrow(self, key: str) -> None:
        """Note an entry of the store that only this run needs; it is removed when the run ends."""
        with translate_os_errors(self._path), (self._path / BORROWED).open("a") as stream:
            stream.write(f"{key}\n")

    def keep(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Keep arrays under `name` with the run; `Run.kept` reads them again."""
        place = self._path / KEPT
        with translate_os_errors(self._path):
            place.mkdir(exist_ok=True)
            write_arrays(place / f"{name}.safetensors", arrays)

    def kept(self, name: str) -> dict[str, Any] | None:
        """The arrays that an earlier start of this run kept under `name`, if it did."""
        path = self._path / KEPT / f"{name}.safetensors"
        try:
            return read_arrays(path) if path.is_file() else None
        except ValueError as error:
            raise RunError(f"Run {self._path.name} is damaged: {error}.") from error

    def drop(self, name: str) -> None:
        """Remove what was kept under `name`: a checkpoint of what is finished."""
        (self._path / KEPT / f"{name}.safetensors").unlink(missing_ok=True)
