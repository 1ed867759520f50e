"""The store in foul weather: each mishap one sentence, and nothing lost."""

import errno
import hashlib
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from isogloss.store import (
    CorruptEntryWarning,
    Store,
    StoreError,
    create_states_file,
    open_states_file,
)
from isogloss.store.files import sha256_of
from isogloss.store.keys import canonical_json
from isogloss.store.manifest import Manifest


def build(workspace):
    states = create_states_file(
        workspace / "states.safetensors", n_states=2, rows=3, width=4, dtype="float32"
    )
    states[:] = 7


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache", demo=None)


def cut(entry):
    path = entry.file("states.safetensors")
    path.write_bytes(path.read_bytes()[:-5])


def flip(entry):
    path = entry.file("states.safetensors")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)


def lose_a_file(entry):
    entry.file("states.safetensors").unlink()


def garble_header(entry):
    path = entry.file("states.safetensors")
    content = bytearray(path.read_bytes())
    content[8] ^= 0xFF
    path.write_bytes(content)


def lose_manifest(entry):
    (entry.path / "manifest.json").unlink()


def empty_manifest(entry):
    (entry.path / "manifest.json").write_bytes(b"")


def garble_manifest(entry):
    path = entry.path / "manifest.json"
    path.write_text(path.read_text().replace("float", "floaT"))


def list_manifest(entry):
    (entry.path / "manifest.json").write_text("[]")


def spell_format(entry):
    rewrite(entry, format="1")


def rewrite(entry, **changes):
    """Change the manifest and seal it anew, as another programme would."""
    path = entry.path / "manifest.json"
    body = json.loads(path.read_text())
    del body["seal"]
    body |= changes
    body["seal"] = hashlib.sha256(canonical_json(body).encode()).hexdigest()
    path.write_text(json.dumps(body))


def point_outside(entry):
    rewrite(entry, files={"../../x": {"bytes": 0, "sha256": ""}})


def change_record(entry):
    rewrite(entry, record={"a": 2})


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (cut, "states.safetensors has .* bytes instead of"),
        (lose_a_file, "states.safetensors is missing"),
        (garble_header, "unreadable safetensors header"),
        (lose_manifest, "manifest.json is missing"),
        (empty_manifest, "not readable JSON"),
        (garble_manifest, "altered"),
        (list_manifest, "is not a manifest"),
        (spell_format, "is not a manifest"),
        (point_outside, "not a whole manifest"),
        (change_record, "altered"),
    ],
)
def test_a_corrupt_entry_is_set_aside_reported_and_computed_again(store, damage, sentence):
    entry = store.get_or_create({"a": 1}, build, facts={"dtype": "float32"})
    bystander = store.get_or_create({"a": 9}, build)
    damage(entry)
    damaged = {path.name: path.read_bytes() for path in entry.path.iterdir()}
    with pytest.warns(CorruptEntryWarning, match=sentence):
        assert store.find({"a": 1}) is None
    (report,) = store.reports
    (aside,) = store.aside()
    assert str(aside) in report
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == damaged
    assert store.entries() == (bystander,)
    again = store.get_or_create({"a": 1}, build)
    assert store.verify(again) == ()
    assert again.layer(1).sum() == 7 * 12
    assert store.aside() == (aside,)


def test_listing_tells_of_corrupt_entries_and_goes_on(store):
    entry = store.get_or_create({"a": 1}, build)
    good = store.get_or_create({"a": 2}, build)
    cut(entry)
    with pytest.warns(CorruptEntryWarning, match=entry.key):
        assert store.entries() == (good,)


def test_two_corrupt_copies_of_one_entry_are_both_kept(store):
    for _ in range(3):
        cut(store.get_or_create({"a": 1}, build))
        with pytest.warns(CorruptEntryWarning):
            assert store.find({"a": 1}) is None
    assert len(store.aside()) == 3


def test_what_looks_corrupt_while_another_moves_it_is_left_to_them(store):
    entry = store.get_or_create({"a": 1}, build)
    cut(entry)
    with store.lock(entry.name):
        assert store.find({"a": 1}) is None
    assert store.aside() == store.reports == ()
    assert entry.path.is_dir()


def test_asking_for_a_corrupt_entry_computes_it_at_once(store):
    cut(store.get_or_create({"a": 1}, build))
    with pytest.warns(CorruptEntryWarning):
        assert store.verify(store.get_or_create({"a": 1}, build)) == ()


def test_a_flipped_byte_is_found_by_the_checksum(store):
    entry = store.get_or_create({"a": 1}, build)
    flip(entry)
    assert store.verify(entry, quick=True) == ()
    (problem,) = store.verify(entry)
    assert problem.endswith("states.safetensors does not match its checksum")
    with pytest.warns(CorruptEntryWarning, match="checksum"):
        store.set_aside(entry, problem)
    assert store.find({"a": 1}) is None
    assert len(store.aside()) == 1


@pytest.mark.parametrize("damage", [cut, lose_a_file, lose_manifest, garble_manifest])
def test_verify_names_the_damage(store, damage):
    entry = store.get_or_create({"a": 1}, build, facts={"dtype": "float32"})
    assert store.verify(entry) == ()
    damage(entry)
    (problem,) = store.verify(entry)
    assert str(entry.path) in problem


def test_a_corrupt_derived_result_leaves_its_parent_alone(store):
    parent = store.get_or_create({"a": 1}, build)
    result = store.get_or_create_derived(parent, {"b": 1}, build)
    cut(result)
    with pytest.warns(CorruptEntryWarning, match=f"{parent.key}.{result.key}"):
        assert parent.derived({"b": 1}) is None
    assert store.verify(parent) == ()
    assert store.verify(store.get_or_create_derived(parent, {"b": 1}, build)) == ()


def test_a_corrupt_demo_entry_is_reported_once_ignored_and_left_in_place(tmp_path):
    entry = Store(tmp_path / "demo", demo=None).get_or_create({"a": 1}, build)
    cut(entry)
    store = Store(tmp_path / "cache", demo=tmp_path / "demo")
    with pytest.warns(CorruptEntryWarning, match="Demo entry"):
        assert store.find({"a": 1}) is None
    assert store.entries() == ()
    assert len(store.reports) == 1
    assert entry.file("states.safetensors").exists()
    assert not store.get_or_create({"a": 1}, build).demo


def test_a_newer_manifest_is_left_untouched(store):
    entry = store.get_or_create({"a": 1}, build)
    good = store.get_or_create({"a": 2}, build)
    rewrite(entry, format=9, new_field="of the future")
    before = (entry.path / "manifest.json").read_bytes()
    sentence = r"written by a newer Isogloss \(format 9, this is 2\); update Isogloss or choose"
    for ask in (lambda: store.find({"a": 1}), lambda: store.get_or_create({"a": 1}, build)):
        with pytest.raises(StoreError, match=sentence):
            ask()
    with pytest.warns(CorruptEntryWarning, match=sentence):
        assert store.entries() == (good,)
    store.prune(0)
    assert (entry.path / "manifest.json").read_bytes() == before
    assert store.aside() == ()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_sentence_and_the_work_so_far_is_kept(store, code):
    other = store.get_or_create({"a": 0}, build)

    def filling(workspace):
        build(workspace)
        raise OSError(code, os.strerror(code))

    with pytest.raises(StoreError, match=r"disk is full at .*cache: free some space"):
        store.get_or_create({"a": 1}, filling)
    assert store.entries() == (other,)

    def continuing(workspace):
        assert open_states_file(workspace / "states.safetensors", "r+").sum() == 7 * 24

    assert store.verify(store.get_or_create({"a": 1}, continuing)) == ()


def test_states_that_do_not_fit_are_reported_before_the_work(store):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def too_large(workspace):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            create_states_file(
                workspace / "states.safetensors", n_states=2, rows=999, width=99, dtype="float32"
            )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    with pytest.raises(StoreError, match="disk is full"):
        store.get_or_create({"a": 1}, too_large)
    assert not list(store.root.glob("partial/*/*"))


def test_a_full_disk_elsewhere_is_not_blamed_on_the_store(store, tmp_path):
    def filling_another_place(workspace):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "other"))

    with pytest.raises(OSError, match="No space left"):
        store.get_or_create({"a": 1}, filling_another_place)


@pytest.fixture
def read_only(monkeypatch):
    """A function that makes everything below a directory unwritable, even for root."""

    def seal(directory):
        def refusing(function):
            def call(path, *arguments, **options):
                if str(path).startswith(str(directory)):
                    raise OSError(errno.EROFS, "Read-only file system", str(path))
                return function(path, *arguments, **options)

            return call

        def opening(path, flags, *arguments, _open=os.open, **options):
            writing = flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)
            return (refusing(_open) if writing else _open)(path, flags, *arguments, **options)

        for name in ("mkdir", "replace", "rename", "unlink", "utime"):
            monkeypatch.setattr(os, name, refusing(getattr(os, name)))
        monkeypatch.setattr(os, "open", opening)

    return seal


def test_a_read_only_cache_still_shows_what_it_has(store, read_only):
    entry = store.get_or_create({"a": 1}, build)
    read_only(store.root)
    assert store.get_or_create({"a": 1}, build) == entry
    assert store.entries() == (entry,)
    with store.using(entry):
        assert entry.layer(0).sum() == 7 * 12


def test_a_read_only_cache_says_so_when_asked_for_something_new(store, read_only):
    entry = store.get_or_create({"a": 1}, build)
    read_only(store.root)
    sentence = r"cache cannot be written \(Read-only file system\).*ISOGLOSS_CACHE"
    for act in (
        lambda: store.get_or_create({"a": 2}, build),
        lambda: store.get_or_create_derived(entry, {"b": 1}, build),
        lambda: store.remove(entry.key),
        lambda: store.prune(0),
    ):
        with pytest.raises(StoreError, match=sentence):
            act()
    assert store.verify(entry) == ()


def test_a_corrupt_entry_in_a_read_only_cache_is_reported_and_ignored(store, read_only):
    entry = store.get_or_create({"a": 1}, build)
    cut(entry)
    read_only(store.root)
    with pytest.warns(CorruptEntryWarning, match="cannot be moved"):
        assert store.find({"a": 1}) is None
    assert entry.path.is_dir()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_directory_without_write_permission_is_named(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    with pytest.raises(StoreError, match=r"cannot be written \(Permission denied\)"):
        Store(tmp_path / "cache", demo=None).get_or_create({"a": 1}, build)


def test_what_was_whole_is_read_again_only_when_its_files_were_touched(store, monkeypatch):
    entry = store.get_or_create({"kind": "activations"}, build)
    assert [one.key for one in store.entries()] == [entry.key]
    with monkeypatch.context() as unread:
        unread.setattr(Manifest, "read", lambda *words: pytest.fail("read again"))
        assert [one.key for one in store.entries()] == [entry.key]
    for damage in (cut, lose_a_file):
        damage(entry)
        with pytest.warns(CorruptEntryWarning):
            assert store.entries() == ()
        entry = store.get_or_create({"kind": "activations"}, build)


def build_text(workspace):
    build(workspace)
    (workspace / "corpus.json").write_text('{"text": "layer"}')


def change_a_byte(entry):
    path = entry.file("corpus.json")
    path.write_text('{"text": "later"}')


def test_a_changed_byte_of_equal_length_is_found_when_the_entry_is_asked_for(store):
    entry, good = (store.get_or_create({"a": number}, build_text) for number in (1, 2))
    change_a_byte(entry)
    assert {one.key for one in store.entries()} == {entry.key, good.key}, "listing reads no files"
    with pytest.warns(CorruptEntryWarning, match=r"corpus.json does not match its checksum"):
        assert store.get(entry.key) is None
    assert store.entries() == (good,)
    assert store.get(good.key) == good
    assert store.verify(store.get_or_create({"a": 1}, build_text)) == ()


def test_a_changed_byte_of_a_derived_result_has_it_computed_again(store):
    parent = store.get_or_create({"a": 1}, build)
    result = store.get_or_create_derived(parent, {"b": 1}, build_text)
    assert parent.derived({"b": 1}) == result
    change_a_byte(result)
    with pytest.warns(CorruptEntryWarning, match="does not match its checksum"):
        again = store.get_or_create_derived(parent, {"b": 1}, build_text)
    assert store.verify(again) == ()


def test_checksums_are_compared_once_and_again_when_a_file_was_touched(store, monkeypatch):
    entry = store.get_or_create({"a": 1}, build_text)
    read = []
    monkeypatch.setattr(
        "isogloss.store.manifest.sha256_of", lambda path: read.append(path.name) or sha256_of(path)
    )
    for _ in range(3):
        assert store.get(entry.key) == entry
        assert store.entries() == (entry,)
    assert read == ["corpus.json"], "and states, which are large, not at all"
    monkeypatch.setattr("isogloss.store.entry_directory._MOST_COMPARED", 3)
    os.utime(entry.file("corpus.json"))
    assert store.get(entry.key) == entry
    assert read == ["corpus.json"], "nor what is as large"


@pytest.mark.parametrize("mark", ["st_mtime_ns", "st_ctime_ns", "st_size", "st_ino"])
def test_any_mark_of_a_touched_file_has_it_read_again(store, monkeypatch, mark):
    """One of them is enough: a copy may keep the time, a restored file the length."""
    entry = store.get_or_create({"a": 1}, build_text)
    assert store.get(entry.key) == entry
    look, read = os.lstat, []

    def touched(path, **options):
        found = look(path, **options)
        names = ("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino", "st_mode")
        marks = {name: getattr(found, name) for name in names}
        changed = mark if Path(path).name == "corpus.json" else None
        return SimpleNamespace(**{name: at + (name == changed) for name, at in marks.items()})

    monkeypatch.setattr("isogloss.store.entry_directory.os.lstat", touched)
    read_manifest = Manifest.read
    monkeypatch.setattr(
        Manifest, "read", lambda *words: read.append(words) or read_manifest(*words)
    )
    assert store.get(entry.key) == entry
    assert len(read) == 1
    assert store.get(entry.key) == entry
    assert len(read) == 1, "and remembered from then on"
