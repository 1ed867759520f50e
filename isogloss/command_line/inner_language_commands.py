"""`inner-language`: which language a model speaks at every layer; the switch and the swap."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import fields
from typing import Any

from isogloss.command_line.arguments import add_command, settings_of
from isogloss.command_line.output import print_bar, print_found, print_table
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.read_along import ReadAlong
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import Steered, Switch
from isogloss.interface.inner_language import InnerLanguageResult
from isogloss.options import check_options, options_of
from isogloss.store import Store

QUESTIONS: dict[str, type[ModelQuestion[Any]]] = {
    "river": River,
    "read-along": ReadAlong,
    "switch": Switch,
    "swap": Swap,
    "steered": Steered,
}


OPTIONS = settings_of(*QUESTIONS.values())
"""The settings of the page, which this command has a flag for each of."""


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "inner-language",
        run_inner_language,
        _add_settings,
        csv=True,
        help="which language a model would say a word in, layer by layer",
        description="Read every layer of a causal or masked model with its own final norm and "
        "head. The river tells languages apart over a list of words; read-along takes a prompt; "
        "switch and steered add a language's direction; swap puts one prompt's state into "
        "another. What was computed before is found in the store.",
    )


def _add_settings(parser: ArgumentParser) -> None:
    """The model, which part, and a flag for each setting of each question; some share one."""
    parser.add_argument("model", metavar="MODEL", help="as `extract` takes it")
    parser.add_argument("part", nargs="?", default="river", choices=tuple(QUESTIONS))
    shared: dict[str, list[str]] = {}
    for part, kind in QUESTIONS.items():
        for name in options_of(kind):
            shared.setdefault(name, []).append(part)
    for name, parts in shared.items():
        setting = options_of(QUESTIONS[parts[0]])[name]
        known = f" ({', '.join(setting.choices)})" if setting.choices else ""
        parser.add_argument(
            setting.flag,
            type=setting.kind,
            metavar=name.upper(),
            help=f"{', '.join(parts)}: {setting.help}{known}",
        )
    parser.add_argument("--layer", type=int, help="steered: the layer (default: 5)")


def run_inner_language(options: Namespace) -> int:
    kind = QUESTIONS[options.part]
    asked = {
        each.name: value
        for each in fields(kind)
        if (value := getattr(options, each.name, None)) is not None
    }
    question = kind(**asked)
    check_options(question)
    answer = question.answer(Store(), lambda share, message: print_bar(share, None))
    found = InnerLanguageResult(question, answer)

    def say() -> None:
        print(found.describe())
        if kind is not Steered:
            print_table([_short(row) for row in found.rows()])

    document = {"said": found.describe(), "rows": found.rows()}
    return print_found(options, document, say, found.rows)


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers with as many digits as a table has room for, and text on one line."""
    return {
        name: f"{value:.3f}" if isinstance(value, float) else str(value).replace("\n", "⏎")
        for name, value in row.items()
    }
