"""The list of commands and what each prints, from the parser: `python -m docs.make_commands`."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from isogloss.command_line import build_parser
from isogloss.command_line.schemas import WITHOUT, Schema, schema_of
from isogloss.lab.runs.plan import PLANS

COMMANDS = Path(__file__).parent / "commands.md"
INTRODUCTION = """# Commands, for pipelines

Written from the parser and the schemas by `python -m docs.make_commands`. `isogloss COMMAND --help`
explains each option. With `--json` standard output has one JSON document and nothing else; how far
the work is goes to standard error. Fields are stable, and a number that is not there is `null`. The
JSON Schemas are in `isogloss/command_line/schemas.py`, and a test holds each command to its own.

Exit codes: 0 done, 1 something that you can mend, 2 wrong usage, 3 problems found by a check, 130
stopped. A command that fails prints `{"error": "…"}` with the code that it has anyway.

```
isogloss best-layer STUDY --json | jq -r '.best[] | [.score, .layer, .value] | @tsv'
```
"""
UNBROKEN: Any = {
    "subsequent_indent": "    ",
    "break_long_words": False,
    "break_on_hyphens": False,
}
HEAD = "| field | type | what |\n|---|---|---|"


def main() -> None:
    COMMANDS.write_text(describe_commands(), encoding="utf-8")


def leaves(parser: ArgumentParser, name: str = "") -> Iterator[tuple[str, str, ArgumentParser]]:
    """Every command: its name, its help and its parser."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            said = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for word, inner in action.choices.items():
                if PLANS.get(word, "isogloss.").partition(".")[0] != "isogloss":
                    continue  # a kind of run of the tests
                below = list(leaves(inner, f"{name}{word} "))
                yield from below or [(f"{name}{word}", said.get(word, ""), inner)]


def describe_commands() -> str:
    """Return the whole document."""
    parts = [INTRODUCTION]
    for name, said, parser in leaves(build_parser()):
        written = f"isogloss {name} {' '.join(_words(parser))}"
        lines = [line.replace("\xa0", " ") for line in wrap(written, 100, **UNBROKEN)]
        usage = "\n".join(["```", *lines, "```"])
        printed = f"No `--json`: {WITHOUT[name]}." if name in WITHOUT else _printed(name)
        parts.append(f"## {name}\n\n{_sentence(said)}\n\n{usage}\n\n{printed}\n")
    return "\n".join(parts)


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:].rstrip('.')}.".replace("%%", "%")


def _words(parser: ArgumentParser) -> Iterator[str]:
    """The arguments, then the flags, as one writes them."""
    shown = [each for each in parser._actions if each.help != SUPPRESS and each.dest != "help"]
    yield from (_argument(each) for each in shown if not each.option_strings)
    for each in shown:
        if each.option_strings:
            flag = each.option_strings[0]
            value = "" if each.nargs == 0 else f" {_argument(each)}"
            # An argument stays on the line of its flag.
            whole = f"{flag}{value}".replace(" ", "\xa0")
            yield whole if each.required else f"[{whole}]"


def _argument(action: Action) -> str:
    name = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    several = {"+": "…", "*": "…"}.get(str(action.nargs), "")
    whole = f"{name}{several}"
    return f"[{whole}]" if not action.option_strings and action.nargs in ("?", "*") else whole


def _printed(command: str) -> str:
    rows = _fields(schema_of(command, PLANS), "")
    return "\n".join([HEAD, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _fields(schema: Schema, path: str) -> Iterator[tuple[str, str, str]]:
    """A row for every field, with the way to it as `jq` writes it."""
    if path or schema["type"] != "object":
        yield f"`.{path.removeprefix('.')}`", _kind(schema), schema.get("description", "")
    inner: Schema = schema.get("items", schema)
    below = f"{path}[]" if "items" in schema else path
    for variant in inner.get("anyOf", (inner,)):
        if "anyOf" in inner:
            yield f"`.{below.removeprefix('.')}`", "object", variant.get("description", "")
        for name, field in variant.get("properties", {}).items():
            yield from _fields(field, f"{below}.{name}")


def _kind(schema: Schema) -> str:
    kinds = schema["type"]
    return " or ".join([kinds] if isinstance(kinds, str) else kinds)


if __name__ == "__main__":
    main()
