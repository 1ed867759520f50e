"""The token table that goes with layers computed elsewhere: which row is what of the text.

A row a token, as Parquet or JSON lines, with the columns of `COLUMNS`; docs/own_vectors.md
describes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import ExtractionError
from isogloss.models.tokens import Tokenised, trim_span
from isogloss.text.corpora import ParallelCorpus

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

    `order` (rows,) sorts the file's rows as studies keep them, source side first; `sentences` are
    the tokens of each side's sentences.
    """

    order: np.ndarray
    sentences: tuple[list[Tokenised], list[Tokenised]]


def read_token_rows(path: Path) -> TokenRows:
    """Read a token table and check its columns; whether it fits a text is not checked yet."""
    readers = {".parquet": _read_parquet, ".jsonl": _read_json_lines}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ExtractionError(
            f"{path.name} is no token table: end its name in {' or '.join(readers)}."
        )
    if not path.is_file():
        raise ExtractionError(f"There is no file {path}: check its name.")
    columns = reader(path)
    for name, kind in COLUMNS.items():
        if name not in columns and name not in OPTIONAL:
            raise ExtractionError(
                f"{path.name} has no column {name!r}: a token table has "
                f"{', '.join(set_name for set_name in COLUMNS if set_name not in OPTIONAL)}."
            )
        for row, value in enumerate(columns.get(name, ())):
            if type(value) is not kind:
                raise ExtractionError(
                    f"{path.name}, row {row}: {name} is {value!r}, but that column holds "
                    f"{_TYPE_NAMES[kind]}."
                )
    if not columns["sentence"]:
        raise ExtractionError(f"{path.name} has no token: give a row for each.")
    spans = zip(columns["start"], columns["end"], strict=True)
    columns.setdefault("special", [start == end for start, end in spans])
    columns.setdefault("piece", columns["text"])
    return TokenRows(path.name, columns)


def fit_to_text(rows: TokenRows, corpus: ParallelCorpus) -> FittedRows:
    """Check every token against the text and return them sentence by sentence."""
    sentence, side = (np.array(rows.columns[name], np.int64) for name in ("sentence", "side"))
    order = np.lexsort((sentence, side))
    sentences = tuple([_Sentence() for _ in corpus.side(side)] for side in (0, 1))
    for row in map(int, order):
        token = {name: values[row] for name, values in rows.columns.items()}
        place = f"{rows.file}, row {row}"
        if token["side"] not in (0, 1):
            raise ExtractionError(
                f"{place}: side is {token['side']}, but it is 0 for the source and 1 for the "
                "translation."
            )
        if not 0 <= token["sentence"] < len(corpus):
            raise ExtractionError(
                f"{place}: there is no sentence {token['sentence']} in a text of {len(corpus)} "
                "pairs, counted from 0; the token table is of another text."
            )
        text = corpus.side(token["side"])[token["sentence"]]
        sentences[token["side"]][token["sentence"]].add(token, text, place)
    for number, read in enumerate(sentences):
        missing = next((index for index, found in enumerate(read) if not found.pieces), None)
        if missing is not None:
            raise ExtractionError(
                f"{rows.file} has no token of sentence {missing} on side {number} "
                f"({corpus.side(number)[missing][:40]!r}): give the tokens of all "
                f"{len(corpus)} pairs, or the text that they are of."
            )
    first, second = ([found.tokenised() for found in read] for read in sentences)
    return FittedRows(order, (first, second))


class _Sentence:
    """The tokens of one sentence while they are read, in the order of their rows."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.special: list[bool] = []
        self._reached = 0

    def add(self, token: Mapping[str, Any], text: str, place: str) -> None:
        start, end = token["start"], token["end"]
        if not 0 <= start <= end <= len(text) or (end > start and token["text"] != text[start:end]):
            raise ExtractionError(
                f"{place}: {token['text']!r} does not stand in {text[:40]!r} from character "
                f"{start} to {end}; the token table is of another text."
            )
        if end > start and start < self._reached:
            raise ExtractionError(
                f"{place}: {token['text']!r} begins before the token that precedes it; give each "
                "sentence's tokens in reading order."
            )
        self._reached = max(self._reached, start)
        self.pieces.append(token["piece"])
        self.spans.append(trim_span(text, start, end))
        self.special.append(token["special"])

    def tokenised(self) -> Tokenised:
        return Tokenised((), tuple(self.pieces), tuple(self.spans), tuple(self.special), False)


def _read_parquet(path: Path) -> dict[str, list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ExtractionError(f"{path.name} is not a whole Parquet file ({reason}).") from None
    return {name: table[name].to_pylist() for name in COLUMNS if name in table.column_names}


def _read_json_lines(path: Path) -> dict[str, list[Any]]:
    rows: list[dict[str, Any]] = []
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ExtractionError(f"{path.name} is not UTF-8 text: write it anew.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise ExtractionError(f"{path.name}, line {number}, is no JSON object: write it anew.")
        rows.append(row)
        missing = rows[0].keys() - row.keys()
        if missing:
            raise ExtractionError(f"{path.name}, line {number}, has no {min(missing)!r}.")
    return {name: [row[name] for row in rows] for name in COLUMNS if rows and name in rows[0]}
