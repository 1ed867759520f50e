"""Two models and a map: scores by layer and set-up, by parallel words, and what is confused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.curves import Curve, layer_curves_figure
from isogloss.figures.experiments.marks import add_band
from isogloss.figures.heatmaps import COLOR_BAR, add_click_targets, add_numbers
from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.formatting import percent
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.results import TwoModelsResults
from isogloss.lab.two_models.tasks import TASKS
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 430
_DASHES = {"bilingual mapped": "dash", "random": "dot", "shuffled": "dash"}
_NUMBERED = 18
"""Beyond this many labels, numbers in cells are too small to read."""


def setup_color(setup: str, mode: Mode) -> str:
    """The colour that a set-up has in every figure."""
    look = theme(mode)
    mapped, bilingual = PALETTES[mode].methods
    return {
        "mapped": mapped,
        "shuffled": look.quiet,
        "random": look.quiet,
        "bilingual": bilingual,
        "bilingual mapped": bilingual,
        "target": look.languages[1],
        "source": look.languages[0],
    }[setup]


def setup_lines_figure(
    found: TwoModelsResults, task: str, measure: str, layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw the score of every set-up over the layers; bands are intervals over seeds."""
    curves = []
    for setup in found.setups(task):
        line = found.line(task, measure, setup)

        def spread(values: Array, places: Array = line.places) -> Array:
            """The values at their layers, nothing where a layer was not measured."""
            whole = np.full(found.plan.n_layers + 1, np.nan)
            whole[places] = values
            return whole

        curves.append(
            Curve(
                SETUPS[setup].title,
                spread(line.mean),
                setup_color(setup, mode),
                spread(line.low) if line.has_interval else None,
                spread(line.high) if line.has_interval else None,
                dash=_DASHES.get(setup, "solid"),
            )
        )
    title = TASKS[task].measures[measure]
    return layer_curves_figure(curves, layer, title, mode=mode, height=HEIGHT)


def word_curve_figure(
    found: TwoModelsResults, task: str, measure: str, layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw the score through maps from few parallel words to all, between floor and ceiling."""
    look, line = theme(mode), found.word_line(task, measure, layer)
    color = setup_color("mapped", mode)
    figure = new_figure(mode, height=HEIGHT, showlegend=False)
    if line.has_interval:
        add_band(figure, line.places, line.low, line.high, faded(color, 0.16))
    figure.add_scatter(
        x=line.places,
        y=line.mean,
        mode="lines+markers",
        line={"color": color, "width": 2.2},
        marker={"size": 7, "line": {"color": look.background, "width": 1.5}},
        hovertext=[
            f"{words:,} pairs of words<br><b>{percent(value)}</b>"
            for words, value in zip(line.places.tolist(), line.mean, strict=True)
        ],
        hoverinfo="text",
    )
    figure.update_xaxes(
        type="log",
        title={"text": "Pairs of parallel words"},
        tickvals=line.places,
        ticktext=[f"{words:,}" for words in line.places.tolist()],
        tickangle=-35,
        showgrid=False,
    )
    row, top = found.layers(task).index(layer), float(line.mean.max())
    for setup, name in (("shuffled", "floor"), ("target", "ceiling")):
        if setup not in found.setups(task):
            continue
        value = float(found.line(task, measure, setup).mean[row])
        top = max(top, value)
        figure.add_hline(
            y=value,
            line={"color": setup_color(setup, mode), "width": 1.3, "dash": "dot"},
            annotation={
                "text": f"{name} {percent(value, 0)}",
                "font": {"color": setup_color(setup, mode), "size": 12},
                "bgcolor": look.background,
            },
            annotation_position="top left",
        )
    figure.update_yaxes(
        title={"text": plain(TASKS[task].measures[measure])},
        range=[-0.02, top * 1.15 + 0.02],
        tickformat=".2f",
    )
    return figure


def confusion_figure(
    found: TwoModelsResults, task: str, layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw what (up) was taken for what (across), as shares of each row."""
    labels, shares = found.confusion(task, layer)
    look, places = theme(mode), list(range(len(labels)))
    figure = new_figure(mode, height=max(HEIGHT, 26 * len(labels) + 90), showlegend=False)
    figure.add_heatmap(
        z=shares,
        hoverinfo="skip",
        xgap=1.5,
        ygap=1.5,
        colorscale=look.sequential,
        zmin=0,
        zmax=1,
        colorbar=COLOR_BAR,
    )
    if len(labels) <= _NUMBERED:
        shown = np.where(shares >= 0.005, shares, np.nan)
        add_numbers(figure, shown, np.nan_to_num(shown), look.sequential, 10)
    add_click_targets(
        figure,
        [j for _ in places for j in places],
        [i for i in places for _ in places],
        [
            f"{plain(labels[i])} taken for {plain(labels[j])}<br><b>{percent(shares[i, j])}</b> "
            f"of {plain(labels[i])}"
            for i in places
            for j in places
        ],
    )
    names = {"tickvals": places, "ticktext": [plain(label) for label in labels], "showgrid": False}
    edges = [-0.5, len(labels) - 0.5]
    said, given = {"text": "What the network says"}, {"text": "What it is"}
    figure.update_xaxes(title=said, range=edges, tickangle=-40, **names)
    figure.update_yaxes(title=given, range=edges[::-1], **names)
    return figure


def describe_lines(found: TwoModelsResults, task: str, measure: str) -> str:
    """The chart of set-ups in words, for whoever cannot see it."""
    parts = []
    for setup in found.setups(task):
        line = found.line(task, measure, setup)
        values = ", ".join(
            f"layer {layer} {percent(value)}"
            for layer, value in zip(line.places.tolist(), line.mean, strict=True)
        )
        parts.append(f"{SETUPS[setup].title}: {values}")
    return f"{TASKS[task].measures[measure]} by layer. {'; '.join(parts)}."
