"""Runs: training described by a plan, carried out in a process of its own, kept as files.

A run's state is read from its files (`isogloss.run_files`) and from who holds its lock, so the
page, the command line and any number of servers see the same. `isogloss.worker` carries runs out.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from cache import DEMO_ROOT, Store
from cache.files import explained, write_durably
from cache.locks import exclusive
from isogloss.desk import Desk
from isogloss.errors import RunError
from isogloss.plans import Plan, plan_command, read_plan
from isogloss.run_files import (
    BORROWED,
    FACTS,
    KEPT,
    LOCK,
    LOG,
    NOTE,
    PROBLEM,
    PROGRESS,
    QUEUED,
    RESULTS,
    RUN,
    STOP,
    as_json,
    now,
    read_json,
    whole_lines,
)

State = Literal["queued", "running", "finished", "stopped", "failed", "interrupted"]
SHIPPED = DEMO_ROOT / "runs"
WORKER_LOCK = "worker.lock"
PATIENCE_SECONDS = 10
"""How long a run may be without a worker, which takes a while to start."""


@dataclass(frozen=True)
class Progress:
    """How far a run is; `seconds_left` is None until there is something to judge by."""

    share: float
    message: str
    seconds_left: float | None


@dataclass(frozen=True)
class Run:
    """One run on disk, finished or not. `shipped` runs come with Isogloss and are read-only."""

    path: Path
    shipped: bool = False

    @property
    def id(self) -> str:
        return self.path.name

    @cached_property
    def description(self) -> Mapping[str, Any]:
        """What `run.json` says: kind, plan, command, created."""
        found: Mapping[str, Any] = json.loads((self.path / RUN).read_text(encoding="utf-8"))
        return found

    @property
    def kind(self) -> str:
        return str(self.description["kind"])

    @property
    def created(self) -> str:
        return str(self.description["created"])

    @property
    def command(self) -> str:
        """The command line that asks for the same run."""
        return str(self.description["command"])

    @cached_property
    def plan(self) -> Plan:
        return read_plan(self.kind, self.description["plan"])

    @cached_property
    def units(self) -> tuple[str, ...]:
        return self.plan.units()

    @property
    def facts(self) -> dict[str, Any]:
        """Provenance, as far as it is known."""
        return read_json(self.path / FACTS) or {}

    @property
    def note(self) -> str:
        """How its settings were chosen, in a few sentences; empty where nobody has said."""
        path = self.path / NOTE
        return path.read_text(encoding="utf-8").strip() if path.is_file() else ""

    def results(self) -> dict[str, dict[str, Any]]:
        """Every finished unit's result, in the order of the plan."""
        found: dict[str, dict[str, Any]] = {}
        for line in whole_lines(self.path / RESULTS):
            row = json.loads(line)
            found.setdefault(row["unit"], row["result"])
        return {unit: found[unit] for unit in self.units if unit in found}

    def append(self, unit: str, result: Mapping[str, Any]) -> None:
        """Add a unit's result; a line cut short by a kill is dropped first, nothing else is."""
        path = self.path / RESULTS
        whole = "".join(f"{line}\n" for line in whole_lines(path)).encode()
        with explained(self.path), path.open("r+b" if path.exists() else "w+b") as stream:
            stream.truncate(len(whole))
            stream.seek(len(whole))
            line = json.dumps({"unit": unit, "result": result}, ensure_ascii=False)
            stream.write(f"{line}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())

    def kept(self, name: str) -> dict[str, Any] | None:
        """The arrays that a unit kept under `name`, if it did."""
        from safetensors.numpy import load_file

        path = self.path / KEPT / f"{name}.safetensors"
        return load_file(path) if path.is_file() else None

    def log(self, last: int = 200) -> str:
        """The last lines of the log."""
        path = self.path / LOG
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        return "\n".join(lines[-last:])

    @property
    def progress(self) -> Progress:
        found = read_json(self.path / PROGRESS) or {}
        share = len(self.results()) / max(len(self.units), 1)
        return Progress(
            max(float(found.get("share", 0.0)), share),
            str(found.get("message", "waiting")),
            found.get("seconds_left"),
        )

    @property
    def problem(self) -> str | None:
        """Why it failed, in one sentence."""
        path = self.path / PROBLEM
        return path.read_text(encoding="utf-8").strip() if path.is_file() else None

    @property
    def state(self) -> State:
        if self.shipped or len(self.results()) == len(self.units):
            return "finished"
        if not self._is_free():
            return "running"
        if (self.path / QUEUED).exists():
            return "queued"
        if self.problem is not None:
            return "failed"
        return "stopped" if (self.path / STOP).exists() else "interrupted"

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return (self.path / STOP).exists()

    def lock(self, *, wait: bool = False) -> AbstractContextManager[bool]:
        """Whoever carries the run out holds this; the system lets go when its process dies."""
        return exclusive(self.path / LOCK, wait=wait)

    def _is_free(self) -> bool:
        with self.lock() as free:
            return free

    def carry_out(self, store: Store) -> None:
        """Do what is left of the run, in this process; the caller holds the lock."""
        (self.path / QUEUED).unlink(missing_ok=True)
        (self.path / PROBLEM).unlink(missing_ok=True)
        done = self.results()
        todo = [unit for unit in self.units if unit not in done]
        desk = Desk(store, self, len(done))
        desk.log(
            f"started with {len(done)} of {len(self.units)} units done (process {os.getpid()})"
        )
        for unit, result in self.plan.carry_out(todo, desk):
            desk.finish(unit, result)
        self.give_back(store)
        desk.log("finished the run")

    def give_back(self, store: Store) -> None:
        """Remove from the store what only this run needed."""
        for key in whole_lines(self.path / BORROWED):
            if store.get(key) is not None:
                store.remove(key)
        (self.path / BORROWED).unlink(missing_ok=True)

    def fail(self, sentence: str) -> None:
        """Note why the run could not go on."""
        write_durably(self.path / PROBLEM, sentence.encode())


class Runs:
    """All runs of a store, and the queue of those that wait for their turn."""

    def __init__(self, store: Store, shipped: Path | None = SHIPPED) -> None:
        self._store = store
        self.root = store.root / "runs"
        self._shipped = shipped

    def all(self, kind: str | None = None) -> tuple[Run, ...]:
        """Every run, the newest first, those that ship with Isogloss last."""
        own = sorted(_runs_below(self.root), key=lambda run: run.created, reverse=True)
        shipped = _runs_below(self._shipped, shipped=True) if self._shipped else []
        return tuple(run for run in (*own, *shipped) if kind in (None, run.kind))

    def get(self, start: str) -> Run:
        """The one run whose id begins with `start`."""
        found = [run for run in self.all() if run.id.startswith(start)]
        exact = [run for run in found if run.id == start]
        if len(exact or found) != 1:
            which = f"{len(found)} runs begin" if found else "No run begins"
            raise RunError(f"{which} with {start} in {self.root}: `runs ls` lists them.")
        return (exact or found)[0]

    def create(self, plan: Plan, command: Sequence[str] | None = None) -> Run:
        """Write a plan down as a new run, which nothing carries out yet."""
        run_id = uuid.uuid4().hex[:8]
        words = command if command is not None else plan_command(plan)
        description = {
            "kind": plan.KIND,
            "plan": asdict(plan),
            "command": shlex.join(words),
            "created": now(),
        }
        with explained(self._store.root):
            half = self.root / f".{run_id}"
            half.mkdir(parents=True)
            write_durably(half / RUN, as_json(description))
            os.replace(half, self.root / run_id)
        return Run(self.root / run_id)

    def enqueue(self, run: Run, *, start_worker: bool = True) -> None:
        """Let a run, new or broken off, wait for its turn; a worker is started if none is there."""
        if run.shipped:
            raise RunError(f"Run {run.id} comes with Isogloss and is finished.")
        state = run.state
        if state == "finished" or (state == "running" and not run.stopping):
            raise RunError(f"Run {run.id} is {state}: there is nothing to resume.")
        (run.path / STOP).unlink(missing_ok=True)
        (run.path / PROBLEM).unlink(missing_ok=True)
        write_durably(run.path / QUEUED, str(time.time_ns()).encode())
        if start_worker:
            start_worker_process(self._store)

    def revive(self) -> None:
        """Start a worker if a run has waited for long and none is at work: it was killed."""
        waiting = self._waiting()
        if waiting and time.time() - waiting[0][0] / 1e9 > PATIENCE_SECONDS:
            with exclusive(self.root / WORKER_LOCK, wait=False) as nobody_works:
                pass
            if nobody_works:
                start_worker_process(self._store)

    def queue(self) -> tuple[Run, ...]:
        """The runs that wait, the first to be carried out first."""
        return tuple(run for _, run in self._waiting())

    def _waiting(self) -> list[tuple[int, Run]]:
        """When each run was queued, in nanoseconds; the first to be carried out first."""
        waiting: list[tuple[int, Run]] = []
        for run in _runs_below(self.root):
            try:
                waiting.append((int((run.path / QUEUED).read_text() or 0), run))
            except FileNotFoundError:
                continue
        return sorted(waiting, key=lambda pair: (pair[0], pair[1].id))

    def stop(self, run: Run) -> None:
        """Ask a run to stop after the step it is at, or take it out of the queue."""
        if run.shipped or run.state not in ("running", "queued"):
            raise RunError(f"Run {run.id} is {run.state}: there is nothing to stop.")
        write_durably(run.path / STOP, b"")
        (run.path / QUEUED).unlink(missing_ok=True)

    def remove(self, run: Run) -> None:
        """Delete a run and its results."""
        import shutil

        if run.shipped:
            raise RunError(f"Run {run.id} comes with Isogloss and cannot be removed.")
        with run.lock() as free:
            if not free:
                raise RunError(f"Run {run.id} is at work: stop it first.")
            run.give_back(self._store)
        gone = self.root / f".{run.id}.gone"
        os.replace(run.path, gone)
        shutil.rmtree(gone, ignore_errors=True)


def start_worker_process(store: Store) -> None:
    """Start a worker that outlives this process; it ends at once where one is at work already."""
    log = store.root / "runs" / "worker.log"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with log.open("ab") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "isogloss.worker", str(store.root)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env=environment,
            start_new_session=True,
        )
    # Someone has to take note of its end, or it stays in the table of processes.
    threading.Thread(target=process.wait, name="worker", daemon=True).start()


def _runs_below(root: Path, *, shipped: bool = False) -> list[Run]:
    if not root.is_dir():
        return []
    names = sorted(path.name for path in root.iterdir() if not path.name.startswith("."))
    return [Run(root / name, shipped) for name in names if (root / name / RUN).is_file()]
