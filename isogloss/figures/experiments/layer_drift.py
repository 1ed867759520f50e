"""How far each layer has moved over the steps of training: one small chart per layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.marks import add_band, add_cursor, write
from isogloss.figures.template import Mode, faded, template, theme
from isogloss.lab.adaptation.results import DRIFT_MEASURES, RegimeResults
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go


IN_A_ROW = 7
ROW_HEIGHT = 190


def layer_drift_figure(
    found: RegimeResults,
    anchor: str,
    measure: str,
    cursor: int | None,
    chosen: int | None = None,
    mode: Mode = "light",
) -> go.Figure:
    """Draw `measure` against `anchor` for every layer on one scale; frozen phases are shaded.

    `chosen` is the layer on the map, whose title stands out, and `cursor` the step there.
    """
    from plotly.subplots import make_subplots

    look = theme(mode)
    values = found.drift[anchor, measure]
    layers = values.shape[2]
    rows = -(-layers // IN_A_ROW)
    columns = -(-layers // rows)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=True,
        horizontal_spacing=0.012,
        vertical_spacing=0.2 / rows,
        subplot_titles=[_title(layer, chosen) for layer in range(layers)],
    )
    figure.update_layout(
        template=template(mode),
        height=ROW_HEIGHT * rows + 46,
        showlegend=False,
        hovermode="x",
        margin={"t": 40, "b": 52},
    )
    figure.update_annotations(font={"size": 12, "color": look.text})
    for layer in range(layers):
        place = {"row": layer // columns + 1, "col": layer % columns + 1}
        _add_curve(figure, found, values[:, :, layer], layer, place, mode)
        _add_frozen(figure, found, layer, place, mode)
        add_cursor(figure, cursor, look.text, width=1, **place)
    last = float(found.steps[-1])
    figure.update_xaxes(
        range=[-0.03 * last, 1.03 * last],
        # Between the ends, where the ticks of two charts would meet.
        tickvals=[round(last / 3), round(2 * last / 3)],
        showgrid=False,
        tickangle=0,
    )
    figure.update_yaxes(range=_range(values, measure), nticks=5)
    figure.update_yaxes(title={"text": DRIFT_MEASURES[measure].title, "standoff": 10}, col=1)
    below = {"x": 0.5, "xref": "paper", "y": 0, "yref": "paper", "yshift": -24, "yanchor": "top"}
    write(figure, "Step of training", 13, look.text, name="axis", **below)
    return figure


def _title(layer: int, chosen: int | None) -> str:
    name = f"Layer {layer}" if layer else "Embeddings"
    return f"<b>{name}</b>" if layer == chosen else name


def _add_frozen(
    figure: go.Figure, found: RegimeResults, layer: int, place: dict[str, int], mode: Mode
) -> None:
    until = found.frozen_until(layer)
    if not until:
        return
    look = theme(mode)
    figure.add_vrect(
        x0=0,
        x1=until,
        fillcolor=faded(look.quiet, 0.13),
        line={"width": 0},
        layer="below",
        name="frozen",
        annotation={
            "text": "frozen",
            "font": {"size": 10, "color": look.quiet},
            "xanchor": "left",
            "x": 0,
            "xshift": 2,
        },
        annotation_position="inside top left",
        **place,
    )


def _add_curve(
    figure: go.Figure,
    found: RegimeResults,
    values: Array,
    layer: int,
    place: dict[str, int],
    mode: Mode,
) -> None:
    """The mean over seeds (s,) of values (seeds, s), with the band over them."""
    look = theme(mode)
    known = np.isfinite(values).any(axis=0)
    steps, values = found.steps[known], values[:, known]
    if not len(steps):
        return
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    mean = np.nanmean(values, axis=0)
    if len(values) > 1:
        add_band(figure, steps, low, high, faded(look.accent, 0.2), name="band", **place)
    name = f"Layer {layer}" if layer else "Embeddings"
    figure.add_scatter(
        x=steps,
        y=mean,
        mode="lines",
        line={"color": look.accent, "width": 2.2},
        name=name,
        hovertext=[
            f"{name}, step {step:,}: <b>{value:.4g}</b>"
            for step, value in zip(steps, mean, strict=True)
        ],
        hoverinfo="text",
        **place,
    )


def _range(values: Array, measure: str) -> list[float]:
    """All that is drawn, from where nothing moved."""
    still = DRIFT_MEASURES[measure].still
    low, high = (float(edge(values)) for edge in (np.nanmin, np.nanmax))
    low, high = min(low, still), max(high, still)
    air = 0.06 * (high - low) or 0.05
    return [low - air, high + air]
