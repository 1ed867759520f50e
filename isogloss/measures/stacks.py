"""Stacks of layers: one (n, d) array per layer, row i of every layer standing for the same text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError

Array = npt.NDArray[Any]
Layer = Array | Callable[[], Array]
Stack = Sequence[Layer] | Array

# A centred layer below this share of its own norm is rounding, not variation.
CONSTANT = 1e-13
# Values whose squares single precision holds; others are scaled first.
SMALL, LARGE = 1e-12, 1e12
# The fewest rows for which every debiased sum and every shuffled baseline exists.
FEWEST_ROWS = 4


@dataclass(frozen=True)
class PreparedLayer:
    """One layer's rows as a measure wants them: centred, or made unit.

    `features` is (n, d) in single precision; `flaw` says why the layer cannot be compared, or None.
    """

    features: Array
    flaw: str | None


def read_layer(layer: Layer) -> Array:
    """Return the (n, d) array of a layer, opening it first when it is given as a function."""
    array = np.asarray(layer() if callable(layer) else layer)
    if array.ndim != 2 or 0 in array.shape:
        raise IsoglossError(
            f"A layer must be an array of shape (rows, features), not {array.shape}; "
            "pool the tokens of each text first."
        )
    return array


def require_pairs(rows_a: int, rows_b: int) -> None:
    """Raise unless both sides have the same rows."""
    if rows_a != rows_b:
        raise IsoglossError(
            f"The two sides have {rows_a} and {rows_b} rows, but row i of one must be "
            "the translation of row i of the other; give both the same rows."
        )


def require_layers(*stacks: Stack) -> None:
    """Raise if a stack has no layer."""
    if any(len(stack) == 0 for stack in stacks):
        raise IsoglossError("A stack without layers cannot be compared; give at least one layer.")


def require_layer_pairs(stack_a: Stack, stack_b: Stack) -> None:
    """Raise unless both stacks have the same number of layers, and some."""
    require_layers(stack_a, stack_b)
    if len(stack_a) != len(stack_b):
        raise IsoglossError(
            f"The stacks have {len(stack_a)} and {len(stack_b)} layers, but layer i of one meets "
            "layer i of the other; choose as many of one as of the other."
        )


def require_finite(total: float | np.floating[Any]) -> None:
    """Raise unless a sum over a layer, which any NaN or infinity spoils, is finite."""
    if not np.isfinite(total):
        raise IsoglossError("A layer holds NaN or infinite values; extract it again, in float32.")


def centre(layer: Array) -> PreparedLayer:
    """Remove a layer's mean and scale its rows to a mean squared length of 1.

    The mean is known in double precision and taken off in two parts of single precision, its
    rounding after itself, which is exact to the last bit or two and needs no rows in double
    precision. The scale changes no measure here, and keeps products of outlier
    features within float32.
    """
    largest = float(max(layer.max(), -layer.min()))
    require_finite(largest)
    if layer.dtype == np.float64 or not SMALL <= largest <= LARGE:
        layer = layer / (largest or 1)
    mean = layer.mean(axis=0, dtype=np.float64)
    most = mean.astype(np.float32)
    centred = layer - most
    centred -= (mean - most).astype(np.float32)
    squares = float(np.vecdot(centred, centred).sum(dtype=np.float64))
    if squares <= CONSTANT**2 * (squares + len(layer) * (mean @ mean)):
        return PreparedLayer(np.zeros(layer.shape, np.float32), "is the same for every row")
    centred *= np.sqrt(len(layer) / squares).astype(centred.dtype)
    return PreparedLayer(centred.astype(np.float32, copy=False), None)


def centre_directions(layer: Array) -> PreparedLayer:
    """Scale rows to length 1, then centre them as `centre` does.

    Which of two unit rows is the closer to a third does not change when all are moved together,
    so nearest neighbours by cosine can be found among centred rows, with less rounding. A row of
    zeros has no direction and lies at the origin.
    """
    flaw = centre(layer).flaw
    array = layer.astype(np.float64)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    directions = centre(array / np.where(lengths > 0, lengths, 1))
    if flaw is None and directions.flaw is not None:
        flaw = "points the same way in every row"
    return PreparedLayer(directions.features, flaw)
