"""The colours of a map's points on white paper, the same as in the browser (`colors.js`)."""

from __future__ import annotations

import numpy as np

from isogloss.map.payload import ScrubberData

SIDES = ("#0072b2", "#d0540a")
CATEGORIES = (*SIDES, "#00875f", "#b8508f", "#6f4fb0", "#9a7400", "#2f8fb5", "#6b6b6b")
ALIGNED = ("#0b2f6b", "#14659b", "#2596a6", "#6cbf9a", "#b4d99a", "#e0e2b0")
NONE = "#b4b8bf"
RANK_STEPS = (1, 3, 10, 30, 100)
RANK_NAMES = ("nearest", "2–3", "4–10", "11–30", "31–100", "further")


def point_colors(data: ScrubberData, coloring: str, stop: int) -> list[str]:
    """The colour of each point at a stop: by language, sentence, topic or how well aligned."""
    if coloring == "language":
        return [SIDES[side] for side in data.sides]
    if coloring == "alignment":
        steps = np.searchsorted(RANK_STEPS, data.ranks[stop])
        pairs = zip(data.ranks[stop], steps, strict=True)
        return [ALIGNED[step] if rank else NONE for rank, step in pairs]
    groups = data.sentence_of if coloring == "sentence" else data.topic_of
    if groups is None:
        return [NONE] * len(data.texts)
    return [CATEGORIES[group % len(CATEGORIES)] if group >= 0 else NONE for group in groups]


def legend_colors(data: ScrubberData, coloring: str) -> list[tuple[str, str]]:
    """What the colours say, beyond the shapes, which always say the language: (colour, name)."""
    if coloring == "alignment":
        return list(zip(ALIGNED, RANK_NAMES, strict=True))
    if coloring == "topic":
        return list(zip(CATEGORIES, data.topics, strict=False))
    return []
