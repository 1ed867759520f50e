"""The store under kill -9 and under a crowd.

The experiments run in a process of their own, started by the tests from this very file: it has one
thread and nothing else open, so that it can fork and kill children as quickly as needed.
"""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.store import (
    STATES,
    Store,
    create_states_file,
    export_entries,
    import_entries,
    open_states_file,
)

REPOSITORY = Path(__file__).parents[3]
N_STATES, ROWS, WIDTH = 3, 4, 4
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.utime", "mmap.__new__"}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


def expected_states(number: int) -> np.ndarray:
    shape = (N_STATES, ROWS, WIDTH)
    return (number + np.arange(np.prod(shape)).reshape(shape)).astype(np.float32)


def build_states(workspace: Path, number: int) -> None:
    """Stream rows into place, noting the progress, continuing that of an earlier build."""
    path, progress = workspace / STATES, workspace / "progress"
    if path.exists():
        states = open_states_file(path, "r+")
    else:
        states = create_states_file(
            path, n_states=N_STATES, rows=ROWS, width=WIDTH, dtype="float32"
        )
    done = progress.stat().st_size if progress.exists() else 0
    for row in range(done, ROWS):
        states[:, row] = expected_states(number)[:, row]
        with progress.open("ab") as stream:
            stream.write(b".")
    progress.unlink(missing_ok=True)


def make(store: Store, number: int):
    return store.get_or_create({"number": number}, lambda place: build_states(place, number))


def check(root: Path) -> None:
    """Every entry that is listed is whole and right, and none had to be set aside."""
    store = Store(root, demo=None)
    for entry in store.entries():
        for each in (entry, *store.derived_entries(entry)):
            assert store.verify(each) == (), store.verify(each)
            stack = np.stack([each.layer(layer) for layer in range(N_STATES)])
            np.testing.assert_array_equal(stack, expected_states(each.record["number"]))
    assert store.reports == ()
    assert store.aside() == ()


def fork(action: Callable[[], object]) -> int:
    """Run `action` in a child process; returns its process id."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def die_at(moment: int) -> None:
    """Have this process killed just before it changes the disk for the `moment`-th time."""
    moments = itertools.count()

    def hook(event: str, details: tuple[Any, ...]) -> None:
        writes = event == "open" and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or event in CHANGES) and next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def kill_at_random_moments(root: Path, kills: int) -> None:
    def build_forever() -> None:
        for number in itertools.count():
            make(Store(root, demo=None), number)

    chance = random.Random(0)
    for _ in range(kills):
        child = fork(build_forever)
        time.sleep(chance.uniform(0, 0.15))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "the builder failed by itself"
        check(root)
    store = Store(root, demo=None)
    unfinished = len(list((root / "partial").iterdir()))
    for number in range(len(store.entries()) + unfinished + 1):
        make(store, number)
    check(root)
    assert not list((root / "partial").iterdir())
    print(f"{len(store.entries())} entries")


def kill_at_every_step(root: Path, _: int) -> None:
    """Kill a life of building, deriving, evicting and importing before each change it makes."""
    os.fsync = lambda _: None  # a kill spares what the system has; waiting for the disk is slow
    donor = Store(root / "donor", demo=None)
    archive = root / "donor.tar"
    export_entries(donor, [make(donor, 7).key], archive)

    def live(place: Path) -> None:
        store = Store(place, demo=None)
        parent = make(store, 1)
        store.get_or_create_derived(parent, {"number": 5}, lambda each: build_states(each, 5))
        make(store, 2)
        with store.using(parent):
            store.prune(0)
        import_entries(store, archive)

    def live_until(moment: int, place: Path) -> None:
        die_at(moment)
        live(place)

    for moment in itertools.count():
        place = root / str(moment)
        _, status = os.waitpid(fork(lambda m=moment, p=place: live_until(m, p)), 0)
        check(place)
        if not os.WIFSIGNALED(status):
            break
        live(place)
        check(place)
        numbers = {entry.record["number"] for entry in Store(place, demo=None).entries()}
        assert numbers == {1, 7}, numbers
        assert not list((place / "partial").iterdir())
        assert not list((place / "trash").iterdir())
    assert os.waitstatus_to_exitcode(status) == 0
    print(f"{moment} steps")


def ask_in_a_crowd(root: Path, crowd: int) -> None:
    reading, writing = os.pipe()

    def build(workspace: Path) -> None:
        with (root / "builds").open("a") as stream:
            stream.write("built\n")
        time.sleep(0.2)
        build_states(workspace, 3)

    def ask() -> None:
        os.close(writing)
        os.read(reading, 1)  # returns for all at once, when the starter closes its end
        entry = Store(root, demo=None).get_or_create({"number": 3}, build)
        assert entry.n_states == N_STATES

    children = [fork(ask) for _ in range(crowd)]
    os.close(writing)
    exits = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert exits == [0] * crowd, exits
    check(root)


EXPERIMENTS = {
    experiment.__name__: experiment
    for experiment in (kill_at_random_moments, kill_at_every_step, ask_in_a_crowd)
}


def run(experiment: Callable[[Path, int], None], root: Path, count: int) -> str:
    command = [sys.executable, "-W", "error::UserWarning", __file__]
    command += [experiment.__name__, str(root), str(count)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_after_kills_at_twenty_random_moments_all_is_whole_and_completes(tmp_path):
    run(kill_at_random_moments, tmp_path, 20)


def test_a_kill_at_any_step_loses_nothing(tmp_path):
    steps = int(run(kill_at_every_step, tmp_path, 0).split()[0])
    assert steps > 50


def test_of_eight_processes_that_ask_at_once_one_builds(tmp_path):
    run(ask_in_a_crowd, tmp_path, 8)
    assert (tmp_path / "builds").read_text() == "built\n"


if __name__ == "__main__":
    EXPERIMENTS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
