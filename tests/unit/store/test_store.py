"""The store in fair weather: made once, found again, described, derived from."""

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from isogloss.formatting import parse_size
from isogloss.settings import SettingError
from isogloss.store import Store, StoreError, cache_key


def writing(text):
    """A build that writes one file."""

    def build(workspace):
        (workspace / "result.txt").write_text(text)

    return build


def never(workspace):
    raise AssertionError("built although it was there")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache", demo=None)


@pytest.fixture
def with_demo(tmp_path):
    """A store whose read-only half holds one entry with one derived result."""
    demo = Store(tmp_path / "demo", demo=None)
    parent = demo.get_or_create({"demo": 1}, writing("demo"))
    demo.get_or_create_derived(parent, {"method": "shipped"}, writing("shipped"))
    return Store(tmp_path / "cache", demo=tmp_path / "demo")


def snapshot(directory):
    return {path: path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def test_what_was_made_is_found_and_not_made_again(store):
    record = {"model": "m", "layers": (1, 2)}
    assert store.find(record) is None
    made = store.get_or_create(record, writing("hello"), description="an example")
    assert made.file("result.txt").read_text() == "hello"
    assert store.get_or_create(record, never) == made
    assert store.find({"layers": [1, 2], "model": "m"}) == made
    assert store.get(cache_key(record)) == made
    assert store.entries() == (made,)
    assert Store(store.root, demo=None).find(record) == made
    assert store.verify(made) == ()
    assert not list((store.root / "partial").iterdir())


def test_the_manifest_tells_all(store):
    before = datetime.now(UTC).replace(microsecond=0)

    def build(workspace):
        (workspace / "deep").mkdir()
        (workspace / "deep" / "a.bin").write_bytes(b"abc")
        return {"device": "cpu"}

    entry = store.get_or_create({"a": (1,)}, build, description="x", facts={"numpy": "2.0"})
    manifest = json.loads((entry.path / "manifest.json").read_text())
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert manifest["files"] == {"deep/a.bin": {"bytes": 3, "sha256": digest}}
    assert manifest["record"] == {"a": [1]} == entry.record
    assert manifest["facts"] == {"numpy": "2.0", "device": "cpu"} == entry.facts
    assert manifest["format"] == 1
    assert entry.description == "x"
    assert before <= datetime.fromisoformat(entry.created) <= datetime.now(UTC)
    assert entry.size_bytes == 3 + (entry.path / "manifest.json").stat().st_size


def test_a_failed_build_is_continued(store):
    def failing(workspace):
        (workspace / "half.txt").write_text("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.get_or_create({"a": 1}, failing)
    assert store.entries() == ()

    def continuing(workspace):
        assert (workspace / "half.txt").read_text() == "half"
        (workspace / "rest.txt").write_text("rest")

    entry = store.get_or_create({"a": 1}, continuing)
    assert set(entry.manifest.files) == {"half.txt", "rest.txt"}


def test_threads_that_ask_at_once_get_one_build(store):
    builds = []
    barrier = threading.Barrier(8)

    def build(workspace):
        builds.append(workspace)
        (workspace / "result.txt").write_text("once")

    def ask(_):
        barrier.wait()
        return store.get_or_create({"a": 1}, build)

    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(ask, range(8)))
    assert len(builds) == 1
    assert len(set(entries)) == 1


def test_builds_may_ask_for_other_entries_and_prune(tmp_path):
    store = Store(tmp_path, demo=None, limit_bytes=10**9)

    def build(workspace):
        inner = store.get_or_create({"inner": 1}, writing("inner"))
        store.prune()
        (workspace / "result.txt").write_text(inner.file("result.txt").read_text() + " outer")

    entry = store.get_or_create({"outer": 1}, build)
    assert entry.file("result.txt").read_text() == "inner outer"


@pytest.mark.parametrize("key", ["", "..", "../entries", "0" * 31, "G" * 32, "a/" * 16])
def test_what_is_not_a_key_is_not_looked_up(store, key):
    store.get_or_create({"a": 1}, writing("a"))
    assert store.get(key) is None


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda workspace: None, "at least one file"),
        (lambda workspace: (workspace / "a").symlink_to("/etc"), "plain files"),
        (lambda workspace: (workspace / "a").symlink_to(__file__), "plain files"),
        (lambda workspace: (workspace / "a:b").touch(), "plainly named"),
        (lambda workspace: (workspace / "derived").touch(), "plainly named"),
        (lambda workspace: (workspace / "a.safetensors").write_bytes(b"x" * 9) and None, "header"),
    ],
)
def test_a_build_that_leaves_no_proper_files_is_refused(store, build, sentence):
    with pytest.raises(StoreError, match=sentence):
        store.get_or_create({"a": 1}, build)
    assert store.entries() == ()


def test_facts_are_refused_before_the_work_and_not_after(store):
    with pytest.raises(StoreError, match="where is a"):
        store.get_or_create({"a": 1}, never, facts={"where": Path("x")})


def test_a_missing_file_is_named(store):
    entry = store.get_or_create({"a": 1}, writing("a"))
    with pytest.raises(StoreError, match=r"no file tokens\.parquet, only result\.txt"):
        entry.file("tokens.parquet")


def test_store_and_entries_travel_to_other_processes(store):
    entry = store.get_or_create({"a": 1}, writing("a"))
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert pickle.loads(pickle.dumps(store)).find({"a": 1}) == entry


def test_derived_results_live_under_their_parent(store):
    parent = store.get_or_create({"a": 1}, writing("parent"))
    other = store.get_or_create({"a": 2}, writing("other"))
    assert parent.derived({"method": "x"}) is None
    result = store.get_or_create_derived(parent, {"method": "x"}, writing("result"))
    assert result.path.is_relative_to(parent.path / "derived")
    assert result.parent == parent
    assert parent.derived({"method": "x"}) == result
    assert store.get_or_create_derived(parent, {"method": "x"}, never) == result
    assert other.derived({"method": "x"}) is None
    assert store.derived_entries(parent) == (result,)
    assert store.verify(parent) == store.verify(result) == ()
    assert set(store.entries()) == {parent, other}
    store.remove(parent.key)
    assert not result.path.exists()
    with pytest.raises(StoreError, match="ask for it again"):
        store.get_or_create_derived(parent, {"method": "y"}, writing("y"))


def test_demo_entries_are_found_and_never_written(with_demo, tmp_path):
    before = snapshot(tmp_path / "demo")
    parent = with_demo.get_or_create({"demo": 1}, never)
    assert parent.demo
    assert with_demo.entries() == (parent,)
    shipped = with_demo.get_or_create_derived(parent, {"method": "shipped"}, never)
    assert shipped.demo
    own = with_demo.get_or_create_derived(parent, {"method": "own"}, writing("own"))
    assert not own.demo
    assert own.path.is_relative_to(with_demo.root)
    assert parent.derived({"method": "own"}) == own
    assert set(with_demo.derived_entries(parent)) == {shipped, own}
    with with_demo.using(parent), with_demo.using(shipped):
        parent.touch()
    with pytest.raises(StoreError, match="comes with Isogloss"):
        with_demo.remove(parent.key)
    with pytest.raises(StoreError, match="read-only"):
        with_demo.set_aside(parent, "it is damaged")
    assert snapshot(tmp_path / "demo") == before


def test_looking_at_a_store_writes_nothing(tmp_path):
    store = Store(tmp_path / "nowhere", demo=tmp_path / "neither")
    assert store.entries() == store.aside() == store.reports == ()
    assert store.find({"a": 1}) is None
    assert list(tmp_path.iterdir()) == []


def test_the_environment_chooses_the_place_and_the_size(tmp_path, monkeypatch):
    monkeypatch.delenv("ISOGLOSS_CACHE", raising=False)
    monkeypatch.delenv("ISOGLOSS_CACHE_LIMIT", raising=False)
    assert Store().root.parts[-2:] == ("cache", "data")
    assert Store(tmp_path).limit_bytes is None
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("ISOGLOSS_CACHE_LIMIT", "20GB")
    assert Store().root == tmp_path / "elsewhere"
    assert Store().limit_bytes == 20 * 10**9
    monkeypatch.setenv("ISOGLOSS_CACHE_LIMIT", "lots")
    with pytest.raises(SettingError, match="'lots' is not a size"):
        Store()


def test_a_root_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="is not a directory"):
        Store(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "size"),
    [("4096", 4096), ("20GB", 20 * 10**9), ("1.5 GiB", 3 * 2**29), ("2k", 2000), ("7b", 7)],
)
def test_sizes_are_read(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "9" * 400, "1XB", "1iB", "1e3", "nan"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)
