"""Which words carry a label at which moment, so that no two labels ever lie on each other.

Labels are chosen at the stops, those already showing first; on the way between two stops only
those stay that both stops show and that never meet on the way. The others fade out as the points
begin to move and in as they come to rest, which is when they move least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from isogloss.measures.stacks import Array

MOST_LABELS = 36
MOST_CANDIDATES = 160
LONGEST_LABEL = 14
FADE = 0.15


@dataclass(frozen=True)
class LabelBox:
    """A label's place relative to its point, in pixels: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class LabelPlan:
    """The points labelled at each stop, and on the way from each stop to the next."""

    at_stop: tuple[tuple[int, ...], ...]
    between: tuple[tuple[int, ...], ...]

    def opacities(self, position: float) -> dict[int, float]:
        """The opacity, in (0, 1], of each label showing at a position from 0 to stops - 1."""
        stop = min(int(position), len(self.at_stop) - 1)
        way = position - stop
        if way == 0:
            return dict.fromkeys(self.at_stop[stop], 1.0)
        showing = dict.fromkeys(self.between[stop], 1.0)
        leaving, coming = 1 - way / FADE, 1 - (1 - way) / FADE
        for points, opacity in ((self.at_stop[stop], leaving), (self.at_stop[stop + 1], coming)):
            if opacity > 0:
                showing |= {point: opacity for point in points if point not in showing}
        return showing


def choose_candidates(
    texts: Sequence[str], sides: Array, links: Array, pinned: Sequence[int] = ()
) -> list[int]:
    """Return points worth a label, the most welcome first.

    Pinned points come first, then both ends of links spread evenly over all links, then other
    points; a text once per side, of letters, and short enough to read in passing.
    """
    fitting = [i for i, text in enumerate(texts) if _is_word(text)]
    linked = [int(i) for i in _spread(np.asarray(links).reshape(-1, 2)).ravel()]
    allowed, seen, chosen = set(fitting), set(), list(dict.fromkeys(pinned))
    for point in [*linked, *_spread(np.array(fitting, dtype=int))]:
        key = (int(sides[point]), texts[point].casefold())
        if point in allowed and key not in seen and point not in chosen:
            seen.add(key)
            chosen.append(int(point))
    return chosen[:MOST_CANDIDATES]


def plan_labels(
    places: Array, boxes: dict[int, LabelBox], frame: LabelBox, pinned: Sequence[int] = ()
) -> LabelPlan:
    """Return which of `boxes`, in order of preference, can show without meeting another.

    places is (stops, n, 2) in pixels; a label shows only where it lies within `frame`. Pinned
    points come first at every stop.
    """
    first = [point for point in boxes if point in pinned]
    at_stop: list[tuple[int, ...]] = []
    for stop in places:
        before = at_stop[-1] if at_stop else ()
        wished = list(dict.fromkeys([*first, *before, *boxes]))
        at_stop.append(_keep_apart(wished, boxes, np.stack([stop, stop]), frame))
    between = []
    for stop, (here, there) in enumerate(pairwise(at_stop)):
        both = [point for point in here if point in there]
        between.append(_keep_apart(both, boxes, places[stop : stop + 2], frame))
    return LabelPlan(tuple(at_stop), tuple(between))


def _keep_apart(
    wished: Sequence[int], boxes: dict[int, LabelBox], way: Array, frame: LabelBox
) -> tuple[int, ...]:
    """Those wished for, first come first served, that never meet on a straight way (2, n, 2)."""
    kept: list[int] = []
    taken = np.empty((0, 2, 4))
    for point in wished:
        box = boxes[point]
        edges = way[:, point][:, [0, 1, 0, 1]] + (box.left, box.top, box.right, box.bottom)
        fits = (edges[:, :2] >= (frame.left, frame.top)).all() and (
            edges[:, 2:] <= (frame.right, frame.bottom)
        ).all()
        if fits and not _meet(edges, taken).any():
            kept.append(point)
            taken = np.concatenate([taken, edges[None]])
        if len(kept) == MOST_LABELS:
            break
    return tuple(kept)


def _meet(edges: Array, others: Array) -> Array:
    """Whether a box, its edges (2, 4) at the start and end of a way, meets others (k, 2, 4) on it.

    Boxes overlap while four gaps, each changing evenly, are all below zero; they meet if the last
    gap to fall below does so before the first one rises again.
    """
    gaps = np.concatenate([edges[:, :2] - others[..., 2:], others[..., :2] - edges[:, 2:]], axis=-1)
    start, change = gaps[:, 0], gaps[:, 1] - gaps[:, 0]
    crossing = np.divide(-start, change, out=np.zeros_like(start), where=change != 0)
    never = (change == 0) & (start >= 0)
    begins = np.where(change < 0, crossing, np.where(never, np.inf, 0)).max(axis=-1)
    ends = np.where(change > 0, crossing, 1).min(axis=-1)
    return np.maximum(begins, 0) < np.minimum(ends, 1)


def _is_word(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    shortest = 3 if text.isascii() else 1
    return shortest <= letters and len(text) <= LONGEST_LABEL


def _spread(items: Array) -> Array:
    """The items in an order whose every beginning is spread evenly over all of them."""
    # Multiples of the golden ratio fill the unit interval evenly (Weyl 1916).
    order = np.argsort((np.arange(len(items)) * 0.6180339887498949) % 1, kind="stable")
    return items[np.argsort(order, kind="stable")] if len(items) else items
