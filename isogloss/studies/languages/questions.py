"""What is asked of all languages of a study: whose company, every pair, and the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.languages.company import Company, choose_rows, layer_company, summarise
from isogloss.measures.languages.pairs import found_shares, measured_values
from isogloss.measures.languages.sides import Sides
from isogloss.measures.languages.tree import (
    agreement,
    average_linkage,
    cophenetic_distances,
    distances_of_means,
)
from isogloss.measures.nearest_neighbours import score_option
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array
from isogloss.options import Choice, option
from isogloss.store import Store
from isogloss.studies.languages.sentence_means import SentenceMeans, sentence_means
from isogloss.studies.languages.sides import cells_of, read_sides
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study
from isogloss.text.families import genealogical_distances

RETRIEVAL = "retrieval"
PAIR_MEASURES: dict[str, Choice] = {
    RETRIEVAL: Choice(
        "Sentence retrieval", "the share of sentences that find their translation first"
    )
} | {name: Choice(each.title, each.explanation) for name, each in SIMILARITY_MEASURES.items()}

Distance = Literal["means", "meaning", "retrieval"]
DISTANCES: dict[Distance, Choice] = {
    "means": Choice(
        "Where languages lie",
        "how far apart the means of their sentences lie, in deviations of a dimension",
    ),
    "meaning": Choice(
        "How meanings are arranged", "1 less debiased CKA of the same sentences in both"
    ),
    "retrieval": Choice(
        "Who finds whom", "the share of sentences that do not find their translation first"
    ),
}


@dataclass(frozen=True)
class SentenceCompany(Question[Company]):
    """Whether the nearest neighbour of a sentence is a translation or of its own language."""

    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "company of sentences"
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type] = Company

    def compute(self, study: Study, store: Store, steps: Steps) -> Company:
        means = sentence_means(study, store, steps.progress, steps.should_stop)
        cells = cells_of(means)
        rows = choose_rows(cells)
        layers = []
        for layer in range(means.n_states):
            steps.reach(layer, means.n_states, f"Looking for neighbours at layer {layer}")
            layers.append(layer_company(read_sides(means, layer, rows), self.coordinates))
        return summarise(layers, cells[:, rows])


@dataclass(frozen=True)
class PairTable:
    """A value of every two languages at every layer, (L, K, K), and how many rows they share.

    `values[l, i, j]` goes from language i to language j; NaN on the diagonal and where two have too
    few rows in common. `rows` is (K, K).
    """

    values: Array
    rows: Array

    def both_ways(self) -> Array:
        """The mean of both directions, (L, K, K)."""
        mean: Array = (self.values + self.values.transpose(0, 2, 1)) / 2
        return mean


@dataclass(frozen=True)
class EveryPair(Question[PairTable]):
    """A measure of every two languages, at every layer."""

    measure: str = option(
        RETRIEVAL, "what is compared of two languages", title="Measure", choices=PAIR_MEASURES
    )
    score: str = score_option()
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "every pair of languages"
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type] = PairTable

    def compute(self, study: Study, store: Store, steps: Steps) -> PairTable:
        means = sentence_means(study, store, steps.progress, steps.should_stop)
        found = []
        for layer in range(means.n_states):
            sides = read_sides(means, layer)
            found.append(self._values(sides, _tell(steps, layer, means)))
        return PairTable(np.stack(found), sides.counts())

    def _values(self, sides: Sides, on_pair: Callable[[int, int], None]) -> Array:
        if self.measure == RETRIEVAL:
            return found_shares(sides, self.score, self.coordinates, on_pair)
        return measured_values(sides, self.measure, self.coordinates, on_pair)


def _tell(steps: Steps, layer: int, means: SentenceMeans) -> Callable[[int, int], None]:
    def on_pair(done: int, total: int) -> None:
        message = f"Comparing languages at layer {layer}"
        steps.reach(layer * total + done, means.n_states * total, message)

    return on_pair


@dataclass(frozen=True)
class Trees:
    """A tree of the languages at every layer, and how well it agrees with their families.

    `merges` (L, K - 1, 4) are as scipy has them, `distances` (L, K, K) what they are made from.
    `correlation` and `p_value` (L,) are of the `placed` languages whose family is known.
    """

    merges: Array
    distances: Array
    correlation: Array
    p_value: Array
    placed: int


@dataclass(frozen=True)
class LanguageTrees(Question[Trees]):
    """Which languages lie together, layer by layer, and whether these are relatives."""

    distance: Distance = option(
        "means",
        "what is far apart in two languages; where they lie agrees with families best of the three "
        "at its best layer, r = .72 on the bundled text and .78 on XNLI (docs/evidence.md)",
        title="Distance",
        choices=DISTANCES,
    )
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "trees of languages"
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type] = Trees

    def compute(self, study: Study, store: Store, steps: Steps) -> Trees:
        distances = self._distances(study, store, steps)
        known = genealogical_distances(study.all_languages)
        placed = np.flatnonzero(np.isfinite(known).sum(axis=1) > 1)
        here = np.ix_(placed, placed)
        merges = [average_linkage(layer) for layer in distances]
        found = [agreement(cophenetic_distances(each)[here], known[here]) for each in merges]
        return Trees(
            merges=np.stack(merges),
            distances=distances,
            correlation=np.array([each.correlation for each in found]),
            p_value=np.array([each.p_value for each in found]),
            placed=len(placed),
        )

    def _distances(self, study: Study, store: Store, steps: Steps) -> Array:
        if self.distance == "means":
            means = sentence_means(study, store, steps.progress, steps.should_stop)
            found = []
            for layer in range(means.n_states):
                steps.reach(layer, means.n_states, f"Comparing languages at layer {layer}")
                found.append(distances_of_means(read_sides(means, layer), self.coordinates))
            return np.stack(found)
        measure = RETRIEVAL if self.distance == "retrieval" else "debiased_cka"
        asked = EveryPair(self.study, measure=measure, coordinates=self.coordinates)
        table = asked.answer(store, steps.progress, steps.should_stop)
        return np.maximum(1 - table.both_ways(), 0)
