"""The charts of scores by layer, each made here alone: pages and notebooks show the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isogloss.figures.curves import HEIGHT, Curve, Reference, layer_curves_figure
from isogloss.figures.template import Mode, theme
from isogloss.measures.labels import Labels
from isogloss.measures.language_probe import LanguageProbe
from isogloss.measures.sentence_retrieval import METRICS, RetrievalScores
from isogloss.studies.layer_geometry import GeometryCurves
from isogloss.studies.mapping import MappingScores, TranslationScores
from isogloss.studies.word_alignment import AlignmentCurve

if TYPE_CHECKING:
    import plotly.graph_objects as go

LOW = 300
"""Pixels of a chart that stands below others."""


def retrieval_figure(
    scores: RetrievalScores,
    labels: Labels,
    cursor: int,
    mode: Mode = "light",
    metric: str = METRICS[0].name,
    mapped: tuple[str, MappingScores] | None = None,
    published: Sequence[Reference] = (),
) -> go.Figure:
    """Draw one metric in both directions; the same by name after a mapping, and before it."""
    look = theme(mode)
    index = [known.name for known in METRICS].index(metric)
    curves = [
        _curve(scores, name, look.languages[direction], direction, index)
        for direction, name in enumerate(labels.directions)
    ]
    if mapped is not None:
        name, found = mapped
        curves.append(_both_ways(found.after, name, look.diverging[-1][1], index, "dash"))
        if found.before is not None:
            before = _both_ways(found.before, "the same, not mapped", look.quiet, index, "dash")
            curves.append(before)
    chance = Reference("chance", float(scores.chance[index]))
    return layer_curves_figure(
        curves, cursor, METRICS[index].title, [chance, *published], mode, states=labels.states
    )


def _curve(
    scores: RetrievalScores | TranslationScores, name: str, color: str, *column: int
) -> Curve:
    """One column of scores by layer, with its interval."""
    at: Any = (slice(None), *column)
    return Curve(name, scores.values[at], color, scores.low[at], scores.high[at])


def _both_ways(
    scores: RetrievalScores, name: str, color: str, index: int = 0, dash: str = "solid"
) -> Curve:
    """One metric, both directions averaged."""
    values, low, high = (
        each[:, :, index].mean(1) for each in (scores.values, scores.low, scores.high)
    )
    return Curve(name, values, color, low, high, dash)


def mappings_figure(
    found: Sequence[tuple[str, RetrievalScores]], cursor: int, mode: Mode = "light"
) -> go.Figure:
    """Draw what is found first after mappings between two models, the first of sentences."""
    look = theme(mode)
    colors = (look.accent, look.languages[1], look.quiet)
    curves = [
        _both_ways(scores, name, color) for (name, scores), color in zip(found, colors, strict=True)
    ]
    chance = Reference("chance, sentences", float(found[0][1].chance[0]))
    return layer_curves_figure(curves, cursor, "Found first", [chance], mode, height=320)


def alignment_error_figure(
    found: AlignmentCurve, labels: Labels, cursor: int, mode: Mode = "light", height: int = HEIGHT
) -> go.Figure:
    """Draw the error of word alignments."""
    name = "Alignment error rate"
    curve = Curve(name, found.error_rate, theme(mode).accent, found.low, found.high)
    return layer_curves_figure([curve], cursor, name, (), mode, height, labels.states)


def geometry_figure(
    found: GeometryCurves, labels: Labels, cursor: int, mode: Mode = "light", height: int = HEIGHT
) -> go.Figure:
    """Draw how evenly each language uses its directions."""
    colors = theme(mode).languages
    curves = [
        Curve(name, found.iso_score[:, side], colors[side])
        for side, name in enumerate(labels.names)
    ]
    top = float(found.iso_score.max())
    return layer_curves_figure(curves, cursor, "IsoScore", (), mode, height, labels.states, top)


def language_probe_figure(
    probe: LanguageProbe, labels: Labels, cursor: int, mode: Mode = "light"
) -> go.Figure:
    """Draw how well the language is told."""
    name = "Language told rightly"
    curve = Curve(name, probe.accuracy, theme(mode).accent, probe.low, probe.high)
    chance = [Reference("chance", probe.chance)]
    return layer_curves_figure([curve], cursor, "Accuracy", chance, mode, LOW, labels.states)


def dictionary_figure(
    scores: TranslationScores, labels: Labels, cursor: int, mode: Mode = "light"
) -> go.Figure:
    """Draw how many words are found first, and among the first five."""
    look = theme(mode)
    curves = [
        _curve(scores, METRICS[index].title, color, index)
        for index, color in enumerate((look.accent, look.quiet))
    ]
    chance = [Reference("chance", float(scores.chance[0]))]
    return layer_curves_figure(curves, cursor, "Words found", chance, mode, 320, labels.states)
