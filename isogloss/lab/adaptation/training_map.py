"""Words of a few sentence pairs watched while a model trains: one flowing picture for each layer.

At a layer the picture flows over the steps of training as the token map's does over layers; where
nothing was learned, nothing moves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.lab.training.word_maps import as_bytes, from_bytes, turn_together
from isogloss.measures.coordinates import DEFAULT_COORDINATES
from isogloss.measures.projection.layout import project_layers
from isogloss.measures.stacks import Array
from isogloss.models.loading import LoadedModel
from isogloss.models.masking import measuring
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.links.points import score_links, scored_links
from isogloss.studies.pooling import point_table, point_vectors
from isogloss.studies.study import Study, as_tuples
from isogloss.text.parts import choose_spread
from isogloss.text.reading import ParallelText, bundled_texts, load_bundled

PAIRS = 16
MOMENTS = 9
EVERYDAY = "everyday."


@dataclass(frozen=True, eq=False)
class TrainingMap:
    """Where n words lie at m steps of training and L + 1 layers.

    `positions` (m, L + 1, n, 2), range -1 to 1; `preservation` and `nearest_share` (m, L + 1),
    range 0 to 1; `links` (k, 2); `texts`, `sides`, `sentence_of` have n entries. `badge` says whose
    the links are ("" in runs that did not keep it); where they are no evidence, there are none, and
    `nearest_share` is not a number.
    """

    steps: tuple[int, ...]
    positions: Array
    preservation: Array
    nearest_share: Array
    links: Array
    texts: tuple[str, ...]
    sides: tuple[int, ...]
    sentence_of: tuple[int, ...]
    sentences: tuple[tuple[str, str], ...]
    languages: tuple[str, str]
    badge: str = ""

    @property
    def scored(self) -> bool:
        """Whether there are links to score words on."""
        return bool(np.isfinite(self.nearest_share).all())

    def as_arrays(self) -> dict[str, Array]:
        """The map as arrays that a run can keep."""
        values = vars(self).items()
        rest = {name: value for name, value in values if not isinstance(value, np.ndarray)}
        return {
            "coordinates": self.positions.astype(np.float16),
            "preservation": self.preservation.astype(np.float32),
            "nearest_share": self.nearest_share.astype(np.float32),
            "links": self.links.astype(np.int32),
            "rest": as_bytes(rest),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> TrainingMap:
        """The map as `as_arrays` gave it."""
        rest = from_bytes(arrays["rest"])
        return cls(
            positions=arrays["coordinates"].astype(np.float32),
            preservation=arrays["preservation"],
            nearest_share=arrays["nearest_share"],
            links=arrays["links"],
            **{name: as_tuples(value) for name, value in rest.items()},
        )


def probe_pairs(language: str) -> ParallelText:
    """A few bundled sentence pairs to watch, with the language among them where there are any."""
    everyday = [text for text in bundled_texts() if text.name.startswith(EVERYDAY)]
    fitting = [text for text in everyday if language in text.languages]
    whole = load_bundled((fitting or everyday)[0].name)
    if len(whole.languages) > 2:
        first, second = whole.first_two
        whole = whole.pair(first, language if language in whole.languages[1:] else second)
    return whole.select(choose_spread(whole, PAIRS))


def spread_moments(steps: Sequence[int], count: int = MOMENTS) -> frozenset[int]:
    """At most `count` of the steps, evenly spread, the first and the last among them."""
    places = np.linspace(0, len(steps) - 1, min(count, len(steps))).round().astype(int)
    return frozenset(steps[place] for place in places)


class Watch:
    """Collects the states of the watched words while a model trains."""

    def __init__(self, model: LoadedModel, text: ParallelText) -> None:
        self._model = replace(model, network=model.network.base_model)
        self._text = text
        self._steps: list[int] = []
        self._vectors: list[list[Array]] = []
        self._shares: list[Array] = []

    def look(self, step: int) -> None:
        """Read every layer's states of the words as the model is now."""
        with tempfile.TemporaryDirectory() as scratch:
            # A scratch store, since these states are of a model that nobody will find again.
            store = Store(Path(scratch), demo=None)
            with measuring(self._model.network):
                options = ExtractionOptions(stored_as="float32")
                study = Study(extract(self._model, self._text, store, options))
            if not self._steps:
                self._table = point_table(study, punctuation=False)
                self._links = scored_links(study, self._table)
            # The layers that drift has, too: with a final norm, the top one is what it gives.
            layers = study.states.handed_on_numbers
            self._vectors.append(
                [point_vectors(study, layer, self._table, DEFAULT_COORDINATES) for layer in layers]
            )
            self._shares.append(self._share(study)[layers])
        self._steps.append(step)

    def _share(self, study: Study) -> Array:
        if not self._links.evidence:
            return np.full(study.n_states, np.nan)
        return score_links(study, self._table, self._links).nearest_share

    def lay_out(self) -> TrainingMap:
        """Lay the words out at every layer, each flowing over the steps."""
        positions, preservation = turn_together(map(_flow, zip(*self._vectors, strict=True)), 0)
        return TrainingMap(
            steps=tuple(self._steps),
            positions=positions,
            preservation=preservation,
            nearest_share=np.stack(self._shares),
            links=self._links.pairs,
            texts=tuple(map(str, self._table.text)),
            sides=tuple(map(int, self._table.side)),
            sentence_of=tuple(map(int, self._table.sentence)),
            sentences=tuple(zip(self._text.source, self._text.target, strict=True)),
            languages=self._text.first_two,
            badge=self._links.badge,
        )


def _flow(moments: Sequence[Array]) -> tuple[Array, Array]:
    """Places (m, n, 2) and preservation (m,) of one layer over the moments.

    A moment at which no state differs from the one before keeps its picture.
    """
    changed = [
        place == 0 or not np.array_equal(moments[place], moments[place - 1])
        for place in range(len(moments))
    ]
    layout = project_layers([moment for moment, new in zip(moments, changed, strict=True) if new])
    picture = np.cumsum(changed) - 1
    return layout.positions[picture], layout.preservation[picture]
