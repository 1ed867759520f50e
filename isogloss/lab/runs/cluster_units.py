"""The units of a plan on a Ray cluster: each goes to a worker, its result comes back to the run.

A worker hands everything of a unit back at once, when the unit is finished, and only the driver
writes; so a worker that dies leaves nothing behind and nothing twice. States of frozen layers are
kept in the node's own store, where all workers of that node find them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.engines.choice import Engine
from isogloss.engines.pool import Pool
from isogloss.engines.ray_cluster import connected, find_share, node_store
from isogloss.errors import USER_ERRORS, EngineError, RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.plan import Plan
from isogloss.version import __version__


@dataclass(frozen=True)
class UnitResult:
    """What a unit gives: its result, the arrays to keep, and facts of how it was made."""

    result: Mapping[str, Any]
    kept: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What a worker says while it is at work: new lines of the log, and how far its unit is."""

    unit: str
    lines: tuple[str, ...]
    share: float
    message: str


def carry_out_on_cluster(
    plan: Plan, todo: Sequence[str], context: RunContext, engine: Engine
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Do the units `todo`, as many at once as there is room for; yields each as it is finished.

    A unit that fails is logged, and said at the end when all others are done.
    """
    context.report(0.0, "connecting to the cluster")
    failed: dict[str, str] = {}
    with connected(engine):
        share = find_share(getattr(plan, "device", "auto"))
        context.log(f"{min(share.workers, len(todo))} workers on Ray, {share.device}")
        progress = _Progress(context)
        pool = Pool(UnitWorker, (plan, __version__), share)
        for done in pool.work(todo, progress.take):
            unit = done.piece
            progress.end(unit)
            if done.problem is not None:
                failed[unit] = _sentence(done.problem)
                context.log(f"failed {unit}: {failed[unit]}")
                continue
            found: UnitResult = done.value
            context.note(**found.facts)
            for name, arrays in found.kept.items():
                context.keep(name, arrays)
            yield unit, found.result
    if failed:
        first, why = next(iter(failed.items()))
        raise RunError(
            f"{len(failed)} of {len(todo)} units failed, the others are done; {first}: {why}"
        )


def _sentence(problem: Exception) -> str:
    if isinstance(problem, USER_ERRORS):
        return str(problem)
    return f"This failed in a way it should not: {type(problem).__name__}: {problem}"


class _Progress:
    """Gathers what workers tell into the run's progress and log."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._shares: dict[str, float] = {}
        self._over: set[str] = set()
        self._message = "waiting for workers"

    def take(self, told: list[Told]) -> None:
        """Pass on what was told; raises Stopped if the user asked to stop."""
        for each in told:
            for line in each.lines:
                self._context.log(line)
            if each.unit not in self._over:
                self._shares[each.unit] = each.share
                self._message = each.message or self._message
        self._context.report(sum(self._shares.values()), self._message)

    def end(self, unit: str) -> None:
        """Leave a unit out from now on: it is finished, and the run counts it, or it failed."""
        self._over.add(unit)
        self._shares.pop(unit, None)


class UnitWorker:
    """The worker: does one unit after the other, on its GPU or its share of CPUs."""

    def __init__(self, plan: Plan, version: str) -> None:
        self._plan, self._version = plan, version
        self._context = _UnitContext("")

    def begin(self) -> None:
        if self._version != __version__:
            raise EngineError(
                f"A node of the cluster has Isogloss {__version__}, and {self._version} is asking: "
                "install the same on both."
            )

    def do(self, unit: str) -> UnitResult:
        """Carry out one unit with a context that only remembers."""
        context = self._context = _UnitContext(unit)
        (found,) = self._plan.carry_out([unit], context)
        return UnitResult(found[1], context.to_keep, context.facts)

    def told(self) -> Told:
        return self._context.tell()


class _UnitContext(RunContext):
    """The context of one unit on a node: what the run's own would write is kept to be sent."""

    def __init__(self, unit: str) -> None:
        self.store = node_store()
        self.to_keep: dict[str, Mapping[str, Any]] = {}
        self.facts: dict[str, Any] = {}
        self._unit = unit
        self._share, self._message = 0.0, ""
        self._lines: deque[str] = deque()

    def report(self, unit_share: float, message: str) -> None:
        """Remember how far it is; who is to stop is killed by the driver, at once."""
        self._share, self._message = min(unit_share, 1.0), message

    def log(self, line: str) -> None:
        self._lines.append(f"{self._unit}: {line}")

    def note(self, **facts: Any) -> None:
        self.facts |= facts

    def borrow(self, key: str) -> None:
        """Leave it to the node's store, which has a limit and evicts what was not used for long."""

    def keep(self, name: str, arrays: Mapping[str, Any]) -> None:
        self.to_keep[name] = dict(arrays)

    def kept(self, name: str) -> dict[str, Any] | None:
        """A unit begins anew where its worker died: nothing is written before it is finished."""
        return None

    def drop(self, name: str) -> None:
        self.to_keep.pop(name, None)

    def tell(self) -> Told:
        """What is new since it was last asked; called beside the work, from another thread."""
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        return Told(self._unit, tuple(lines), self._share, self._message)
