"""Scores of layers below each other on one axis, with the layers that are as good as the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.curves import LAYER, add_band, layer_ticks
from isogloss.figures.template import Mode, faded, plain, template, theme, unfaded
from isogloss.formatting import percent
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import (
    SCORES,
    Score,
    ScoreName,
    list_layers,
    runs_of,
    within_chance,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

PANEL = 92
AXIS = 46
"""Pixels: the height of one score, and of the axis below all."""
_TITLE = 22


@dataclass(frozen=True)
class ScoreCurve:
    """One score of a study by layer, and what its random twin reads, (L,), if there is one."""

    score: Score
    found: LayerScores
    random: Array | None = None


def best_layers_figure(
    answers: Mapping[ScoreName, LayerScores],
    random: Mapping[ScoreName, LayerScores] | None,
    cursor: int,
    chosen: ScoreName,
    states: LayerStates,
    mode: Mode = "light",
) -> go.Figure:
    """Draw each score in a strip of its own, from 0 to 1; bands are intervals of single layers.

    Layers that cannot be told from the best are shaded; the best and its equals have rings. Grey
    lines are what shuffled pairs read, dotted, and the `random` twin, if there is one. The strip
    `chosen` by name is in colour; a score that the study does not have is left out.
    """
    import pandas  # noqa: F401  (see new_figure)
    from plotly.subplots import make_subplots

    curves = [
        ScoreCurve(SCORES[name], found, random[name].values if random else None)
        for name, found in answers.items()
        if found.is_there
    ]
    look = theme(mode)
    height = PANEL * len(curves) + AXIS
    figure = make_subplots(
        rows=len(curves),
        shared_xaxes=True,
        vertical_spacing=_TITLE / (height - AXIS) if len(curves) > 1 else 0,
    )
    layers = list(range(len(states)))
    figure.update_layout(
        template=template(mode),
        height=height,
        margin={"t": _TITLE, "b": AXIS, "l": 8, "r": 8},
        showlegend=False,
        hovermode="x",
        clickmode="event+select",
    )
    for row, curve in enumerate(curves, start=1):
        color = look.accent if curve.score.name == chosen else look.text
        _add_greys(figure, curve, row, layers, look.quiet)
        _add_curve(figure, curve, row, layers, color, mode, states)
        _shade(figure, curve, row, faded(color, 0.14 if color == look.accent else 0.07))
        _add_title(figure, curve, row, states, curve.score.name == chosen, look.text)
    figure.add_vline(x=cursor, line={"color": look.text, "width": 1.2}, layer="below")
    ticks = layer_ticks(layers, states)
    figure.update_xaxes(range=[-0.5, len(layers) - 0.5], showspikes=False, **ticks)
    figure.update_xaxes(title={"text": LAYER}, row=len(curves))
    figure.update_yaxes(range=[-0.05, 1.08], tickvals=[0, 0.5, 1])
    for row, curve in enumerate(curves, start=1):
        heights = (
            ["0", ".5", "1"] if curve.score.is_number else ["0", percent(0.5, 0), percent(1, 0)]
        )
        figure.update_yaxes(ticktext=heights, row=row)
    return figure


def _shade(figure: go.Figure, curve: ScoreCurve, row: int, color: str) -> None:
    """A band behind all layers that cannot be told from the best."""
    found = curve.found.differences
    for first, last in runs_of(np.flatnonzero(found.tied & found.told_apart)):
        ends = {"x0": first - 0.5, "x1": last + 0.5}
        figure.add_vrect(**ends, fillcolor=color, line_width=0, layer="below", row=row, col=1)


def _add_greys(
    figure: go.Figure, curve: ScoreCurve, row: int, layers: list[int], color: str
) -> None:
    lines = [(curve.found.chance, "dot")]
    if curve.random is not None:
        lines.append((curve.random, "solid"))
    for values, dash in lines:
        figure.add_scatter(
            x=layers,
            y=values,
            mode="lines",
            line={"color": color, "width": 1.2, "dash": dash},
            hoverinfo="skip",
            row=row,
            col=1,
        )


def _add_curve(
    figure: go.Figure,
    curve: ScoreCurve,
    row: int,
    layers: list[int],
    color: str,
    mode: Mode,
    states: LayerStates,
) -> None:
    found, look = curve.found, theme(mode)
    known = ~np.isnan(found.low)
    if known.any():
        some, band = np.flatnonzero(known).tolist(), faded(color, 0.2)
        add_band(figure, some, found.low[known], found.high[known], band, row=row, col=1)
    best = found.values == found.values[found.differences.best]
    figure.add_scatter(
        x=layers,
        y=found.values,
        name=curve.score.title,
        mode="lines+markers",
        line={"color": color, "width": 2},
        marker={
            "size": [10 if ringed else 5 for ringed in best],
            "color": [look.background if ringed else color for ringed in best],
            "line": {"color": color, "width": [2.5 if ringed else 0 for ringed in best]},
        },
        cliponaxis=False,
        hovertext=[_describe(curve, layer, states) for layer in layers],
        hoverinfo="text",
        row=row,
        col=1,
        **unfaded(),
    )


def _add_title(
    figure: go.Figure, curve: ScoreCurve, row: int, states: LayerStates, bold: bool, color: str
) -> None:
    title = plain(curve.score.title)
    figure.add_annotation(
        xref="paper",
        # The axes of the first strip have no number.
        yref=f"y{row if row > 1 else ''} domain",
        x=0,
        y=1,
        yanchor="bottom",
        xanchor="left",
        text=f"{f'<b>{title}</b>' if bold else title}: {plain(short_verdict(curve, states))}",
        showarrow=False,
        font={"size": 12.5, "color": color},
    )


def short_verdict(curve: ScoreCurve, states: LayerStates) -> str:
    """The best layer of a strip, in as few words as fit above it."""
    found, values = curve.found.differences, curve.found.values
    equal = np.flatnonzero(values == values[found.best])
    best = f"best at {list_layers(equal, states)}"
    if within_chance(curve.found, curve.score):
        return f"{best}, not clearly better than chance"
    if not found.told_apart:
        return f"{best}, too few pairs to tell"
    others = np.flatnonzero(found.tied & (values != values[found.best]))
    if not found.worse.any():
        return f"{best}; no layer can be told from it"
    return f"{best}; cannot be told from it: {list_layers(others, states)}" if len(others) else best


def _describe(curve: ScoreCurve, layer: int, states: LayerStates) -> str:
    found, score = curve.found, curve.score
    place = states.title(layer).lower()
    if found.reasons[layer]:
        return f"{plain(score.title)}, {place}: {plain(str(found.reasons[layer]))}"
    ends = ""
    if not np.isnan(found.low[layer]):
        ends = f"  ({score.say(found.low[layer])} to {score.say(found.high[layer])})"
    more = f"<br>by chance {score.say(found.chance[layer])}"
    if curve.random is not None:
        more += f", random model {score.say(curve.random[layer])}"
    return f"{plain(score.title)}, {place}: <b>{score.say(found.values[layer])}</b>{ends}{more}"
