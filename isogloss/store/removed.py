"""Entries that somebody took out: for a day they can be put back, then they are deleted."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

from isogloss.store.errors import StoreError
from isogloss.store.files import translate_os_errors
from isogloss.store.keys import is_key

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.store.entry import Entry
    from isogloss.store.store import Store

KEPT_SECONDS = 24 * 3600


def take_out(store: Store, entry: Entry) -> None:
    """Take an entry, with what was derived from it, out of the store by one rename."""
    if entry.demo:
        raise StoreError(f"Entry {entry.key} comes with Isogloss and cannot be removed.")
    delete_old(store)
    place = _place(store, entry.key)
    with translate_os_errors(store.root), store.lock(entry.name, wait=False) as held:
        if not held or store.marks.is_held(entry.name):
            raise StoreError(f"Entry {entry.key} is in use: try again when nothing reads it.")
        if not entry.path.is_dir():
            raise StoreError(f"Entry {entry.key} has been removed already.")
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(entry.path, place)
        os.utime(place)
        store.marks.forget(entry.name)


def put_back(store: Store, key: str) -> None:
    """Undo `take_out`; where the entry was made anew meanwhile, that one stays."""
    place = _place(store, key)
    with translate_os_errors(store.root), store.lock(key):
        if not place.is_dir():
            raise StoreError(f"Entry {key} was removed too long ago: make or import it again.")
        target = store.root / "entries" / key
        if target.is_dir():
            shutil.rmtree(place, ignore_errors=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(place, target)


def delete_old(store: Store) -> None:
    """Delete what was taken out more than a day ago."""
    for place in (store.root / "removed").glob("*"):
        if time.time() - place.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(place, ignore_errors=True)


def _place(store: Store, key: str) -> Path:
    if not is_key(key):
        raise StoreError(f"{key!r} is no key.")
    return store.root / "removed" / key
