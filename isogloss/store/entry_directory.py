"""Directories that hold entries, one subdirectory per key, and the one for corrupt entries."""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.store.entry import STATES, Entry
from isogloss.store.errors import CorruptEntryError, CorruptEntryWarning, StoreError
from isogloss.store.files import sync_directory, sync_tree
from isogloss.store.keys import is_key
from isogloss.store.manifest import MANIFEST, Manifest
from isogloss.store.packed_states import PACKED_STATES

if TYPE_CHECKING:
    from isogloss.store.store import Store

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class EntryDirectory:
    """A place for entries, all derived from `parent` if there is one; `demo` means read-only."""

    store: Store
    path: Path
    demo: bool = False
    parent: Entry | None = None

    def contents(self) -> list[str]:
        """The keys of what stands here, whole or not."""
        if not self.path.is_dir():
            return []
        return sorted(name for name in os.listdir(self.path) if is_key(name))

    def name(self, key: str) -> str:
        """What an entry `key` in this directory is called throughout the store."""
        return key if self.parent is None else f"{self.parent.key}.{key}"

    def read(self, key: str, *, listed: bool = False) -> Entry | None:
        """The entry, if it is there; raises `CorruptEntryError` if it is not what it promises.

        What is only to be listed is looked at by form. What is asked for is compared with its
        checksums, but for states and other large files.
        """
        directory = self.path / key
        if not directory.is_dir():
            return None
        manifest = _checked(directory, key, by_form=listed)
        return Entry(directory, manifest, self.store, self.demo, self.parent)

    def publish(self, directory: Path, manifest: Manifest) -> Entry:
        """Make a finished directory an entry, by one rename once all of it is on the disk."""
        sync_tree(directory)
        if self.parent is not None and not self.parent.path.is_dir():
            raise StoreError(f"Entry {self.parent.key} has been removed: ask for it again.")
        self.path.mkdir(parents=True, exist_ok=True)
        target = self.path / manifest.key
        os.replace(directory, target)
        sync_directory(self.path)
        return Entry(target, manifest, self.store, self.demo, self.parent)


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


_MOST_COMPARED = 1 << 26
"""Bytes; larger files, such as weights and states, take too long to be read for a checksum."""
_MOST_REMEMBERED = 1_000
_remembered: dict[tuple[Path, bool], tuple[list[Stamp], Manifest]] = {}
"""What was found whole, by its directory and by whether that was said of its form alone."""


def _checked(directory: Path, key: str, *, by_form: bool) -> Manifest:
    """The manifest in `directory`, its files checked.

    A page lists the whole store a few times, so what was found whole is read again only when one
    of its files has been touched since.
    """
    for known in {False, by_form}:  # a checksum says more than the form
        stamps, manifest = _remembered.get((directory, known), ([], None))
        if manifest is not None and stamps == _stamps(directory, manifest):
            return manifest
    manifest = Manifest.read(directory, key)
    stamps = _stamps(directory, manifest)
    large = [name for name, file in manifest.files.items() if file.bytes > _MOST_COMPARED]
    states = (STATES, PACKED_STATES)
    if problems := manifest.problems(directory, quick=by_form, large=(*states, *large)):
        raise CorruptEntryError(problems[0])
    if len(_remembered) >= _MOST_REMEMBERED:
        _remembered.clear()
    _remembered[directory, by_form] = (stamps, manifest)
    return manifest


def _stamps(directory: Path, manifest: Manifest) -> list[Stamp]:
    """When an entry's files were last touched, their lengths, and which files they are."""
    try:
        found = [os.lstat(directory / name) for name in (MANIFEST, *manifest.files)]
    except OSError:  # what is the matter with it, the check says
        return []
    return [(one.st_mtime_ns, one.st_ctime_ns, one.st_size, one.st_ino) for one in found]
