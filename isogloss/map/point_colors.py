"""The colours of a map's points on white paper, chosen as in the browser (`colors.js`)."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import ScrubberData
from isogloss.palette import PALETTES, RANK_BOUNDS, RANK_NAMES

PAPER = PALETTES["light"]


def point_colors(data: ScrubberData, coloring: str, stop: int) -> list[str]:
    """The colour of each point at a stop: by language, sentence, topic or how well aligned."""
    if coloring == "language":
        return [PAPER.sides[side] for side in data.sides]
    if coloring == "alignment":
        steps = np.searchsorted(RANK_BOUNDS, data.ranks[stop])
        pairs = zip(data.ranks[stop], steps, strict=True)
        return [PAPER.aligned[step] if rank else PAPER.none for rank, step in pairs]
    groups = data.sentence_of if coloring == "sentence" else data.topic_of
    if groups is None:
        return [PAPER.none] * len(data.texts)
    kinds = PAPER.categories
    return [kinds[group % len(kinds)] if group >= 0 else PAPER.none for group in groups]


def legend_colors(data: ScrubberData, coloring: str) -> list[tuple[str, str]]:
    """What the colours say, beyond the shapes, which always say the language: (colour, name)."""
    if coloring == "alignment":
        return list(zip(PAPER.aligned, RANK_NAMES, strict=True))
    if coloring == "topic":
        return list(zip(PAPER.categories, data.topics, strict=False))
    return []
