"""Columns of a Parquet file from anybody, a part at a time, and never more than it may be worth.

What a Parquet file says of its sizes need not be so, and what reads it makes room as it says. So
its footer and the headers of its pages are read here first. Asking pyarrow where a column lies
would not do: where statistics in the footer contradict each other, that ends the whole process.
https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.errors import ExtractionError
from isogloss.formatting import human_size, shorten

Bytes = bytes | mmap.mmap
LIMIT_FOOTER_BYTES = 10_000_000
LIMIT_TEXT_BYTES = 40_000
"""How long a text may be: the longest sentence, four bytes a character."""
_ROWS_AT_A_TIME = 1_024
_SMALLEST_PAGE_LIMIT, _BYTES_PER_ROW = 2_000_000, 100
_DELTA_BYTE_ARRAY = 7  # each value may repeat the one before it, however long, in two bytes
_DEEPEST = 16
_ROW_GROUPS, _COLUMNS, _META_DATA = 4, 1, 3  # fields of the footer, of a row group, of a column
_PATH, _PACKED, _DATA_PAGE, _DICTIONARY_PAGE = 3, 7, 9, 11  # fields of a column's metadata


def read_parquet(
    path: Path, kinds: Mapping[str, type], most: int
) -> Iterator[dict[str, list[Any]]]:
    """Yield columns of a table that has at most so many rows, some rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = _read_footer(path)
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        names = [name for name in kinds if name in schema.names]
        if metadata.num_rows > most:
            raise too_many_rows(path.name, most)
        _check_types(path.name, schema, {name: kinds[name] for name in names})
        _check_pages(path, footer, names, _SMALLEST_PAGE_LIMIT + _BYTES_PER_ROW * most)
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


def _read_footer(path: Path) -> bytes:
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 8))
        length = int.from_bytes(stream.read(4), "little")
        if LIMIT_FOOTER_BYTES < length < size:
            raise ExtractionError(
                f"{path.name} has a footer of {human_size(length)}: write the columns of the token "
                "table alone."
            )
        stream.seek(max(0, size - 8 - length))
        return stream.read(min(length, LIMIT_FOOTER_BYTES))


def _check_pages(path: Path, footer: bytes, names: Sequence[str], limit: int) -> None:
    """Refuse pages that would be unpacked to more than any column of this text can hold."""
    wanted = {name.encode() for name in names}
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for group in _structs(_read_struct(footer, 0)[0], _ROW_GROUPS):
            for chunk in _structs(group, _COLUMNS):
                column = chunk.get(_META_DATA)
                if not isinstance(column, dict):
                    raise ValueError("a column does not say where it lies")
                parts = column.get(_PATH)
                if isinstance(parts, list) and len(parts) == 1 and parts[0] in wanted:
                    _check_chunk(path.name, data, column, limit)


def _structs(struct: dict[int, Any], field: int) -> list[dict[int, Any]]:
    found = struct.get(field)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError("its footer does not list its columns")
    return found


def _check_chunk(file: str, data: mmap.mmap, column: dict[int, Any], limit: int) -> None:
    name = column[_PATH][0].decode()
    place, length = column.get(_DATA_PAGE), column.get(_PACKED)
    if not isinstance(place, int) or not isinstance(length, int):
        raise ValueError("a column does not say where it lies")
    dictionary = column.get(_DICTIONARY_PAGE)
    if isinstance(dictionary, int) and 0 < dictionary < place:
        place = dictionary
    end = min(place + length, len(data))
    if not 0 < place < len(data) or length < 0:
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
                f"{file} would unpack a part of {name} to "
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


def _read_struct(data: Bytes, place: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """A struct of Thrift's compact protocol: its fields by their numbers."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[place]:
        place += 1
        if head >> 4:
            number += head >> 4
        else:
            number, place = _read_number(data, place)
        kind = head & 15
        if kind in (1, 2):  # true and false have no more bytes here
            fields[number] = kind == 1
        else:
            fields[number], place = _read_value(data, place, kind, depth + 1)
    return fields, place + 1


def _read_list(data: Bytes, place: int, depth: int) -> tuple[list[Any], int]:
    head = data[place]
    count, place = (head >> 4, place + 1) if head >> 4 < 15 else _read_varint(data, place + 1)
    values = []
    for _ in range(count):
        value, place = _read_value(data, place, head & 15, depth + 1)
        values.append(value)
    return values, place


def _read_value(data: Bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    match kind:
        case 1 | 2 | 3:
            return data[place], place + 1
        case 4 | 5 | 6:
            return _read_number(data, place)
        case 7:
            return data[place + 7], place + 8  # a fraction, which nobody here asks for
        case 8:
            length, place = _read_varint(data, place)
            return data[place : place + length], place + length
        case 9:
            return _read_list(data, place, depth)
        case 12:
            return _read_struct(data, place, depth)
    raise ValueError("it holds what no Parquet file has")


def _read_number(data: Bytes, place: int) -> tuple[int, int]:
    """A whole number with a sign, written zigzag: 0, -1, 1, -2, …"""
    value, place = _read_varint(data, place)
    return (value >> 1) ^ -(value & 1), place


def _read_varint(data: Bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("a number in it never ends")
