"""The token table that goes with layers computed elsewhere: which row is what of the text.

A row a token, as Parquet or JSON lines, with the columns of `COLUMNS`; docs/own_vectors.md
describes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import ExtractionError
from isogloss.formatting import shorten
from isogloss.models.tokens import Tokenised, trim_span
from isogloss.studies.own_vectors.parquet_rows import read_parquet, too_many_rows
from isogloss.text.readers.checking import is_broken
from isogloss.text.reading import LIMITS, ParallelText

COLUMNS: Mapping[str, type] = {
    "sentence": int,
    "side": int,
    "start": int,
    "end": int,
    "text": str,
    "piece": str,
    "special": bool,
}
OPTIONAL = ("piece", "special")
LARGEST_NUMBER = 2**31 - 1
LIMIT_LINE_CHARACTERS = 100_000
_ROWS_AT_A_TIME = 1_024
_TYPE_NAMES = {int: "whole numbers", str: "texts", bool: "true or false"}


@dataclass(frozen=True)
class TokenRows:
    """The columns of a token table in the order of its file; those left out have been filled in."""

    file: str
    columns: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(self.columns["sentence"])


@dataclass(frozen=True)
class FittedRows:
    """A token table that is known to be one of a text.

    `order` (rows,) sorts the file's rows as studies keep them, side by side; `sentences` are the
    tokens of each side's sentences, none of a cell without a sentence.
    """

    order: np.ndarray
    sentences: tuple[list[Tokenised], ...]


def most_tokens(parallel: ParallelText) -> int:
    """Return more tokens than any model makes of a text: one a byte, and a prompt around each."""
    return sum(4 * len(text) + 100 for text in chain(*parallel.sides))


def read_token_rows(path: Path, most: int) -> TokenRows:
    """Read a token table and check its columns; whether it fits a text is not checked yet.

    One of more than `most` rows is refused before the rest of it is read.
    """
    readers = {".parquet": read_parquet, ".jsonl": _read_json_lines}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ExtractionError(
            f"{path.name} is no token table: end its name in {' or '.join(readers)}."
        )
    if not path.is_file():
        raise ExtractionError(f"There is no file {path}: check its name.")
    columns: dict[str, list[Any]] = {}
    for rows in reader(path, COLUMNS, most):
        _check_columns(path.name, rows, len(columns.get("sentence", ())))
        for name, values in rows.items():
            columns.setdefault(name, []).extend(values)
        if len(columns["sentence"]) > most:
            raise too_many_rows(path.name, most)
    if not columns["sentence"]:
        raise ExtractionError(f"{path.name} has no token: give a row for each.")
    spans = zip(columns["start"], columns["end"], strict=True)
    columns.setdefault("special", [start == end for start, end in spans])
    columns.setdefault("piece", columns["text"])
    return TokenRows(path.name, columns)


def _check_columns(file: str, columns: Mapping[str, Sequence[Any]], first_row: int) -> None:
    for name, kind in COLUMNS.items():
        if name not in columns and name not in OPTIONAL:
            raise ExtractionError(
                f"{file} has no column {name!r}: a token table has "
                f"{', '.join(set_name for set_name in COLUMNS if set_name not in OPTIONAL)}."
            )
        for row, value in enumerate(columns.get(name, ()), first_row):
            if problem := _problem(value, kind):
                raise ExtractionError(
                    f"{file}, row {row}: {name} is {shorten(repr(value))}, but {problem}."
                )


def _problem(value: Any, kind: type[object]) -> str | None:
    """What keeps a value out of its column, None if nothing does."""
    if type(value) is not kind:
        return f"that column holds {_TYPE_NAMES[kind]}"
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "no text has so many"
    if isinstance(value, str) and len(value) > LIMITS.characters:
        return f"no sentence has more than {LIMITS.characters:,} characters"
    if isinstance(value, str) and is_broken(value):
        return "a NUL or half a character is no text"
    return None


def fit_to_text(rows: TokenRows, parallel: ParallelText) -> FittedRows:
    """Check every token against the text and return them sentence by sentence."""
    sentence, side = (np.array(rows.columns[name], np.int64) for name in ("sentence", "side"))
    order = np.lexsort((sentence, side))
    sentences = tuple([_Sentence() for _ in side] for side in parallel.sides)
    last = len(sentences) - 1
    for row in map(int, order):
        token = {name: values[row] for name, values in rows.columns.items()}
        place = f"{rows.file}, row {row}"
        if not 0 <= token["side"] <= last:
            meaning = "1 for the translation" if last == 1 else f"{last} for the last language"
            raise ExtractionError(
                f"{place}: side is {token['side']}, but it is 0 for the source and {meaning}."
            )
        if not 0 <= token["sentence"] < len(parallel):
            raise ExtractionError(
                f"{place}: there is no sentence {token['sentence']} in a text of {len(parallel)} "
                "pairs, counted from 0; the token table is of another text."
            )
        text = parallel.side(token["side"])[token["sentence"]]
        sentences[token["side"]][token["sentence"]].add(token, text, place)
    for number, read in enumerate(sentences):
        there = parallel.side(number)
        missing = next(
            (row for row, found in enumerate(read) if there[row] and not found.pieces), None
        )
        if missing is not None:
            raise ExtractionError(
                f"{rows.file} has no token of sentence {missing} on side {number} "
                f"({there[missing][:40]!r}): give the tokens of all "
                f"{len(parallel)} pairs, or the text that they are of."
            )
    return FittedRows(order, tuple([found.tokenised() for found in read] for read in sentences))


class _Sentence:
    """The tokens of one sentence while they are read, in the order of their rows."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.special: list[bool] = []
        self._reached = 0

    def add(self, token: Mapping[str, Any], text: str, place: str) -> None:
        start, end = token["start"], token["end"]
        said = shorten(token["text"])
        if not 0 <= start <= end <= len(text) or (end > start and token["text"] != text[start:end]):
            raise ExtractionError(
                f"{place}: {said!r} does not stand in {text[:40]!r} from character {start} to "
                f"{end}; the token table is of another text."
            )
        if end > start and start < self._reached:
            raise ExtractionError(
                f"{place}: {said!r} begins before the token that precedes it; give each sentence's "
                "tokens in reading order."
            )
        self._reached = max(self._reached, start)
        self.pieces.append(token["piece"])
        self.spans.append(trim_span(text, start, end))
        self.special.append(token["special"])

    def tokenised(self) -> Tokenised:
        return Tokenised((), tuple(self.pieces), tuple(self.spans), tuple(self.special), False)


def _read_json_lines(
    path: Path, kinds: Mapping[str, type], most: int
) -> Iterator[dict[str, list[Any]]]:
    """Yield the columns of a table in JSON lines, some rows at a time."""
    lines = _json_objects(path)
    number, first = next(lines, (0, {}))
    names = [name for name in kinds if name in first]
    yield {name: [first[name]] for name in names}
    while rows := list(islice(lines, _ROWS_AT_A_TIME)):
        for number, row in rows:
            if missing := [name for name in names if name not in row]:
                raise ExtractionError(
                    f"{path.name}, line {number}, has no {min(missing)!r}: give each token all of "
                    "them."
                )
        yield {name: [row[name] for _, row in rows] for name in names}


def _json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file in JSON lines, each with the number of its line."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number in count(1):
                line = file.readline(LIMIT_LINE_CHARACTERS + 1)
                if not line:
                    return
                if len(line) > LIMIT_LINE_CHARACTERS:
                    raise ExtractionError(
                        f"{path.name}, line {number}, is longer than {LIMIT_LINE_CHARACTERS:,} "
                        "characters: write one token a line."
                    )
                if line.strip():
                    yield number, _json_object(path.name, number, line)
    except UnicodeDecodeError:
        raise ExtractionError(f"{path.name} is not UTF-8 text: write it anew.") from None


def _json_object(file: str, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise ExtractionError(f"{file}, line {number}, is no JSON object: write it anew.")
    return row
