"""A layer of a study's sentences in all its languages, as measures of many languages take it."""

from __future__ import annotations

import numpy as np

from isogloss.measures.languages.sides import Sides
from isogloss.measures.stacks import Array
from isogloss.studies.languages.sentence_means import SentenceMeans


def cells_of(means: SentenceMeans) -> Array:
    """Which languages have which rows of the text: (languages, rows)."""
    return np.stack([means.filled(language) for language in means.languages])


def read_sides(means: SentenceMeans, layer: int, rows: Array | None = None) -> Sides:
    """Every language's means at one layer, of all rows of the text or of some."""
    chosen = slice(None) if rows is None else rows
    vectors = [means.layer(language, layer)[chosen] for language in means.languages]
    return Sides(np.stack(vectors), cells_of(means)[:, chosen])
