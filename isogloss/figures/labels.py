"""Names that would lie upon one another, moved apart: beside a plot, and around its points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spread_labels(values: Sequence[float], gap: float) -> list[float]:
    """Return places near `values`, in their order, of which neighbours are at least `gap` apart.

    Names that would meet are stacked around the mean of their values.
    """
    groups: list[list[int]] = []
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        groups.append([i])
        while len(groups) > 1 and _ends(groups[-2], values, gap)[1] + gap > (
            _ends(groups[-1], values, gap)[0] + 1e-9
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    places = [0.0] * len(values)
    for group in groups:
        for rank, i in enumerate(group):
            places[i] = _ends(group, values, gap)[0] + rank * gap
    return places


def _ends(group: Sequence[int], values: Sequence[float], gap: float) -> tuple[float, float]:
    """Where a stack of names begins and ends."""
    middle, half = float(np.mean([values[i] for i in group])), gap * (len(group) - 1) / 2
    return middle - half, middle + half


SIDES = (
    "middle right", "middle left", "top right", "top left", "top center",
    "bottom right", "bottom left", "bottom center",
)  # fmt: skip
"""Where a name can stand beside its point, as Plotly calls it, the most readable first."""
_LINE = 15
_LETTER = 7.2
_MARKER = 13
Box = tuple[float, float, float, float]


def place_names(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    size: tuple[float, float],
    more: Sequence[tuple[float, float]] = (),
) -> list[str]:
    """Return for each name the side of its point at which it covers least of the others.

    `points` are pixels from the left and the top in a plot of `size`, `more` are points without a
    name that should be seen, too. Names are placed one after the other, those in the densest places
    first.
    """
    half = _MARKER / 2
    marks = [(x - half, y - half, x + half, y + half) for x, y in (*points, *more)]
    plot = (0.0, 0.0, *size)
    near = [sum(abs(x - u) < 90 and abs(y - v) < 40 for u, v in points) for x, y in points]
    placed: dict[int, Box] = {}
    sides = [SIDES[0]] * len(names)
    for i in sorted(range(len(names)), key=lambda i: -near[i]):
        others = [*placed.values(), *(mark for j, mark in enumerate(marks) if j != i)]

        def covered(side: str, i: int = i, others: Sequence[Box] = tuple(others)) -> float:
            box = _box(names[i], points[i], side)
            outside = _area(box) - _overlap(box, plot)
            return 3 * outside + sum(_overlap(box, other) for other in others)

        sides[i] = min(SIDES, key=covered)
        placed[i] = _box(names[i], points[i], sides[i])
    return sides


def _box(name: str, point: tuple[float, float], side: str) -> Box:
    """Where a name stands at one side of its point: left, top, right, bottom."""
    up, across = side.split()
    (x, y), width = point, _LETTER * len(name)
    left = {"right": x + _MARKER / 2, "left": x - _MARKER / 2 - width, "center": x - width / 2}
    top = {"middle": y - _LINE / 2, "top": y - _MARKER / 2 - _LINE, "bottom": y + _MARKER / 2}
    return left[across], top[up], left[across] + width, top[up] + _LINE


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
