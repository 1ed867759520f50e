"""States that a power cut cannot take once they are noted, while more are written."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from isogloss.store import StatesWriter

_BYTES_AT_RISK = 64 << 20
_SECONDS_AT_RISK = 2.0


class SafeStates:
    """States in a file, and a note beside it of the sentences whose states are on the disk.

    A power cut may take what was written but not what was noted: states are brought to the disk
    first and noted then, in the background, and only a bounded amount is ever at risk.
    """

    def __init__(self, path: Path, note: Path) -> None:
        self._states, self._note = StatesWriter(path), note
        self._at_risk: list[int] = []
        self._bytes_at_risk = 0
        self._since = time.monotonic()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="activations")
        self._saving: Future[None] | None = None

    @property
    def finished(self) -> set[int]:
        """The sentences that are noted."""
        if not self._note.exists():
            return set()
        lines = self._note.read_text().split("\n")
        whole = [line for line in lines if line.endswith("]")]  # a kill may have cut one
        return {index for line in whole for index in json.loads(line)}

    def write(self, row: int, values: np.ndarray) -> None:
        """Put the states of a sentence in their place, from `row` on."""
        self._states.write(row, values)

    def add(self, sentences: Sequence[int], size: int) -> None:
        """Tell that the states of these sentences are in their place."""
        self._at_risk += sentences
        self._bytes_at_risk += size
        if (
            self._bytes_at_risk >= _BYTES_AT_RISK
            or time.monotonic() - self._since >= _SECONDS_AT_RISK
        ):
            self._save()

    def _save(self) -> None:
        if self._saving is not None:
            self._saving.result()
        self._saving = self._thread.submit(self._save_now, self._at_risk)
        self._at_risk, self._bytes_at_risk, self._since = [], 0, time.monotonic()

    def _save_now(self, sentences: Sequence[int]) -> None:
        self._states.sync()
        with self._note.open("a") as note:
            note.write("\n" + json.dumps(list(sentences)))
            note.flush()
            os.fsync(note.fileno())

    def __enter__(self) -> SafeStates:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Save what is not yet saved, also when the work was stopped or failed."""
        with self._thread:
            try:
                self._save()
                if self._saving is not None:
                    self._saving.result()
            except OSError:
                if kind is None:  # otherwise the error that stopped the work matters more
                    raise
            finally:
                self._states.close()
