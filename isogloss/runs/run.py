"""Runs: training described by a plan, carried out in a process of its own, kept as files.

A run's state is read from its files (`isogloss.runs.files`) and from who holds its lock, so the
page, the command line and any number of servers see the same. `isogloss.runs.worker` carries runs
out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from cache import DEMO_ROOT, Store
from cache.files import translate_os_errors, write_durably
from cache.locks import exclusive, is_held
from isogloss.engines.choice import Engine
from isogloss.errors import RunError
from isogloss.runs.cluster_units import carry_out_on_cluster
from isogloss.runs.context import RunContext
from isogloss.runs.files import (
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
    read_json,
    whole_lines,
)
from isogloss.runs.plan import Plan, read_plan

State = Literal["queued", "running", "finished", "stopped", "failed", "interrupted", "removed"]
SHIPPED = DEMO_ROOT / "runs"
WORKER_LOCK = "worker.lock"
PATIENCE_SECONDS = 10
"""How long a run may be without a worker, which takes a while to start."""


@dataclass(frozen=True)
class RunProgress:
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
        try:
            found: Mapping[str, Any] = json.loads((self.path / RUN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"Run {self.id} has been removed: choose another.") from None
        return found

    @property
    def kind(self) -> str:
        return str(self.description["kind"])

    @property
    def created(self) -> str:
        return str(self.description["created"])

    @property
    def command(self) -> str:
        """The command that asks for the same run; a line each if several were put together."""
        return str(self.description["command"])

    @cached_property
    def plan(self) -> Plan:
        return read_plan(self.kind, self.description["plan"])

    @property
    def engine(self) -> Engine:
        """Where its units are done."""
        return Engine(**self.description.get("engine", {}))

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

    @property
    def stamp(self) -> tuple[int, int]:
        """What changes whenever a result is added: the time and length of their file."""
        path = self.path / RESULTS
        found = path.stat() if path.is_file() else None
        return (found.st_mtime_ns, found.st_size) if found else (0, 0)

    def append(self, unit: str, result: Mapping[str, Any]) -> None:
        """Add a unit's result; a line cut short by a kill is dropped first, nothing else is."""
        path = self.path / RESULTS
        whole = "".join(f"{line}\n" for line in whole_lines(path)).encode()
        with translate_os_errors(self.path), path.open("r+b" if path.exists() else "w+b") as stream:
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
    def progress(self) -> RunProgress:
        found = read_json(self.path / PROGRESS) or {}
        share = len(self.results()) / max(len(self.units), 1)
        return RunProgress(
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
        """What its files and its lock say at this moment; looking changes neither."""
        if not (self.path / RUN).is_file():
            return "removed"
        # In this order, because a worker first takes the lock, then removes the mark, and has
        # written what came of the run before it lets go.
        waits = (self.path / QUEUED).exists()
        held = is_held(self.path / LOCK)
        if self.shipped or len(self.results()) == len(self.units):
            return "finished"
        if held:
            return "running"
        if waits:
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

    def carry_out(self, store: Store) -> None:
        """Do what is left of the run, in this process; the caller holds the lock."""
        (self.path / QUEUED).unlink(missing_ok=True)
        (self.path / PROBLEM).unlink(missing_ok=True)
        done = self.results()
        todo = [unit for unit in self.units if unit not in done]
        context = RunContext(store, self.path, len(self.units), len(done))
        context.log(
            f"started with {len(done)} of {len(self.units)} units done (process {os.getpid()})"
        )
        for unit, result in self._results_of(todo, context):
            self.append(unit, result)
            context.unit_finished(unit)
        self.give_back(store)
        context.log("finished the run")

    def _results_of(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if self.engine.is_ray:
            return carry_out_on_cluster(self.plan, todo, context, self.engine)
        return self.plan.carry_out(todo, context)

    def give_back(self, store: Store) -> None:
        """Remove from the store what only this run needed."""
        for key in whole_lines(self.path / BORROWED):
            if store.get(key) is not None:
                store.remove(key)
        (self.path / BORROWED).unlink(missing_ok=True)

    def fail(self, sentence: str) -> None:
        """Note why the run could not go on."""
        write_durably(self.path / PROBLEM, sentence.encode())
