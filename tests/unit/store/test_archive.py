"""Archives: what goes out comes in the same, and nothing else comes in."""

import io
import json
import random
import tarfile

import pytest

from isogloss.store import Store, StoreError, create_states_file, export_entries, import_entries

FOREIGN_KEY = "0123456789abcdef" * 2


def build(workspace):
    states = create_states_file(
        workspace / "states.safetensors", n_states=2, rows=3, width=4, dtype="float16"
    )
    states[:] = 7
    (workspace / "deep").mkdir()
    (workspace / "deep" / "注释.txt").write_text("note")


@pytest.fixture
def source(tmp_path):
    store = Store(tmp_path / "source", demo=None)
    for number in range(2):
        entry = store.get_or_create({"number": number}, build, description=f"entry {number}")
        store.get_or_create_derived(entry, {"method": number}, build)
    return store


@pytest.fixture
def target(tmp_path):
    return Store(tmp_path / "target", demo=None)


@pytest.fixture
def archive(source, tmp_path):
    export_entries(source, [entry.key for entry in source.entries()], tmp_path / "all.tar")
    return tmp_path / "all.tar"


def contents(directory):
    return {
        path.relative_to(directory): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def assert_untouched(store):
    assert store.entries() == ()
    assert contents(store.root / "partial") == {}


def edit(archive, change):
    """Rewrite an archive with its members changed, its index made to match."""
    with tarfile.open(archive) as old:
        members = [(info, (old.extractfile(info) or io.BytesIO()).read()) for info in old][1:]
    members = change(members)
    sizes = {info.name: info.size for info, _ in members}
    index = json.dumps({"archive": 1, "members": sizes}).encode()
    head = tarfile.TarInfo("isogloss-archive.json")
    head.size = len(index)
    with tarfile.open(archive, "w") as new:
        for info, content in [(head, index), *members]:
            new.addfile(info, io.BytesIO(content))


def adding(**fields):
    """An edit that adds one member with these fields."""

    def change(members):
        info = tarfile.TarInfo()
        content = fields.pop("content", b"")
        info.size = len(content)
        for name, value in fields.items():
            setattr(info, name, value)
        return [*members, (info, content)]

    return change


def test_what_goes_out_comes_in_the_same(source, target, archive):
    report = import_entries(target, archive)
    assert len(report.imported) == 4
    assert report.already_there == report.rejected == ()
    assert contents(target.root / "entries") == contents(source.root / "entries")
    for entry in target.entries():
        assert target.verify(entry) == ()
        assert entry.layer(1).sum() == 7 * 12
        (result,) = target.derived_entries(entry)
        assert target.verify(result) == ()
    assert not list((target.root / "partial").iterdir())


def test_the_same_entries_give_the_same_bytes(source, archive, tmp_path):
    keys = [entry.key for entry in reversed(source.entries())]
    export_entries(source, keys, tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == archive.read_bytes()


def test_what_is_there_already_stays_and_new_derived_results_join_it(target, archive):
    own = target.get_or_create({"number": 0}, build, description="my own")
    report = import_entries(target, archive)
    assert report.already_there == (own.key,)
    assert len(report.imported) == 3
    assert target.get(own.key).description == "my own"
    assert own.derived({"method": 0}) is not None
    assert import_entries(target, archive).imported == ()


def test_results_derived_from_demo_entries_travel(source, archive, tmp_path):
    """A demo entry is exported with what was derived here, and arrives beside the demo there."""
    here = Store(tmp_path / "here", demo=source.root)
    parent = here.find({"number": 0})
    here.get_or_create_derived(parent, {"method": "own"}, build)
    export_entries(here, [parent.key], tmp_path / "demo.tar")
    there = Store(tmp_path / "there", demo=source.root)
    report = import_entries(there, tmp_path / "demo.tar")
    assert len(report.imported) == 1
    assert len(report.already_there) == 2
    assert there.find({"number": 0}).derived({"method": "own"}).path.is_relative_to(there.root)


def test_exporting_what_is_not_there_writes_nothing(source, tmp_path):
    with pytest.raises(StoreError, match="There is no entry"):
        export_entries(source, [FOREIGN_KEY], tmp_path / "x.tar")
    with pytest.raises(StoreError, match="is not a directory"):
        export_entries(source, [source.entries()[0].key], tmp_path / "none" / "x.tar")
    assert not list(tmp_path.glob("x.tar*"))


def test_a_missing_archive_is_named(target, tmp_path):
    for path in (tmp_path / "none.tar", tmp_path):
        with pytest.raises(StoreError, match=f"The archive {path} cannot be read"):
            import_entries(target, path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b" + bytes(1000), bytes(10240)])
def test_what_is_no_archive_is_refused(target, tmp_path, content):
    (tmp_path / "x.tar").write_bytes(content)
    with pytest.raises(StoreError, match="not a whole Isogloss archive"):
        import_entries(target, tmp_path / "x.tar")
    assert_untouched(target)


def test_an_archive_cut_anywhere_is_refused_whole(target, archive):
    content = archive.read_bytes()
    last = len(content.rstrip(b"\0"))
    for length in [*range(0, last, 512), *range(100, last, 1777), last - 1]:
        archive.write_bytes(content[:length])
        with pytest.raises(
            StoreError, match=r"not a whole Isogloss archive .*nothing was imported"
        ):
            import_entries(target, archive)
    assert_untouched(target)


def test_flipped_bytes_never_bring_in_a_false_entry(source, archive, tmp_path):
    """Wherever a bit flips: a refusal, a rejected entry, or no harm (tar padding and times)."""
    content = archive.read_bytes()
    true = contents(source.root / "entries")
    chance = random.Random(1)
    outcomes = set()
    for trial in range(60):
        damaged = bytearray(content)
        damaged[chance.randrange(len(content.rstrip(b"\0")))] ^= 1 << chance.randrange(8)
        archive.write_bytes(damaged)
        target = Store(tmp_path / f"target{trial}", demo=None)
        try:
            report = import_entries(target, archive)
        except StoreError:
            outcomes.add("refused")
            assert_untouched(target)
            continue
        outcomes.add("rejected" if report.rejected else "unharmed")
        assert contents(target.root / "entries").items() <= true.items()
    assert {"refused", "rejected"} <= outcomes


def test_a_damaged_entry_is_rejected_alone_with_what_was_derived_from_it(source, target, tmp_path):
    bad, good = source.entries()
    path = bad.file("states.safetensors")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    export_entries(source, [bad.key, good.key], tmp_path / "x.tar")
    report = import_entries(target, tmp_path / "x.tar")
    reasons = dict(report.rejected)
    assert reasons[bad.key] == f"{bad.key}/states.safetensors does not match its checksum"
    assert len(reasons) == 2
    assert any("derived from is not there" in reason for reason in reasons.values())
    assert len(report.imported) == 2
    assert [entry.key for entry in target.entries()] == [good.key]


def test_an_entry_of_a_newer_format_is_rejected_with_the_reason(source, target, tmp_path):
    entry = source.entries()[0]
    export_entries(source, [entry.key], tmp_path / "x.tar")

    def renew(members):
        renewed = []
        for info, content in members:
            if info.name == f"entries/{entry.key}/manifest.json":
                content = content.replace(b'"format": 1', b'"format": 9')
            renewed.append((info, content))
        return renewed

    edit(tmp_path / "x.tar", renew)
    report = import_entries(target, tmp_path / "x.tar")
    assert report.imported == ()
    assert any("newer Isogloss" in reason for _, reason in report.rejected)


def test_files_the_manifest_does_not_know_are_rejected(source, target, archive):
    key = source.entries()[0].key
    edit(archive, adding(name=f"entries/{key}/stowaway.txt", content=b"x"))
    reasons = dict(import_entries(target, archive).rejected)
    assert reasons[key] == "stowaway.txt is not in the manifest"


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "../outside.txt"},
        {"name": "/tmp/outside.txt"},
        {"name": f"entries/{FOREIGN_KEY}/../../../outside.txt"},
        {"name": f"entries/{FOREIGN_KEY}/..\\outside.txt"},
        {"name": f"entries/{FOREIGN_KEY}/C:outside.txt"},
        {"name": f"entries/{FOREIGN_KEY}/{'x' * 300}"},
        {"name": "entries/notakey/file"},
        {"name": f"entries/{FOREIGN_KEY}"},
        {"name": f"entries/{FOREIGN_KEY}/derived/file"},
        {"name": "locks/prune.lock"},
        {"name": f"entries/{FOREIGN_KEY}/a", "type": tarfile.SYMTYPE, "linkname": "/etc"},
        {"name": f"entries/{FOREIGN_KEY}/a", "type": tarfile.LNKTYPE, "linkname": "/etc/passwd"},
        {"name": f"entries/{FOREIGN_KEY}/a", "type": tarfile.CHRTYPE},
        {"name": f"entries/{FOREIGN_KEY}/a", "type": tarfile.FIFOTYPE},
        {"name": f"entries/{FOREIGN_KEY}/a", "type": tarfile.DIRTYPE},
        {"name": f"entries/{FOREIGN_KEY}/a", "pax_headers": {"GNU.sparse.map": "0,1"}},
    ],
)
def test_an_unsafe_member_refuses_the_whole_archive(target, archive, tmp_path, fields):
    edit(archive, adding(**fields))
    before = set(tmp_path.rglob("outside.txt"))
    with pytest.raises(StoreError, match=r"its member .*nothing was imported"):
        import_entries(target, archive)
    assert set(tmp_path.rglob("outside.txt")) == before
    assert_untouched(target)


def test_a_member_that_claims_more_than_the_archive_holds_is_refused(target, archive):
    giant = tarfile.TarInfo(f"entries/{FOREIGN_KEY}/giant")
    giant.size = 10**15
    with tarfile.open(archive, "a") as appended:
        appended.fileobj.write(giant.tobuf())
    with pytest.raises(StoreError, match="nothing was imported"):
        import_entries(target, archive)
    assert_untouched(target)


def test_members_that_are_there_twice_or_in_each_others_way_are_refused(target, archive):
    pristine = archive.read_bytes()
    edit(archive, lambda members: [*members, members[0]])
    with pytest.raises(StoreError, match="twice"):
        import_entries(target, archive)
    archive.write_bytes(pristine)
    edit(archive, adding(name=f"entries/{FOREIGN_KEY}/a"))
    edit(archive, adding(name=f"entries/{FOREIGN_KEY}/a/b"))
    with pytest.raises(StoreError, match="in the way of another"):
        import_entries(target, archive)
    assert_untouched(target)


def test_members_that_are_listed_but_missing_are_noticed(target, archive):
    with tarfile.open(archive) as old:
        members = [(info, old.extractfile(info).read()) for info in old]
    with tarfile.open(archive, "w") as new:
        for info, content in members[:-3]:
            new.addfile(info, io.BytesIO(content))
    with pytest.raises(StoreError, match="not those its index lists"):
        import_entries(target, archive)
    assert_untouched(target)


def test_an_archive_of_a_newer_format_is_named(target, archive, tmp_path):
    index = json.dumps({"archive": 2, "members": {}}).encode()
    head = tarfile.TarInfo("isogloss-archive.json")
    head.size = len(index)
    with tarfile.open(archive, "w") as new:
        new.addfile(head, io.BytesIO(index))
    with pytest.raises(StoreError, match=r"newer Isogloss \(archive format 2, this is 1\)"):
        import_entries(target, archive)


def test_an_import_that_would_not_fit_is_refused_before_it_begins(target, archive, monkeypatch):
    monkeypatch.setattr(
        "isogloss.store.archive.shutil.disk_usage", lambda _: type("", (), {"free": 10})()
    )
    with pytest.raises(StoreError, match="has 10 left"):
        import_entries(target, archive)
    assert_untouched(target)
