"""Corrupt entries: out of the way, never deleted, always told."""

import os
import time
import warnings
from pathlib import Path

from isogloss.store.errors import CorruptEntryWarning


class Quarantine:
    """The directory for corrupt entries, and the sentences about what was found."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reports: list[str] = []

    def take(self, directory: Path, name: str, problem: str) -> None:
        """Move a corrupt entry here and report it."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        place = self.path / f"{name}-{stamp}"
        while place.exists():
            place = place.with_name(f"{place.name}-again")
        self.path.mkdir(parents=True, exist_ok=True)
        os.replace(directory, place)
        self.report(
            f"Entry {name} is corrupt and will be computed again when asked for: {problem}; "
            f"its files are kept in {place}."
        )

    def report(self, sentence: str) -> None:
        """Tell `sentence`, once, as a warning and in `reports`."""
        if sentence not in self.reports:
            self.reports.append(sentence)
            warnings.warn(sentence, CorruptEntryWarning, stacklevel=2)

    def contents(self) -> tuple[Path, ...]:
        """What was set aside and not yet deleted by the user."""
        return tuple(sorted(self.path.glob("*")))
