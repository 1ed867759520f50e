"""Keeping the store within its size: the least recently used go first, and nothing in use goes."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.store.entry import Entry
from isogloss.store.files import files_below, is_full
from isogloss.store.removed import delete_old

if TYPE_CHECKING:
    from isogloss.store.store import Store

ABANDONED_SECONDS = 7 * 24 * 3600
"""Work in progress that nobody continued for so long is given up."""

_DOOMED = ".doomed-"
"""What an entry's name begins with while it is deleted where there is no room for the trash."""


def evictable(store: Store) -> tuple[Entry, ...]:
    """What can be evicted as a whole: own entries, and own results derived from demo entries."""
    entries = store.entries()
    results = (result for entry in entries if entry.demo for result in store.derived_entries(entry))
    return tuple(entry for entry in (*entries, *results) if not entry.demo)


def prune(store: Store, limit_bytes: int | None) -> tuple[Entry, ...]:
    """Evict the least recently used entries until the rest is within the limit; returns them."""
    with store.lock("prune"):
        _clear_leftovers(store)
        delete_old(store)
        if limit_bytes is None:
            return ()
        units = sorted(evictable(store), key=lambda unit: unit.last_used)
        sizes = {unit: unit.size_bytes for unit in units}
        excess = sum(sizes.values()) - limit_bytes
        evicted = []
        for unit in units:
            if excess <= 0:
                break
            if discard(store, unit):
                evicted.append(unit)
                excess -= sizes[unit]
        return tuple(evicted)


def discard(store: Store, unit: Entry) -> bool:
    """Delete `unit`, unless someone builds or uses it or was quicker; returns whether it did."""
    with store.lock(unit.name, wait=False) as held:
        if not held or store.marks.is_held(unit.name) or not unit.path.is_dir():
            return False
        doomed = _to_trash(store, unit.path)
        store.marks.forget(unit.name)
    shutil.rmtree(doomed, ignore_errors=True)
    return True


def _clear_leftovers(store: Store) -> None:
    """Delete what interrupted evictions and long abandoned builds left."""
    unmoved = store.root.glob(f"*/{_DOOMED}*")
    for doomed in (*(store.root / "trash").glob("*"), *unmoved):
        shutil.rmtree(doomed, ignore_errors=True)
    for workspace in (store.root / "partial").glob("*"):
        with store.lock(workspace.name, wait=False) as held:
            if not held or not workspace.is_dir():
                continue
            if time.time() - _last_changed(workspace) < ABANDONED_SECONDS:
                continue
            doomed = _to_trash(store, workspace)
        shutil.rmtree(doomed, ignore_errors=True)


def _to_trash(store: Store, path: Path) -> Path:
    """Take a directory out of sight by one rename, so that it is never seen half deleted."""
    doomed = store.root / "trash" / uuid.uuid4().hex
    try:
        doomed.parent.mkdir(exist_ok=True)
        os.replace(path, doomed)
    except OSError as error:
        if not is_full(error):
            raise
        doomed = path.with_name(f"{_DOOMED}{uuid.uuid4().hex}")  # which takes no space
        os.replace(path, doomed)
    return doomed


def _last_changed(directory: Path) -> float:
    times = [directory.stat().st_mtime]
    times += [path.lstat().st_mtime for path in files_below(directory)]
    return max(times)
