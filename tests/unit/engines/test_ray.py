"""Work on two Ray nodes of this machine: the same as here, though one goes or the driver dies."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from isogloss.engines.choice import LOCAL, Engine
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.store import Store
from isogloss.studies import cluster_extraction, safe_states
from isogloss.studies.extraction import ExtractionOptions
from isogloss.studies.named_extraction import extract_by_name
from isogloss.text.reading import load_bundled
from tests.helpers.plans import CountingPlan
from tests.helpers.ray_cluster import two_nodes
from tests.helpers.waiting import wait_until

# Starting nodes and workers is most of the time; on a busy machine it takes minutes.
pytestmark = [pytest.mark.ray, pytest.mark.timeout(900)]
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def cluster():
    with two_nodes() as nodes:
        yield nodes


@pytest.fixture
def engine(cluster) -> Engine:
    cluster.have_both()
    return Engine("ray", cluster.address)


@pytest.fixture
def runs(store, monkeypatch) -> Runs:
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    return Runs(store, shipped=None)


def files_of(entry) -> dict[str, bytes]:
    names = ("states.safetensors", "tokens.parquet", "corpus.json")
    return {name: (entry.path / name).read_bytes() for name in names}


def test_extraction_is_the_same_though_the_driver_dies_and_a_node_goes(
    cluster, engine, encoder_directory, tmp_path, monkeypatch
):
    place, seen = tmp_path / "ray", []
    command = [sys.executable, __file__, engine.address, str(encoder_directory), str(place)]
    killed = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL

    def on_progress(share, message) -> None:
        seen.append(share)
        if len(seen) == 4:
            cluster.remove_second()

    monkeypatch.setattr(cluster_extraction, "SHARD_BYTES", 1)  # a shard for each batch
    found = extract_some(encoder_directory, place, engine, on_progress)
    with one_thread():
        here = extract_some(encoder_directory, tmp_path / "here")
    assert "2 workers" in found.how
    assert found.entry.key == here.entry.key
    assert files_of(found.entry) == files_of(here.entry)
    assert len(seen) > 8
    assert seen[0] > 0, "what the first driver had written was done again"
    assert seen == sorted(set(seen)), "something was counted twice"
    assert Store(place, demo=None).verify(found.entry) == ()


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute as a worker does: with two threads the same sums may be taken in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def extract_some(model, place, engine=LOCAL, on_progress=lambda share, message: None):
    options = ExtractionOptions(token_budget=64, on_progress=on_progress)
    bitext = load_bundled("everyday.en-zh").select(range(40))
    return extract_by_name(str(model), bitext, Store(place, demo=None), options, engine=engine)


def be_killed_in_the_middle(address: str, model: str, place: Path) -> None:
    """What the first driver of the test above does, in a process of its own."""
    cluster_extraction.SHARD_BYTES = 1
    safe_states._SECONDS_AT_RISK = 0  # each shard is noted as it comes
    seen = []

    def on_progress(share, message) -> None:
        seen.append(share)
        if len(seen) == 6:
            os.kill(os.getpid(), signal.SIGKILL)

    extract_some(model, place, Engine("ray", address), on_progress)


def test_a_run_of_transfer_is_the_same_though_a_node_goes(
    cluster, engine, runs, encoder_directory, tmp_path, monkeypatch
):
    plan = TransferPlan(
        model=str(encoder_directory), n_layers=3, frozen=(-1, 2), seeds=(0, 1), train_size=24,
        dev_size=9, test_size=12, epochs=1, max_tokens=32, checks=2,
    )  # fmt: skip
    append = Run.append

    def append_and_lose_a_node(run, unit, result) -> None:
        append(run, unit, result)
        cluster.remove_second()

    monkeypatch.setattr(Run, "append", append_and_lose_a_node)
    there = carried_out(runs, plan, engine)
    monkeypatch.setattr(Run, "append", append)
    with one_thread():
        here = carried_out(Runs(Store(tmp_path / "here", demo=None), shipped=None), plan)
    assert there.state == here.state == "finished", there.problem
    assert there.results().keys() == here.results().keys()
    for unit, result in here.results().items():
        other = there.results()[unit]
        assert other["test"] == result["test"]
        assert other["checks"] == result["checks"]
        judged = there.kept(unit)
        assert all((judged[name] == each).all() for name, each in here.kept(unit).items())
    assert there.facts["data"] == here.facts["data"]
    assert "--engine ray" in there.command
    assert units_written(there) == sorted(there.units)


def carried_out(runs, plan, engine=LOCAL) -> Run:
    run = runs.create(plan, engine=engine)
    runs.enqueue(run)
    work(Store(runs.root.parent, demo=None))
    return run


def units_written(run) -> list[str]:
    lines = (run.path / "results.jsonl").read_text().splitlines()
    return sorted(json.loads(line)["unit"] for line in lines)


def test_a_unit_that_fails_is_reported_and_the_others_finish(engine, runs):
    run = carried_out(runs, CountingPlan(5, fails_at=1), engine)
    assert run.state == "failed"
    assert run.problem == (
        "1 of 5 units failed, the others are done; unit 1: "
        "Unit seven is out of reach: take a ladder."
    )
    assert units_written(run) == ["unit 0", "unit 2", "unit 3", "unit 4"]
    assert "failed unit 1: Unit seven" in run.log()
    assert run.kept("array 3")["square"] == [9]


def test_a_run_is_killed_stopped_and_resumed(engine, runs, tmp_path, monkeypatch):
    """Once its driver dies, once the user stops it; nothing is lost or done twice.

    Four units are let go before the driver dies, one more before the stop, then all.
    """
    go = [tmp_path / f"go {number}" for number in range(9)]
    plan = CountingPlan(9, waits_for=str(tmp_path / "go {}"), waits_from=4)
    run = runs.create(plan, engine=engine)
    runs.enqueue(run)
    code = (
        "import sys; from pathlib import Path; import tests.helpers.plans; "
        "from isogloss.store import Store; from isogloss.lab.runs.worker import work; "
        "work(Store(Path(sys.argv[1]), demo=None))"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", code, str(runs.root.parent)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    wait_until(lambda: len(run.results()) == 4 or driver.poll() is not None)
    driver.kill()
    driver.wait()
    assert run.state == "interrupted"
    assert units_written(run) == list(run.units[:4])

    append = Run.append

    def append_and_stop(self, unit, result) -> None:
        append(self, unit, result)
        runs.stop(run)

    monkeypatch.setattr(Run, "append", append_and_stop)
    go[4].touch()
    runs.enqueue(run)
    work(Store(runs.root.parent, demo=None))
    assert run.state == "stopped"
    assert units_written(run) == list(run.units[:5])

    for each in go:
        each.touch()
    monkeypatch.setattr(Run, "append", append)
    runs.enqueue(run)
    work(Store(runs.root.parent, demo=None))
    assert run.state == "finished"
    assert run.progress.share == 1
    assert units_written(run) == sorted(run.units)
    assert {unit: each["square"] for unit, each in run.results().items()} == {
        f"unit {number}": number**2 for number in range(9)
    }


if __name__ == "__main__":
    be_killed_in_the_middle(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
