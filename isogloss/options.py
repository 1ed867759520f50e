"""Settings of questions, of views and of plans: each is declared once, beside its field.

A setting is a field of a frozen dataclass, made with `option`. The widget
(`components.shared.settings` on a page, `components.shared.runs.option_widgets` in a form), its
place in a page's address (`to_query`, `from_query`), the flag of the command line
(`isogloss.command_line.arguments`), the check of an argument (`check_options`) and
`docs/settings.md` are all made from that declaration, so they cannot differ.

What is a field of a question is part of the key that its answer is kept under; what is a field of
a page's view never is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import NoneType
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from isogloss.errors import IsoglossError

Settings = TypeVar("Settings")
DIGITS = 12
"""So much of a key tells studies and runs apart in an address."""
_NO = "0"
_NOTHING = "none"
"""What an address says for an empty list where nothing at all would mean the default."""


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
    explanation: str = ""


def titled(titles: Mapping[Any, str]) -> dict[Any, Choice]:
    """Choices that their titles explain."""
    return {name: Choice(title) for name, title in titles.items()}


@dataclass(frozen=True, kw_only=True)
class Option:
    """How one field is offered.

    `none` is the word for None. `suited` says in words what the default is where it depends on the
    model or the data (`Plan.suited` finds it). `paths` are files or directories, but for the names
    in `known`; `models` are models. `values` are those a slider offers. `word` is what one value of
    a list looks like. `address` is its name in a page's address, the field's unless another is
    given, and `yes` what stands there for True. Of a key the address says the first `digits`.
    `called` is what sentences call it, its name unless another is given; without `explain`
    the choices explain themselves elsewhere on the page. The last four fields are
    read off the dataclass's field.
    """

    help: str
    title: str = ""
    least: float | None = None
    most: float | None = None
    choices: Mapping[Any, Described] = field(default_factory=dict)
    values: Sequence[float] = ()
    none: str = ""
    suited: str = ""
    paths: bool = False
    models: bool = False
    known: Sequence[str] = ()
    word: str = ""
    address: str = ""
    yes: str = "1"
    digits: int = 0
    called: str = ""
    explain: bool = True

    name: str = ""
    default: Any = None
    kind: type = str
    many: bool = False

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def explained(self) -> str:
        """What a page says of it and of each choice that has an explanation."""
        said = f"{self.help[:1].upper()}{self.help[1:]}"
        said += "" if not said or said.endswith((".", "?")) else "."
        choices = [_explained(each) for each in self.choices.values() if self.explain]
        return "\n\n".join(filter(None, (said, *choices)))

    def but(self, **changed: Any) -> Option:
        """The same with other facts, such as the choices that one study has."""
        return replace(self, **changed)

    def holds(self, text: str) -> bool:
        """Whether `text` looks like one value of this list, or several with commas between them."""
        numbers = r"-?\d+" if self.kind is int else ""
        word = self.word or numbers or "|".join(map(re.escape, self.choices))
        return bool(word) and re.fullmatch(rf"({word})(,({word}))*", text) is not None

    def check(self, value: Any, error: type[IsoglossError] = IsoglossError) -> None:
        """Refuse a value that is out of bounds or not among the choices."""
        spoken = self.called or self.name.replace("_", " ")
        for each in value if self.many and value is not None else (value,):
            if each is None:
                continue
            if self.least is not None and each < self.least:
                raise error(f"{spoken} must be at least {self.least:g}.")
            if self.most is not None and each > self.most:
                raise error(f"{spoken} must be at most {self.most:g}.")
            if self.choices and not self.word and each not in self.choices:
                known = ", ".join(map(str, self.choices))
                raise error(f"There is no {spoken} {each!r}: choose among {known}.")

    def words(self, value: Any) -> list[str]:
        """The words of the command line that ask for `value`."""
        if self.kind is bool:
            return [self.flag if value else f"--no-{self.name.replace('_', '-')}"]
        if self.many and self.paths:
            return [self.flag, *value]
        if self.many and value is not None:
            value = ",".join(map(str, value))
        return [f"{self.flag}={self.none if value is None else value}"]

    def offers(self, value: Any) -> bool:
        """Whether `value` is one that can be chosen."""
        try:
            self.check(value)
        except IsoglossError:
            return False
        return not self.values or value in self.values

    def written(self, value: Any) -> dict[str, str]:
        """What a page's address says of `value`: nothing for the default, to keep links short."""
        if value == self.default:
            return {self.address: ""}
        if self.kind is bool:
            return {self.address: self.yes if value else _NO}
        if self.many:
            return {self.address: ".".join(map(str, value)) or _NOTHING}
        return {self.address: str(value)[: self.digits or None]}

    def read(self, query: Mapping[str, str]) -> Any:
        """What an address says: a number is brought within the bounds; nonsense is the default."""
        text = query.get(self.address, "")
        if not self.many:
            found = self._value(text)
            return self.default if found is None else self._within_bounds(found)
        values = map(self._value, text.split("."))
        known = dict.fromkeys(each for each in values if self._is_one(each))
        return tuple(known) if known or text == _NOTHING else self.default

    def understands(self, text: str) -> bool:
        """Whether all that an address says can be, so that `read` puts nothing in its place."""
        if self.many:
            return text in ("", _NOTHING) or all(
                self._is_one(self._value(part)) for part in text.split(".")
            )
        found = self._value(text)
        return not text or (found is not None and self.offers(found))

    def _is_one(self, value: Any) -> bool:
        """Whether a part of a list in the address is there; numbers beyond the bounds are not."""
        return value is not None and self.offers((value,))

    def _value(self, text: str) -> Any:
        """One value from its text; None where it says none."""
        if not text:
            return None
        if self.kind is bool:
            return {self.yes: True, _NO: False}.get(text)
        if self.digits:
            return next((each for each in self.choices if each.startswith(text)), None)
        if self.choices:
            return next((each for each in self.choices if str(each) == text), None)
        return text if self.kind is str else self._number(text)

    def _number(self, text: str) -> Any:
        # Not ², which Python calls a digit, nor 5,000 of them.
        if not re.fullmatch(r"-?[0-9]{1,9}" + r"(\.[0-9]{1,20})?" * (self.kind is float), text):
            return None
        number = self.kind(text)
        return None if self.values and number not in self.values else number

    def _within_bounds(self, value: Any) -> Any:
        if self.least is not None:
            value = max(value, self.kind(self.least))
        return value if self.most is None else min(value, self.kind(self.most))


def _explained(choice: Described) -> str:
    """A choice with what it is, what it can't tell and whose it is, as far as its table says."""
    if not choice.explanation:
        return ""
    said = f"**{choice.title}**: {choice.explanation.rstrip('.')}."
    if blind_to := getattr(choice, "blind_to", ""):
        said += f" *Can't tell:* {blind_to}"
    paper = getattr(choice, "paper", "")
    return f"{said} ({paper})" if paper else said


def option(default: Any, help: str, **facts: Any) -> Any:
    """A field that can be chosen; `facts` are the fields of `Option`."""
    return field(default=default, metadata={"option": Option(help=help, **facts)})


@cache
def options_of(owner: type) -> dict[str, Option]:
    """The options of a dataclass by the name of their field, in the order of the fields."""
    types = get_type_hints(owner)
    found = {}
    for each in fields(owner):
        if declared := each.metadata.get("option"):
            kind, many = _kind_of(types[each.name])
            found[each.name] = replace(
                declared,
                name=each.name,
                address=declared.address or each.name,
                default=each.default,
                kind=kind,
                many=many,
            )
    return found


def _kind_of(annotation: Any) -> tuple[type, bool]:
    """The type of one value, and whether there are several: (int, True) for tuple[int, ...]."""
    if NoneType in get_args(annotation):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    if get_origin(annotation) is tuple:
        return get_args(annotation)[0], True
    if get_origin(annotation) is Literal:
        return type(get_args(annotation)[0]), False
    return annotation, False


def check_options(settings: Any, error: type[IsoglossError] = IsoglossError) -> None:
    """Refuse a value with an option out of bounds or not among its choices."""
    for each in options_of(settings.__class__).values():
        each.check(getattr(settings, each.name), error)


def to_query(settings: Any) -> dict[str, str]:
    """What a page's address says of all settings of a value, and of values within it."""
    found: dict[str, str] = {}
    options = options_of(settings.__class__)
    for each in fields(settings):
        value = getattr(settings, each.name)
        if each.name in options:
            found |= options[each.name].written(value)
        elif is_dataclass(value):
            found |= to_query(value)
    return found


def from_query(owner: type[Settings], query: Mapping[str, str], **given: Any) -> Settings:
    """The value whose settings an address says; `given` are fields that it does not say.

    >>> from isogloss.text.parts import TextPart
    >>> from_query(TextPart, to_query(TextPart(60, "random", seed=3)))
    TextPart(pairs=60, way='random', seed=3, topic='', search='')
    """
    kind: Any = owner
    types, options = get_type_hints(kind), options_of(kind)
    for each in fields(kind):
        if each.name in given:
            continue
        if each.name in options:
            given[each.name] = options[each.name].read(query)
        elif is_dataclass(inner := types[each.name]) and isinstance(inner, type):
            given[each.name] = from_query(inner, query)
    return owner(**given)
