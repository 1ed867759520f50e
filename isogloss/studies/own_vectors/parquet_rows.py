"""Columns of a Parquet file from anybody, a part at a time, and never more than it may be worth.

What a Parquet file says of its sizes need not be so, and what reads it makes room as it says. So
the headers of its pages are read here first.
https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.errors import ExtractionError
from isogloss.formatting import human_size, shorten

LIMIT_FOOTER_BYTES = 10_000_000
LIMIT_TEXT_BYTES = 40_000
"""How long a text may be: the longest sentence, four bytes a character."""
_ROWS_AT_A_TIME = 1_024
_SMALLEST_PAGE_LIMIT, _BYTES_PER_ROW = 2_000_000, 100
_DELTA_BYTE_ARRAY = 7  # each value may repeat the one before it, however long, in two bytes
_DEEPEST = 8


def read_parquet(
    path: Path, kinds: Mapping[str, type], most: int
) -> Iterator[dict[str, list[Any]]]:
    """Yield columns of a table that has at most so many rows, some rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        _check_footer(path)
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        names = [name for name in kinds if name in schema.names]
        if metadata.num_rows > most:
            raise too_many_rows(path.name, most)
        _check_types(path.name, schema, {name: kinds[name] for name in names})
        _check_pages(path, metadata, names, _SMALLEST_PAGE_LIMIT + _BYTES_PER_ROW * most)
        yield {name: [] for name in names}
        texts = [name for name in names if kinds[name] is str]  # a repeated one is held once
        with pq.ParquetFile(path, pre_buffer=False, read_dictionary=texts) as file:
            for batch in file.iter_batches(_ROWS_AT_A_TIME, columns=names, use_threads=False):
                yield {name: _values(path.name, name, batch[name]) for name in names}
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, MemoryError) as error:
        reason = shorten(str(error).partition("\n")[0].rstrip("."), 100)
        raise ExtractionError(f"{path.name} is not a whole Parquet file ({reason}).") from None


def too_many_rows(file: str, most: int) -> ExtractionError:
    return ExtractionError(
        f"{file} has more rows than the text can have tokens ({most:,}): give the tokens of this "
        "text alone, a row for each."
    )


def _check_types(file: str, schema: Any, kinds: Mapping[str, type]) -> None:
    from pyarrow import types

    checks = {int: types.is_integer, bool: types.is_boolean, str: _is_text}
    called = {int: "whole numbers", str: "texts", bool: "true or false"}
    for name, kind in kinds.items():
        if schema.names.count(name) > 1:
            raise ExtractionError(f"{file} has two columns {name!r}: give one.")
        found = schema.field(name).type
        if not checks[kind](found):
            raise ExtractionError(
                f"{file}: {name} is {shorten(str(found))}, but that column holds {called[kind]}."
            )


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _values(file: str, name: str, column: Any) -> list[Any]:
    """A part of a column as Python's own values; of texts, none is longer than a sentence."""
    from pyarrow import compute, types

    if _is_text(column.type):
        different = column.dictionary if types.is_dictionary(column.type) else column
        longest = compute.max(compute.binary_length(different)).as_py() or 0
        if longest > LIMIT_TEXT_BYTES:
            raise ExtractionError(
                f"{file} has {human_size(longest)} in a row of {name}: give each row the "
                "characters of its own token."
            )
    return list(column.to_pylist())


def _check_footer(path: Path) -> None:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 8))
        length = int.from_bytes(stream.read(4), "little")
    if LIMIT_FOOTER_BYTES < length < path.stat().st_size:
        raise ExtractionError(
            f"{path.name} has a footer of {human_size(length)}: write the columns of the token "
            "table alone."
        )


def _check_pages(path: Path, metadata: Any, names: Sequence[str], limit: int) -> None:
    """Refuse pages that would be unpacked to more than any column of this text can hold."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for group in range(metadata.num_row_groups):
            for index in range(metadata.num_columns):
                column = metadata.row_group(group).column(index)
                if column.path_in_schema in names:
                    _check_chunk(path.name, data, column, limit)


def _check_chunk(file: str, data: mmap.mmap, column: Any, limit: int) -> None:
    place = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < place:
        place = column.dictionary_page_offset
    end = min(place + column.total_compressed_size, len(data))
    if not 0 < place < len(data) or column.total_compressed_size < 0:
        raise ValueError("a column lies outside the file")
    while place < end:
        page, place = _read_struct(data, place)
        unpacked, packed = page.get(2, -1), page.get(3, -1)
        if (
            not isinstance(unpacked, int)
            or not isinstance(packed, int)
            or min(unpacked, packed) < 0
        ):
            raise ValueError("a page does not say how long it is")
        if unpacked > limit:
            raise ExtractionError(
                f"{file} would unpack a part of {column.path_in_schema} to "
                f"{human_size(unpacked)}, more than the text can need: write the tokens of this "
                "text alone."
            )
        first, second = page.get(5), page.get(8)  # the two versions of a page of data
        encodings = [first.get(2) if isinstance(first, dict) else None]
        encodings.append(second.get(4) if isinstance(second, dict) else None)
        if _DELTA_BYTE_ARRAY in encodings:
            raise ExtractionError(
                f"{file} is encoded by differences of texts (DELTA_BYTE_ARRAY), which is not read: "
                "write it with pandas' to_parquet or as JSON lines."
            )
        place += packed


def _read_struct(data: mmap.mmap, place: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """A struct of Thrift's compact protocol as its whole numbers and structs by field."""
    if depth > _DEEPEST:
        raise ValueError("a page's header is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while head := data[place]:
        place += 1
        if head >> 4:
            number += head >> 4
        else:
            number, place = _read_number(data, place)
        fields[number], place = _read_value(data, place, head & 15, depth)
    return fields, place + 1


def _read_value(data: mmap.mmap, place: int, kind: int, depth: int) -> tuple[Any, int]:
    match kind:
        case 1 | 2:  # true and false have no more bytes
            return None, place
        case 3:
            return None, place + 1
        case 4 | 5 | 6:
            return _read_number(data, place)
        case 7:
            return None, place + 8
        case 8:
            length, place = _read_varint(data, place)
            return None, place + length
        case 12:
            return _read_struct(data, place, depth + 1)
    raise ValueError("a page's header holds what no page has")


def _read_number(data: mmap.mmap, place: int) -> tuple[int, int]:
    """A whole number with a sign, written zigzag: 0, -1, 1, -2, …"""
    value, place = _read_varint(data, place)
    return (value >> 1) ^ -(value & 1), place


def _read_varint(data: mmap.mmap, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("a number in a page's header never ends")
