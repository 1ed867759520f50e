"""Files of labelled sentence pairs: tables with or without a header, JSON lines, plain or gzipped.

The files are read line by line and are UTF-8 alone: a training file with its parse trees has half
a gigabyte, ten times what the readers of parallel text hold in memory to find its encoding.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from isogloss.errors import NliError
from isogloss.text.readers.files import GZIP_MAGIC, format_bytes, open_file
from isogloss.text.readers.jsonlines import parse_object
from isogloss.text.readers.rows import header_places

LIMIT_BYTES = 1_000_000_000
"""How large a file may be, unpacked: twice MultiNLI's training file with all its parse trees."""
LIMIT_LINE_BYTES = 1_000_000
LIMIT_ROWS = 3_000_000
"""How many pairs a file may have: several times the largest, SNLI and MultiNLI together."""

LABELS = ("entailment", "neutral", "contradiction")

# The pairs on which annotators did not agree, in SNLI and MultiNLI.
UNDECIDED = "-"

# What the official files call each part of a row; XNLI-MT has its own words.
COLUMNS = {
    "premise": ("premise", "sentence1"),
    "hypothesis": ("hypothesis", "hypo", "sentence2"),
    "label": ("label", "gold_label"),
    "language": ("language",),
}
NEEDED = ("premise", "hypothesis", "label")

_LABEL_OF = {
    **{label: index for index, label in enumerate(LABELS)},
    **{str(index): index for index in range(len(LABELS))},
    "contradictory": LABELS.index("contradiction"),
}
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class NliRow:
    """One labelled pair as its file has it; `language` is None where no column tells."""

    premise: str
    hypothesis: str
    label: int
    language: str | None


class _BadLine(Exception):
    """Why a line is no labelled pair; its file and number are added where they are known."""


# A line's premise, hypothesis, label and, if there is such a column, language.
_Parts = tuple[object, object, object, object]
_Parser = Callable[[str], _Parts]


def read_rows(path: Path) -> Iterator[NliRow]:
    """The labelled pairs of a file, in order and without those nobody could agree on.

    The first line tells the format: a JSON object, a header with the names of `COLUMNS`, or else
    premise, hypothesis and label.
    """
    parser: _Parser | None = None
    blank = 0
    for number, data in enumerate(_lines(path), start=1):
        if number > LIMIT_ROWS:
            raise NliError(f"{path.name} has more than {LIMIT_ROWS:,} lines; take a part of it.")
        try:
            line = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            if not line.strip():
                blank = blank or number
                continue
            if blank:
                number = blank
                raise _BadLine("the line is empty")
            if parser is None:
                parser, is_header = _find_parser(line)
                if is_header:
                    continue
            row = _check(*parser(line))
        except _BadLine as problem:
            raise NliError(f"{path.name}, line {number}: {problem}; mend this line.") from None
        except UnicodeDecodeError:
            raise NliError(
                f"{path.name}, line {number}: this is not valid UTF-8; save the file as UTF-8."
            ) from None
        if row is not None:
            yield row


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, unpacked; one that is too large ends with a sentence, not the memory."""
    left = LIMIT_BYTES
    try:
        with open_file(path, NliError) as file:
            packed = file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
            stream = gzip.GzipFile(fileobj=file) if packed else file
            for number in count(1):
                line = stream.readline(LIMIT_LINE_BYTES + 1)
                if not line:
                    return
                left -= len(line)
                if len(line) > LIMIT_LINE_BYTES:
                    raise NliError(
                        f"{path.name}, line {number}: it is longer than "
                        f"{format_bytes(LIMIT_LINE_BYTES)}, so this is no file of labelled pairs; "
                        "name another."
                    )
                if left < 0:
                    raise NliError(
                        f"{path.name} is larger than the limit of {format_bytes(LIMIT_BYTES)}; "
                        "take a part of it."
                    )
                yield line
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise NliError(
            f"{path.name} is a damaged or cut-off gzip file; fetch or compress it again."
        ) from None
    except OSError as error:
        raise NliError(f"{path} cannot be read ({error.strerror}); check the path.") from None


def _find_parser(first: str) -> tuple[_Parser, bool]:
    """What takes the file's lines apart, and whether the first of them is a header."""
    if first.lstrip().startswith("{"):
        return _parse_json, False
    cells = first.split("\t")
    places = header_places(cells, COLUMNS)
    found = [column for column in NEEDED if places[column] is not None]
    # One such word may be a text that happens to be "premise" or "label", two are a header.
    if len(found) < 2:
        return _table_parser(len(NEEDED), (0, 1, 2, None)), False
    for column in NEEDED:
        if column not in found:
            raise _BadLine(f"the header has no column {' or '.join(COLUMNS[column])}")
    return _table_parser(len(cells), tuple(places.values())), True


def _table_parser(width: int, places: tuple[int | None, ...]) -> _Parser:
    """Takes a line apart at its tabs; quotation marks are text, as in all these files.

    A line may stop early when nothing after it is needed: the annotators' own labels, often
    fewer than five, are the last columns.
    """
    needed = 1 + max(place for place in places if place is not None)

    def parse(line: str) -> _Parts:
        cells = [cell.strip("\r") for cell in line.split("\t")]
        if not needed <= len(cells) <= width:
            raise _BadLine(f"it has {len(cells)} columns separated by tabs instead of {width}")
        premise, hypothesis, label, language = (
            None if place is None else cells[place] for place in places
        )
        return premise, hypothesis, label, language

    return parse


def _parse_json(line: str) -> _Parts:
    record = parse_object(line)
    if isinstance(record, str):
        raise _BadLine(record)
    premise, hypothesis, label, language = (
        next((record[name] for name in names if name in record), None) for names in COLUMNS.values()
    )
    return premise, hypothesis, label, language


def _check(premise: object, hypothesis: object, label: object, language: object) -> NliRow | None:
    """The row if all its parts are there, None if it was left without a label."""
    if label is None:
        raise _BadLine("it has no label")
    name = str(label).strip()
    if name == UNDECIDED:
        return None
    if name not in _LABEL_OF:
        raise _BadLine(f"its label is not one of {', '.join(LABELS)}")
    if language is not None and not (isinstance(language, str) and language.strip()):
        raise _BadLine("its language is empty")
    return NliRow(
        _check_text(premise, "premise"),
        _check_text(hypothesis, "hypothesis"),
        _LABEL_OF[name],
        language,
    )


def _check_text(text: object, column: str) -> str:
    if not isinstance(text, str):
        raise _BadLine(f"its {column} is {'missing' if text is None else 'not text'}")
    if not text.strip():
        raise _BadLine(f"its {column} is empty")
    if _SURROGATE.search(text):
        raise _BadLine(f"its {column} has half of a character written as two")
    return text
