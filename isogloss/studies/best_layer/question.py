"""The question at which layer two languages align best, by one of four scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.store import Store
from isogloss.studies.best_layer.scores import (
    LayerScores,
    score_alignments_by_layer,
    score_sentences,
    score_similarity,
    score_words,
)
from isogloss.studies.best_layer.wording import ScoreName
from isogloss.studies.questions import Question, Steps
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study


@dataclass(frozen=True)
class BestLayer(Question[LayerScores]):
    """One of four scores of a study at every layer, and how its layers differ."""

    score: ScoreName = "words"
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "best layer"
    VERSION: ClassVar[int] = 2
    ANSWER: ClassVar[type] = LayerScores

    def compute(self, study: Study, store: Store, steps: Steps) -> LayerScores:
        if self.score == "words":
            return score_words(study, self.coordinates, steps)
        if self.score == "sentences":
            return score_sentences(study, self.coordinates, steps)
        if self.score == "alignment":
            return score_alignments_by_layer(study, self.coordinates, steps)
        comparison = LayerComparison(study.key, coordinates=self.coordinates)
        return score_similarity(study, comparison, store, steps)


@dataclass(frozen=True)
class BestOfDiagonal(Question[LayerScores]):
    """The layer that is most like itself across the two sides of any comparison of layers."""

    comparison: LayerComparison = field(default_factory=lambda: LayerComparison(""))

    KIND: ClassVar[str] = "best layer of a diagonal"
    VERSION: ClassVar[int] = 1
    ANSWER: ClassVar[type] = LayerScores

    def compute(self, study: Study, store: Store, steps: Steps) -> LayerScores:
        return score_similarity(study, self.comparison, store, steps)

    def record(self) -> dict[str, Any]:
        """Return the address of the answer: that of the comparison, for this kind."""
        made_from = {"comparison": self.comparison.record()}
        return {"kind": self.KIND, "version": self.VERSION, **made_from}
