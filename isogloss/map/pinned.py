"""The pinned words of a map and their translations, wherever they are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.map.payload import ScrubberData
from isogloss.measures.stacks import Array


def pinned_points(data: ScrubberData, pins: Sequence[int]) -> list[int]:
    """The pinned points and then their translations, each once; middles of stars are not shown."""
    pins = [pin for pin in pins if pin < len(data.texts)]
    partners = [point for pin in pins for point in partners_of(data, pin)]
    return [point for point in dict.fromkeys([*pins, *partners]) if point < data.marked]


def pinned_lines(data: ScrubberData, pins: Sequence[int]) -> Array:
    """The links that pinned points have, [m, 2]."""
    links = np.asarray(data.links, dtype=int).reshape(-1, 2)
    return links[np.isin(links, list(pins)).any(axis=1)]


def partners_of(data: ScrubberData, point: int) -> list[int]:
    """What a point is linked with."""
    links = np.asarray(data.links, dtype=int).reshape(-1, 2)
    linked = links[(links == point).any(axis=1)].ravel().tolist()
    return [other for other in linked if other != point]


def rank_text(rank: int) -> str:
    """A rank as it stands beside a pinned pair; nothing where none is known."""
    return "nearest" if rank == 1 else f"rank {rank}" if rank else ""
