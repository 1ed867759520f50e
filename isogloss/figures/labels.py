"""Names beside a plot that would lie upon one another, moved apart."""

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
