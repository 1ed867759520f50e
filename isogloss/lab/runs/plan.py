"""Plans: what a run will do, in plain values that can be written down and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from isogloss.errors import IsoglossError, RunError
from isogloss.former_names import fields_of
from isogloss.lab.runs.context import RunContext
from isogloss.options import check_options, options_of
from isogloss.studies.study import as_tuples

PLANS = {
    "transfer": "isogloss.lab.transfer.plan:TransferPlan",
    "layers-needed": "isogloss.lab.layers_needed.plan:LayersNeededPlan",
    "sentences": "isogloss.lab.sentences.plan:SentencesPlan",
    "adaptation": "isogloss.lab.adaptation.plan:AdaptationPlan",
    "emergence": "isogloss.lab.emergence.plan:EmergencePlan",
    "two-models": "isogloss.lab.two_models.plan:TwoModelsPlan",
}
"""Every kind of run, named as its page and its command, and the plan that carries it out."""
LARGEST = 2**63
"""No number of a plan is larger, and what arrays and seeds are made of can be no larger."""


@dataclass(frozen=True)
class Plan(ABC):
    """What a run will do: plain values only, so that it can be written down and read again.

    Fields made with `isogloss.options.option` can be chosen on the command line. Work is
    cut into named units. A unit's result is kept the moment it is finished; what a killed run had
    finished is not done again.
    """

    KIND: ClassVar[str]
    """Its name among runs, and the command that asks for it."""
    SUMMARY: ClassVar[str] = ""
    DESCRIPTION: ClassVar[str] = ""
    """What `--help` says of the command in the list of commands, and of the command itself."""

    def __post_init__(self) -> None:
        check_options(self, RunError)

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        """The plan with these values, and with what suits a model of so many blocks for the rest.

        Command line and forms make their plans by it, so that both begin with the same.
        """
        return cls(**values)

    def read_data(self) -> Any:
        """The data of the run; what is wrong with it is raised in a sentence."""
        return None

    @property
    @abstractmethod
    def title(self) -> str:
        """What the run is, in a few words."""

    @abstractmethod
    def parts(self) -> Mapping[str, tuple[Any, ...]]:
        """What each unit is of, such as a layer and a seed, by its name, in order."""

    def units(self) -> tuple[str, ...]:
        """The names of all units, in the order in which they are done."""
        return tuple(self.parts())

    @abstractmethod
    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Do the units `todo`, one at least, in their order; yield each one's name and result."""

    def command(self) -> list[str]:
        """The words after `python -m isogloss` that ask for the same run: defaults are left out."""
        options = options_of(self.__class__)
        words = [self.KIND, *([vars(self)["model"]] if "model" in options else ())]
        for each in options.values():
            value = getattr(self, each.name)
            if each.name != "model" and (each.suited or value != each.default):
                words += each.words(value)
        return words


def check_seeds(seeds: Sequence[int]) -> None:
    """Refuse seeds from which nothing can be drawn, or twice the same."""
    if not seeds or len(set(seeds)) != len(seeds) or min(seeds) < 0:
        raise RunError("Give at least one seed, each only once and none below 0.")


def plan_class(kind: str) -> type[Plan]:
    """The class of the plans of a kind of run."""
    if kind not in PLANS:
        raise RunError(f"This Isogloss knows no runs of kind {kind}: update it.")
    module, _, name = PLANS[kind].partition(":")
    found: type[Plan] = getattr(import_module(module), name)
    return found


def read_plan(kind: str, fields: Mapping[str, Any]) -> Plan:
    """The plan as `run.json` keeps it; raises RunError where this Isogloss does not know it."""
    known = plan_class(kind)
    try:
        values = as_tuples(fields_of(kind, fields))
        _check_kinds(known, values)
        return known(**values)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise RunError(
            f"A run of kind {kind} was made by another version, or is damaged: {error}."
        ) from error
    except RunError:
        raise
    except IsoglossError as error:  # such as an objective that is not known here
        raise RunError(str(error)) from error


def _check_kinds(plan: type[Plan], values: Mapping[str, Any]) -> None:
    """Raise TypeError where a field of a plan is no such thing as its class declares."""
    declared = get_type_hints(plan)
    for name, value in values.items():
        if name in declared and not _is_of(declared[name], value):
            raise TypeError(f"{name} cannot be {str(value)[:40]!r}")


def _is_of(kind: Any, value: Any) -> bool:
    """Whether a value is what an annotation says; whole numbers are floats, too."""
    if get_origin(kind) is UnionType:
        return any(_is_of(each, value) for each in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_is_of(get_args(kind)[0], each) for each in value)
    if kind in (int, float):
        number = isinstance(value, int | kind) and not isinstance(value, bool)
        return number and abs(value) <= LARGEST
    return isinstance(value, kind)
