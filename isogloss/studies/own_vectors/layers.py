"""Layers computed elsewhere: arrays layer.0, layer.1, … in a safetensors or an npz file.

A file may come from anybody. Its headers are read first, and no array is until it is known to be
as large as the file is worth: a few bytes can claim any shape, or unpack to any size.
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from tokenize import TokenError

import numpy as np

from isogloss.errors import ExtractionError
from isogloss.formatting import human_size, shorten
from isogloss.models.states import LayerStates

FINAL_NORM = "layer.norm"
NAMING = (
    "name the arrays layer.0 (the embedding output) to layer.L (the last block's output), and "
    f"{FINAL_NORM} what a final norm makes of that"
)
LIMIT_LAYERS = 1_000
LIMIT_HEADER_BYTES = 1_000_000
"""How long the list of a file's arrays may be."""
PACKED_AT_MOST = 20
"""How much smaller states may be than what they unpack to: computed ones are hardly."""
ALWAYS_UNPACKED = 50_000_000
LARGEST_SIZE = 1 << 40
_LAYER = re.compile(r"layer\.(0|[1-9][0-9]{0,5})")
# What zipfile and numpy raise on archives and arrays that are damaged or not as they should be.
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    MemoryError,
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    TokenError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class Header:
    """What a file says of one array before it is read."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class OwnLayers:
    """The layers of one file, each (rows, width); one at a time is in memory."""

    file: str
    headers: Mapping[str, Header]
    read_array: Callable[[str], np.ndarray]

    @property
    def n_states(self) -> int:
        """How many arrays there are, the one after a final norm counted."""
        return len(self.headers)

    @property
    def states(self) -> LayerStates:
        """Which layers the arrays are."""
        normed = FINAL_NORM in self.headers
        return LayerStates(len(self.headers) - 1 - normed, "apart" if normed else "none")

    def name(self, index: int) -> str:
        """What the file calls a layer."""
        return FINAL_NORM if index == self.states.normed else f"layer.{index}"

    def layer(self, index: int) -> np.ndarray:
        """Return one layer as it will be stored: float16 where it is given so, else float32."""
        array = self.read_array(self.name(index))
        with np.errstate(over="ignore"):  # what float32 cannot hold is told as not finite
            return array if array.dtype == np.float16 else array.astype(np.float32)


def open_layers(path: Path) -> OwnLayers:
    """Open a file of layers; that all are there and of one shape is checked, not what they hold."""
    openers = {".safetensors": _open_safetensors, ".npz": _open_npz}
    opener = openers.get(path.suffix.lower())
    if opener is None:
        raise ExtractionError(
            f"{path.name} is no file of layers: end its name in {' or '.join(openers)}."
        )
    if not path.is_file():
        raise ExtractionError(f"There is no file {path}: check its name.")
    return opener(path)


def check_layers(layers: OwnLayers, rows: int, rows_file: str) -> tuple[int, np.dtype]:
    """Return the width and the type of layers that are alike, finite, and have `rows` rows."""
    _check_headers(layers, rows, rows_file)
    first = layers.layer(0).dtype
    for index in range(layers.n_states):
        states = layers.layer(index)
        if states.dtype != first:
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} is {states.dtype} where layer.0 is "
                f"{first}: give all layers in one type."
            )
        bad = ~np.isfinite(states).all(axis=1)
        if bad.any():
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} has values that are not finite numbers, "
                f"first in row {int(bad.argmax())} (counted from 0): compute it anew, in float32."
            )
    return layers.headers["layer.0"].shape[1], first


def _check_headers(layers: OwnLayers, rows: int, rows_file: str) -> None:
    """Hold every shape against the tokens before any array is read."""
    for index in range(layers.n_states):
        header = layers.headers[layers.name(index)]
        place = f"{layers.name(index)} of {layers.file}"
        if not header.dtype.startswith("float") or len(header.shape) != 2:
            raise ExtractionError(
                f"{place} is {header.dtype} of shape {shorten(str(header.shape))}: give each layer "
                "as float16 or float32 of shape (tokens, width)."
            )
        if header.shape[0] != rows:
            raise ExtractionError(
                f"{place} has {header.shape[0]:,} rows where {rows_file} has {rows:,} tokens: give "
                "each token one row, in the same order."
            )
        if header.shape != layers.headers["layer.0"].shape or not header.shape[1]:
            raise ExtractionError(
                f"{place} is {header.shape[1]} wide where layer.0 is "
                f"{layers.headers['layer.0'].shape[1]}: all layers of a study have one width."
            )


def _check_names(file: str, all_names: Iterable[str]) -> None:
    names = [name for name in all_names if name != FINAL_NORM]
    strange = [name for name in names if not _LAYER.fullmatch(name)]
    if strange:
        raise ExtractionError(f"{file} has an array {shorten(strange[0])!r}: {NAMING}.")
    numbers = {int(name.partition(".")[2]) for name in names}
    first_missing = next(number for number in range(len(numbers) + 1) if number not in numbers)
    if first_missing < len(numbers) or not numbers:
        raise ExtractionError(f"{file} has no layer.{first_missing}: {NAMING}, without a gap.")
    if len(numbers) < 2:
        raise ExtractionError(f"{file} has one layer only: a study compares two or more.")
    if len(numbers) > LIMIT_LAYERS:
        raise ExtractionError(
            f"{file} has {len(numbers):,} layers, over the limit of {LIMIT_LAYERS:,}: leave some "
            "out."
        )


def _open_safetensors(path: Path) -> OwnLayers:
    from safetensors import SafetensorError, safe_open

    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
    if LIMIT_HEADER_BYTES < length < path.stat().st_size:
        raise ExtractionError(
            f"{path.name} has a header of {human_size(length)}: save the layers alone in it."
        )
    try:
        with safe_open(path, "numpy") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            types = {name: part.get_dtype() for name, part in slices.items()}
            shapes = {name: tuple(part.get_shape()) for name, part in slices.items()}
    except (SafetensorError, OSError) as error:
        reason = shorten(str(error), 100)
        raise ExtractionError(f"{path.name} is not a whole safetensors file ({reason}).") from None
    _check_names(path.name, types)
    known = {"F16": "float16", "F32": "float32", "F64": "float64"}
    if strange := sorted(set(types.values()) - known.keys()):
        raise ExtractionError(f"{path.name} has states in {strange[0]}: save them as float32.")

    def read_array(name: str) -> np.ndarray:
        with safe_open(path, "numpy") as file:
            return np.asarray(file.get_tensor(name))

    headers = {name: Header(known[types[name]], shapes[name]) for name in types}
    return OwnLayers(path.name, headers, read_array)


class _ListedFile(FileIO):
    """A file of which no long part is read at once, as a list of very many members would be."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LIMIT_HEADER_BYTES:
            raise zipfile.BadZipFile("it lists too much")
        return super().read(size) or b""


def _open_npz(path: Path) -> OwnLayers:
    try:
        with zipfile.ZipFile(_ListedFile(path)) as file:
            members = file.infolist()
    except _UNREADABLE:
        raise ExtractionError(
            f"{path.name} is not a whole npz file: write it with numpy.savez."
        ) from None
    names = [member.filename.removesuffix(".npy") for member in members]
    _check_names(path.name, names)
    if len(set(names)) < len(names):
        raise ExtractionError(f"{path.name} has a layer twice: {NAMING}, each once.")
    _check_members(path, members)
    by_name = dict(zip(names, members, strict=True))
    with zipfile.ZipFile(path) as file:
        headers = {name: _read_header(file, path, name, by_name[name]) for name in names}

    def read_array(name: str) -> np.ndarray:
        try:
            with zipfile.ZipFile(path) as file, file.open(by_name[name]) as stream:
                return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
        except _UNREADABLE:
            raise _no_array(path, name) from None

    return OwnLayers(path.name, headers, read_array)


def _check_members(path: Path, members: Iterable[zipfile.ZipInfo]) -> None:
    """Refuse what cannot be unpacked, or would be far larger than states that pack as they do."""
    unpacked, packed = 0, path.stat().st_size
    for member in members:
        if member.flag_bits & 1:
            raise ExtractionError(f"{path.name} is encrypted: write it with numpy.savez.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ExtractionError(
                f"{path.name} is packed in a way that numpy does not write: write it with "
                "numpy.savez."
            )
        unpacked += member.file_size
    if unpacked > max(ALWAYS_UNPACKED, PACKED_AT_MOST * packed):
        raise ExtractionError(
            f"{path.name} would unpack from {human_size(packed)} to {human_size(unpacked)}, "
            "which no computed states do: write it with numpy.savez."
        )


def _read_header(file: zipfile.ZipFile, path: Path, name: str, member: zipfile.ZipInfo) -> Header:
    """What an array's header says, which must be as many bytes as its file has."""
    from numpy.lib import format as npy

    try:
        with file.open(member) as stream:
            version = npy.read_magic(stream)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = read(stream)
            held = member.file_size - stream.tell()
    except _UNREADABLE:
        raise _no_array(path, name) from None
    if dtype.hasobject or not all(0 <= size < LARGEST_SIZE for size in shape):
        raise _no_array(path, name)
    claimed = math.prod(shape) * dtype.itemsize
    if claimed != held:
        raise ExtractionError(
            f"{name} of {path.name} claims to be {shorten(str(shape))} of {shorten(dtype.name)} "
            f"but has {held:,} bytes: write it anew with numpy.savez."
        )
    return Header(shorten(dtype.name), shape)


def _no_array(path: Path, name: str) -> ExtractionError:
    return ExtractionError(
        f"{path.name} has no readable array of numbers {name}: write it with numpy.savez."
    )
