"""The activation store: ask for a result by its record; it is computed once and kept.

    root/entries/<key>/            finished entries: manifest.json, states.safetensors, …
    root/entries/<key>/derived/    results computed from that entry, each an entry itself
    root/derived_of_demo/<key>/    results computed from a read-only demo entry
    root/partial/                  work in progress, continued after a kill
    root/aside/                    corrupt entries, kept for the user to look at
    root/trash/                    evicted entries on their way out
    root/removed/                  entries that were taken out and can be put back for a day
    root/locks, used, in_use       who builds, who used what when, who uses what now

A directory under `entries` appears by one rename, so it is complete or not there at all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from isogloss.places import data_root, demo_roots
from isogloss.settings import CACHE, CACHE_LIMIT
from isogloss.store import eviction, removed
from isogloss.store.entry import Entry
from isogloss.store.entry_directory import EntryDirectory, Quarantine
from isogloss.store.errors import CorruptEntryError, StoreError
from isogloss.store.files import ignoring_unwritable, translate_os_errors
from isogloss.store.keys import cache_key, canonical_json, is_key
from isogloss.store.locks import Marks, exclusive
from isogloss.store.manifest import DERIVED, MANIFEST, Manifest

DEMO_ROOTS = demo_roots()
DEMO_ROOT = DEMO_ROOTS[0]

Build = Callable[[Path], Mapping[str, Any] | None]
"""Writes files into the directory given, continuing what it finds there; may return more facts."""


class Store:
    """Content-addressed results in `root`, and read-only ones in `demo`, one place or several.

    Any number of threads and processes may share one root. A corrupt entry is never returned: it
    is set aside, told as a warning and in `reports`, and computed again when asked for.
    """

    def __init__(
        self,
        root: Path | None = None,
        *,
        demo: Path | Sequence[Path] | None = DEMO_ROOTS,
        limit_bytes: int | None = None,
    ) -> None:
        self.root = (root or data_root()).absolute()
        if self.root.exists() and not self.root.is_dir():
            raise StoreError(f"{self.root} is not a directory: set {CACHE.name} to one.")
        self.limit_bytes = limit_bytes if limit_bytes is not None else CACHE_LIMIT.read()
        self.marks = Marks(self.root)
        self._quarantine = Quarantine(self.root / "aside")
        self._places = [EntryDirectory(self, self.root / "entries")]
        for shipped in [demo] if isinstance(demo, Path) else demo or ():
            self._places.append(EntryDirectory(self, shipped.absolute() / "entries", demo=True))

    @property
    def reports(self) -> tuple[str, ...]:
        """What was found corrupt or unusable so far, one sentence each."""
        return tuple(self._quarantine.reports)

    # Finding

    def entries(self) -> tuple[Entry, ...]:
        """Every complete entry, demo entries last; what cannot be used is reported and left out."""
        return self._list(self._places)

    def derived_entries(self, parent: Entry) -> tuple[Entry, ...]:
        """Every complete result derived from `parent`."""
        return self._list(self._derived_places(parent))

    def get(self, key: str) -> Entry | None:
        """The entry with this key, if it is there; listing and looking do not count as a use."""
        return self._look(self._places, key) if is_key(key) else None

    def find(self, record: Mapping[str, Any]) -> Entry | None:
        """The entry for `record`, if it is there; counts as a use."""
        return _touched(self._look(self._places, cache_key(record)))

    def find_derived(self, parent: Entry, record: Mapping[str, Any]) -> Entry | None:
        """The result derived from `parent` by `record`, if it is there; counts as a use."""
        return _touched(self._look(self._derived_places(parent), cache_key(record)))

    # Making

    def get_or_create(
        self,
        record: Mapping[str, Any],
        build: Build,
        *,
        description: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> Entry:
        """The entry for `record`, built if it is not there.

        Of all who ask at once, one runs `build(workspace)` and the others wait. The workspace
        holds what a killed or failed build left. `facts`, and those `build` returns, go into the
        manifest but not into the key.
        """
        return self._obtain(self._places, record, build, description, facts or {})

    def get_or_create_derived(
        self,
        parent: Entry,
        record: Mapping[str, Any],
        build: Build,
        *,
        description: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> Entry:
        """The result derived from `parent` by `record`, built as by `get_or_create`."""
        with self.using(parent):
            places = self._derived_places(parent)
            return self._obtain(places, record, build, description, facts or {})

    def adopt(self, directory: Path, manifest: Manifest, parent: Entry | None = None) -> bool:
        """Move a finished, verified directory into the store; False if its key is there already."""
        places = self._places if parent is None else self._derived_places(parent)
        with translate_os_errors(self.root), self.lock(places[0].name(manifest.key)):
            if self._look(places, manifest.key, locked=True) is not None:
                return False
            places[0].publish(directory, manifest).touch()
            return True

    # Keeping

    @contextmanager
    def using(self, entry: Entry) -> Iterator[Entry]:
        """Keep `entry` from being evicted, by any process, within the context."""
        unit = entry.unit
        with ExitStack() as holds:
            if not unit.demo:
                with ignoring_unwritable(), self.lock(unit.name):
                    if not unit.path.is_dir():
                        raise StoreError(f"Entry {unit.key} has been removed: ask for it again.")
                    holds.enter_context(self.marks.hold(unit.name))
                    unit.touch()
            yield entry

    def verify(self, entry: Entry, *, quick: bool = False) -> tuple[str, ...]:
        """What is wrong with the files of `entry`: their checksums, or if quick, their form."""
        try:
            return Manifest.read(entry.path, entry.key).problems(entry.path, quick=quick)
        except CorruptEntryError as error:
            return (str(error),)

    def set_aside(self, entry: Entry, problem: str) -> None:
        """Take a corrupt `entry` out of use, keep its files under `aside`, and report `problem`."""
        if entry.demo:
            raise StoreError(f"Entry {entry.key} comes with Isogloss and is read-only: {problem}.")
        with translate_os_errors(self.root), self.lock(entry.name):
            self._quarantine.take(entry.path, entry.name, problem)

    def aside(self) -> tuple[Path, ...]:
        """The corrupt entries that were set aside; deleting them is left to the user."""
        return self._quarantine.contents()

    def remove(self, key: str) -> None:
        """Delete an entry and what was derived from it, unless it is in use."""
        entry = self.get(key)
        if entry is None:
            raise StoreError(f"There is no entry {key} in {self.root}.")
        if entry.demo:
            raise StoreError(f"Entry {key} comes with Isogloss and cannot be removed.")
        with translate_os_errors(self.root):
            if not eviction.discard(self, entry):
                raise StoreError(f"Entry {key} is in use: try again when nothing reads it.")

    def take_out(self, key: str) -> None:
        """Remove an entry so that `put_back` can undo it for a day, unless it is in use."""
        entry = self.get(key)
        if entry is None:
            raise StoreError(f"There is no entry {key} in {self.root}.")
        removed.take_out(self, entry)

    def put_back(self, key: str) -> None:
        """Undo `take_out`."""
        removed.put_back(self, key)

    def prune(self, limit_bytes: int | None = None) -> tuple[Entry, ...]:
        """Evict the least recently used entries until the rest is within the limit; returns them.

        Demo entries and entries in use stay. What builds left that were abandoned a week ago goes
        too, and only that where neither this call nor the store has a limit.
        """
        with translate_os_errors(self.root):
            return eviction.prune(self, self.limit_bytes if limit_bytes is None else limit_bytes)

    def lock(self, name: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """The lock that whoever builds, moves or deletes `name` holds."""
        place = self.root / "locks"
        place.mkdir(parents=True, exist_ok=True)
        return exclusive(place / f"{name}.lock", wait=wait)

    # Within

    def _derived_places(self, parent: Entry) -> list[EntryDirectory]:
        """Where results derived from `parent` stand; the first place is the one to write to."""
        own = EntryDirectory(self, parent.path / DERIVED, parent.demo, parent)
        if not parent.demo:
            return [own]
        return [
            EntryDirectory(self, self.root / "derived_of_demo" / parent.key, parent=parent),
            own,
        ]

    def _list(self, places: list[EntryDirectory]) -> tuple[Entry, ...]:
        found: dict[str, Entry] = {}
        for place in places:
            for key in place.contents():
                try:
                    entry = self._open(place, key, listed=True)
                except StoreError as error:  # of a newer format, or not readable by this user
                    self._quarantine.report(str(error))
                    continue
                if entry is not None:
                    found.setdefault(key, entry)
        return tuple(found.values())

    def _look(
        self, places: list[EntryDirectory], key: str, *, locked: bool = False
    ) -> Entry | None:
        for place in places:
            if entry := self._open(place, key, locked=locked):
                return entry
        return None

    def _open(
        self, place: EntryDirectory, key: str, *, locked: bool = False, listed: bool = False
    ) -> Entry | None:
        """The entry if it is there and whole; a corrupt one is set aside and reported."""
        try:
            return place.read(key, listed=listed)
        except CorruptEntryError as error:
            if place.demo:
                self._quarantine.report(f"Demo entry {key} is corrupt and ignored: {error}.")
                return None
            problem = str(error)
        name = place.name(key)
        with (
            ignoring_unwritable(),
            nullcontext(True) if locked else self.lock(name, wait=False) as held,
        ):
            if not held:  # whoever holds it is just building, evicting or setting it aside
                return None
            try:
                return place.read(key, listed=listed)
            except CorruptEntryError as error:
                self._quarantine.take(place.path / key, name, str(error))
                return None
        self._quarantine.report(
            f"Entry {name} is corrupt but cannot be moved, so ignored: {problem}."
        )
        return None

    def _obtain(
        self,
        places: list[EntryDirectory],
        record: Mapping[str, Any],
        build: Build,
        description: str,
        facts: Mapping[str, Any],
    ) -> Entry:
        key, place = cache_key(record), places[0]
        canonical_json(facts)  # refused before the work and not after it
        if found := _touched(self._look(places, key)):
            return found
        with translate_os_errors(self.root), self.lock(place.name(key)):
            entry = self._look(places, key, locked=True)
            if entry is None:
                workspace = self.root / "partial" / place.name(key)
                workspace.mkdir(parents=True, exist_ok=True)
                (workspace / MANIFEST).unlink(missing_ok=True)
                learned = build(workspace) or {}
                manifest = Manifest.describe(workspace, record, description, {**facts, **learned})
                manifest.write(workspace)
                entry = place.publish(workspace, manifest)
            entry.touch()
        if self.limit_bytes is not None:
            with self.using(entry):
                self.prune()
        return entry


def _touched(entry: Entry | None) -> Entry | None:
    if entry is not None:
        entry.touch()
    return entry
