"""What every reader gives: rows of parallel text, and the rows that cannot be read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from isogloss.errors import TextError

SIDES = ("source", "target")

# str.splitlines also breaks at U+2028, U+0085, form feeds and more, which are ordinary text here.
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class TextFile:
    """A file's decoded text, its name as the user knows it, and its encoding."""

    name: str
    text: str
    encoding: str


@dataclass(frozen=True)
class Row:
    """One row as it stands in the file, not yet checked; `line` counts from 1.

    `more` has the sentences of a third language and those after it; where it has any, sentences may
    be missing. `alignment_place` says where the alignment stands if not in the same file.
    """

    line: int
    source: str
    target: str
    topic: str = ""
    alignment: str = ""
    alignment_place: str = ""
    source_words: tuple[str, ...] = ()
    target_words: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


EMPTY = "the line is empty"
"""Why a row is none that spreadsheets and editors leave behind: it is left out and listed."""


@dataclass(frozen=True)
class SkippedRow:
    """A row that is no sentence pair: where it stands and why it cannot be used."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"

    def as_error(self) -> TextError:
        """The same as an error that says what to do."""
        return TextError(f"{self}; mend this line or skip the bad rows.")


@dataclass(frozen=True)
class Wanted:
    """What the user asked for: the languages, and the columns by name or 1-based number."""

    languages: tuple[str, ...] | None = None
    columns: tuple[str | int, ...] | None = None


@dataclass(frozen=True)
class Reading:
    """A reader's answer: its rows, the file of each side, the languages and columns it found.

    `not_languages` are columns whose names look like codes of languages and are none known here.
    """

    rows: Iterator[Row | SkippedRow]
    files: tuple[str, ...]
    languages: tuple[str | None, ...] = (None, None)
    columns: tuple[str, ...] | None = None
    not_languages: tuple[str, ...] = ()


def header_places(
    cells: Sequence[str], columns: Mapping[str, Sequence[str]]
) -> dict[str, int | None]:
    """Where a header has each column, by the first of its names that is there."""
    found = [cell.strip().lower() for cell in cells]
    return {
        column: next((found.index(name) for name in names if name in found), None)
        for column, names in columns.items()
    }


def split_lines(text: str, *, keep_ends: bool = False) -> Iterator[str]:
    r"""The lines of `text`, split at \n, \r\n and \r only; a last line needs no line end."""
    start = 0
    for match in LINE_END.finditer(text):
        yield text[start : match.end() if keep_ends else match.start()]
        start = match.end()
    if start < len(text):
        yield text[start:]


def mend_torn_rows(text: str) -> str:
    """A table without the carriage returns beside its tabs, which would tear rows apart.

    `paste` leaves them there of files with CRLF line ends. Where carriage returns alone end the
    lines there is no line feed, and nothing is changed.
    """
    # A run is looked at from its first character alone: from each, a long one would take hours.
    torn = r"(?<!\r)\r+(?=\t)|(?<=\t)\r+(?=[^\r\n])"
    return re.sub(torn, "", text) if "\n" in text else text


def count_lines(text: str) -> int:
    """How many lines `split_lines` gives."""
    ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    return ends + (0 if not text or text.endswith(("\n", "\r")) else 1)


def without_blank_end(text: str) -> str:
    """`text` without the blank lines at its end, keeping tabs, which may bound empty fields."""
    return text.rstrip(" \r\n")
