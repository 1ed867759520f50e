"""JSON lines: one object per line, such as {"en": …, "zh": …} or {"translation": {…}}.

Parquet tables, such as the files of Hugging Face's datasets, are read as the same objects.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from isogloss.errors import TextError
from isogloss.text.readers.columns import columns_by_name
from isogloss.text.readers.files import GivenFile, format_bytes
from isogloss.text.readers.rows import (
    EMPTY,
    SIDES,
    Reading,
    Row,
    SkippedRow,
    TextFile,
    Wanted,
    split_lines,
    without_blank_end,
)
from isogloss.text.readers.tables import SAMPLE_ROWS, split_words

PARQUET = b"PAR1"
TRANSLATION = "translation"
_PARQUET_ROWS_AT_A_TIME = 1_000


def read_json_lines(file: TextFile, wanted: Wanted) -> Reading:
    """Objects with a key for each side, found as columns are; a `translation` object is opened."""
    text = without_blank_end(file.text)
    sample = (parse_object(line) for line in islice(split_lines(text), SAMPLE_ROWS))
    records = [record for record in sample if isinstance(record, dict)]
    if not records:
        raise TextError(
            f"{file.name}, line 1: this is not a JSON object; write one object per line, "
            'such as {"en": "…", "zh": "…"}.'
        )
    # A record may lack a language that others have, so all of the first ones tell.
    keys = list(dict.fromkeys(key for record in records for key in record))
    columns = columns_by_name(keys, wanted, file.name)
    sides = tuple(keys[side] for side in (columns.source, columns.target, *columns.more))

    def rows() -> Iterator[Row | SkippedRow]:
        for number, line in enumerate(split_lines(text), start=1):
            record = parse_object(line)
            if isinstance(record, str):
                yield SkippedRow(file.name, number, record)
            elif problem := _problem(record, sides):
                yield SkippedRow(file.name, number, problem)
            else:
                yield _row(number, record, sides)

    return Reading(
        rows=rows(),
        files=(file.name,) * len(sides),
        languages=columns.languages,
        columns=columns.names,
    )


def parse_object(line: str) -> dict[str, Any] | str:
    """The object on a line, with the keys of its `translation` as its own, or why there is none."""
    if not line.strip():
        return EMPTY
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "this is not valid JSON"
    if not isinstance(record, dict):
        return "this is JSON but not an object"
    translation = record.get(TRANSLATION)
    return {**record, **translation} if isinstance(translation, dict) else record


def _problem(record: dict[str, Any], sides: tuple[str, ...]) -> str | None:
    """What keeps a record from being a row, None if nothing does."""
    for key in sides:
        if len(sides) > 2 and record.get(key) is None:
            continue
        if not isinstance(record.get(key), str):
            return f"its {key!r} is {'missing' if record.get(key) is None else 'not text'}"
    for key in ("topic", "alignment"):
        if not isinstance(record.get(key) or "", str):
            return f"its {key!r} is not text"
    for side in (0, 1):
        words = _given_words(record, sides, side)
        is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
        if not is_list and not isinstance(words, str):
            return f"its {SIDES[side]} words are no list of words"
    return None


def _row(number: int, record: dict[str, Any], sides: tuple[str, ...]) -> Row:
    words = [_given_words(record, sides, side) for side in (0, 1)]
    source_words, target_words = (
        split_words(given) if isinstance(given, str) else tuple(given) for given in words
    )
    return Row(
        line=number,
        source=record.get(sides[0]) or "",
        target=record.get(sides[1]) or "",
        more=tuple(record.get(key) or "" for key in sides[2:]),
        topic=record.get("topic") or "",
        alignment=record.get("alignment") or "",
        source_words=source_words,
        target_words=target_words,
    )


def _given_words(record: dict[str, Any], sides: tuple[str, ...], side: int) -> Any:
    """A side's words as the record has them; any record may have them, not only the first."""
    return record.get(f"{sides[side]}_words") or record.get(f"{SIDES[side]}_words") or ""


def parquet_columns(path: Path) -> list[str]:
    """The columns of a Parquet file, with the languages of a `translation` as columns, too."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        raise _damaged(path.name) from None
    found = list(schema.names)
    if TRANSLATION in found:
        kind = schema.field(TRANSLATION).type
        found += [field.name for field in kind] if pa.types.is_struct(kind) else []
    return found


def _damaged(name: str) -> TextError:
    return TextError(f"{name} is a damaged Parquet file; write it again, or save it as TSV.")


def parquet_as_json_lines(
    file: GivenFile,
    limit_bytes: int,
    columns: Sequence[str] | None = None,
    most_rows: int | None = None,
) -> TextFile:
    """The rows of a Parquet file as objects, a line each, at most `limit_bytes` of them.

    A column of many languages, as `translation`, becomes an object, which JSON lines know, too. Of
    a wide table only `columns` are read, and of a long one no batch beyond `most_rows`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines: list[str] = []
    size = 0
    try:
        with pq.ParquetFile(pa.BufferReader(file.data)) as table:
            there = set(table.schema_arrow.names)
            read = columns and [c if c in there else TRANSLATION for c in columns]
            for batch in table.iter_batches(_PARQUET_ROWS_AT_A_TIME, columns=read):
                if most_rows is not None and len(lines) >= most_rows:
                    break
                for row in batch.to_pylist():
                    lines.append(json.dumps(row, ensure_ascii=False, default=str))
                    size += len(lines[-1].encode("utf-8", "surrogatepass"))
                    if size > limit_bytes:
                        raise TextError(
                            f"{file.name}, unpacked, is larger than the limit of "
                            f"{format_bytes(limit_bytes)}; take a part of it."
                        )
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TextError):
            raise
        raise _damaged(file.name) from None
    return TextFile(file.name, "\n".join(lines), "Parquet")
