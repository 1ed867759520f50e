"""Where things stand on a contact sheet: its tiles, and the words on each of them.

All lengths are millimetres from the upper left corner, y downwards, since papers say how wide a
column is and leave the height to the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

WIDTHS = {1: 84.0, 2: 175.0}
"""The width of a sheet that fills one or two columns of a paper."""
TILES_ACROSS = {1: (3, 4), 2: (5, 6)}
SHAPE = 0.72
"""A picture's height, of its width."""
GAP, HEAD, LEGEND, MARGIN = 2.0, 4.0, 5.2, 0.4


@dataclass(frozen=True)
class SheetPlan:
    """A sheet's size, the size of its pictures, and their upper left corners (tiles, 2)."""

    width: float
    height: float
    tile: tuple[float, float]
    corners: Array


def plan_sheet(tiles: int, columns: int, legend: float, footer: float) -> SheetPlan:
    """Share a sheet of one or two columns out among its tiles, leaving as few gaps as possible."""
    width = WIDTHS[columns]
    across = min(TILES_ACROSS[columns], key=lambda count: (-tiles % count, count))
    across = min(across, max(tiles, TILES_ACROSS[columns][0] - 1))
    side = (width - 2 * MARGIN - GAP * (across - 1)) / across
    tile = (side, SHAPE * side)
    number = np.arange(tiles)
    x = MARGIN + (number % across) * (side + GAP)
    y = legend + HEAD + (number // across) * (tile[1] + HEAD + GAP)
    rows = -(-tiles // across)
    height = legend + rows * (tile[1] + HEAD + GAP) + footer
    return SheetPlan(width, height, tile, np.column_stack([x, y]))


@dataclass(frozen=True)
class PlacedWord:
    """A word on a tile: the point it names and the middle of its left edge."""

    point: int
    x: float
    y: float


def place_words(
    points: Sequence[int],
    places: Array,
    size_of: Callable[[int], tuple[float, float]],
    tile: tuple[float, float],
    reach: float,
) -> list[PlacedWord]:
    """Write words beside their points, right, left, below or above, where there is room.

    A word that would leave the tile or lie on another word is left out; of the rest, each takes the
    side on which it covers the fewest of the points to be named. `reach` is how far a marker does.
    """
    taken: list[tuple[float, float, float, float]] = []
    words: list[PlacedWord] = []
    for point in points:
        width, height = size_of(point)
        x, y = places[point]
        across, up = reach + 0.2, reach + height / 2
        offers = [
            (x + across, y),
            (x - across - width, y),
            (x - width / 2, y + up),
            (x - width / 2, y - up),
        ]
        free: list[tuple[int, int]] = []
        for way, (left, middle) in enumerate(offers):
            box = (left, middle - height / 2, left + width, middle + height / 2)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= tile[0] and box[3] <= tile[1]
            if inside and not any(_overlap(box, other) for other in taken):
                covered = sum(_holds(box, places[other]) for other in points if other != point)
                free.append((covered, way))
        if free:
            left, middle = offers[min(free)[1]]
            taken.append((left, middle - height / 2, left + width, middle + height / 2))
            words.append(PlacedWord(point, float(left), float(middle)))
    return words


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _holds(box: tuple[float, float, float, float], place: Array) -> bool:
    return bool(box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3])
