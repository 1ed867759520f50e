"""Plans: what a run will do, in plain values that can be written down and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.errors import RunError

if TYPE_CHECKING:
    from isogloss.desk import Desk

PLANS = {
    "sweep": "isogloss.transfer:SweepPlan",
    "sentences": "isogloss.sentence_runs:SentencePlan",
    "reinitialise": "isogloss.reinitialisation:ReinitialisationPlan",
    "adaptation": "isogloss.adaptation:AdaptationPlan",
}
"""Every kind of run and the plan that carries it out."""


@dataclass(frozen=True)
class Plan(ABC):
    """What a run will do: plain values only, so that it can be written down and read again.

    Work is cut into named units. A unit's result is kept the moment it is finished; what a killed
    run had finished is not done again.
    """

    KIND: ClassVar[str]

    @property
    @abstractmethod
    def title(self) -> str:
        """What the run is, in a few words."""

    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The names of all units, in the order in which they are done."""

    @abstractmethod
    def carry_out(self, todo: Sequence[str], desk: Desk) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Do the units `todo` (in their order) and yield each one's name and result."""


def check_seeds(seeds: Sequence[int]) -> None:
    """Refuse seeds from which nothing can be drawn, or twice the same."""
    if not seeds or len(set(seeds)) != len(seeds) or min(seeds) < 0:
        raise RunError("Give at least one seed, each only once and none below 0.")


def read_plan(kind: str, fields: Mapping[str, Any]) -> Plan:
    """The plan as `run.json` keeps it; raises RunError where this Isogloss does not know it."""
    if kind not in PLANS:
        raise RunError(f"This Isogloss knows no runs of kind {kind}: update it.")
    module, _, name = PLANS[kind].partition(":")
    try:
        plan: Plan = getattr(import_module(module), name)(**_tuples(dict(fields)))
    except TypeError as error:
        raise RunError(f"A run of kind {kind} was made by another version: {error}.") from error
    return plan


def plan_command(plan: Plan) -> list[str]:
    """The command line that asks for `plan`; plans that have one define `command`."""
    command: Callable[[], list[str]] | None = getattr(plan, "command", None)
    return ["python", "-m", "isogloss", *(command() if command else [plan.KIND])]


def _tuples(value: Any) -> Any:
    """JSON's lists as the tuples they were."""
    if isinstance(value, dict):
        return {name: _tuples(part) for name, part in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
