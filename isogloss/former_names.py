"""What earlier versions called things, where files, links and scripts still say so.

Files keep the words that they began with, so that every version reads every run; people meet one
name for a thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KINDS_ON_DISK = {
    "transfer": "sweep",
    "layers-needed": "reinitialise",
    "two-models": "contextual",
}
"""What `run.json` calls a kind of run, where that is not its name."""

COMMANDS = {
    "sweep": "transfer",
    "reinitialise": "layers-needed",
    "adapt": "adaptation",
    "cache": "studies",
    "corpus": "text",
    "map": "token-map",
}
"""Commands that were, and what they are called now."""

ADDRESSES = {
    "corpus": "your_text",
    "cache": "studies",
    "retrieval": "best_layer",
    "training": "emergence",
}
"""Pages' addresses that were, and the file in `pages/` that answers now."""

PLAN_FIELDS_ON_DISK = {"sentences": {"text": "corpus"}}
"""What `run.json` calls fields of plans, by the kind of run."""

FLAGS = {"sentences": {"--corpus": "--text"}}
"""Flags that were, by their command."""


def kind_on_disk(kind: str) -> str:
    """The word that `run.json` has for a kind of run."""
    return KINDS_ON_DISK.get(kind, kind)


def kind_of(stored: str) -> str:
    """The kind of run that `run.json` means."""
    return next((kind for kind, word in KINDS_ON_DISK.items() if word == stored), stored)


def fields_on_disk(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's fields as `run.json` has them."""
    words = PLAN_FIELDS_ON_DISK.get(kind, {})
    return {words.get(name, name): value for name, value in fields.items()}


def fields_of(kind: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a plan that `run.json` means."""
    names = {word: name for name, word in PLAN_FIELDS_ON_DISK.get(kind, {}).items()}
    return {names.get(word, word): value for word, value in stored.items()}


def words_today(words: Sequence[str]) -> list[str]:
    """The words of a command line as they are written now, the command first."""
    command = COMMANDS.get(words[0], words[0])
    flags = FLAGS.get(command, {})
    split = (word.partition("=") for word in words[1:])
    return [command, *(flags.get(flag, flag) + sign + value for flag, sign, value in split)]


def command_today(lines: str) -> str:
    """Commands, one a line, as they are written now.

    >>> command_today("python -m isogloss sweep mini-en-zh")
    'python -m isogloss transfer mini-en-zh'
    >>> command_today("python -m isogloss sentences --corpus=mine.tsv")
    'python -m isogloss sentences --text=mine.tsv'
    """
    return "\n".join(map(_line_today, lines.split("\n")))


def _line_today(line: str) -> str:
    before, isogloss, words = line.partition("-m isogloss ")
    return before + isogloss + " ".join(words_today(words.split(" "))) if isogloss else line
