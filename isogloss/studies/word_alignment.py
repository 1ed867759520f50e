"""Word alignments read off a study's layers: one sentence pair to look at, and scores by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import Row
from isogloss.links.aligners import (
    ALIGNERS,
    DEFAULT_ALIGNER,
    AlignmentScores,
    Links,
    align_words,
    score_alignments,
    word_similarities,
)
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates, coordinates_option
from isogloss.measures.labels import Labels
from isogloss.measures.stacks import Array
from isogloss.options import option
from isogloss.store import Store
from isogloss.studies.links.words import model_links
from isogloss.studies.pooling import PointTable, point_table, point_vectors
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study
from isogloss.text.reading import GoldAlignment


@dataclass(frozen=True)
class SentenceAlignment:
    """The words of a sentence pair, their similarities (m, n) at a layer, and links between them.

    `gold` is what was aligned by hand, None where nothing was.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    similarities: Array
    links: Links
    gold: GoldAlignment | None
    layer: int
    method: str

    @property
    def scores(self) -> AlignmentScores | None:
        """Precision, recall and error rate of this one pair; None without gold."""
        if self.gold is None:
            return None
        return score_alignments([self.links], [self.gold])


def align_sentence(
    study: Study,
    sentence: int,
    layer: int,
    method: str = DEFAULT_ALIGNER,
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> SentenceAlignment:
    """Align the words of one sentence pair by their vectors at one layer."""
    table = point_table(study, "word", np.array([sentence]))
    words, vectors = _by_side(table, point_vectors(study, layer, table, coordinates))
    similarities = word_similarities(vectors[0], vectors[1])
    # Gold counts all words of a sentence, also one that the model was cut off before reading.
    places = [np.asarray(table.index[table.side == side]) for side in (0, 1)]
    gold = study.bitext.gold[sentence] if study.bitext.gold is not None else None
    return SentenceAlignment(
        words[0],
        words[1],
        similarities,
        align_words(similarities, method),
        _renumbered(gold, places),
        layer,
        method,
    )


def _by_side(table: PointTable, vectors: Array) -> tuple[list[tuple[str, ...]], list[Array]]:
    sides = [table.side == side for side in (0, 1)]
    if not (sides[0].any() and sides[1].any()):
        raise IsoglossError("One side of this pair has no word to align; choose another pair.")
    return [tuple(map(str, table.text[mine])) for mine in sides], [vectors[mine] for mine in sides]


def _renumbered(gold: GoldAlignment | None, places: list[Array]) -> GoldAlignment | None:
    if gold is None:
        return None
    position = [{int(index): row for row, index in enumerate(side)} for side in places]

    def known(links: Links) -> Links:
        return frozenset(
            (position[0][i], position[1][j])
            for i, j in links
            if i in position[0] and j in position[1]
        )

    return GoldAlignment(known(gold.sure), known(gold.possible))


@dataclass(frozen=True)
class AlignmentCurve:
    """Error rate with its interval, precision and recall against gold by layer, (L,) each."""

    error_rate: Array
    low: Array
    high: Array
    precision: Array
    recall: Array
    level: float
    sentences: int

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer."""
        names = ("error_rate", "low", "high", "precision", "recall")
        return labels.by_layer({name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class AlignmentQuality(Question[AlignmentCurve]):
    """Word alignments of every sentence pair that was aligned by hand, at every layer."""

    method: str = option(
        DEFAULT_ALIGNER,
        "how links between words are read off a layer",
        title="Aligner",
        choices=ALIGNERS,
        address="aligner",
    )
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "alignment quality"
    VERSION: ClassVar[int] = 3
    ANSWER: ClassVar[type] = AlignmentCurve

    def compute(self, study: Study, store: Store, steps: Steps) -> AlignmentCurve:
        gold = study.bitext.gold or ()
        sentences = np.array([row for row, links in enumerate(gold) if links is not None])
        if not len(sentences):
            raise IsoglossError("No pair of this text was aligned by hand, so there is no error.")
        layers = []
        for layer in steps.layers(study, "aligning words at layer {}"):
            found = model_links(study, layer, sentences, self.method, self.coordinates)
            links = [found.get(int(sentence), frozenset()) for sentence in sentences]
            layers.append(score_alignments(links, [gold[s] for s in sentences]))
        return AlignmentCurve(
            error_rate=_column(layers, "error_rate", 1.0),
            low=_column(layers, "error_rate_low", 1.0),
            high=_column(layers, "error_rate_high", 1.0),
            precision=_column(layers, "precision", 0.0),
            recall=_column(layers, "recall", 0.0),
            level=layers[0].level,
            sentences=len(sentences),
        )


def _column(layers: list[AlignmentScores], name: str, undefined: float) -> Array:
    """One score by layer; without a single link everything is missed."""
    values = (getattr(layer, name) for layer in layers)
    return np.array([undefined if value is None else value for value in values])
