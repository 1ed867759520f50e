"""Runs: kept as files, carried out in a process of their own, never lost and never doubled."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isogloss.command_line import main, run_commands
from isogloss.errors import RunError, Stopped
from isogloss.lab.runs import context as run_context
from isogloss.lab.runs import queue
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.plan import read_plan
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.store import Store
from isogloss.store.locks import exclusive
from tests.helpers.plans import CountingPlan, as_if_of_another_version
from tests.helpers.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[4]
SQUARES = {f"unit {i}": {"square": i**2} for i in range(5)}


@pytest.fixture
def runs(store: Store) -> Runs:
    return Runs(store, shipped=None)


def queued(runs: Runs, plan: CountingPlan) -> Run:
    run = runs.create(plan)
    runs.enqueue(run, start_worker=False)
    return run


def start_worker(store: Store) -> subprocess.Popen[bytes]:
    """A worker in a process of its own that knows the tests' plan."""
    code = (
        "import sys, tests.helpers.plans; from pathlib import Path;"
        "from isogloss.store import Store;"
        "from isogloss.lab.runs.worker import work; work(Store(Path(sys.argv[1]), demo=None))"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(store.root)], cwd=ROOT)


def test_a_run_is_carried_out_and_read_again(runs, store):
    run = queued(runs, CountingPlan())
    assert run.state == "queued"
    work(store)
    again = runs.get(run.id)
    assert again.state == "finished"
    assert again.results() == SQUARES
    assert again.plan == CountingPlan()
    assert again.facts == {"made_by": "the tests"}
    assert again.progress.share == 1
    assert again.kept("array 3")["square"].tolist() == [9]
    assert again.kept("array 9") is None
    assert "finished unit 4" in again.log()


def test_a_plan_with_tuples_survives_being_written_down(runs):
    plan = CountingPlan(names=("a", "b"))
    assert Run(runs.create(plan).path).plan == plan


def test_the_queue_is_first_come_first_served(runs, store):
    first, second, third = (queued(runs, CountingPlan(count)) for count in (1, 2, 3))
    assert runs.queue() == (first, second, third)
    runs.stop(second)
    assert [run.id for run in runs.queue()] == [first.id, third.id]
    work(store)
    assert [run.state for run in (first, second, third)] == ["finished", "stopped", "finished"]


def test_a_failure_is_one_sentence_and_the_queue_goes_on(runs, store):
    bad, good = queued(runs, CountingPlan(fails_at=2)), queued(runs, CountingPlan(2))
    work(store)
    assert bad.state == "failed"
    assert bad.problem == "Unit seven is out of reach: take a ladder."
    assert list(bad.results()) == ["unit 0", "unit 1"]
    assert good.state == "finished"


def test_a_stopped_run_keeps_what_it_has_and_goes_on(runs, store):
    run = queued(runs, CountingPlan())
    run.append("unit 0", {"square": 0})
    runs.stop(run)
    assert run.state == "stopped"
    with pytest.raises(Stopped):
        run.carry_out(store)
    assert list(run.results()) == ["unit 0"]
    runs.enqueue(run, start_worker=False)
    work(store)
    assert run.results() == SQUARES


def test_a_running_run_says_so_and_stops_when_asked(runs, store, tmp_path):
    run = queued(runs, CountingPlan(waits_for=str(tmp_path / "never")))
    worker = start_worker(store)
    try:
        wait_until(lambda: len(run.results()) == 4)
        assert run.state == "running"
        with pytest.raises(RunError, match="is running"):
            runs.enqueue(run)
        with pytest.raises(RunError, match="at work"):
            runs.remove(run)
        runs.stop(run)
        wait_until(lambda: run.state == "stopped")
        assert len(run.results()) == 4
    finally:
        worker.kill()
        worker.wait()


def test_how_far_a_run_is_can_be_read_while_it_is_at_work(runs, store, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(run_context, "time", SimpleNamespace(monotonic=lambda: now[0]))
    run = runs.create(CountingPlan(4))
    context = RunContext(store, run.path, units=4, finished=1)

    def told(after: float, share: float, message: str) -> tuple[float, str]:
        now[0] += after
        context.report(share, message)
        return run.progress.share, run.progress.message

    assert told(1, 0.5, "in the second unit") == (0.375, "in the second unit")
    assert told(0.4, 0.6, "too soon") == (0.375, "in the second unit")
    assert told(0.2, 0.8, "soon enough") == (0.45, "soon enough")
    assert told(0.1, 1.0, "its end is always told") == (0.5, "its end is always told")
    context.unit_finished("unit 1")
    assert (run.progress.share, run.progress.message) == (0.5, "finished unit 1")
    assert told(1, 2.5, "more than there is") == (1, "more than there is")


def test_any_number_may_look_and_see_the_same(runs):
    run = queued(runs, CountingPlan())
    seen: Counter[str] = Counter()
    taken: Counter[bool] = Counter()

    def look() -> None:
        seen.update(run.state for _ in range(300))

    def take() -> None:
        for _ in range(300):
            with run.lock() as alone:
                taken[alone] += 1

    in_threads(look, look, look, look)
    assert set(seen) == {"queued"}, "nobody is at work"
    in_threads(look, look, look, take)
    assert set(taken) == {True}, "whoever looks does not hold it"


def in_threads(*works) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_removed_run_stays_removed(runs, store):
    run = queued(runs, CountingPlan())
    runs.remove(run)
    assert run.state == "removed"
    for act in (runs.enqueue, runs.stop, runs.remove):
        with pytest.raises(RunError, match="removed"):
            act(run)
    with pytest.raises(RunError, match="removed"):
        _ = Run(run.path).plan
    assert not run.path.exists()


def test_a_worker_goes_on_when_a_run_is_removed_before_its_turn(runs, store, monkeypatch):
    gone, stays = queued(runs, CountingPlan()), queued(runs, CountingPlan(2))
    waiting, looks = Runs._waiting, []

    def removed_meanwhile(self):
        found = waiting(self)
        looks.append(found)
        if len(looks) == 2:
            runs.remove(gone)
        return found

    monkeypatch.setattr(Runs, "_waiting", removed_meanwhile)
    work(store)
    assert stays.state == "finished"
    assert not gone.path.exists()


DYING = """
import os, random, signal, sys
from pathlib import Path

import tests.helpers.plans
from isogloss.store import Store
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.worker import work

def dies_at(moment):
    report, moments = RunContext.report, iter(range(moment))
    def report_or_die(self, *told):
        if next(moments, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        report(self, *told)
    RunContext.report = report_or_die

store = Store(Path(sys.argv[1]), demo=None)
runs = Runs(store, shipped=None)
run = runs.get(sys.argv[2])
for moment in random.Random(0).choices(range(25), k=10):  # a unit reports ten times
    runs.enqueue(run, start_worker=False)
    worker = os.fork()
    if worker == 0:
        dies_at(moment)
        work(store)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(worker, 0)[1]), "the worker ended by itself"
    assert run.state == "interrupted", run.state
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_ten_kills_lose_nothing_and_double_nothing(runs, store):
    run = runs.create(CountingPlan(count=30))
    command = [sys.executable, "-c", DYING, str(store.root), run.id]
    subprocess.run(command, cwd=ROOT, check=True)
    assert 0 < len(run.results()) < 30
    runs.enqueue(run, start_worker=False)
    work(store)
    lines = (run.path / "results.jsonl").read_text().splitlines()
    assert [json.loads(line)["unit"] for line in lines] == list(run.units)
    assert all(run.results()[unit]["square"] == int(unit.split()[1]) ** 2 for unit in run.units)


def test_a_line_cut_short_by_a_kill_is_dropped_and_done_again(runs, store):
    run = queued(runs, CountingPlan())
    run.append("unit 0", {"square": 0})
    with (run.path / "results.jsonl").open("ab") as stream:
        stream.write(b'{"unit": "unit 1", "result": {"squ')
    assert run.results() == {"unit 0": {"square": 0}}
    work(store)
    assert run.results() == SQUARES
    assert len((run.path / "results.jsonl").read_text().splitlines()) == 5


def test_results_may_hold_what_other_programs_take_for_the_end_of_a_line(runs):
    run = runs.create(CountingPlan())
    for i, text in enumerate(("\u2028", "a\x85b", "c\r\n")):
        run.append(f"unit {i}", {"text": text})
    assert [each["text"] for each in run.results().values()] == ["\u2028", "a\x85b", "c\r\n"]


def test_a_line_cut_within_a_letter_is_dropped(runs):
    run = runs.create(CountingPlan())
    run.append("unit 0", {"text": "层"})
    path = run.path / "results.jsonl"
    path.write_bytes(path.read_bytes() + b'{"unit": "\xe5\xb1')
    assert run.results() == {"unit 0": {"text": "层"}}
    run.append("unit 1", {"text": "二"})
    assert list(run.results()) == ["unit 0", "unit 1"]


def test_parts_of_a_run_are_all_of_one_model_and_one_text(runs, store):
    run = runs.create(CountingPlan())
    RunContext(store, run.path, len(run.units), 0).note(
        model={"name": "a"}, data={"train": "x"}, device="cuda"
    )
    RunContext(store, run.path, len(run.units), 0).note(
        model={"name": "b"}
    )  # nothing was finished with the other
    resumed = RunContext(store, run.path, len(run.units), 1)
    resumed.note(model={"name": "b"}, data={"train": "x"}, device="cpu")
    with pytest.raises(RunError, match="The data of this run has changed since it began"):
        resumed.note(data={"train": "z"})
    assert run.facts == {"model": {"name": "b"}, "data": {"train": "x"}, "device": "cpu"}


@pytest.mark.parametrize("end", ["finished", "removed"])
def test_what_only_a_run_needed_goes_with_it(runs, store, end):
    run = queued(runs, CountingPlan())
    entry = store.get_or_create({"kind": "scratch"}, lambda place: (place / "a").touch())
    context = RunContext(store, run.path, len(run.units), 0)
    context.borrow(entry.key)
    context.borrow("gone already")
    if end == "finished":
        work(store)
        assert run.state == "finished"
    else:
        runs.remove(run)
    assert store.get(entry.key) is None


def test_a_queue_whose_worker_was_killed_is_taken_up_again(runs, store, monkeypatch):
    started = []
    monkeypatch.setattr(queue, "start_worker_process", started.append)
    runs.revive()
    assert started == []
    run = queued(runs, CountingPlan())
    runs.revive()
    assert started == [], "the worker that was started for it may not be there yet"
    (run.path / "queued").write_text(str(time.time_ns() - 3_600 * 10**9))
    with exclusive(runs.root / queue.WORKER_LOCK, wait=False):
        runs.revive()
    assert started == []
    runs.revive()
    assert started == [store]


def test_whoever_follows_a_run_is_told_that_it_was_broken_off(runs, monkeypatch):
    monkeypatch.setattr(run_commands, "PATIENCE_SECONDS", 0)
    run = runs.create(CountingPlan())
    with pytest.raises(RunError, match=f"runs resume {run.id}"):
        run_commands.follow(runs, run, Namespace(detach=False, json=False))


def test_a_run_of_another_version_does_not_hide_the_others(store, monkeypatch, capsys):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(store.root))
    runs = Runs(store, shipped=None)
    good, bad = runs.create(CountingPlan(3)), runs.create(CountingPlan(4))
    as_if_of_another_version(bad)
    assert main(["runs", "ls"]) == 0
    said = capsys.readouterr().out
    assert good.id in said
    assert bad.id in said
    assert "another version" in said


def test_a_second_worker_leaves_the_work_to_the_first(runs, store, tmp_path):
    run = queued(runs, CountingPlan(count=3, waits_for=str(tmp_path / "go")))
    worker = start_worker(store)
    try:
        wait_until(lambda: run.state == "running")
        work(store)
        assert run.state == "running"
        (tmp_path / "go").touch()
        assert worker.wait(timeout=PATIENCE) == 0
        assert run.state == "finished"
        assert len((run.path / "results.jsonl").read_text().splitlines()) == 3
    finally:
        worker.kill()
        worker.wait()


def test_a_run_queued_while_one_is_at_work_is_taken_up(runs, store, tmp_path):
    first = queued(runs, CountingPlan(count=2, waits_for=str(tmp_path / "go")))
    worker = start_worker(store)
    try:
        wait_until(lambda: first.state == "running")
        second = queued(runs, CountingPlan(1))
        (tmp_path / "go").touch()
        assert worker.wait(timeout=PATIENCE) == 0
        assert second.state == "finished"
    finally:
        worker.kill()
        worker.wait()


def test_shipped_runs_are_listed_last_and_cannot_be_touched(runs, store, tmp_path):
    own = queued(runs, CountingPlan())
    made = Runs(Store(tmp_path / "other", demo=None), shipped=None).create(CountingPlan(1))
    both = Runs(store, shipped=made.path.parent)
    assert [run.shipped for run in both.all("counting")] == [False, True]
    assert both.all("transfer") == ()
    shipped = both.all()[-1]
    assert shipped.state == "finished"
    for act in (both.enqueue, both.stop, both.remove):
        with pytest.raises(RunError, match=shipped.id):
            act(shipped)
    both.remove(own)
    assert both.all() == (shipped,)


def test_what_cannot_be_found_or_read_is_said(runs):
    with pytest.raises(RunError, match="No run begins with nothing"):
        runs.get("nothing")
    with pytest.raises(RunError, match="knows no runs of kind dance"):
        read_plan("dance", {})
    with pytest.raises(RunError, match="another version"):
        read_plan("counting", {"steps": 3})


def test_runs_keep_within_what_the_owner_allows(runs, store, monkeypatch):
    first, second = queued(runs, CountingPlan(2)), queued(runs, CountingPlan(2))
    carried, keep = [], RunContext.keep

    def keep_much(self, name, arrays):
        keep(self, name, {"much": np.zeros(1_000)})
        carried.append(name)

    monkeypatch.setattr(RunContext, "keep", keep_much)
    monkeypatch.setenv("ISOGLOSS_RUNS_LIMIT", "12kB")
    work(store)
    assert carried == ["array 0", "array 1", "array 0"] or carried == ["array 0"] * 2
    sentence = r"The runs kept here take .* and ISOGLOSS_RUNS_LIMIT allows 12.0 kB: remove some"
    assert re.match(sentence, str(second.problem))
    for act in (lambda: runs.create(CountingPlan()), lambda: runs.enqueue(second)):
        with pytest.raises(RunError, match=sentence):
            act()
    runs.remove(first)
    monkeypatch.setenv("ISOGLOSS_RUNS_LIMIT", "50kB")
    runs.enqueue(second, start_worker=False)
    work(store)
    assert second.state == "finished"


def test_of_two_results_of_one_unit_the_first_counts(runs):
    run = runs.create(CountingPlan(3))
    for unit, square in (("unit 2", 4), ("unit 0", 0), ("unit 2", 5), ("unit 9", 81)):
        run.append(unit, {"square": square})
    assert list(run.results().items()) == [("unit 0", {"square": 0}), ("unit 2", {"square": 4})]


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize("marks", [(), ("queued",), ("problem.txt",), ("stop",),
                                   ("queued", "problem.txt", "stop")])  # fmt: skip
def test_a_run_at_work_is_running_whatever_marks_it_has(runs, finished, marks):
    run = runs.create(CountingPlan(1))
    for mark in marks:
        (run.path / mark).touch()
    if finished:
        run.append("unit 0", {"square": 0})
    with run.lock() as alone:
        assert alone
        assert run.state == ("finished" if finished else "running")
    idle = {"queued": "queued", "problem.txt": "failed", "stop": "stopped"}
    expected = next((idle[mark] for mark in idle if mark in marks), "interrupted")
    assert run.state == ("finished" if finished else expected)


def test_a_run_that_a_worker_takes_up_while_one_looks_is_not_broken_off(runs, monkeypatch):
    run = queued(runs, CountingPlan(1))

    def look_just_before(path):
        (run.path / "queued").unlink()
        return False

    monkeypatch.setattr("isogloss.lab.runs.run.is_held", look_just_before)
    assert run.state == "queued"


def test_a_run_that_ends_while_one_looks_is_finished(runs, monkeypatch):
    run = queued(runs, CountingPlan(1))
    (run.path / "queued").unlink()

    def look_just_before(path):
        run.append("unit 0", {"square": 0})
        return False

    monkeypatch.setattr("isogloss.lab.runs.run.is_held", look_just_before)
    assert run.state == "finished"


def test_half_of_the_only_unit_is_half_of_the_run(tmp_path, store):
    RunContext(store, tmp_path, units=1, finished=0).report(0.5, "half")
    assert json.loads((tmp_path / "progress.json").read_text())["share"] == 0.5
