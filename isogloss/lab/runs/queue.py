"""All runs of a store, and the queue of those that wait for their turn."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.engines.choice import LOCAL, Engine
from isogloss.errors import RunError
from isogloss.former_names import fields_on_disk, kind_on_disk
from isogloss.lab.runs.files import PROBLEM, QUEUED, RUN, STOP, as_json, check_room, now, sealed
from isogloss.lab.runs.plan import Plan
from isogloss.lab.runs.run import Run
from isogloss.store import DEMO_ROOT, Store, StoreError
from isogloss.store.files import translate_os_errors, write_durably
from isogloss.store.locks import is_held

SHIPPED = DEMO_ROOT / "runs"
WORKER_LOCK = "worker.lock"
PATIENCE_SECONDS = 10
"""How long a run may be without a worker, which takes a while to start."""


class Runs:
    """All runs of a store, and the queue of those that wait for their turn."""

    def __init__(
        self, store: Store, shipped: Path | None = SHIPPED, *, read_only: bool = False
    ) -> None:
        self._store = store
        self._read_only = read_only
        self.root = store.root / "runs"
        self._shipped = shipped

    def all(self, kind: str | None = None) -> tuple[Run, ...]:
        """Every run, the newest first, those that ship with Isogloss last."""
        own = sorted(_runs_below(self.root), key=lambda run: run.created, reverse=True)
        shipped = _runs_below(self._shipped, shipped=True) if self._shipped else []
        return tuple(run for run in (*own, *shipped) if kind in (None, run.kind))

    def damaged(self) -> tuple[Run, ...]:
        """The runs of which cannot even be told what they are; `check` says what is wrong."""
        undescribed = (run for run in _directories_below(self.root) if not _is_described(run))
        return tuple(run for run in undescribed if run.path.is_dir())

    def get(self, start: str) -> Run:
        """The one run whose id begins with `start`."""
        found = [run for run in (*self.all(), *self.damaged()) if run.id.startswith(start)]
        exact = [run for run in found if run.id == start]
        if len(exact or found) != 1:
            which = f"{len(found)} runs begin" if found else "No run begins"
            raise RunError(f"{which} with {start} in {self.root}: `runs ls` lists them.")
        return (exact or found)[0]

    def create(
        self,
        plan: Plan,
        command: Sequence[str] | None = None,
        engine: Engine = LOCAL,
        started_by: str = "",
    ) -> Run:
        """Write a plan down as a new run, which nothing carries out yet."""
        self._check_writable()
        check_room(self.root)
        run_id = uuid.uuid4().hex[:8]
        words = command if command is not None else _words(plan, engine)
        description = {
            "kind": kind_on_disk(plan.KIND),
            "plan": fields_on_disk(plan.KIND, asdict(plan)),
            "command": shlex.join(words),
            "created": now(),
            **({"engine": asdict(engine)} if engine.is_ray else {}),
            **({"started_by": started_by} if started_by else {}),
        }
        with translate_os_errors(self._store.root):
            half = self.root / f".{run_id}"
            half.mkdir(parents=True)
            write_durably(half / RUN, as_json(sealed(description)))
            os.replace(half, self.root / run_id)
        return Run(self.root / run_id)

    def enqueue(self, run: Run, *, start_worker: bool = True) -> None:
        """Let a run, new or broken off, wait for its turn; a worker is started if none is there."""
        self._check_writable()
        if run.shipped:
            raise RunError(f"Run {run.id} comes with Isogloss and is finished.")
        state = run.state
        if state in ("finished", "removed") or (state == "running" and not run.stopping):
            raise RunError(f"Run {run.id} is {state}: there is nothing to resume.")
        check_room(self.root)
        (run.path / STOP).unlink(missing_ok=True)
        (run.path / PROBLEM).unlink(missing_ok=True)
        try:
            with translate_os_errors(self._store.root):
                write_durably(run.path / QUEUED, str(time.time_ns()).encode())
        except StoreError:  # what was said not to be queued must not be
            (run.path / QUEUED).unlink(missing_ok=True)
            raise
        if start_worker:
            start_worker_process(self._store)

    def revive(self) -> None:
        """Start a worker if a run has waited for long and none is at work: it was killed."""
        waiting = [] if self._read_only else self._waiting()
        long_ago = time.time() - PATIENCE_SECONDS
        if waiting and waiting[0][0] / 1e9 < long_ago and not self.at_work():
            start_worker_process(self._store)

    def at_work(self) -> bool:
        """Whether a process is carrying runs out."""
        return is_held(self.root / WORKER_LOCK)

    def queue(self) -> tuple[Run, ...]:
        """The runs that wait, the first to be carried out first."""
        return tuple(run for _, run in self._waiting())

    def named_files(self) -> set[str]:
        """Every text that a plan of these runs has, some of which are paths of files they read."""
        return set(_strings([run.description["plan"] for run in self.all()]))

    def _waiting(self) -> list[tuple[int, Run]]:
        """When each run was queued, in nanoseconds; the first to be carried out first."""
        waiting: list[tuple[int, Run]] = []
        for run in _runs_below(self.root):
            queued = _queued_at(run)
            if queued is not None:
                waiting.append((queued, run))
        return sorted(waiting, key=lambda pair: (pair[0], pair[1].id))

    def stop(self, run: Run) -> None:
        """Ask a run to stop after the step it is at, or take it out of the queue."""
        self._check_writable()
        if run.shipped or run.state not in ("running", "queued"):
            raise RunError(f"Run {run.id} is {run.state}: there is nothing to stop.")
        write_durably(run.path / STOP, b"")
        (run.path / QUEUED).unlink(missing_ok=True)

    def remove(self, run: Run) -> None:
        """Delete a run and its results."""
        import shutil

        self._check_writable()
        if run.shipped:
            raise RunError(f"Run {run.id} comes with Isogloss and cannot be removed.")
        if not run.path.is_dir():
            raise RunError(f"Run {run.id} has been removed already.")
        with run.lock() as free:
            if not free:
                raise RunError(f"Run {run.id} is at work: stop it first.")
            run.give_back(self._store)
            gone = self.root / f".{run.id}.gone"
            os.replace(run.path, gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _check_writable(self) -> None:
        if self._read_only:
            raise RunError(
                "This server only shows what is there: start, stop and remove runs on a machine of "
                "your own."
            )


def _words(plan: Plan, engine: Engine) -> list[str]:
    return ["python", "-m", "isogloss", *plan.command(), *engine.words()]


def start_worker_process(store: Store) -> None:
    """Start a worker that outlives this process; it ends at once where one is at work already."""
    log = store.root / "runs" / "worker.log"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with log.open("ab") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "isogloss.lab.runs.worker", str(store.root)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env=environment,
            start_new_session=True,
        )
    # Someone has to take note of its end, or it stays in the table of processes.
    threading.Thread(target=process.wait, name="worker", daemon=True).start()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(part)


def _queued_at(run: Run) -> int | None:
    """When a run was queued, in nanoseconds, 0 where its mark is damaged; None if it was not."""
    try:
        return int((run.path / QUEUED).read_bytes() or b"0")
    except ValueError:
        return 0
    except OSError:  # no mark, or none that a worker could take away
        return None


def _runs_below(root: Path, *, shipped: bool = False) -> list[Run]:
    return [run for run in _directories_below(root, shipped=shipped) if _is_described(run)]


def _directories_below(root: Path, *, shipped: bool = False) -> list[Run]:
    if not root.is_dir():
        return []
    paths = (path for path in sorted(root.iterdir()) if not path.name.startswith("."))
    return [Run(path, shipped) for path in paths if path.is_dir()]


def _is_described(run: Run) -> bool:
    try:
        return bool(run.description)
    except RunError:  # damaged, or another process is removing it
        return False
