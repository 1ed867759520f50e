"""Activations on disk: one safetensors file, one tensor per layer, read by memory map.

The tensors are named `layer.0` (the embedding output) to `layer.L` (the output of the last block).
The file is an ordinary safetensors file: eight bytes with the header's length, the header as JSON,
then the tensors end to end.
"""

import errno
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from isogloss.store.errors import CorruptEntryError, StoreError

_DTYPES = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
_STATE_DTYPES: Mapping[str, str] = {"float16": "F16", "float32": "F32"}
_ALIGNMENT = 64
_HEADER_LIMIT = 100_000_000
_CHUNK = 1 << 24


@dataclass(frozen=True)
class Tensor:
    """Where one tensor lies in its file; `dtype` is None for a type numpy does not have."""

    dtype: str | None
    shape: tuple[int, ...]
    offset: int
    size: int


def create_states_file(
    path: Path, *, n_states: int, rows: int, width: int, dtype: Literal["float16", "float32"]
) -> np.memmap[Any, Any]:
    """Create a file of zeros and return it as a writable map `states[layer, row, feature]`.

    Shape (n_states, rows, width), where n_states is the number of blocks + 1. The disk space is
    really allocated, so a full disk is reported here and not in the middle of the work; the file
    appears at `path` whole or not at all, so one that is there can be reopened after a kill.
    """
    if dtype not in _STATE_DTYPES:
        raise StoreError(f"States of type {dtype} cannot be stored: use float16 or float32.")
    if min(n_states, rows, width) < 1:
        raise StoreError(f"States of shape ({n_states}, {rows}, {width}) hold nothing to store.")
    size = rows * width * np.dtype(dtype).itemsize
    header = _encode_header(
        {
            f"layer.{layer}": {
                "dtype": _STATE_DTYPES[dtype],
                "shape": [rows, width],
                "data_offsets": [layer * size, (layer + 1) * size],
            }
            for layer in range(n_states)
        }
    )
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with unfinished.open("wb") as stream:
            _allocate(stream, len(header) + n_states * size)
            stream.seek(0)
            stream.write(header)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    os.replace(unfinished, path)
    return open_states_file(path, "r+")


def open_states_file(path: Path, mode: Literal["r", "r+"] = "r") -> np.memmap[Any, Any]:
    """Map a file made by `create_states_file` as `states[layer, row, feature]`, without a copy."""
    tensors = read_header(path)
    count = count_states(tensors)
    first = tensors.get("layer.0")
    if first is None or first.dtype is None or tensors != _in_order(first, count):
        raise StoreError(f"{path} does not hold equally shaped layers in order: read them singly.")
    shape = (count, *first.shape)
    return np.memmap(path, dtype=first.dtype, mode=mode, offset=first.offset, shape=shape)


def open_tensor(path: Path, name: str) -> np.ndarray[Any, Any]:
    """Map the tensor `name` of any safetensors file, read-only and without a copy."""
    tensors = read_header(path)
    if name not in tensors:
        raise StoreError(f"{path} holds no tensor {name}, only {', '.join(tensors) or 'nothing'}.")
    tensor = tensors[name]
    if tensor.dtype is None:
        raise StoreError(f"{path} holds {name} in a type numpy does not have.")
    if tensor.size == 0:  # an empty map is not allowed
        empty = np.empty(tensor.shape, tensor.dtype)
        empty.flags.writeable = False
        return empty
    return np.memmap(path, dtype=tensor.dtype, mode="r", offset=tensor.offset, shape=tensor.shape)


class StatesWriter:
    """Writes rows of all layers to their place in a file made by `create_states_file`.

    Through the file and not through a map: written pages of a map count as the process's memory,
    and each has to be brought in before it can be written to.
    """

    def __init__(self, path: Path) -> None:
        states = open_states_file(path)
        self.shape, self.dtype = states.shape, states.dtype
        self._offset = states.offset
        self._file = path.open("r+b", buffering=0)

    def write(self, row: int, values: np.ndarray[Any, Any]) -> None:
        """Write `values`, (n_states, rows, width), from `row` on."""
        for layer, part in enumerate(values):
            self.write_layer(layer, row, part)

    def write_layer(self, layer: int, row: int, values: np.ndarray[Any, Any]) -> None:
        """Write `values`, (rows, width), of one layer from `row` on."""
        _, rows, width = self.shape
        place = (layer * rows + row) * width * self.dtype.itemsize
        self._file.seek(self._offset + place)
        rest = np.ascontiguousarray(values.astype(self.dtype, copy=False)).data.cast("B")
        while rest:
            rest = rest[self._file.write(rest) :]

    def sync(self) -> None:
        """Return once all that was written is on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def count_states(tensors: Mapping[str, Tensor]) -> int:
    """How many of `layer.0`, `layer.1`, … are there, without a gap."""
    count = 0
    while f"layer.{count}" in tensors:
        count += 1
    return count


def _in_order(first: Tensor, count: int) -> dict[str, Tensor]:
    """Where `count` layers lie that are all like the first and follow one another."""
    return {
        f"layer.{layer}": replace(first, offset=first.offset + layer * first.size)
        for layer in range(count)
    }


def read_header(path: Path) -> dict[str, Tensor]:
    """Where each tensor of a safetensors file lies; a file that is not whole is refused."""
    with path.open("rb") as stream:
        total = os.fstat(stream.fileno()).st_size
        length = int.from_bytes(stream.read(8), "little")
        if length > min(total - 8, _HEADER_LIMIT):  # of a file of less than 8 bytes always
            raise CorruptEntryError(f"{path} is not a whole safetensors file: its header is cut.")
        text = stream.read(length)
    try:
        header = json.loads(text)
        header.pop("__metadata__", None)
        tensors = {name: _parse_tensor(fields, 8 + length) for name, fields in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptEntryError(f"{path} has an unreadable safetensors header ({error}).") from None
    end = 8 + length
    for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.offset, tensor.size)):
        if tensor.offset != end:
            raise CorruptEntryError(f"{path} has tensors that overlap or leave gaps.")
        end += tensor.size
    if end != total:
        raise CorruptEntryError(f"{path} has {total} bytes where its header promises {end}.")
    return tensors


def _parse_tensor(fields: Mapping[str, Any], start: int) -> Tensor:
    dtype, shape, (begin, end) = fields["dtype"], tuple(fields["shape"]), fields["data_offsets"]
    if not all(isinstance(number, int) and number >= 0 for number in (*shape, begin, end)):
        raise ValueError("a shape or an offset is not a natural number")
    known = _DTYPES.get(dtype)
    if known is not None and end - begin != math.prod(shape) * np.dtype(known).itemsize:
        raise ValueError(f"{end - begin} bytes for {dtype} of shape {shape}")
    return Tensor(known, shape, start + begin, end - begin)


def _encode_header(tensors: Mapping[str, Any]) -> bytes:
    text = json.dumps(tensors, separators=(",", ":")).encode("ascii")
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def _allocate(stream: BinaryIO, size: int) -> None:
    """Make `stream` `size` zero bytes long with every block of it on the disk."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(stream.fileno(), 0, size)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
    for start in range(0, size, _CHUNK):
        stream.write(bytes(min(_CHUNK, size - start)))
