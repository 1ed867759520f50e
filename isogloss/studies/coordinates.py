"""The statistics behind a study's coordinates, and how rogue its dimensions are, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from isogloss.formatting import Row
from isogloss.measures.coordinates import (
    COORDINATES,
    Coordinates,
    LayerStatistics,
    layer_statistics,
    rogue_dimensions,
)
from isogloss.measures.labels import Labels
from isogloss.measures.stacks import Array
from isogloss.store import Store
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study

MOST_TOKENS = 200_000
"""Beyond this many tokens of a language, so many of them, evenly spaced, say the same."""


@lru_cache(maxsize=128)
def token_statistics(study: Study, layer: int) -> LayerStatistics:
    """Return the means and deviations over all ordinary tokens of a study at one layer."""
    tokens, states = study.tokens, study.layer(layer)

    def read(side: int) -> Array:
        rows = np.flatnonzero((tokens.side == side) & ~tokens.special)
        step = -(-len(rows) // MOST_TOKENS) or 1
        return study.scale * np.asarray(states[rows[::step]], np.float32)

    return layer_statistics(read(0), read(1))


@dataclass(frozen=True)
class RogueCurves:
    """By layer, (L + 1,) each: the variance in the largest dimension, in the largest five, how
    many dimensions take part, and which dimension is the largest."""

    largest: Array
    largest_five: Array
    participation: Array
    dimension: Array
    width: int

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer."""
        names = ("largest", "largest_five", "participation", "dimension")
        return labels.by_layer({name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class RogueReport(Question[RogueCurves]):
    """How much of each layer's variance lies in a few dimensions, over all tokens of a study."""

    KIND: ClassVar[str] = "rogue dimensions"
    ANSWER: ClassVar[type] = RogueCurves

    def compute(self, study: Study, store: Store, steps: Steps) -> RogueCurves:
        found = []
        for layer in steps.layers(study, "looking at layer {}"):
            found.append(rogue_dimensions(token_statistics(study, layer)))
        return RogueCurves(
            largest=np.array([each.largest for each in found]),
            largest_five=np.array([each.largest_five for each in found]),
            participation=np.array([each.participation for each in found]),
            dimension=np.array([each.dimension for each in found]),
            width=found[0].width,
        )


def describe_coordinates(coordinates: Coordinates) -> str:
    """The coordinates as a provenance block names them."""
    return COORDINATES[coordinates].title.lower()
