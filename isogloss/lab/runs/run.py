"""Runs: training described by a plan, carried out in a process of its own, kept as files.

A run's state is read from its files (`isogloss.lab.runs.files`) and from who holds its lock, so the
page, the command line and any number of servers see the same. `isogloss.lab.runs.worker` carries
runs out.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from isogloss.engines.choice import Engine
from isogloss.errors import EngineError, RunError
from isogloss.former_names import command_today, kind_of
from isogloss.lab.runs.cluster_units import carry_out_on_cluster
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.files import (
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
    SEAL,
    STOP,
    check_room,
    parse_sealed,
    read_json,
    read_sealed,
    read_text,
    sealed,
    whole_bytes,
    whole_lines,
)
from isogloss.lab.runs.plan import Plan, read_plan
from isogloss.store import Store
from isogloss.store.files import full_disk, ignoring_unwritable, translate_os_errors, write_durably
from isogloss.store.locks import exclusive, is_held
from isogloss.store.results import read_arrays
from isogloss.tasks import Progress

Kept = TypeVar("Kept")
State = Literal["queued", "running", "finished", "stopped", "failed", "interrupted", "removed"]
SEALED = f'"{SEAL}": "'
FACTS_IN_PARTS = frozenset({"model", "data", "sentences", "native"})
"""Facts that are looked into, and must have parts."""


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
            found = read_sealed(self.path / RUN)
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if found is None and self.path.is_dir():
            raise self._damaged(f"{RUN} is missing")
        if found is None:
            raise RunError(f"Run {self.id} has been removed: choose another.")
        texts = (found.get(name) for name in ("kind", "command", "created"))
        planned = isinstance(found.get("plan"), dict)
        if not all(isinstance(text, str) for text in texts) or not planned:
            raise self._damaged(f"{RUN} does not describe a run")
        return found

    def check(self) -> None:
        """Raise RunError, a sentence, if this Isogloss cannot read the run."""
        _ = self.units, self.engine, self.facts, self.results()

    def _damaged(self, what: str) -> RunError:
        return RunError(
            f"Run {self.id} is damaged: {what}. Put back what there was, or remove the run: "
            f"`python -m isogloss runs rm {self.id}`."
        )

    @property
    def kind(self) -> str:
        return kind_of(str(self.description["kind"]))

    @property
    def created(self) -> str:
        return str(self.description["created"])

    @property
    def started_by(self) -> str:
        """The visitor of a page who started it; empty for the command line."""
        return str(self.description.get("started_by", ""))

    @property
    def command(self) -> str:
        """The command that asks for the same run; a line each if several were put together."""
        return command_today(str(self.description["command"]))

    @cached_property
    def plan(self) -> Plan:
        return read_plan(self.kind, self.description["plan"])

    @property
    def engine(self) -> Engine:
        """Where its units are done."""
        words = self.description.get("engine", {})
        try:
            return Engine(**{name: str(word) for name, word in words.items()})
        except (AttributeError, TypeError, EngineError) as error:
            raise self._damaged(f"{RUN} names no engine") from error

    @cached_property
    def units(self) -> tuple[str, ...]:
        try:
            return self.plan.units()
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise self._damaged(f"{RUN} has a plan that makes no sense") from error

    @property
    def facts(self) -> dict[str, Any]:
        """Provenance, as far as it is known."""
        try:
            found = read_sealed(self.path / FACTS) or {}
        except ValueError as error:
            raise self._damaged(str(error)) from error
        for name in FACTS_IN_PARTS & found.keys():
            if not isinstance(found[name], dict):
                raise self._damaged(f"{FACTS} says nothing of the {name}")
        return found

    @property
    def note(self) -> str:
        """How its settings were chosen, in a few sentences; empty where nobody has said."""
        return read_text(self.path / NOTE)

    def results(self) -> dict[str, dict[str, Any]]:
        """Every finished unit's result, in the order of the plan."""
        found: dict[str, dict[str, Any]] = {}
        for number, line in enumerate(self._lines(), start=1):
            try:
                row = parse_sealed(line)
                found.setdefault(row["unit"], dict(row["result"]))
            except (ValueError, TypeError, KeyError) as error:
                raise self._damaged(f"line {number} of {RESULTS} is no result") from error
        return {unit: found[unit] for unit in self.units if unit in found}

    def _lines(self) -> list[str]:
        try:
            return whole_lines(self.path / RESULTS)
        except (OSError, ValueError) as error:
            raise self._damaged(f"{RESULTS} cannot be read") from error

    @property
    def stamp(self) -> tuple[int, int]:
        """What changes whenever a result is added: the time and length of their file."""
        path = self.path / RESULTS
        found = path.stat() if path.is_file() else None
        return (found.st_mtime_ns, found.st_size) if found else (0, 0)

    def append(self, unit: str, result: Mapping[str, Any]) -> None:
        """Add a unit's result; a line cut short by a kill is dropped first, nothing else is."""
        path = self.path / RESULTS
        line = json.dumps(sealed({"unit": unit, "result": result}), ensure_ascii=False)
        with translate_os_errors(self.path), path.open("r+b" if path.exists() else "w+b") as stream:
            whole = len(whole_bytes(path))
            stream.truncate(whole)
            stream.seek(whole)
            stream.write(f"{line}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())

    def kept(self, name: str) -> dict[str, Any] | None:
        """The arrays that a unit kept under `name`, if it did."""
        path = self.path / KEPT / f"{name}.safetensors"
        try:
            return read_arrays(path) if path.is_file() else None
        except ValueError as error:
            raise self._damaged(f"{KEPT}/{path.name} is cut or altered") from error

    def kept_as(self, name: str, read: Callable[[dict[str, Any]], Kept]) -> Kept | None:
        """What a unit kept under `name`, if it did, as the dataclass that `read` makes of it."""
        arrays = self.kept(name)
        return None if arrays is None else read(arrays)

    def has_kept(self, name: str) -> bool:
        """Whether a unit kept arrays under `name`."""
        return (self.path / KEPT / f"{name}.safetensors").is_file()

    def log(self, last: int = 200) -> str:
        """The last lines of the log."""
        return "\n".join(read_text(self.path / LOG).splitlines()[-last:])

    @property
    def progress(self) -> Progress:
        found = read_json(self.path / PROGRESS) or {}
        share = len(self.results()) / max(len(self.units), 1)
        told, left = _number(found.get("share")), _number(found.get("seconds_left"))
        return Progress(max(told or 0.0, share), str(found.get("message", "waiting")), left)

    @property
    def problem(self) -> str | None:
        """Why it failed, in one sentence; what could not even be written is a full disk."""
        path = self.path / PROBLEM
        return (read_text(path) or full_disk(self.path)) if path.is_file() else None

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
        for unit, result in self._results_of(todo, context) if todo else ():
            check_room(self.path.parent)
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
        for key in whole_bytes(self.path / BORROWED).decode("ascii", errors="replace").split("\n"):
            if store.get(key) is not None:
                store.remove(key)
        (self.path / BORROWED).unlink(missing_ok=True)

    def fail(self, sentence: str) -> None:
        """Note why the run could not go on; on a full disk the note is empty."""
        with ignoring_unwritable():
            write_durably(self.path / PROBLEM, sentence.encode())

    @property
    def is_sealed(self) -> bool:
        """Whether its files carry digests, which those of earlier versions do not."""
        written = (read_text(path) for path in (self.path / RUN, self.path / FACTS))
        return all(SEALED in text for text in (*self._lines(), *filter(None, written)))


def _number(found: Any) -> float | None:
    """A number that `progress.json` gives; None where it gives none."""
    usable = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if usable and math.isfinite(found) else None
