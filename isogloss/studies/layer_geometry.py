"""How a study's layers use their space: companions to every similarity, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.formatting import Row
from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.evenness import NEIGHBOURS, hubness, iso_score
from isogloss.measures.labels import Labels
from isogloss.measures.stacks import Array
from isogloss.store import Store
from isogloss.studies.pooling import Pooling, pooling_option, sentence_pair_vectors
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study


@dataclass(frozen=True)
class GeometryCurves:
    """What each layer's sentence vectors look like in each language, (L + 1, 2) each.

    `iso_score` is 0 where one direction holds all variance and 1 where all hold the same;
    `hubness` is how unevenly sentences of that language are found among the `neighbours` nearest
    from the other.
    """

    iso_score: Array
    hubness: Array
    neighbours: int
    rows: int

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer and language."""
        return [
            {
                **labels.stop(layer),
                "language": labels.languages[side],
                "iso_score": float(self.iso_score[layer, side]),
                "hubness": float(self.hubness[layer, side]),
            }
            for layer, side in np.ndindex(self.iso_score.shape)
        ]


@dataclass(frozen=True)
class LayerGeometry(Question[GeometryCurves]):
    """How evenly every layer uses its directions, and how evenly its sentences are found."""

    pooling: Pooling = pooling_option()
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "layer geometry"
    ANSWER: ClassVar[type] = GeometryCurves

    def compute(self, study: Study, store: Store, steps: Steps) -> GeometryCurves:
        scores, hubs = [], []
        for layer in steps.layers(study, "looking at the space of layer {}"):
            X, Y = sentence_pair_vectors(study, layer, self.pooling, self.coordinates)
            scores.append([iso_score(X), iso_score(Y)])
            hubs.append([hubness(Y, X), hubness(X, Y)])
        return GeometryCurves(np.array(scores), np.array(hubs), NEIGHBOURS, len(study.bitext))
