"""Keeping the store within its size: the least recently used go first, and nothing in use goes."""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.store.entry import Entry
from isogloss.store.errors import StoreError
from isogloss.store.files import files_below, is_full

if TYPE_CHECKING:
    from isogloss.store.store import Store

ABANDONED_SECONDS = 7 * 24 * 3600
"""Work in progress that nobody continued for so long is given up."""

_DOOMED = ".doomed-"
"""What an entry's name begins with while it is deleted where there is no room for the trash."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{letter}I": 2 ** (10 * power) for power, letter in enumerate("KMGT", start=1)}


def parse_size(text: str) -> int:
    """The number of bytes in a text such as `20GB` (10^9), `1.5 GiB` (2^30) or `4096`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?", text.strip().upper(), re.ASCII)
    if match is None or match[2] not in _UNITS:
        raise StoreError(f"{text!r} is not a size: write for example 500MB, 20GB or 1.5TiB.")
    return round(float(match[1]) * _UNITS[match[2]])


def default_limit() -> int | None:
    """The size the environment's ISOGLOSS_CACHE_LIMIT allows, or None for any size."""
    return limit_from("ISOGLOSS_CACHE_LIMIT")


def limit_from(variable: str) -> int | None:
    """The size that a variable of the environment allows, or None for any size."""
    text = os.environ.get(variable)
    return parse_size(text) if text else None


def evictable(store: Store) -> tuple[Entry, ...]:
    """What can be evicted as a whole: own entries, and own results derived from demo entries."""
    entries = store.entries()
    results = (result for entry in entries if entry.demo for result in store.derived_entries(entry))
    return tuple(entry for entry in (*entries, *results) if not entry.demo)


def prune(store: Store, limit_bytes: int | None) -> tuple[Entry, ...]:
    """Evict the least recently used entries until the rest is within the limit; returns them."""
    with store.lock("prune"):
        _clear_leftovers(store)
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
