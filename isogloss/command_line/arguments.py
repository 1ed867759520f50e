"""How a command is added, and its arguments: what plans and questions declare, and shared ones."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from isogloss.engines.choice import ENGINES, Engine
from isogloss.lab.runs.plan import Plan
from isogloss.models.packaged.e5 import name_here
from isogloss.models.presets import RANDOM_PREFIX, find_preset
from isogloss.options import Option, options_of


class WrongUsage(Exception):
    """What was written is no command; the usage is on standard error already."""


class PlanParser(ArgumentParser):
    """Takes lists with commas or with spaces: `--seeds 0,1` and `--seeds 0 1`.

    A word after a list belongs to it if it looks like one of its values. Others, such as the
    model's name, do not, so that it may follow a list.
    """

    lists: dict[str, Option]

    def add_plan(self, plan: type[Plan]) -> None:
        """Add an argument for each option of `plan`; the model's name needs no flag."""
        options = options_of(plan).values()
        self.lists = {each.flag: each for each in options if each.many and not each.paths}
        for each in options:
            if each.name == "model":
                self.add_argument(
                    "model",
                    metavar="MODEL",
                    nargs="?",
                    default=each.default,
                    help=f"{each.help} (default: {each.default})",
                )
            else:
                add_option(self, each)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong as every argparse command does; who called decides how it ends."""
        self.print_usage(sys.stderr)
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        raise WrongUsage(message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if args is not None and getattr(self, "lists", None):
            args = _join_lists(args, self.lists)
        return super().parse_known_args(args, namespace)


AddArguments = Callable[[Any], object]


def add_command(
    commands: Any,
    name: str,
    run: Callable[[Namespace], int],
    *arguments: AddArguments,
    help: str,
    description: str | None = None,
    csv: bool = False,
) -> None:
    """Add a command that `run` carries out; every one takes `--json`, some `--csv` instead."""
    parser = commands.add_parser(name, help=help, description=description)
    for add in arguments:
        add(parser)
    form = parser.add_mutually_exclusive_group() if csv else parser
    form.add_argument("--json", action="store_true", help="print JSON for scripts")
    if csv:
        form.add_argument("--csv", action="store_true", help="print CSV for spreadsheets")
    parser.set_defaults(run=run)


def add_actions(commands: Any, name: str, help: str) -> Any:
    """Add a command that has actions of its own, such as `runs`; returns where to add these."""
    parser = commands.add_parser(name, help=help)
    return parser.add_subparsers(title="actions", metavar="ACTION", required=True)


def add_studies(parser: Any) -> None:
    parser.add_argument(
        "studies",
        metavar="STUDY",
        nargs="+",
        help="a study's key, or its beginning: see `studies ls`; KEY:de-sw for two of its "
        "languages",
    )


def add_device(parser: Any) -> None:
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu")


def add_engine(parser: Any) -> None:
    """Add `--engine` and `--address`, for work that can be spread over a cluster."""
    explained = "; ".join(f"{name}: {what}" for name, what in ENGINES.items())
    parser.add_argument(
        "--engine",
        default="local",
        choices=tuple(ENGINES),
        help=f"{explained} (default: local; ray needs requirements-cluster.txt)",
    )
    parser.add_argument(
        "--address",
        default="",
        metavar="HOST:PORT",
        help="of a running Ray cluster, or auto; without one Ray is started on this machine",
    )


def engine_from(options: Namespace) -> Engine:
    """The engine that was asked for; one that is not installed is refused here."""
    engine = Engine(options.engine, options.address)
    engine.check()
    return engine


def settings_of(*questions: type, **names: str) -> tuple[Option, ...]:
    """The settings of questions, those that two share once.

    `names` are flags that a command needs other words for than the field's, by what the page's
    address calls the setting; Python takes the same words.
    """
    found: dict[str, Option] = {}
    for each in (each for question in questions for each in options_of(question).values()):
        found.setdefault(each.address, each.but(name=names.get(each.address, each.name)))
    return tuple(found.values())


def add_option(parser: Any, option: Option) -> None:
    """Add the argument of an option of a plan, a question or a view."""
    parser.add_argument(option.flag, **_argument(option))


def plan_values(plan: type[Plan], options: Namespace) -> dict[str, Any]:
    """What was asked for, as the plan's fields; files by the whole path that a worker needs."""
    values = {}
    for each in options_of(plan).values():
        if each.suited and each.name not in options:
            continue  # `Plan.suited` finds it
        value = getattr(options, each.name)
        if each.many and value is not None:
            value = tuple(value)
        if each.models and value:
            value = full_model(value)
        elif each.paths and value:
            whole = [full_path(name, *each.known) for name in (value if each.many else [value])]
            value = tuple(whole) if each.many else whole[0]
        values[each.name] = value
    return values


def full_path(name: str, *known: str) -> str:
    """A file or directory by its whole path, since a run is carried out elsewhere.

    Names in `known`, and those of nothing that is there, are left as they are.
    """
    path = Path(name).expanduser()
    return str(path.resolve()) if name not in known and path.exists() else name


def full_model(name: str) -> str:
    """The same for a model; presets are left as they are, with or without `random:`."""
    name = name_here(name)
    start = RANDOM_PREFIX if name.startswith(RANDOM_PREFIX) else ""
    rest = name.removeprefix(start)
    return name if find_preset(rest) else f"{start}{full_path(rest)}"


def _join_lists(words: Sequence[str], lists: dict[str, Option]) -> list[str]:
    """The words with each list joined to its flag: `--seeds 0 1` becomes `--seeds=0,1`."""
    joined: list[str] = []
    option: Option | None = None  # the list that the word before belongs to
    begun = False
    for word in words:
        flag, _, value = word.partition("=")
        if option and (option.holds(word) or not (begun or word.startswith("--"))):
            joined[-1] += f"{',' if begun else '='}{word}"
            begun = True
        else:
            option, begun = lists.get(flag), bool(value)
            joined.append(word)
    return joined


def _argument(option: Option) -> dict[str, Any]:
    """The words of `add_argument` for an option."""
    default = SUPPRESS if option.suited else option.default
    shown = option.suited or _shown(option)
    explained = "; ".join(
        f"{name}: {each.explanation.rstrip('.')}" for name, each in option.choices.items()
    )
    help = f"{option.help}{f': {explained}' if explained and not option.word else ''}"
    if shown:
        help += f" (default: {shown})"
    argument: dict[str, Any] = {"default": default, "help": help.replace("%", "%%")}
    if option.kind is bool:
        return argument | {"action": BooleanOptionalAction}
    if option.many and option.paths:
        return argument | {"nargs": "+", "metavar": "FILE"}
    if option.many:
        argument["metavar"] = "0,1" if option.kind is int else "A,B"
    if option.choices and not option.many:
        argument["choices"] = tuple(option.choices)
    return argument | {"type": _reader(option)}


def _shown(option: Option) -> str:
    """The default as it is written, empty where there is none to show."""
    if option.default is None:
        return option.none
    if option.kind is bool:
        return "on" if option.default else "off"
    return ",".join(map(str, option.default)) if option.many else str(option.default)


def _reader(option: Option) -> Callable[[str], Any]:
    """How a word becomes a value."""

    def read(text: str) -> Any:
        try:
            if option.none and text == option.none:
                return None
            if option.many:
                return tuple(option.kind(part.strip()) for part in text.split(",") if part.strip())
            return option.kind(text)
        except ValueError as error:
            wanted = {int: "a whole number", float: "a number"}[option.kind]
            if option.many:
                wanted = "a list of whole numbers such as 0,1,2"
            other = f" and not {option.none!r}" if option.none else ""
            raise ArgumentTypeError(f"{text!r} is not {wanted}{other}") from error

    return read
