"""Scores of layers as tables and figures: similarity, retrieval, alignment, geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.interface.results import BestLayer, LayerResult, Row, say_ties
from isogloss.measures.sentence_retrieval import DIRECTIONS, METRICS, RetrievalScores
from isogloss.measures.similarity.comparison import LayerSimilarity
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array
from isogloss.models.presets import display_name
from isogloss.studies.coordinates import RogueCurves
from isogloss.studies.layer_geometry import GeometryCurves
from isogloss.studies.retrieval import say_if_all_found, say_if_chance, say_if_few
from isogloss.studies.similarity import Comparison, LayerComparison
from isogloss.studies.study import Study, open_study
from isogloss.studies.word_alignment import AlignmentCurve
from isogloss.text.language_names import language_name

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

    def rows(self) -> list[Row]:
        """Return one row per pair of layers; None where the measure is undefined."""
        states = [study.states for study in self._studies()]
        rows = []
        for layer, other_layer in np.ndindex(self.values.shape):
            cell = vars(self.scores.cell(layer, other_layer))
            numbers = {name: cell[name] for name in cell if name not in ("measure", "rows")}
            names = {"state": states[0].name(layer), "other_state": states[1].name(other_layer)}
            links = {"links": self.answer.badge} if self.answer.badge else {}
            rows.append({"layer": layer, "other_layer": other_layer, **names, **numbers, **links})
        return rows

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
        from isogloss.figures.heatmaps import HeatmapLabels, similarity_heatmap_figure

        best = self.scores.best_layer
        cell = (best.layer_a, best.layer_b) if best else (0, 0)
        states = tuple(study.states for study in self._studies())
        labels = HeatmapLabels(*self._readers(), *states)
        return similarity_heatmap_figure(self.scores, labels, cell, mode)

    def describe(self) -> str:
        first, second = self._readers()
        title = SIMILARITY_MEASURES[self.question.measure].title
        what = f"{title} of {first} and {second}, {self.scores.rows} pairs"
        what += f" ({self.answer.badge})" if self.answer.badge else ""
        if self.scores.undefined.diagonal().all():
            return f"{what}: {self.scores.reasons[0, 0]}"
        best = self.best()
        chance = ", which chance reaches, too" if best.within_chance else ""
        return f"{what}: {best.value:.3f} {self.place(best.layer)}{say_ties(best)}{chance}"

    def _studies(self) -> tuple[Study, Study]:
        other = self.question.other
        return self.study, open_study(self.study.entry.store, other) if other else self.study

    def _readers(self) -> tuple[str, str]:
        question, (study, other) = self.question, self._studies()
        names = [language_name(study.languages[s]) for s in (question.side, question.other_side)]
        models = [display_name(reader.model) for reader in (study, other)]
        return f"{names[0]}, {models[0]}", f"{names[1]}, {models[1]}"


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

    def rows(self) -> list[Row]:
        """Return one row per layer, direction and metric."""
        found = self.answer
        return [
            {
                **self.stop(layer),
                "direction": DIRECTIONS[direction],
                "metric": METRICS[metric].name,
                "value": float(found.values[layer, direction, metric]),
                "low": float(found.low[layer, direction, metric]),
                "high": float(found.high[layer, direction, metric]),
                "chance": float(found.chance[metric]),
            }
            for layer, direction, metric in np.ndindex(found.values.shape)
        ]

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
        """Return the curves of the retrieval page."""
        from isogloss.figures.curves import Curve, Reference, layer_curves_figure
        from isogloss.figures.template import theme

        found = self.answer
        index = [known.name for known in METRICS].index(metric)
        names = [language_name(code) for code in self.study.languages]
        curves = [
            Curve(
                f"{names[direction]} → {names[1 - direction]}",
                found.values[:, direction, index],
                theme(mode).languages[direction],
                found.low[:, direction, index],
                found.high[:, direction, index],
            )
            for direction in (0, 1)
        ]
        chance = Reference("chance", float(found.chance[index]))
        return layer_curves_figure(
            curves,
            self.best().layer,
            METRICS[index].title,
            [chance],
            mode,
            states=self.study.states,
        )

    def describe(self) -> str:
        best = self.best()
        return (
            f"Sentences of {self.study.title} that find their translation first, of "
            f"{self.answer.rows}: {best.value:.3f} {self.place(best.layer)}{say_ties(best)}"
        )


@dataclass(frozen=True, repr=False)
class AlignmentResult(LayerResult):
    """Word alignments against those made by hand, by layer."""

    answer: AlignmentCurve

    @property
    def values(self) -> Array:
        """The alignment error rate by layer."""
        return self.answer.error_rate

    def rows(self) -> list[Row]:
        """Return one row per layer."""
        names = ("error_rate", "low", "high", "precision", "recall")
        return [
            {
                **self.stop(layer),
                **{name: float(getattr(self.answer, name)[layer]) for name in names},
            }
            for layer in range(len(self.values))
        ]

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
        from isogloss.figures.curves import Curve, layer_curves_figure
        from isogloss.figures.template import theme

        found = self.answer
        curve = Curve(
            "Alignment error rate", found.error_rate, theme(mode).accent, found.low, found.high
        )
        return layer_curves_figure(
            [curve],
            self.best().layer,
            "Alignment error rate (lower is better)",
            mode=mode,
            states=self.study.states,
        )

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

    def rows(self) -> list[Row]:
        """Return one row per layer."""
        found = self.answer
        return [
            {
                **self.stop(layer),
                "largest": float(found.largest[layer]),
                "largest_five": float(found.largest_five[layer]),
                "participation": float(found.participation[layer]),
                "dimension": int(found.dimension[layer]),
            }
            for layer in range(len(found.largest))
        ]

    def best(self) -> BestLayer:
        """Return the layer whose largest dimension holds least."""
        layer = int(self.values.argmin())
        return BestLayer(layer, float(self.values[layer]))

    def at(self, layer: int) -> dict[str, str]:
        return {"largest dimension": f"{self.values[layer]:.3f}"}

    def figure(self, mode: Mode = "light") -> Figure:
        """Return the shares of variance by layer."""
        from isogloss.figures.rogue_dimensions import rogue_dimensions_figure

        return rogue_dimensions_figure(
            self.answer, [], int(self.values.argmax()), mode, self.study.states
        )

    def describe(self) -> str:
        layer = int(self.values.argmax())
        return (
            f"One of {self.answer.width} dimensions of {self.study.title} holds "
            f"{self.values[layer]:.0%} of the variance {self.place(layer)}"
        )


@dataclass(frozen=True, repr=False)
class GeometryResult(LayerResult):
    """How evenly layers use their directions, and how evenly sentences are found."""

    answer: GeometryCurves

    @property
    def values(self) -> Array:
        """IsoScore by layer and language, (L + 1, 2)."""
        return self.answer.iso_score

    def rows(self) -> list[Row]:
        """Return one row per layer and language."""
        return [
            {
                **self.stop(layer),
                "language": self.study.languages[side],
                "iso_score": float(self.answer.iso_score[layer, side]),
                "hubness": float(self.answer.hubness[layer, side]),
            }
            for layer, side in np.ndindex(self.values.shape)
        ]

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
        from isogloss.figures.curves import Curve, layer_curves_figure
        from isogloss.figures.template import theme

        curves = [
            Curve(language_name(code), self.values[:, side], theme(mode).languages[side])
            for side, code in enumerate(self.study.languages)
        ]
        top = float(self.values.max())
        return layer_curves_figure(
            curves, self.best().layer, "IsoScore", mode=mode, states=self.study.states, top=top
        )

    def describe(self) -> str:
        best = self.best()
        return f"IsoScore of {self.study.title}: {best.value:.3f} {self.place(best.layer)}"
