"""Own vectors as somebody might send them who wishes the server ill: made by hand, and mutated.

`python -m tests.helpers.hostile DIRECTORY` brings every hand-made one in, in a process that may
have little more memory than it began with, and prints what was said of each as JSON.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import USER_ERRORS
from isogloss.store import Store
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.text.parallel import ParallelText

MEMORY = 600_000_000
"""How much more a process may take than it has when everything is imported."""
TEXT = ParallelText("mine", ("en", "zh"), ("Good morning!", "I see."), ("早上好！", "我明白。"))

Rows = list[dict[str, Any]]
Layers = dict[str, np.ndarray]


def good_rows() -> Rows:
    """A token for each character, and a special one before each sentence."""
    rows: Rows = []
    for side in (0, 1):
        for sentence, text in enumerate(TEXT.side(side)):
            row = {"sentence": sentence, "side": side}
            rows.append(row | {"start": 0, "end": 0, "text": "", "piece": "[CLS]"})
            rows += [
                row | {"start": i, "end": i + 1, "text": character, "piece": character}
                for i, character in enumerate(text)
            ]
    return rows


def good_layers(width: int = 4) -> Layers:
    numbers = np.random.default_rng(0)
    shape = len(good_rows()), width
    return {f"layer.{i}": numbers.normal(size=shape).astype(np.float16) for i in range(3)}


def npz(layers: Layers, compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, layer in layers.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, layer)
    return file.getvalue()


def safetensors(layers: Layers) -> bytes:
    from safetensors.numpy import save

    return bytes(save(layers))


def json_lines(rows: Rows) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def parquet(rows: Rows, **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


def bring_in(directory: Path, files: dict[str, bytes], model: str = "mine") -> str | None:
    """Bring files in; returns the sentence they were refused with, None for a study."""
    for name, data in files.items():
        (directory / name).write_bytes(data)
    states, tokens = (directory / name for name in files)
    try:
        import_vectors(states, tokens, TEXT, model, Store(directory / "store", demo=None))
    except USER_ERRORS as error:
        return str(error)
    return None


# By hand


def claiming(shape: tuple[int, ...]) -> bytes:
    """An array's header that claims a shape, with some bytes after it."""
    file = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(64)


def archive_of(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def deflate_bomb() -> bytes:
    file = io.BytesIO()
    rows, width = len(good_rows()), 1_500_000
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("layer.0.npy", "layer.1.npy"):
            with archive.open(name, "w") as member:
                member.write(claiming((rows, width))[:-64])
                for _ in range(rows):
                    member.write(bytes(4 * width))
    return file.getvalue()


def encrypted() -> bytes:
    data = bytearray(npz(good_layers()))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = -1
        while (place := data.find(signature, place + 1)) >= 0:
            data[place + flags] |= 1
    return bytes(data)


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros((3, 4), np.float32))
    return file.getvalue()


def safetensors_claiming(shape: list[int]) -> bytes:
    fields = {"dtype": "F32", "shape": shape, "data_offsets": [0, 16]}
    header = json.dumps({"layer.0": fields, "layer.1": fields | {"data_offsets": [16, 32]}})
    return len(header).to_bytes(8, "little") + header.encode() + bytes(32)


def contradicting_itself() -> bytes:
    """Its statistics count empty cells of a column that, it says now, has none."""
    data = parquet(good_rows())
    optional, required = (bytes([0x25, kind, 0x18, 5]) + b"piece" for kind in (2, 0))
    assert data.count(optional) == 1
    return data.replace(optional, required)


def many_parquet_rows() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    zeros = pa.array(np.zeros(1_000_000, np.int8))
    empty = pa.array([""] * 1_000_000)
    names = ("sentence", "side", "start", "end")
    table = pa.table({**dict.fromkeys(names, zeros), "text": empty})
    file = io.BytesIO()
    with pq.ParquetWriter(file, table.schema) as writer:
        for _ in range(40):
            writer.write_table(table)
    return file.getvalue()


def with_row(place: int, **fields: Any) -> Rows:
    rows = good_rows()
    rows[place] |= fields
    return rows


def zip_with_many_members() -> bytes:
    return archive_of({f"layer.{i}.npy": b"" for i in range(30_000)}, zipfile.ZIP_STORED)


_DEEP = b'{"sentence": ' + b"[" * 40_000 + b"]" * 40_000 + b"}"
_STATES: dict[str, Callable[[], bytes]] = {
    "numbers far apart.npz": lambda: npz(
        {"layer.0": np.zeros((2, 2)), "layer.400000000": np.zeros((2, 2))}
    ),
    "numbers somewhat apart.npz": lambda: npz(
        {"layer.0": np.zeros((2, 2)), "layer.400000": np.zeros((2, 2))}
    ),
    "a digit of another script.npz": lambda: npz(
        {"layer.0": np.zeros((2, 2)), "layer.1١": np.zeros((2, 2))}
    ),
    "a number of 5,000 digits.npz": lambda: npz({"layer." + "9" * 5_000: np.zeros((2, 2))}),
    "a deflate bomb.npz": deflate_bomb,
    "very many columns.npz": lambda: archive_of(
        {"layer.0.npy": claiming((24, 10**11)), "layer.1.npy": claiming((24, 10**11))}
    ),
    "sizes below zero.npz": lambda: archive_of(
        {"layer.0.npy": claiming((-4, -4)), "layer.1.npy": claiming((-4, -4))}
    ),
    "very many columns of no rows.npz": lambda: archive_of(
        {f"layer.{i}.npy": claiming((0, 10**4_000))[:-64] for i in (0, 1)}
    ),
    "an npy by another name.npz": npy,
    "encrypted.npz": encrypted,
    "packed by bzip2.npz": lambda: npz(good_layers(), zipfile.ZIP_BZIP2),
    "packed by lzma.npz": lambda: npz(good_layers(), zipfile.ZIP_LZMA),
    "very many members.npz": zip_with_many_members,
    "a layer twice.npz": lambda: archive_of({"layer.0.npy": npy(), "layer.0": npy()}),
    "no array.npz": lambda: archive_of({"layer.0.npy": b"hello", "layer.1.npy": b"hello"}),
    "very many columns.safetensors": lambda: safetensors_claiming([24, 10**11]),
    "a long header.safetensors": lambda: (
        (5_000_000).to_bytes(8, "little") + b'{"layer.0":{' + b" " * 5_000_000
    ),
    "whole numbers.safetensors": lambda: safetensors(
        {f"layer.{i}": np.zeros((2, 2), np.int32) for i in (0, 1)}
    ),
    "no array at all.npz": lambda: archive_of({}),
}
_TOKENS: dict[str, Callable[[], bytes]] = {
    "forty million rows.parquet": many_parquet_rows,
    "contradicting itself.parquet": contradicting_itself,
    "a text of 100 MB.parquet": lambda: parquet(
        with_row(3, piece="a" * 100_000_000), compression="zstd"
    ),
    "a long text.parquet": lambda: parquet(with_row(3, piece="a" * 100_000)),
    "texts by difference.parquet": lambda: parquet(
        good_rows(), use_dictionary=False, column_encoding={"piece": "DELTA_BYTE_ARRAY"}
    ),
    "a text within a text.parquet": lambda: parquet(
        [row | {"text": {"a": "b"}} for row in good_rows()]
    ),
    "fractions.parquet": lambda: parquet([row | {"start": 0.5} for row in good_rows()]),
    "nothing where a number is due.parquet": lambda: parquet(with_row(3, start=None)),
    "a number beyond all.jsonl": lambda: json_lines(with_row(3, sentence=10**30)),
    "a number of 5,000 digits.jsonl": lambda: json_lines(with_row(3)).replace(
        b'"sentence": 1', b'"sentence": 1' + b"0" * 5_000
    ),
    "no number.jsonl": lambda: json_lines(with_row(3, sentence=float("nan"))),
    "half a character.jsonl": lambda: json_lines(with_row(3, piece="\ud800")),
    "half a character where the text is.jsonl": lambda: json_lines(with_row(3, text="\ud800")),
    "a NUL.jsonl": lambda: json_lines(with_row(3, piece="\0")),
    "a long line.jsonl": lambda: json_lines(with_row(3, piece="a" * 20_000_000)),
    "lists in lists.jsonl": lambda: _DEEP,
    "rows without end.jsonl": lambda: json_lines(good_rows()[:1] * 200_000),
}
HANDMADE = (*_STATES, *_TOKENS, "half a character as a name", "a name of 1 MB")


def bring_in_by_hand(directory: Path) -> dict[str, str | None]:
    """What is said of each hand-made file; a traceback where no sentence is."""
    states, tokens = npz(good_layers()), json_lines(good_rows())
    said: dict[str, str | None] = {}
    _limit_memory()
    for name, make in {**_STATES, **_TOKENS}.items():
        own = name.rpartition(".")[2]
        files = (
            {f"states.{own}": make(), "tokens.jsonl": tokens}
            if name in _STATES
            else {"states.npz": states, f"tokens.{own}": make()}
        )
        said[name] = _sentence_or_traceback(directory, files, "mine")
    files = {"states.npz": states, "tokens.jsonl": tokens}
    said["half a character as a name"] = _sentence_or_traceback(directory, files, "my \udcff")
    said["a name of 1 MB"] = _sentence_or_traceback(directory, files, "m" * 1_000_000)
    said["as it should be"] = _sentence_or_traceback(directory, files, "mine")
    return said


def _sentence_or_traceback(directory: Path, files: dict[str, bytes], model: str) -> str | None:
    try:
        return bring_in(directory, files, model)
    except Exception:  # what is looked for
        return traceback.format_exc()


def _limit_memory() -> None:
    """Let this process have no more than MEMORY beside what it has once all is imported."""
    import resource

    with tempfile.TemporaryDirectory() as folder:
        for states, tokens in (("npz", "jsonl"), ("safetensors", "parquet")):
            data = {"npz": npz, "safetensors": safetensors}[states](good_layers())
            rows = {"jsonl": json_lines, "parquet": parquet}[tokens](good_rows())
            files = {f"states.{states}": data, f"tokens.{tokens}": rows}
            assert bring_in(Path(folder), files) is None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


# At random

_STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 10, 2**31, 2**63, 2**64, 10**400, 0.5, float("nan"), float("inf"),
    "", "a", "早", "\ud800", "\0", "1", "a" * 20_000, [], [1], {}, {"a": 1}, "=1+1", "![x](http://e/x)",
)  # fmt: skip
_NUMBERS = (b"\0", b"\xff", b"\x80", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff" * 8, b"\x7f" * 4)


def mutated(files: dict[str, bytes], number: random.Random) -> dict[str, bytes]:
    """The files with one of them changed, by its bytes or by what it says."""
    name = number.choice(list(files))
    changed = dict(files)
    if number.random() < 0.5:
        changed[name] = _with_other_bytes(files[name], number)
    else:
        ending = name.rpartition(".")[2]
        by_ending = {"npz": _npz_saying, "safetensors": _safetensors_saying}
        made = by_ending.get(ending, _rows_saying(ending))
        changed[name] = made(number)
    return changed


def _with_other_bytes(data: bytes, number: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(number.choice((1, 1, 1, 2, 5, 20))):
        # Headers and lists stand at the ends.
        edge = number.random() < 0.6 and len(changed) > 600
        place = number.randrange(max(1, len(changed)))
        if edge:
            place = number.choice((place % 300, len(changed) - 1 - place % 300))
        match number.randrange(7):
            case 0:
                changed[place : place + 1] = bytes([number.randrange(256)])
            case 1:
                changed[place : place + 1] = number.choice(_NUMBERS)
            case 2:
                new = number.choice(_NUMBERS)
                changed[place : place + len(new)] = new
            case 3:
                del changed[place : place + number.choice((1, 2, 8, 100))]
            case 4:
                changed[place:place] = changed[place : place + number.choice((1, 8, 100))]
            case 5:
                del changed[place:]
            case 6:
                changed[place : place + 1] = (
                    bytes([changed[place] ^ 1 << number.randrange(8)])
                    if (place < len(changed))
                    else b""
                )
    return bytes(changed)


def _npz_saying(number: random.Random) -> bytes:
    """An archive that is whole, with one array or name that is not as it should be."""
    members = {}
    for name, layer in good_layers().items():
        file = io.BytesIO()
        np.lib.format.write_array(file, layer)
        members[f"{name}.npy"] = file.getvalue()
    name = number.choice(list(members))
    match number.randrange(4):
        case 0:
            members[name] = _with_other_bytes(members[name], number)
        case 1:
            shape = tuple(
                number.choice((0, 1, 4, -1, 24, 2**31, 2**63, 10**30))
                for _ in range(number.randrange(4))
            )
            members[name] = claiming(shape)
        case 2:
            renamed = number.choice(
                (
                    "layer.-1",
                    "layer.01",
                    "layer.7",
                    "layer.",
                    "x",
                    "../layer.0",
                    "layer.3.npy",
                    "layer.0",
                )
            )
            members[renamed] = members.pop(name)
        case 3:
            kind = number.choice(("<f8", ">f4", "<i4", "<c8", "?", "<U3", "<M8[s]", "<f4"))
            file = io.BytesIO()
            np.lib.format.write_array(file, np.zeros((len(good_rows()), 4), kind))
            members[name] = file.getvalue()
    return archive_of(
        members, number.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    )


def _safetensors_saying(number: random.Random) -> bytes:
    """A file of tensors whose header is of the length it says, with something else in it."""
    data = safetensors(good_layers())
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    fields = header[number.choice(sorted(set(header) - {"__metadata__"}))]
    match number.randrange(4):
        case 0:
            fields["shape"] = [
                number.choice((0, 1, 4, 24, 2**31, 2**63)) for _ in range(number.randrange(4))
            ]
        case 1:
            fields["dtype"] = number.choice(("F32", "F64", "BF16", "I8", "BOOL", "F8_E4M3", "x"))
        case 2:
            fields["data_offsets"] = [number.choice((0, 8, 64, 2**40, 2**63)) for _ in range(2)]
        case 3:
            header[number.choice(("layer.9", "x", "layer.0", "__metadata__"))] = number.choice(
                (fields, 1, {})
            )
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def _rows_saying(ending: str) -> Callable[[random.Random], bytes]:
    """A token table that is whole, with values, columns or rows that are not as they should be."""

    def made(number: random.Random) -> bytes:
        rows = good_rows()
        column = number.choice(list(rows[0]))
        match number.randrange(4):
            case 0:
                rows[number.randrange(len(rows))][column] = number.choice(_STRANGE)
            case 1:
                value = number.choice(_STRANGE)
                rows = [row | {column: value} for row in rows]
            case 2:
                place = number.randrange(len(rows))
                rows[place : place + 1] = rows[place : place + 1] * number.choice((0, 2, 500))
            case 3:
                rows = [{key: value for key, value in row.items() if key != column} for row in rows]
        if ending == "jsonl":
            return json_lines(rows)
        import pyarrow as pa

        codec = number.choice(("snappy", "zstd", "gzip", "none"))
        version = number.choice(("1.0", "2.0"))
        try:
            return parquet(rows, compression=codec, data_page_version=version)
        except (pa.ArrowException, UnicodeError, OverflowError, TypeError):
            return _with_other_bytes(parquet(good_rows()), number)  # Parquet cannot hold it

    return made


def mutations(seed: int, count: int) -> Iterator[dict[str, bytes]]:
    """So many pairs of files, the same for the same seed."""
    number = random.Random(seed)
    states = {
        "npz": npz(good_layers()),
        "safetensors": safetensors(good_layers()),
    }
    tokens = {"jsonl": json_lines(good_rows()), "parquet": parquet(good_rows())}
    for _ in range(count):
        first, second = number.choice(list(states)), number.choice(list(tokens))
        files = {f"states.{first}": states[first], f"tokens.{second}": tokens[second]}
        yield mutated(files, number)


if __name__ == "__main__":
    print(json.dumps(bring_in_by_hand(Path(sys.argv[1]))))
