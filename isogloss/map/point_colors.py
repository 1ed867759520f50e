"""The colours of a map's points, chosen as in the browser (`colors.js`)."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import ScrubberData
from isogloss.palette import PALETTES, RANK_BOUNDS, RANK_NAMES, Palette

PAPER = PALETTES["light"]


def language_colors(data: ScrubberData, colors: Palette = PAPER) -> list[str]:
    """The colour of each language: the two sides', or of more, one of many."""
    count = len(data.languages)
    offered = colors.sides if count == 2 else colors.many
    return [offered[i % len(offered)] for i in range(count)]


def point_colors(
    data: ScrubberData, coloring: str, stop: int, colors: Palette = PAPER
) -> list[str]:
    """The colour of each point at a stop: by language, sentence, topic or how well aligned."""
    if coloring == "language":
        of_languages = language_colors(data, colors)
        return [of_languages[side] for side in data.sides]
    if coloring == "alignment":
        steps = np.searchsorted(RANK_BOUNDS, data.ranks[stop])
        pairs = zip(data.ranks[stop], steps, strict=True)
        return [colors.aligned[step] if rank else colors.none for rank, step in pairs]
    groups = data.sentence_of if coloring == "sentence" else data.topic_of
    if groups is None:
        return [colors.none] * len(data.texts)
    kinds = colors.categories
    return [kinds[group % len(kinds)] if group >= 0 else colors.none for group in groups]


def legend_colors(
    data: ScrubberData, coloring: str, colors: Palette = PAPER
) -> list[tuple[str, str]]:
    """What the colours say beyond the legend of languages and shapes: (colour, name)."""
    if coloring == "alignment":
        rows = list(zip(colors.aligned, RANK_NAMES, strict=True))
        return rows if data.ranks.all() else [*rows, (colors.none, "not scored")]
    if coloring == "topic" and not data.shapes_of_topics:
        return list(zip(colors.categories, data.topics, strict=False))
    return []
