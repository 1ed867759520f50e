"""What earlier versions called things, where files, links and scripts still say so.

Files keep the words that they began with, so that every version reads every run; people meet one
name for a thing.
"""

from __future__ import annotations

import re

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
}
"""Commands that were, and what they are called now."""

ADDRESSES = {
    "corpus": "your_text",
    "cache": "studies",
    "retrieval": "best_layer",
    "training": "emergence",
}
"""Pages' addresses that were, and the file in `pages/` that answers now."""

_COMMAND = re.compile(rf"(?<=-m isogloss )({'|'.join(COMMANDS)})\b")


def kind_on_disk(kind: str) -> str:
    """The word that `run.json` has for a kind of run."""
    return KINDS_ON_DISK.get(kind, kind)


def kind_of(stored: str) -> str:
    """The kind of run that `run.json` means."""
    return next((kind for kind, word in KINDS_ON_DISK.items() if word == stored), stored)


def command_today(line: str) -> str:
    """A command as it is written now.

    >>> command_today("python -m isogloss sweep mini-en-zh")
    'python -m isogloss transfer mini-en-zh'
    """
    return _COMMAND.sub(lambda found: COMMANDS[found[0]], line)
