"""A full disk is one sentence wherever it is met, and what that sentence recommends works."""

import errno
import os
import re
from contextlib import contextmanager

import numpy as np
import pytest
from safetensors import SafetensorError

from isogloss.command_line import main
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.worker import work
from isogloss.store import Store, StoreError
from isogloss.store.files import full_disk, say_if_full
from isogloss.tasks import TaskBoard
from isogloss.text.readers.files import GivenFile
from isogloss.text.uploads import keep_upload
from tests.helpers.plans import CountingPlan
from tests.helpers.waiting import wait_until

resource = pytest.importorskip("resource")
FULL = OSError(errno.ENOSPC, "No space left on device")
SENTENCE = r"disk is full.*studies prune 5GB"


@pytest.fixture
def runs(store: Store) -> Runs:
    return Runs(store, shipped=None)


@pytest.fixture
def no_room(monkeypatch):
    """A context in which nothing can be written: files stay as they are, new ones empty."""

    def refuse(path, *words, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    @contextmanager
    def filled(size: int = 0):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with monkeypatch.context() as changed:
            if not size:
                changed.setattr(os, "mkdir", refuse)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))  # EFBIG means the same here
            try:
                yield
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return filled


def build(workspace):
    (workspace / "b").write_bytes(bytes(9))


def test_what_the_sentence_recommends_works_on_a_full_disk(store, no_room):
    removed, *rest = (store.get_or_create({"a": number}, build) for number in range(3))
    with no_room():
        store.remove(removed.key)
        assert set(store.entries()) == set(rest)
        assert set(store.prune(0)) == set(rest)
    assert store.entries() == ()
    assert not list(store.root.glob("*/.doomed*"))


def test_the_command_that_the_sentence_names_is_one(store, monkeypatch, capsys):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(store.root))
    words = re.search(r"`python -m isogloss (.*?)`", full_disk(store.root))
    assert main(words[1].split()) == 0


def test_what_was_doomed_when_its_process_died_goes_with_the_next_prune(store):
    store.get_or_create({"a": 1}, build)
    left = store.root / "entries" / ".doomed-1"
    left.mkdir()
    assert len(store.entries()) == 1
    store.prune()
    assert not left.exists()


@pytest.mark.parametrize(
    "error", [FULL, SafetensorError("I/O error: No space left on device (os error 28)")]
)
def test_a_run_says_that_the_disk_is_full(runs, store, monkeypatch, error):
    run = runs.create(CountingPlan(3))
    runs.enqueue(run, start_worker=False)
    monkeypatch.setattr(CountingPlan, "carry_out", raising(error))
    work(store)
    assert run.state == "failed"
    assert re.search(SENTENCE, str(run.problem))


def test_a_run_whose_problem_cannot_be_written_still_says_it_and_goes_on_later(
    runs, store, no_room
):
    run, other = runs.create(CountingPlan(3)), runs.create(CountingPlan(1))
    for each in (run, other):
        runs.enqueue(each, start_worker=False)
    with no_room():
        work(store)
    for each in (run, other):
        assert each.state == "failed"
        assert f"disk is full at {each.path}" in str(each.problem)
    with no_room(), pytest.raises(StoreError, match=SENTENCE):
        runs.enqueue(run, start_worker=False)
    assert runs.queue() == ()
    assert not list(runs.root.rglob("*.tmp"))
    runs.enqueue(run, start_worker=False)
    work(store)
    assert run.state == "finished"


def test_arrays_that_do_not_fit_leave_nothing_behind(runs, store, no_room):
    run = runs.create(CountingPlan(1))
    context = RunContext(store, run.path, 1, 0)
    context.keep("whole", {"a": np.zeros(3)})
    with no_room(size=100), pytest.raises(StoreError, match=SENTENCE):
        context.keep("more", {"a": np.zeros(300)})
    assert [path.name for path in (run.path / "kept").iterdir()] == ["whole.safetensors"]


@pytest.mark.parametrize("room", [0, 1_000])
def test_an_upload_that_does_not_fit_leaves_nothing_that_passes_for_whole(tmp_path, no_room, room):
    keep_upload(GivenFile("a.tsv", b"x\ty\n"), tmp_path)
    with no_room(room), pytest.raises(StoreError, match="disk is full"):
        keep_upload(GivenFile("b.tsv", b"x\ty\n" * 999), tmp_path)
    assert [path.name for path in tmp_path.rglob("*.*")] == ["a.tsv"]


def test_work_in_the_background_and_commands_say_it(monkeypatch, capsys):
    board = TaskBoard()

    def fill(*_):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    task = board.start("a", "A task", fill)
    wait_until(lambda: task.finished)
    assert "disk is full" in str(task.problem)
    monkeypatch.setattr("isogloss.command_line.model_commands.print_table", raising(FULL))
    assert main(["models"]) == 1
    assert "isogloss: The disk is full" in capsys.readouterr().err


def raising(error):
    def refuse(*words, **named):
        raise error

    return refuse


def test_only_a_full_disk_is_taken_for_one():
    for error in (OSError(errno.EIO, "x"), ValueError("os error 28"), SafetensorError("no")):
        assert say_if_full(error) is None
    assert "at /a/b:" in str(say_if_full(OSError(errno.EDQUOT, "quota", "/a/b")))
