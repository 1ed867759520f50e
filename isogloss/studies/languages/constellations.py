"""Where every sentence in every language lies, layer by layer, drawn in two dimensions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.languages.company import choose_rows
from isogloss.measures.projection.layout import LayerLayout, ProjectionOptions, project_layers
from isogloss.measures.stacks import Array
from isogloss.store import Store
from isogloss.studies.languages.sentence_means import sentence_means
from isogloss.studies.languages.sides import cells_of, read_sides
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study

MOST_POINTS = 4_000
"""Of a longer text, rows are taken evenly spaced."""


def points_of_text(there: Array) -> tuple[Array, Array]:
    """The language and the row of every point on the map, (m,) each, language by language."""
    rows = choose_rows(there, MOST_POINTS)
    language, place = np.nonzero(there[:, rows])
    return language, rows[place]


@dataclass(frozen=True)
class Constellations(Question[LayerLayout]):
    """The picture of all sentences at every layer."""

    coordinates: Coordinates = coordinates_option()
    projection: ProjectionOptions = field(default_factory=ProjectionOptions)

    KIND: ClassVar[str] = "constellations"
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type] = LayerLayout

    def compute(self, study: Study, store: Store, steps: Steps) -> LayerLayout:
        means = sentence_means(study, store, steps.progress, steps.should_stop)
        rows = choose_rows(cells_of(means), MOST_POINTS)

        def read(layer: int) -> Array:
            placed = read_sides(means, layer, rows).in_common_coordinates(self.coordinates)
            return placed.astype(np.float32)

        stack: list[Callable[[], Array]] = [partial(read, n) for n in range(means.n_states)]
        return project_layers(stack, self.projection, steps.progress, steps.should_stop, steps.show)
