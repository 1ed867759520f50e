"""Accuracy against closeness to the source before training, one point a language; and by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.curves import Curve, layer_curves_figure
from isogloss.figures.experiments.marks import write
from isogloss.figures.labels import place_names
from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.formatting import percent
from isogloss.measures.association import Association
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 430
_PLOT = (560, 340)
"""About as many pixels as the points have on a small screen: what fits there fits on a larger."""


@dataclass(frozen=True)
class LanguagePoints:
    """Each language's closeness, accuracy and its interval, (K,) each."""

    names: Sequence[str]
    codes: Sequence[str]
    closeness: Array
    accuracy: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class OthersPoints:
    """Published accuracies by language code, of another model."""

    name: str
    accuracy: Mapping[str, float]


def language_points_figure(
    points: LanguagePoints,
    title: str,
    source: tuple[str, float] | None,
    others: Sequence[OthersPoints] = (),
    mode: Mode = "light",
) -> go.Figure:
    """Draw accuracy against closeness with every language's name; `title` is of the axis across.

    `source` is the language trained on and its accuracy, a line. Published accuracies are open
    diamonds at the closeness that this model has, so that nobody takes them for measurements.
    """
    look, color = theme(mode), theme(mode).languages[0]
    figure = new_figure(mode, height=HEIGHT, hovermode="closest")
    across = _range(points.closeness, 0.09)
    levels = [*points.low, *points.high, *([source[1]] if source else [])]
    levels += [
        each.accuracy[code] for each in others for code in points.codes if code in each.accuracy
    ]
    up = _range(100 * np.array(levels), 0.08)
    for each, ink in zip(others, PALETTES[mode].more, strict=False):
        _add_others(figure, points, each, ink)
    figure.add_scatter(
        x=points.closeness,
        y=100 * points.accuracy,
        name="measured here",
        mode="markers+text",
        marker={"size": 11, "color": color, "line": {"color": look.background, "width": 1.5}},
        error_y={
            "symmetric": False,
            "array": 100 * (points.high - points.accuracy),
            "arrayminus": 100 * (points.accuracy - points.low),
            "color": faded(color, 0.3),
            "thickness": 1.4,
            "width": 0,
        },
        text=[plain(name) for name in points.names],
        textposition=place_names(
            points.names,
            _pixels(points.closeness, points.accuracy, across, up),
            _PLOT,
            [place for each in others for place in _published_pixels(points, each, across, up)],
        ),
        textfont={"size": 13, "color": look.text},
        hovertext=[
            f"<b>{plain(name)}</b><br>{plain(title)}: {x:.3f}<br>Accuracy: {percent(y)} "
            f"({100 * low:.1f} to {100 * high:.1f})"
            for name, x, y, low, high in zip(
                points.names,
                points.closeness,
                points.accuracy,
                points.low,
                points.high,
                strict=True,
            )
        ],
        hoverinfo="text",
        showlegend=bool(others),
    )
    if source is not None:
        _add_source(figure, *source, look.quiet)
    figure.update_xaxes(title={"text": plain(title)}, range=across, nticks=6, tickformat=".2f")
    figure.update_yaxes(title={"text": "Accuracy (%)"}, range=up, nticks=7)
    return figure


def _range(values: Array, margin: float) -> list[float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = margin * (high - low) or 0.01
    return [low - room, high + room]


def _published_pixels(
    points: LanguagePoints, known: OthersPoints, across: Sequence[float], up: Sequence[float]
) -> list[tuple[float, float]]:
    there = [i for i, code in enumerate(points.codes) if code in known.accuracy]
    accuracy = np.array([known.accuracy[points.codes[i]] for i in there])
    return _pixels(points.closeness[there], accuracy, across, up)


def _pixels(
    closeness: Array, accuracy: Array, across: Sequence[float], up: Sequence[float]
) -> list[tuple[float, float]]:
    width, height = _PLOT
    return [
        (
            width * (x - across[0]) / (across[1] - across[0]),
            height * (up[1] - 100 * y) / (up[1] - up[0]),
        )
        for x, y in zip(closeness, accuracy, strict=True)
    ]


def _add_others(figure: go.Figure, points: LanguagePoints, known: OthersPoints, ink: str) -> None:
    there = [i for i, code in enumerate(points.codes) if code in known.accuracy]
    accuracy = [100 * known.accuracy[points.codes[i]] for i in there]
    figure.add_scatter(
        x=points.closeness[there],
        y=accuracy,
        name=f"{plain(known.name)}, published",
        mode="markers",
        marker={"symbol": "diamond-open", "size": 8, "color": ink, "line": {"width": 1.4}},
        hovertext=[
            f"{plain(known.name)}, {plain(points.names[i])}: {value:.1f}\u00a0%, published"
            for i, value in zip(there, accuracy, strict=True)
        ],
        hoverinfo="text",
    )


def _add_source(figure: go.Figure, name: str, accuracy: float, ink: str) -> None:
    figure.add_hline(
        y=100 * accuracy,
        line={"color": ink, "width": 1.2, "dash": "dot"},
        layer="below",
        name="source",
    )
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 100 * accuracy, "yanchor": "bottom"}
    write(figure, f"{plain(name)} {100 * accuracy:.1f}", 12, ink, name="source", **place)


def ties_by_layer_figure(
    trained: Association,
    random: Association | None,
    cursor: int,
    mode: Mode = "light",
) -> go.Figure:
    """Draw Pearson's r by layer with its interval, and dotted that of random weights."""
    look = theme(mode)
    curves = [Curve("this model", trained.value, look.languages[0], trained.low, trained.high)]
    if random is not None:
        curves.append(
            Curve("random weights", random.value, look.quiet, random.low, random.high, "dot")
        )
    return layer_curves_figure(
        curves, cursor, "Pearson's r over languages", mode=mode, height=HEIGHT, bottom=-1.0
    )
