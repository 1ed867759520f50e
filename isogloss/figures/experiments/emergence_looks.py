"""One training from nothing: both scores by step, and a score by layer and step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.emergence_bars import score_color
from isogloss.figures.experiments.marks import AS_EVER
from isogloss.figures.heatmaps import COLOR_BAR, add_click_targets, frame_cell
from isogloss.figures.template import Mode, faded, new_figure, percent_ticks, theme
from isogloss.formatting import percent
from isogloss.lab.emergence.results import Fit, What

if TYPE_CHECKING:
    import plotly.graph_objects as go

CURVES_HEIGHT, HEATMAP_HEIGHT = 240, 272
NAMES: dict[What, str] = {"words": "Words found", "sentences": "Sentences found"}


def emergence_curves_figure(
    fit: Fit, beside: Fit | None, layer: int, step: int, last: int, mode: Mode = "light"
) -> go.Figure:
    """Draw both scores of a layer over the steps, up to `last`; `beside`, another, thin and dotted.

    The dotted upright is the step on the map.
    """
    look = theme(mode)
    figure = new_figure(mode, height=CURVES_HEIGHT, hovermode="x", clickmode="event+select")
    for what, name in NAMES.items():
        color = score_color(what, mode)
        if beside is not None and beside.has(what):
            figure.add_scatter(
                x=beside.steps,
                y=beside.at(what, layer),
                mode="lines",
                line={"color": faded(color, 0.55), "width": 1.2, "dash": "dot"},
                hoverinfo="skip",
                showlegend=False,
                name=f"{name}, beside",
            )
        if not fit.has(what):
            continue
        values = fit.at(what, layer)
        figure.add_scatter(
            x=fit.steps,
            y=values,
            mode="lines+markers",
            line={"color": color, "width": 2.4},
            marker={"size": 5},
            name=name,
            hovertext=[f"{name}: <b>{percent(value)}</b>" for value in values],
            hoverinfo="text",
            **AS_EVER,
        )
    figure.add_vline(x=step, line={"color": look.text, "width": 1, "dash": "dot"}, name="cursor")
    figure.update_xaxes(
        range=[-0.02 * last, 1.02 * last], showgrid=False, nticks=5, title={"text": "Step"}
    )
    figure.update_yaxes(range=[0, 1], **percent_ticks(1, 4))
    return figure


def emergence_heatmap_figure(
    fit: Fit, what: What, cell: tuple[int, int], steps: tuple[int, ...], mode: Mode = "light"
) -> go.Figure:
    """Draw looks across and layers up, coloured from 0 to 1; `cell` (layer, look) is framed.

    `steps` are those of the whole training: what is still to come stays empty, so that nothing
    moves while it goes on. A click's x and y are look and layer.
    """
    values = fit.scores(what).T
    layers = values.shape[0]
    whole = np.full((layers, len(steps)), np.nan)
    whole[:, : values.shape[1]] = values
    figure = new_figure(
        mode, height=HEATMAP_HEIGHT, showlegend=False, clickmode="event+select", margin={"t": 30}
    )
    figure.add_heatmap(
        z=whole,
        hoverinfo="skip",
        hoverongaps=False,
        xgap=1,
        ygap=1.5,
        colorscale=theme(mode).sequential,
        zmin=0,
        zmax=1,
        colorbar=COLOR_BAR | percent_ticks(1, 4),
    )
    places = [(layer, look) for layer in range(layers) for look in range(values.shape[1])]
    add_click_targets(
        figure,
        [look for _, look in places],
        [layer for layer, _ in places],
        [
            f"Layer {layer} · step {steps[look]:,}<br><b>{percent(values[layer, look])}</b>"
            for layer, look in places
        ],
    )
    frame_cell(figure, cell[1], cell[0], mode)
    shown = sorted({0, len(steps) // 2, len(steps) - 1})
    figure.update_xaxes(
        tickvals=shown,
        ticktext=[f"{steps[look]:,}" for look in shown],
        title={"text": "Step"},
        range=[-0.5, len(steps) - 0.5],
        showgrid=False,
    )
    figure.update_yaxes(
        tickvals=list(range(layers)),
        title={"text": "Layer"},
        range=[-0.5, layers - 0.5],
        showgrid=False,
    )
    return figure
