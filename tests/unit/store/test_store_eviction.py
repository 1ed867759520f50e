"""Keeping within the size: who goes first, and who never goes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isogloss.store import Store, StoreError

REPOSITORY = Path(__file__).parents[3]
SIZE = 10_000

HOLD = """
import sys
from pathlib import Path
from isogloss.store import Store
store = Store(Path(sys.argv[1]), demo=None)
with store.using(store.get(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


def build(workspace):
    (workspace / "result.bin").write_bytes(bytes(SIZE))


def numbers(entries):
    return sorted(entry.record["number"] for entry in entries)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache", demo=None)


@pytest.fixture
def five(store):
    """Entries 0 to 4, used in this order."""
    return [store.get_or_create({"number": number}, build) for number in range(5)]


@pytest.fixture
def holder(store, five):
    """Another process that uses entry 0."""
    command = [sys.executable, "-c", HOLD, str(store.root), five[0].key]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_least_recently_used_go_first(store, five):
    store.find({"number": 0})
    five[2].touch()
    evicted = store.prune(3 * (SIZE + 1000))
    assert [entry.record["number"] for entry in evicted] == [1, 3]
    assert numbers(store.entries()) == [0, 2, 4]
    assert not evicted[0].path.exists()
    assert not list((store.root / "trash").iterdir())


def test_no_more_goes_than_must(store, five):
    total = sum(entry.size_bytes for entry in five)
    assert store.prune(total) == ()
    assert len(store.prune(total - 1)) == 1
    assert len(store.prune(0)) == 4


def test_without_a_limit_nothing_goes(store, five):
    assert store.prune() == ()
    assert len(store.entries()) == 5


def test_listing_and_looking_do_not_count_as_use(store, five):
    store.entries()
    store.get(five[0].key)
    store.verify(five[0])
    assert numbers(store.prune(4 * (SIZE + 1000))) == [0]


def test_derived_results_count_and_go_with_their_parent(store, five):
    result = store.get_or_create_derived(five[1], {"method": 1}, build)
    assert five[1].size_bytes > 2 * SIZE
    for entry in (five[0], *five[2:]):
        entry.touch()
    assert numbers(store.prune(4 * (SIZE + 1000))) == [1]
    assert not result.path.exists()


def test_using_a_derived_result_is_using_its_parent(store, five):
    result = store.get_or_create_derived(five[0], {"method": 1}, build)
    for entry in five[1:]:
        entry.touch()
    result.touch()
    assert numbers(store.prune(2 * (SIZE + 1000))) == [1, 2, 3, 4]
    with store.using(result):
        assert store.prune(0) == ()
    assert numbers(store.prune(0)) == [0]


def test_what_is_in_use_stays(store, five):
    with store.using(five[0]), store.using(five[0]), store.using(five[3]):
        assert numbers(store.prune(0)) == [1, 2, 4]
        with pytest.raises(StoreError, match="is in use"):
            store.remove(five[0].key)
    assert numbers(store.entries()) == [0, 3]
    store.remove(five[0].key)
    assert numbers(store.entries()) == [3]
    with pytest.raises(StoreError, match="There is no entry"):
        store.remove(five[0].key)


def test_what_another_process_uses_stays_until_it_dies(store, holder):
    assert numbers(store.prune(0)) == [1, 2, 3, 4]
    with pytest.raises(StoreError, match="is in use"):
        store.remove(store.entries()[0].key)
    holder.kill()
    holder.wait()
    assert numbers(store.prune(0)) == [0]


def test_an_exception_ends_the_use(store, five):
    with pytest.raises(ZeroDivisionError), store.using(five[0]):
        raise ZeroDivisionError
    assert len(store.prune(0)) == 5
    assert not list(store.root.glob("in_use/*/*"))


def test_using_what_was_evicted_meanwhile_says_so(store, five):
    store.prune(0)
    with pytest.raises(StoreError, match="has been removed"), store.using(five[0]):
        raise AssertionError("used although it is gone")


def test_demo_entries_stay_and_what_was_derived_from_them_here_may_go(tmp_path):
    shipped = Store(tmp_path / "demo", demo=None).get_or_create({"number": 0}, build)
    store = Store(tmp_path / "cache", demo=tmp_path / "demo")
    parent = store.get(shipped.key)
    result = store.get_or_create_derived(parent, {"method": 1}, build)
    with store.using(result):
        assert store.prune(0) == ()
    assert store.prune(0) == (result,)
    assert store.entries() == (parent,)
    assert store.derived_entries(parent) == ()
    assert store.verify(parent) == ()


def test_a_store_with_a_limit_keeps_to_it_and_keeps_the_newest(tmp_path):
    store = Store(tmp_path, demo=None, limit_bytes=2 * (SIZE + 1000))
    for number in range(5):
        store.get_or_create({"number": number}, build)
    assert numbers(store.entries()) == [3, 4]
    tiny = Store(tmp_path, demo=None, limit_bytes=1)
    tiny.get_or_create({"number": 9}, build)
    assert numbers(tiny.entries()) == [9]


def test_only_long_abandoned_work_is_given_up(store):
    def interrupted(workspace):
        build(workspace)
        raise KeyboardInterrupt

    for number in range(2):
        with pytest.raises(KeyboardInterrupt):
            store.get_or_create({"number": number}, interrupted)
    old, recent = sorted((store.root / "partial").iterdir())
    long_ago = time.time() - 8 * 24 * 3600
    for path in (old / "result.bin", old):
        os.utime(path, (long_ago, long_ago))
    with store.lock(old.name):
        store.prune()
        assert old.exists()
    store.prune()
    assert not old.exists()
    assert recent.exists()
