"""Options of a plan, declared once: help, bounds and choices stand beside the plan's field.

The command line (`isogloss.command_line.plan_options`), the forms
(`components.shared.runs.option_widgets`) and the command that a run prints (`command_words`) are
all made from these declarations, so they cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import NoneType
from typing import Any, Protocol, get_args, get_origin, get_type_hints

from isogloss.errors import RunError

LEARNING_RATES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 2e-3)
"""What a slider of learning rates offers; the command line takes any."""


class Described(Protocol):
    """What any table of choices holds: a title and an explanation."""

    @property
    def title(self) -> str: ...

    @property
    def explanation(self) -> str: ...


@dataclass(frozen=True)
class Choice:
    """A choice that has no table of its own."""

    title: str
    explanation: str


@dataclass(frozen=True, kw_only=True)
class Option:
    """How one field of a plan is offered.

    `none` is the word for None. `suited` says in words what the default is where it depends on the
    model or the data (`Plan.suited` finds it). `paths` are files or directories, but for the names
    in `known`; `models` are models. `values` are those a slider offers. `word` is what one value of
    a list looks like. The last four fields are read off the plan's field.
    """

    help: str
    title: str = ""
    least: float | None = None
    most: float | None = None
    choices: Mapping[str, Described] = field(default_factory=dict)
    values: Sequence[float] = ()
    none: str = ""
    suited: str = ""
    paths: bool = False
    models: bool = False
    known: Sequence[str] = ()
    word: str = ""

    name: str = ""
    default: Any = None
    kind: type = str
    many: bool = False

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def holds(self, text: str) -> bool:
        """Whether `text` looks like one value of this list, or several with commas between them."""
        numbers = r"-?\d+" if self.kind is int else ""
        word = self.word or numbers or "|".join(map(re.escape, self.choices))
        return bool(word) and re.fullmatch(rf"({word})(,({word}))*", text) is not None

    def check(self, value: Any) -> None:
        """Refuse a value that is out of bounds or not among the choices."""
        spoken = self.name.replace("_", " ")
        for each in value if self.many and value is not None else (value,):
            if each is None:
                continue
            if self.least is not None and each < self.least:
                raise RunError(f"{spoken} must be at least {self.least:g}.")
            if self.most is not None and each > self.most:
                raise RunError(f"{spoken} must be at most {self.most:g}.")
            if self.choices and not self.word and each not in self.choices:
                known = ", ".join(self.choices)
                raise RunError(f"There is no {spoken} {each!r}: choose among {known}.")

    def words(self, value: Any) -> list[str]:
        """The words of the command line that ask for `value`."""
        if self.kind is bool:
            return [self.flag if value else f"--no-{self.name.replace('_', '-')}"]
        if self.many and self.paths:
            return [self.flag, *value]
        if self.many and value is not None:
            value = ",".join(map(str, value))
        return [f"{self.flag}={self.none if value is None else value}"]


def option(default: Any, help: str, **facts: Any) -> Any:
    """A field of a plan that can be chosen; `facts` are the fields of `Option`."""
    return field(default=default, metadata={"option": Option(help=help, **facts)})


def model_option(default: str) -> Any:
    """The option that names the model."""
    return option(default, "a preset, a hub id or a directory", models=True)


def seeds_option(help: str) -> Any:
    """The option that names the seeds, each of which repeats the work."""
    return option((0, 1, 2), help, title="Seeds")


def rate_option(
    default: float, help: str, title: str = "Learning rate", most: float | None = None
) -> Any:
    """The option of a learning rate."""
    return option(default, help, title=title, least=1e-9, most=most, values=LEARNING_RATES)


def device_option() -> Any:
    """The option that names the device to compute on."""
    return option("auto", "auto, cuda, mps or cpu")


@cache
def options_of(plan: type) -> dict[str, Option]:
    """The options of a plan by the name of their field, in the order of the fields."""
    types = get_type_hints(plan)
    found = {}
    for each in fields(plan):
        if declared := each.metadata.get("option"):
            kind, many = _kind_of(types[each.name])
            found[each.name] = replace(
                declared, name=each.name, default=each.default, kind=kind, many=many
            )
    return found


def _kind_of(annotation: Any) -> tuple[type, bool]:
    """The type of one value, and whether there are several: (int, True) for tuple[int, ...]."""
    if NoneType in get_args(annotation):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    if get_origin(annotation) is tuple:
        return get_args(annotation)[0], True
    return annotation, False


def check_options(plan: Any) -> None:
    """Refuse a plan with an option out of bounds or not among its choices."""
    for each in options_of(plan.__class__).values():
        each.check(getattr(plan, each.name))


def command_words(plan: Any) -> list[str]:
    """The words after the command that ask for `plan`: the model first, defaults left out."""
    options = options_of(plan.__class__)
    words = [plan.model] if "model" in options else []
    for each in options.values():
        value = getattr(plan, each.name)
        if each.name != "model" and (each.suited or value != each.default):
            words += each.words(value)
    return words
