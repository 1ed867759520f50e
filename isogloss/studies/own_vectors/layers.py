"""Layers computed elsewhere: arrays layer.0, layer.1, … in a safetensors or an npz file."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.errors import ExtractionError
from isogloss.models.states import LayerStates

FINAL_NORM = "layer.norm"
NAMING = (
    "name the arrays layer.0 (the embedding output) to layer.L (the last block's output), and "
    f"{FINAL_NORM} what a final norm makes of that"
)
_LAYER = re.compile(r"layer\.(0|[1-9]\d*)")


@dataclass(frozen=True)
class OwnLayers:
    """The layers of one file, each (rows, width); one at a time is in memory."""

    file: str
    states: LayerStates
    read_array: Callable[[str], np.ndarray]

    @property
    def n_states(self) -> int:
        """How many arrays there are, the one after a final norm counted."""
        return len(self.states)

    def name(self, index: int) -> str:
        """What the file calls a layer."""
        return FINAL_NORM if index == self.states.normed else f"layer.{index}"

    def layer(self, index: int) -> np.ndarray:
        """Return one layer as it will be stored: float16 where it is given so, else float32."""
        array = self.read_array(self.name(index))
        if array.dtype.kind != "f" or array.ndim != 2:
            raise ExtractionError(
                f"{self.name(index)} of {self.file} is {array.dtype} of shape {array.shape}: give each "
                "layer as float16 or float32 of shape (tokens, width)."
            )
        with np.errstate(over="ignore"):  # what float32 cannot hold is told as not finite
            return array if array.dtype == np.float16 else array.astype(np.float32)


def open_layers(path: Path) -> OwnLayers:
    """Open a file of layers; that all of them are there is checked, what they hold is not yet."""
    openers = {".safetensors": _open_safetensors, ".npz": _open_npz}
    opener = openers.get(path.suffix.lower())
    if opener is None:
        raise ExtractionError(
            f"{path.name} is no file of layers: end its name in {' or '.join(openers)}."
        )
    if not path.is_file():
        raise ExtractionError(f"There is no file {path}: check its name.")
    names, read_array = opener(path)
    numbered = [name for name in names if name != FINAL_NORM]
    n_layers = _count_layers(path.name, numbered) - 1
    normed = len(numbered) < len(names)
    return OwnLayers(path.name, LayerStates(n_layers, "apart" if normed else "none"), read_array)


def check_layers(layers: OwnLayers, rows: int, rows_file: str) -> tuple[int, np.dtype]:
    """Return the width and the type of layers that are alike, finite, and have `rows` rows."""
    first = layers.layer(0)
    for index in range(layers.n_states):
        states = layers.layer(index)
        if len(states) != rows:
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} has {len(states):,} rows where {rows_file} has "
                f"{rows:,} tokens: give each token one row, in the same order."
            )
        if states.shape != first.shape or not states.shape[1]:
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} is {states.shape[1]} wide where layer.0 is "
                f"{first.shape[1]}: all layers of a study have one width."
            )
        if states.dtype != first.dtype:
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} is {states.dtype} where layer.0 is "
                f"{first.dtype}: give all layers in one type."
            )
        bad = ~np.isfinite(states).all(axis=1)
        if bad.any():
            raise ExtractionError(
                f"{layers.name(index)} of {layers.file} has values that are not finite numbers, first in "
                f"row {int(bad.argmax())} (counted from 0): compute it anew, in float32."
            )
    return first.shape[1], first.dtype


def _count_layers(file: str, names: Iterable[str]) -> int:
    strange = [name for name in names if not _LAYER.fullmatch(name)]
    if strange:
        raise ExtractionError(f"{file} has an array {strange[0]!r}: {NAMING}.")
    numbers = {int(name.partition(".")[2]) for name in names}
    missing = set(range(max(numbers, default=0) + 1)) - numbers
    if missing:
        raise ExtractionError(f"{file} has no layer.{min(missing)}: {NAMING}, without a gap.")
    if len(numbers) < 2:
        raise ExtractionError(f"{file} has one layer only: a study compares two or more.")
    return len(numbers)


def _open_safetensors(path: Path) -> tuple[list[str], Callable[[str], np.ndarray]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            names = list(file.keys())
            types = {file.get_slice(name).get_dtype() for name in names}
    except (SafetensorError, OSError) as error:
        raise ExtractionError(f"{path.name} is not a whole safetensors file ({error}).") from None
    if not types <= {"F16", "F32", "F64"}:
        strange = min(types - {"F16", "F32", "F64"})
        raise ExtractionError(f"{path.name} has states in {strange}: save them as float32.")

    def read_array(name: str) -> np.ndarray:
        with safe_open(path, "numpy") as file:
            return np.asarray(file.get_tensor(name))

    return names, read_array


def _open_npz(path: Path) -> tuple[list[str], Callable[[str], np.ndarray]]:
    def read_array(name: str) -> np.ndarray:
        try:
            with np.load(path, allow_pickle=False) as file:
                return np.asarray(file[name])
        except (ValueError, EOFError, OSError, zipfile.BadZipFile):
            raise ExtractionError(
                f"{path.name} has no readable array of numbers {name}: write it with numpy.savez."
            ) from None

    try:
        with np.load(path, allow_pickle=False) as file:
            names = list(file.files)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, AttributeError):
        raise ExtractionError(
            f"{path.name} is not a whole npz file: write it with numpy.savez."
        ) from None
    return names, read_array
