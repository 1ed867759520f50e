"""The command line: one parser, one function per command, sentences instead of tracebacks.

Exit codes: 0 done, 1 something the user can mend, 2 wrong usage, 3 problems found by a check,
130 stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from isogloss.command_line import (
    app_commands,
    best_layer_commands,
    inner_language_commands,
    map_commands,
    measure_commands,
    model_commands,
    run_commands,
    study_commands,
    text_commands,
)
from isogloss.command_line.arguments import PlanParser, WrongUsage
from isogloss.command_line.output import print_json
from isogloss.errors import USER_ERRORS
from isogloss.former_names import words_today
from isogloss.places import data_root
from isogloss.store.files import say_if_full
from isogloss.version import __version__


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; every command sets `run`."""
    parser = PlanParser(
        prog="isogloss" if Path(sys.argv[0]).stem == "isogloss" else "python -m isogloss",
        description="Extract every layer's activations of a parallel text once, and keep them; "
        "fine-tune with frozen layers and see what it does to the shared space.",
        epilog=f"The store is in {data_root()}; the environment's ISOGLOSS_CACHE moves it.",
    )
    parser.add_argument("--version", action="version", version=f"Isogloss {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=PlanParser
    )
    for room in (
        app_commands,
        model_commands,
        text_commands,
        best_layer_commands,
        measure_commands,
        map_commands,
        study_commands,
        inner_language_commands,
        run_commands,
    ):
        room.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or app_commands.names_a_file(words[0]):
        words.insert(0, "app")
    words = words_today(words)
    try:
        return _carry_out(words)
    except _Failed as failed:
        print(f"isogloss: {failed}", file=sys.stderr)
        if "--json" in words:
            print_json({"error": str(failed)})
        return failed.code


class _Failed(Exception):
    """A command that came to nothing: the sentence that says why, and the exit code."""

    def __init__(self, sentence: object, code: int) -> None:
        super().__init__(str(sentence))
        self.code = code


def _carry_out(words: list[str]) -> int:
    try:
        options = build_parser().parse_args(words)
        return int(options.run(options))
    except USER_ERRORS as error:
        raise _Failed(error, 1) from error
    except WrongUsage as error:
        if "--json" in words:
            print_json({"error": str(error)})
        raise SystemExit(2) from error
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        full = say_if_full(error)
        if full is None:
            raise
        raise _Failed(full, 1) from error
    except KeyboardInterrupt as error:
        raise _Failed("stopped; what was finished is kept.", 130) from error
