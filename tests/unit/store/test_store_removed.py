"""Taking an entry out and putting it back: whole, for a day, and never a shipped one."""

import os
import time

import pytest

from isogloss.store import Store, StoreError
from isogloss.store.removed import KEPT_SECONDS


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "cache", demo=tmp_path / "demo")


def made(store: Store, number: int = 1):
    def build(workspace):
        (workspace / "a.txt").write_text(f"what was computed {number}")

    return store.get_or_create({"number": number}, build)


def test_what_was_taken_out_comes_back_as_it_was_with_what_was_derived(store):
    entry = made(store)
    store.get_or_create_derived(
        entry, {"of": 1}, lambda place: (place / "b").write_text("b") and {}
    )
    store.take_out(entry.key)
    assert store.get(entry.key) is None
    assert store.entries() == ()
    store.put_back(entry.key)
    (again,) = store.entries()
    assert store.verify(again) == ()
    assert [len(store.derived_entries(again))] == [1]


def test_what_was_made_anew_meanwhile_stays(store):
    entry = made(store)
    store.take_out(entry.key)
    made(store)
    store.put_back(entry.key)
    assert len(store.entries()) == 1
    assert not list((store.root / "removed").iterdir())


def test_after_a_day_it_is_gone(store):
    entry = made(store)
    store.take_out(entry.key)
    old = time.time() - KEPT_SECONDS - 60
    os.utime(store.root / "removed" / entry.key, (old, old))
    store.prune()
    with pytest.raises(StoreError, match="too long ago"):
        store.put_back(entry.key)


def test_what_is_in_use_or_ships_stays(store, tmp_path):
    entry = made(store)
    with store.using(entry), pytest.raises(StoreError, match="in use"):
        store.take_out(entry.key)
    store.take_out(entry.key)
    with pytest.raises(StoreError, match="no entry"):
        store.take_out(entry.key)
    shipped = made(Store(tmp_path / "demo", demo=None), 2)
    with pytest.raises(StoreError, match="comes with Isogloss"):
        store.take_out(shipped.key)


@pytest.mark.parametrize("key", ["..", "../entries", "", "/etc"])
def test_nothing_but_a_key_is_put_back(store, key):
    with pytest.raises(StoreError):
        store.put_back(key)
