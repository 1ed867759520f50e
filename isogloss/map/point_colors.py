"""The colours of a map's points on white paper, chosen as in the browser (`colors.js`)."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import ScrubberData
from isogloss.palette import PALETTES, RANK_BOUNDS, RANK_NAMES

PAPER = PALETTES["light"]


def language_colors(data: ScrubberData) -> list[str]:
    """The colour of each language: the two sides', or of more, one of many."""
    count = len(data.languages)
    return [(PAPER.sides if count == 2 else PAPER.many)[i % len(PAPER.many)] for i in range(count)]


def point_colors(data: ScrubberData, coloring: str, stop: int) -> list[str]:
    """The colour of each point at a stop: by language, sentence, topic or how well aligned."""
    if coloring == "language":
        colors = language_colors(data)
        return [colors[side] for side in data.sides]
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
    """What the colours say beyond the legend of languages and shapes: (colour, name)."""
    if coloring == "alignment":
        return list(zip(PAPER.aligned, RANK_NAMES, strict=True))
    if coloring == "topic" and not data.shapes_of_topics:
        return list(zip(PAPER.categories, data.topics, strict=False))
    return []
