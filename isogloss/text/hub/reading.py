"""A data set of the hub as a parallel text: a table of languages, or a file for each of them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from isogloss.errors import TextError
from isogloss.store.files import sha256_of
from isogloss.text.hub.layout import MOST_FETCHED, FoundFiles, called_there, find_files
from isogloss.text.hub.names import HubName, parse_hub_name
from isogloss.text.hub.origin import Origin
from isogloss.text.hub.repository import (
    JSON_LINES,
    PARQUET,
    Repository,
    open_repository,
    some,
)
from isogloss.text.readers.files import GivenFile, format_bytes, load_file
from isogloss.text.readers.jsonlines import parquet_as_json_lines, parquet_columns, parse_object
from isogloss.text.reading import LIMITS, ReadResult, read_files

LIMITS_OF_THE_HUB = (
    f"At most {format_bytes(MOST_FETCHED)} are fetched and {LIMITS.pairs:,} rows read; #1000 after "
    "a name takes the first 1,000."
)
_TEXT_COLUMNS = ("text", "sentence")
_ID = "id"
_AS_IS = "as it is"


def load_from_hub(text: str) -> ReadResult:
    """The text that a name of the hub stands for, with its origin; rows are checked as a file's."""
    name = parse_hub_name(text)
    repository = open_repository(name.repository, name.revision)
    found = find_files(name, repository)
    paths = {path: repository.fetch(path) for path in found.files}
    result = (_read_columns if found.columns else _read_files)(name, paths, found)
    parallel = replace(result.text, origin=_origin(name, repository, paths))
    kind = _kind(found.files[0])
    return replace(
        result,
        text=parallel,
        format=result.format if kind == _AS_IS else kind,
        languages_guessed=False,
    )


def _read_columns(name: HubName, paths: dict[str, Path], found: FoundFiles) -> ReadResult:
    """A table, which may be in several files, as JSON lines or as the file that it is."""
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1 or (kinds == {_AS_IS} and len(paths) > 1):
        raise TextError(
            f"{name.text} stands for {some(list(paths))}, which are no one table: name the split, "
            "as hub:owner/name/config/split."
        )
    columns: tuple[str, ...] | None = found.columns
    if kinds == {_AS_IS}:
        file = load_file(next(iter(paths.values())), LIMITS.bytes)
        if not any(side.column for side in name.sides) and not name.known:
            columns = None  # its header tells the languages
    else:
        first = next(iter(paths.values()))
        columns = _columns(name, found, _column_names(first))
        file = _as_json_lines(name, paths, columns)
    result = read_files(
        file,
        name=_text_name(name, found.languages),
        columns=columns,
        languages=found.languages,
        skip_bad_rows=True,
    )
    return _cut(result, name)


def _kind(path: str) -> str:
    """How a file is read: by us as one of two kinds, or as any other file of text is."""
    low = path.lower()
    kinds = {"Parquet": PARQUET, "JSON lines": JSON_LINES}
    return next((kind for kind, endings in kinds.items() if low.endswith(endings)), _AS_IS)


def _columns(name: HubName, found: FoundFiles, there: list[str]) -> tuple[str, ...]:
    """The column of each side: named, or called as its language is."""
    columns = []
    for side, wanted in zip(name.sides, found.columns, strict=True):
        named = side.column or (wanted if wanted != side.language else "")
        column = named if named in there else None if named else called_there(wanted, there, name)
        if column is None:
            raise TextError(
                f"{name.title} has no column for {wanted}; it has {some(there)}: {name.page} "
                "shows them."
            )
        columns.append(column)
    if len(set(columns)) < len(columns):
        raise TextError(f"{name.text} names a column twice: name one for each language.")
    return tuple(columns)


def _column_names(path: Path) -> list[str]:
    if path.name.lower().endswith(PARQUET):
        return parquet_columns(path)
    first = parse_object(next(_lines(path, (), LIMITS.bytes, 1), ""))
    if isinstance(first, str):
        raise TextError(f"{path.name} is no JSON lines ({first}): choose another split.")
    return list(first)


def _as_json_lines(name: HubName, paths: dict[str, Path], columns: Sequence[str]) -> GivenFile:
    """All parts of a table as one file, with the columns that are read and no row too many."""
    room, rows = LIMITS.bytes, LIMITS.pairs * 2 // len(columns)
    lines: list[str] = []
    for path in paths.values():
        more = rows + 1 - len(lines) if name.first is None else name.first - len(lines)
        if more <= 0:
            break
        lines += islice(_lines(path, columns, room, more), more)
    if len(lines) > rows:
        raise TextError(
            f"{name.text} has more rows than the limit of {rows:,}: write #{rows} behind it to "
            "take the first of them."
        )
    return GivenFile(f"{name.title}.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass"))


def _lines(path: Path, columns: Sequence[str], room: int, rows: int) -> Iterator[str]:
    if path.name.lower().endswith(PARQUET):
        file = GivenFile(path.name, path.read_bytes())
        yield from parquet_as_json_lines(file, room, columns, rows).text.split("\n")
        return
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rb") as stream:
            while rows > 0 and (line := stream.readline(room + 1)):
                room -= len(line)
                if room < 0:
                    raise TextError(
                        f"{path.name}, unpacked, is larger than the limit of "
                        f"{format_bytes(LIMITS.bytes)}: write #1000 behind its name to take the "
                        "first 1,000 rows."
                    )
                if line.strip():
                    rows -= 1
                    yield line.decode("utf-8").strip()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise TextError(f"{path.name} is damaged or not UTF-8: choose another split.") from error


def _read_files(name: HubName, paths: dict[str, Path], found: FoundFiles) -> ReadResult:
    """One file a language: rows with ids are put together by them, others by their order."""
    called = _text_name(name, found.languages)
    kinds = {_kind(path) for path in paths}
    if kinds == {_AS_IS}:
        files = [load_file(path, LIMITS.bytes) for path in paths.values()]
        result = read_files(files, name=called, languages=found.languages, skip_bad_rows=True)
        return _cut(result, name)
    sides = [_rows_of(path) for path in paths.values()]
    keys = list(dict.fromkeys(key for side in sides for key in side))
    lines = (
        json.dumps(
            {code: side.get(key, "") for code, side in zip(found.languages, sides, strict=True)},
            ensure_ascii=False,
        )
        for key in keys
        if sum(bool(side.get(key)) for side in sides) > 1
    )
    file = GivenFile(f"{name.title}.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass"))
    result = read_files(file, name=called, languages=found.languages, skip_bad_rows=True)
    return _cut(result, name)


def _rows_of(path: Path) -> dict[Any, str]:
    """The text of one language by its ids, or by the numbers of its rows."""
    columns = _column_names(path)
    column = next((each for each in _TEXT_COLUMNS if each in columns), None)
    if column is None:
        raise TextError(
            f"{path.name} has no column {' or '.join(_TEXT_COLUMNS)} but {some(columns)}: give "
            "the files yourself and name the column."
        )
    wanted = [column, *([_ID] if _ID in columns else [])]
    rows = map(parse_object, _lines(path, wanted, LIMITS.bytes, LIMITS.pairs))
    return {
        row.get(_ID, number): str(row.get(column) or "")
        for number, row in enumerate(rows)
        if isinstance(row, dict)
    }


def _cut(result: ReadResult, name: HubName) -> ReadResult:
    """The first rows, as many as were asked for."""
    if name.first is None or name.first >= len(result.text):
        return result
    return replace(result, text=result.text.select(range(name.first)))


def _text_name(name: HubName, languages: Sequence[str]) -> str:
    return f"{name.called}.{'-'.join(languages)}" if len(languages) == 2 else name.called


def _origin(name: HubName, repository: Repository, paths: dict[str, Path]) -> Origin:
    known = name.known
    stated = repository.card.get("license")
    stated = ", ".join(map(str, stated)) if isinstance(stated, list) else stated
    return Origin(
        name=name.text,
        repository=name.repository,
        revision=repository.commit,
        files=tuple((path, sha256_of(place)) for path, place in paths.items()),
        licence=known.licence if known else str(stated or "not stated by its makers"),
        citation=f"cite {known.citation}" if known else f"cite as {name.page} asks",
        key=known.key if known else "",
    )
