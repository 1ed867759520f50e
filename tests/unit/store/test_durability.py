"""What is said to be kept is on the disk: every file is synced whole, before its name appears."""

import os
from pathlib import Path

import numpy as np
import pytest

from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.store import StatesWriter, Store, create_states_file, export_entries
from isogloss.studies.safe_states import SafeStates
from isogloss.text.readers.files import GivenFile
from isogloss.text.uploads import keep_upload
from tests.helpers.plans import CountingPlan

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="asks Linux for names")


@pytest.fixture
def steps(monkeypatch) -> list[str]:
    """The names of what was synced, with its size if it is a file, and of what was renamed."""
    told: list[str] = []
    sync, rename = os.fsync, os.replace

    def record_sync(descriptor):
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        told.append(path.name if path.is_dir() else f"{path.name} {path.stat().st_size}")
        sync(descriptor)

    def record_rename(old, new):
        told.append(f"-> {Path(new).name}")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(os, "replace", record_rename)
    return told


def build(workspace):
    (workspace / "a.txt").write_bytes(b"12345")
    (workspace / "inner").mkdir()
    (workspace / "inner" / "b.txt").write_bytes(b"123")


def test_an_entry_is_on_the_disk_before_it_appears_and_then_its_name_is(store: Store, steps):
    entry = store.get_or_create({"a": 1}, build)
    manifest = f"manifest.json {(entry.path / 'manifest.json').stat().st_size}"
    rename = steps.index(f"-> {entry.key}")
    assert {"a.txt 5", "inner", "b.txt 3", manifest, entry.key} <= set(steps[:rename])
    assert steps[0] == manifest
    assert steps[rename + 1 :] == ["entries"]


def test_states_are_on_the_disk_before_they_are_noted(tmp_path, steps):
    path, note = tmp_path / "states", tmp_path / "note"
    create_states_file(path, n_states=1, rows=2, width=2, dtype="float32")
    steps.clear()
    with SafeStates(path, note) as safe:
        safe.write(0, np.zeros((1, 2, 2)))
        safe.add([0, 1], 16)
    assert steps == [f"states {path.stat().st_size}", f"note {note.stat().st_size}"]
    writer = StatesWriter(path)
    writer.sync()
    writer.close()
    assert steps[2:] == steps[:1]


def test_an_archive_is_on_the_disk_before_it_has_its_name(store: Store, steps, tmp_path):
    entry = store.get_or_create({"a": 1}, build)
    steps.clear()
    path = tmp_path / "studies.tar"
    export_entries(store, [entry.key], path)
    synced, renamed = steps
    assert synced.endswith(f".unfinished {path.stat().st_size}")
    assert renamed == "-> studies.tar"


def test_what_a_run_says_is_on_the_disk(store: Store, steps):
    runs = Runs(store, shipped=None)
    run = runs.create(CountingPlan(3))
    size = (run.path / "run.json").stat().st_size
    assert steps == [f"run.json {size}", f"-> {run.id}"]
    steps.clear()
    runs.enqueue(run, start_worker=False)
    assert steps == [f"queued {(run.path / 'queued').stat().st_size}"]
    runs.stop(run)
    run.fail("A sentence.")
    assert steps[1:] == ["stop 0", "problem.txt 11"]
    steps.clear()
    for unit in ("unit 0", "unit 1"):
        run.append(unit, {"square": 0})
        assert steps.pop() == f"results.jsonl {(run.path / 'results.jsonl').stat().st_size}"
    assert steps == []
    RunContext(store, run.path, 3, 2).keep("a", {"x": np.zeros(3)})
    size = (run.path / "kept" / "a.safetensors").stat().st_size
    assert steps == [f"a.tmp {size}", "-> a.safetensors", "kept"]


def test_an_upload_is_on_the_disk_before_it_has_its_name(tmp_path, steps):
    path = Path(keep_upload(GivenFile("a.tsv", b"x\ty\n"), tmp_path))
    synced, renamed, directory = steps
    assert synced.endswith(".half 4")
    assert (renamed, directory) == ("-> a.tsv", path.parent.name)
