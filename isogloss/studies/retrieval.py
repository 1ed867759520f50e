"""Whether a study's sentences and words find their translations, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from isogloss.formatting import percent
from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.language_probe import FOLDS, LanguageProbe, probe_layers
from isogloss.measures.nearest_neighbours import score_option
from isogloss.measures.sentence_retrieval import (
    DIRECTIONS,
    RetrievalScores,
    confusions,
    score_pairs,
    summarise_ranks,
)
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import reach_of_the_best, wilson_interval
from isogloss.store import Store
from isogloss.studies.pooling import (
    Pooling,
    pooling_option,
    sentence_pair_vectors,
    sentence_vectors,
)
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study


@dataclass(frozen=True)
class SentenceRetrieval(Question[RetrievalScores]):
    """Each sentence looks for its translation among all sentences of the other language."""

    score: str = score_option()
    pooling: Pooling = pooling_option()
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "sentence retrieval"
    VERSION: ClassVar[int] = 3
    ANSWER: ClassVar[type] = RetrievalScores

    def compute(self, study: Study, store: Store, steps: Steps) -> RetrievalScores:
        ranks = []
        for layer in steps.layers(study, "searching at layer {}"):
            X, Y = sentence_pair_vectors(study, layer, self.pooling, self.coordinates)
            ranks.append(score_pairs(X, Y, self.score))
        return summarise_ranks(ranks, self.score)


FEW_PAIRS = 30
"""Below this many pairs chance is above 3 %, and even 100 % has an interval of over 11 points."""


def say_if_few(scores: RetrievalScores) -> str:
    """What so few sentences cannot show; nothing where there are enough."""
    if scores.rows >= FEW_PAIRS:
        return ""
    lowest, _ = wilson_interval(scores.rows, scores.rows, scores.level)
    return (
        f"{scores.rows} pairs are few: by chance {percent(scores.chance[0], 0)} of the sentences "
        f"find their translation first, and where all of them do, the {percent(scores.level, 0)} "
        f"interval still goes down to {percent(float(lowest), 0)}. Bring {FEW_PAIRS} pairs or "
        "more, better hundreds."
    )


def say_if_chance(scores: RetrievalScores) -> str:
    """That luck reaches as much as the best layer, its interval widened for that choice."""
    curve, low = scores.curve("precision@1"), scores.low[:, :, 0].mean(1)
    best, chance = int(curve.argmax()), float(scores.chance[0])
    if curve[best] - reach_of_the_best(len(curve)) * (curve[best] - low[best]) > chance:
        return ""
    return (
        f"Chance reaches this, too: by luck {percent(chance)} of the sentences find their "
        f"translation first, and no layer is above that once its interval allows for being the "
        f"best of {len(curve)}."
    )


def say_if_all_found(scores: RetrievalScores) -> str:
    """At how many layers nothing is left to find, so that they cannot be told apart."""
    count = int((scores.curve("precision@1") == 1).sum())
    if count < 2:
        return ""
    return (
        f"At {count} of {len(scores.values)} layers all {scores.rows:,} find their translation "
        "first: this text cannot tell those layers apart."
    )


@dataclass(frozen=True)
class LanguageIdentity(Question[LanguageProbe]):
    """How well a linear classifier tells which language a sentence vector comes from."""

    pooling: Pooling = pooling_option()

    KIND: ClassVar[str] = "language identity"
    VERSION: ClassVar[int] = 2
    ANSWER: ClassVar[type] = LanguageProbe

    def compute(self, study: Study, store: Store, steps: Steps) -> LanguageProbe:
        def read(layer: int, side: int) -> Array:
            steps.reach(2 * layer + side, 2 * study.n_states, f"probing layer {layer}")
            return sentence_vectors(study, layer, side, self.pooling)

        def stack(side: int) -> list[Callable[[], Array]]:
            return [partial(read, layer, side) for layer in range(study.n_states)]

        return probe_layers(stack(0), stack(1), folds=min(FOLDS, len(study.bitext)))


@dataclass(frozen=True)
class ConfusedSentence:
    """A sentence that did not find its translation: what it found, and what it should have."""

    sentence: str
    found: str
    translation: str
    rank: float
    score: float
    translation_score: float
    index: int


@dataclass(frozen=True)
class ConfusedSentences:
    """The sentences that went astray, the worst first, and how many of how many they are."""

    shown: tuple[ConfusedSentence, ...]
    confused: int
    rows: int


def confused_sentences(
    study: Study,
    layer: int,
    question: SentenceRetrieval,
    direction: str = DIRECTIONS[0],
    most: int = 200,
) -> ConfusedSentences:
    """Return what was found instead of the translation, at one layer and in one direction."""
    X, Y = sentence_pair_vectors(study, layer, question.pooling, question.coordinates)
    result = confusions(X, Y, k=2, score=question.score, direction=direction)
    own = DIRECTIONS.index(direction)
    searching, searched = study.bitext.side(own), study.bitext.side(1 - own)

    def describe(row: int) -> ConfusedSentence:
        # On a tie the translation itself may come first; what it is confused with comes next.
        place = int(result.found[row, 0] == row)
        found = int(result.found[row, place])
        return ConfusedSentence(
            sentence=searching[row],
            found=searched[found],
            translation=searched[row],
            rank=float(result.ranks[row]),
            score=float(result.scores[row, place]),
            translation_score=float(result.own_scores[row]),
            index=row,
        )

    wrong = [int(row) for row in result.confused]
    shown = tuple(describe(row) for row in wrong[:most])
    return ConfusedSentences(shown, len(wrong), len(result.ranks))
