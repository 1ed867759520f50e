"""Scores of layers as tables and figures: similarity, retrieval, alignment, geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.errors import IsoglossError
from isogloss.figures.heatmaps import similarity_heatmap_figure
from isogloss.figures.layer_scores import alignment_error_figure, geometry_figure, retrieval_figure
from isogloss.figures.rogue_dimensions import rogue_dimensions_figure
from isogloss.formatting import percent
from isogloss.interface.results import BestLayer, LayerResult, say_ties
from isogloss.measures.labels import Labels
from isogloss.measures.sentence_retrieval import RetrievalScores
from isogloss.measures.similarity.comparison import LayerSimilarity
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array
from isogloss.models.presets import display_name
from isogloss.studies.coordinates import RogueCurves
from isogloss.studies.layer_geometry import GeometryCurves
from isogloss.studies.mapping import LEVELS, MappedRetrieval, MappingScores
from isogloss.studies.retrieval import say_if_all_found, say_if_chance, say_if_few
from isogloss.studies.similarity import Comparison, LayerComparison
from isogloss.studies.word_alignment import AlignmentCurve

if TYPE_CHECKING:
    from isogloss.figures.template import Figure, Mode


@dataclass(frozen=True, repr=False)
class SimilarityResult(LayerResult):
    """A measure between all pairs of layers, (L + 1, L + 1) each."""

    question: LayerComparison
    answer: Comparison

    @property
    def scores(self) -> LayerSimilarity:
        """Everything that was measured."""
        return self.answer.similarity

    @property
    def values(self) -> Array:
        """The measure; 0 where `scores.reasons` says that there is none."""
        return self.scores.values

    @property
    def baseline(self) -> Array:
        """What shuffled pairs read."""
        return self.scores.baseline

    @property
    def calibrated(self) -> Array:
        """The values on a scale from what chance reaches, 0, to the most there can be, 1."""
        return self.scores.calibrated

    def best(self) -> BestLayer:
        """Return the layer that agrees most with itself across the two sides.

        Its calibrated score and p-value allow for having looked at every layer.
        """
        best = self.scores.best_layer
        if best is None:
            reason = self.scores.reasons[0, 0]
            raise IsoglossError(f"{SIMILARITY_MEASURES[self.question.measure].title}: {reason}")
        found = self.scores.cell(best.layer_a, best.layer_b)
        ends = found.low, found.high
        equal = (self.values.diagonal() == best.value) & ~self.scores.undefined.diagonal()
        ties = int(equal.sum()) - 1
        return BestLayer(best.layer_a, best.value, *ends, best.calibrated, best.p_value, ties)

    def at(self, layer: int) -> dict[str, str]:
        found = self.scores.cell(layer, layer) if layer < min(self.values.shape) else None
        if found is None or found.value is None:
            return dict.fromkeys((self.question.measure, "interval", "calibrated"), "")
        return {
            self.question.measure: f"{found.value:.3f}",
            "interval": "" if found.low is None else f"{found.low:.3f}–{found.high:.3f}",
            "calibrated": f"{found.calibrated:.3f}",
        }

    def figure(self, mode: Mode = "light") -> Figure:
        """Return the heatmap of the similarity page."""
        best = self.scores.best_layer
        cell = (best.layer_a, best.layer_b) if best else (0, 0)
        return similarity_heatmap_figure(self.scores, self.labels, cell, mode)

    def describe(self) -> str:
        first, second = self.labels.names
        model = "" if self.question.other else f", {display_name(self.study.model)}"
        title = SIMILARITY_MEASURES[self.question.measure].title
        what = f"{title} of {first}{model} and {second}{model}, {self.scores.rows} pairs"
        what += f" ({self.answer.badge})" if self.answer.badge else ""
        if self.scores.undefined.diagonal().all():
            return f"{what}: {self.scores.reasons[0, 0]}"
        best = self.best()
        chance = ", which chance reaches, too" if best.within_chance else ""
        return f"{what}: {best.value:.3f} {self.place(best.layer)}{say_ties(best)}{chance}"

    @property
    def labels(self) -> Labels:
        return self.question.labels(self.study)


@dataclass(frozen=True, repr=False)
class RetrievalResult(LayerResult):
    """How well sentences find their translations, by layer, direction and metric."""

    answer: RetrievalScores

    @property
    def values(self) -> Array:
        """The scores, (L + 1, 2, 4): by layer, direction and metric."""
        return self.answer.values

    def caveats(self) -> list[str]:
        said = [say(self.answer) for say in (say_if_few, say_if_chance, say_if_all_found)]
        return [*super().caveats(), *filter(None, said)]

    def curve(self, metric: str = "precision@1") -> Array:
        """Return one metric by layer, the mean of both directions."""
        return self.answer.curve(metric)

    def best(self) -> BestLayer:
        """Return the layer where most sentences find their translation first, both ways."""
        curve = self.curve()
        layer = int(curve.argmax())
        low, high = (float(end[layer, :, 0].mean()) for end in (self.answer.low, self.answer.high))
        ties = int((curve == curve[layer]).sum()) - 1
        return BestLayer(layer, float(curve[layer]), low, high, ties=ties)

    def at(self, layer: int) -> dict[str, str]:
        found = self.answer
        low, high = (ends[layer, :, 0].mean() for ends in (found.low, found.high))
        return {"found first": f"{self.curve()[layer]:.3f} ({low:.2f}–{high:.2f})"}

    def figure(self, mode: Mode = "light", metric: str = "precision@1") -> Figure:
        """Return the curves of the page Best layer."""
        return retrieval_figure(self.answer, self.labels, self.best().layer, mode, metric)

    def describe(self) -> str:
        best = self.best()
        return (
            f"Sentences of {self.study.title} that find their translation first, of "
            f"{self.answer.rows}: {best.value:.3f} {self.place(best.layer)}{say_ties(best)}"
        )


@dataclass(frozen=True, repr=False)
class MappingResult(RetrievalResult):
    """The same of pairs that a mapping was not learned from, after it; `scores` has it before."""

    question: MappedRetrieval
    scores: MappingScores

    def caveats(self) -> list[str]:
        return LayerResult.caveats(self)

    def describe(self) -> str:
        best, scores = self.best(), self.scores
        badge = f", {scores.badge}" if scores.badge else ""
        said = (
            f"{LEVELS[self.question.level]} of {self.study.title} that find their translation "
            f"first after a mapping learned from {scores.learned_from:,}, of "
            f"{scores.tested_on:,} tested{badge}: {best.value:.3f} "
            f"{self.place(best.layer)}{say_ties(best)}"
        )
        if scores.before is None:
            return said
        return f"{said}; without it {scores.before.curve('precision@1')[best.layer]:.3f} there"


@dataclass(frozen=True, repr=False)
class AlignmentResult(LayerResult):
    """Word alignments against those made by hand, by layer."""

    answer: AlignmentCurve

    @property
    def values(self) -> Array:
        """The alignment error rate by layer."""
        return self.answer.error_rate

    def best(self) -> BestLayer:
        """Return the layer with the smallest error."""
        layer = int(self.values.argmin())
        ends = float(self.answer.low[layer]), float(self.answer.high[layer])
        return BestLayer(layer, float(self.values[layer]), *ends)

    def at(self, layer: int) -> dict[str, str]:
        low, high = self.answer.low[layer], self.answer.high[layer]
        return {"alignment error (by hand)": f"{self.values[layer]:.3f} ({low:.2f}–{high:.2f})"}

    def figure(self, mode: Mode = "light") -> Figure:
        """Return the error by layer."""
        return alignment_error_figure(self.answer, self.labels, self.best().layer, mode)

    def describe(self) -> str:
        best = self.best()
        return (
            f"Alignment error of {self.study.title} over {self.answer.sentences} pairs aligned by "
            f"hand: {best.value:.3f} {self.place(best.layer)}"
        )


@dataclass(frozen=True, repr=False)
class RogueResult(LayerResult):
    """How much of each layer's variance lies in few dimensions."""

    answer: RogueCurves

    @property
    def values(self) -> Array:
        """The share of the variance in the largest dimension, by layer."""
        return self.answer.largest

    def best(self) -> BestLayer:
        """Return the layer whose largest dimension holds least."""
        layer = int(self.values.argmin())
        return BestLayer(layer, float(self.values[layer]))

    def at(self, layer: int) -> dict[str, str]:
        return {"largest dimension": f"{self.values[layer]:.3f}"}

    def figure(self, mode: Mode = "light") -> Figure:
        """Return the shares of variance by layer."""
        most = int(self.values.argmax())
        return rogue_dimensions_figure(self.answer, [], most, mode, self.study.states)

    def describe(self) -> str:
        layer = int(self.values.argmax())
        return (
            f"One of {self.answer.width} dimensions of {self.study.title} holds "
            f"{percent(self.values[layer], 0)} of the variance {self.place(layer)}"
        )


@dataclass(frozen=True, repr=False)
class GeometryResult(LayerResult):
    """How evenly layers use their directions, and how evenly sentences are found."""

    answer: GeometryCurves

    @property
    def values(self) -> Array:
        """IsoScore by layer and language, (L + 1, 2)."""
        return self.answer.iso_score

    def best(self) -> BestLayer:
        """Return the layer that uses its directions most evenly, both languages together."""
        curve = self.values.mean(1)
        layer = int(curve.argmax())
        return BestLayer(layer, float(curve[layer]))

    def at(self, layer: int) -> dict[str, str]:
        return {
            "IsoScore": f"{self.values[layer].mean():.3f}",
            "hubness": f"{self.answer.hubness[layer].mean():.2f}",
        }

    def figure(self, mode: Mode = "light") -> Figure:
        """Return IsoScore by layer."""
        return geometry_figure(self.answer, self.labels, self.best().layer, mode)

    def describe(self) -> str:
        best = self.best()
        return f"IsoScore of {self.study.title}: {best.value:.3f} {self.place(best.layer)}"
