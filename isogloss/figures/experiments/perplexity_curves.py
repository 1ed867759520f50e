"""Perplexity on one language and on several over the steps of training, and where they cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.marks import AS_EVER, add_band, add_cursor, write
from isogloss.figures.labels import spread_labels
from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.lab.adaptation.results import RegimeResults
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 400
LABEL_GAP = 0.07
"""Between two names beside the plot, as a share of its height."""


def target_color(mode: Mode) -> str:
    """The colour of the language that is learned."""
    return theme(mode).languages[1]


def perplexity_figure(
    found: RegimeResults,
    names: tuple[str, str],
    cursor: int | None,
    mode: Mode = "light",
) -> go.Figure:
    """Draw the mean of both perplexities with every seed, the band over seeds and the crossing.

    `names` are those of the language and of the several; a dotted line marks the step `cursor`.
    """
    look = theme(mode)
    figure = new_figure(
        mode, height=HEIGHT, hovermode="x", clickmode="event+select", showlegend=False
    )
    curves = (
        (names[0], target_color(mode), found.target),
        (names[1], PALETTES[mode].more[0], found.multilingual),
    )
    for _, color, values in curves if len(found.seeds) > 1 else ():
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        add_band(figure, found.steps, low, high, faded(color, 0.16), name="band")
        for seed in values:
            figure.add_scatter(
                x=found.steps,
                y=seed,
                mode="lines",
                line={"color": faded(color, 0.4), "width": 0.8},
                hoverinfo="skip",
                name="seed",
            )
    for name, color, values in curves:
        _add_mean(figure, found, name, color, values, look.background)
    low, high = _reach(found)
    _add_phases(figure, found, high, mode)
    _add_crossing(figure, found, mode)
    add_cursor(figure, cursor, look.text)
    _add_names(figure, found, curves, (low, high))
    last = float(found.steps[-1])
    figure.update_xaxes(
        title={"text": "Step of training"}, range=[-0.02 * last, 1.02 * last], showgrid=False
    )
    figure.update_yaxes(
        title={"text": "Perplexity"},
        type="log",
        range=[low, high],
        tickvals=_ticks(low, high),
        tickformat=",.3~r",
    )
    figure.update_layout(margin={"r": 12 + 8 * max(len(name) for name in names)})
    return figure


def _add_mean(
    figure: go.Figure, found: RegimeResults, name: str, color: str, values: Array, outline: str
) -> None:
    mean = found.mean(values)
    figure.add_scatter(
        x=found.steps,
        y=mean,
        name=plain(name),
        mode="lines+markers",
        line={"color": color, "width": 2.4},
        marker={"size": 6, "color": color, "line": {"color": outline, "width": 1.2}},
        hovertext=[
            f"{plain(name)}, step {step:,}: <b>{value:.1f}</b>{_range(column)}"
            for step, value, column in zip(found.steps, mean, values.T, strict=True)
        ],
        hoverinfo="text",
        **AS_EVER,
    )


def _range(values: Array) -> str:
    known = values[np.isfinite(values)]
    return f"  ({known.min():.1f} to {known.max():.1f})" if len(known) > 1 else ""


def _reach(found: RegimeResults) -> tuple[float, float]:
    """The lowest and highest perplexity with some air, as powers of ten."""
    both = np.log10(np.concatenate([found.target.ravel(), found.multilingual.ravel()]))
    low, high = float(np.nanmin(both)), float(np.nanmax(both))
    air = max(0.08 * (high - low), 0.02)
    # What gradual unfreezing does stands above the curves.
    return low - air, high + air * (1 if len(found.phases) == 1 else 2.5)


def _ticks(low: float, high: float) -> list[float]:
    """Round perplexities between two powers of ten, about half a dozen of them."""
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    for digits in ((1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,)):
        ticks = [digit * 10.0**decade for decade in decades for digit in digits]
        inside = [tick for tick in ticks if low <= np.log10(tick) <= high]
        if len(inside) <= 8:
            return inside
    return inside


def _add_crossing(figure: go.Figure, found: RegimeResults, mode: Mode) -> None:
    crossing = found.crossing
    if not crossing.count:
        return
    look = theme(mode)
    early, late = crossing.spread
    if crossing.count > 1:
        figure.add_vrect(
            x0=early,
            x1=late,
            fillcolor=faded(look.accent, 0.14),
            line={"width": 0},
            layer="below",
            name="crossing",
        )
    figure.add_scatter(
        x=[crossing.mean_step],
        y=[crossing.mean_perplexity],
        mode="markers",
        marker={
            "size": 15,
            "symbol": "circle-open",
            "color": look.text,
            "line": {"width": 2, "color": look.text},
        },
        name="crossing",
        hoverinfo="skip",
    )
    spread = f" ({early:.0f} to {late:.0f})" if crossing.count > 1 else ""
    figure.add_annotation(
        x=crossing.mean_step,
        y=np.log10(crossing.mean_perplexity),
        ax=34,
        ay=-44,
        text=f"<b>crossing</b><br>step {crossing.mean_step:.0f}{spread}",
        align="left",
        xanchor="left",
        font={"size": 12, "color": look.text},
        bgcolor=faded(look.background, 0.8),
        arrowcolor=look.quiet,
        arrowwidth=1,
        arrowhead=0,
        standoff=9,
        name="crossing",
    )


def _add_phases(figure: go.Figure, found: RegimeResults, top: float, mode: Mode) -> None:
    """Where gradual unfreezing lets more layers learn."""
    if len(found.phases) < 2:
        return
    look = theme(mode)
    last = found.drift["before", "distance"].shape[2] - 1
    for phase in found.phases:
        if phase.step:
            figure.add_vline(
                x=phase.step, line={"color": look.border, "width": 1.5}, layer="below", name="phase"
            )
        said = _learning(phase.first_learning, last)
        corner = {"x": phase.step, "y": top, "xanchor": "left", "yanchor": "top", "xshift": 3}
        write(figure, said, 11, look.quiet, name="phase", **corner)


def _learning(first: int, last: int) -> str:
    return f"layer {last} learns" if first == last else f"layers {first}–{last} learn"


def _add_names(
    figure: go.Figure,
    found: RegimeResults,
    curves: tuple[tuple[str, str, Array], ...],
    reach: tuple[float, float],
) -> None:
    """The curves' names at their ends, moved apart where they would meet."""
    ends = [float(np.log10(found.mean(values)[-1])) for _, _, values in curves]
    places = spread_labels(ends, LABEL_GAP * (reach[1] - reach[0]))
    for (name, color, _), place in zip(curves, places, strict=True):
        beside = {"xref": "paper", "x": 1.005, "xanchor": "left", "y": place}
        write(figure, f"<b>{plain(name)}</b>", 12, color, name="name", **beside)
