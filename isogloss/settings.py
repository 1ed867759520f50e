"""Every variable of the environment that Isogloss reads, declared once and read here only.

`docs/deployment.md` has the table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from isogloss.formatting import parse_size, shorten

Value = TypeVar("Value", covariant=True)


class SettingError(Exception):
    """A variable of the environment that says what cannot be read; its message is one sentence."""


@dataclass(frozen=True)
class Setting(Generic[Value]):
    """A variable, what it does, what is so without it, and how its text is read.

    `parse` raises ValueError, which says what is wrong and what to write.
    """

    name: str
    help: str
    otherwise: str
    default: Value
    parse: Callable[[str], Value]

    def read(self) -> Value:
        """What the environment says now; the default where it says nothing."""
        text = os.environ.get(self.name, "")
        if not text.strip():
            return self.default
        try:
            return self.parse(text)
        except ValueError as error:
            raise SettingError(f"{self.name} is not right: {error}") from error

    def write(self, text: str) -> None:
        """Set it for this process and for those that it starts."""
        os.environ[self.name] = text


def _directory(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # the home of a user who is not there
        raise ValueError(f"{shorten(text)!r} is no path here: write it out.") from error


_NAME = re.compile(r"[^\s:/*?@\[\],]+")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, map(str.strip, text.split(","))))
    if wrong := [name for name in names if not _NAME.fullmatch(name)]:
        raise ValueError(
            f"{shorten(wrong[0])!r} is not a name: write for example isogloss.example.org, without "
            "a scheme, a port or a star, and commas between several."
        )
    return names


def _switch(text: str) -> bool:
    if text.strip() not in ("0", "1"):
        raise ValueError(f"{shorten(text)!r} is neither 1, for yes, nor 0, for no.")
    return text.strip() == "1"


def _paths(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(os.pathsep)))


def _processors(text: str) -> int | None:
    """The first number, as OpenMP takes it; what is none is left to OpenMP to complain of."""
    first = text.partition(",")[0].strip()
    return int(first) if first.isdecimal() else None


CACHE: Setting[Path | None] = Setting(
    "ISOGLOSS_CACHE",
    "the directory where studies and runs are kept",
    "`cache/data` of a checkout; installed, the system's directory for a user's data",
    None,
    _directory,
)
CACHE_LIMIT: Setting[int | None] = Setting(
    "ISOGLOSS_CACHE_LIMIT",
    "how large that may grow, such as `20GB`; the least recently used goes first",
    "any size",
    None,
    parse_size,
)
RUNS_LIMIT: Setting[int | None] = Setting(
    "ISOGLOSS_RUNS_LIMIT",
    "how much all runs together may take, such as `5GB`; no run starts or goes on beyond it",
    "any size",
    None,
    parse_size,
)
UPLOADS_LIMIT: Setting[int | None] = Setting(
    "ISOGLOSS_UPLOADS_LIMIT",
    "how much may be uploaded and kept at once, such as `1GB`; more is refused until what nobody "
    "used for a day has gone",
    "any size",
    None,
    parse_size,
)
HOSTS: Setting[tuple[str, ...]] = Setting(
    "ISOGLOSS_HOSTS",
    "the names that the server is opened by, such as `isogloss.example.org`, with commas between "
    "them",
    "addresses in numbers, `localhost` and the name it was told to listen at, which are never "
    "refused",
    (),
    _names,
)
FILES: Setting[Path | None] = Setting(
    "ISOGLOSS_FILES",
    "the directory whose files may be named in forms",
    "any file where the server listens on this machine only (put it behind a proxy and others can, "
    "too), else none",
    None,
    _directory,
)
READ_ONLY: Setting[bool] = Setting(
    "ISOGLOSS_READ_ONLY",
    "`1`: visitors look and nothing else: no uploads, no runs, no paths",
    "`0`: they may",
    False,
    _switch,
)
OPEN: Setting[tuple[str, ...]] = Setting(
    "ISOGLOSS_OPEN",
    "the files of a text that **Your text** begins with, `:` between them (`;` on Windows); "
    "`isogloss FILE` sets it",
    "none",
    (),
    _paths,
)
RAY: Setting[str] = Setting(
    "ISOGLOSS_RAY",
    "the address of a Ray cluster, which forms then offer; `here` starts Ray on this machine",
    "forms offer none",
    "",
    str.strip,
)
PROCESSORS: Setting[int | None] = Setting(
    "OMP_NUM_THREADS",
    "how many processors the map of a large text takes at most, and the libraries that compute; a "
    "large map is the same to the last bit only with as many",
    "all that the process may use",
    None,
    _processors,
)

SETTINGS: Sequence[Setting[object]] = (
    CACHE,
    CACHE_LIMIT,
    RUNS_LIMIT,
    UPLOADS_LIMIT,
    HOSTS,
    FILES,
    READ_ONLY,
    OPEN,
    RAY,
    PROCESSORS,
)


def check() -> None:
    """Raise SettingError for the first variable that cannot be read."""
    for setting in SETTINGS:
        setting.read()


def table() -> str:
    """The settings as `docs/deployment.md` shows them, in Markdown."""
    rows = [("variable", "what it does", "without it"), ("---", "---", "---")]
    rows += [(f"`{each.name}`", each.help, each.otherwise) for each in SETTINGS]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
