"""Scores against layers, with their intervals, what chance gives, and the shared cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.figures.template import Mode, faded, new_figure, plain, theme, unfaded
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 390
LAYER = "Layer (0 is the embedding output)"


@dataclass(frozen=True)
class Curve:
    """One line: values by layer (L,), with the ends of their intervals if there are any."""

    name: str
    values: Array
    color: str
    low: Array | None = None
    high: Array | None = None
    dash: str = "solid"


@dataclass(frozen=True)
class Reference:
    """A level to read the curves against: chance, or a published value."""

    name: str
    value: float
    published: bool = False


def layer_curves_figure(
    curves: Sequence[Curve],
    cursor: int,
    title: str,
    references: Sequence[Reference] = (),
    mode: Mode = "light",
    height: int = HEIGHT,
    states: LayerStates | None = None,
    top: float = 1.0,
    bottom: float = 0.0,
) -> go.Figure:
    """Draw curves from 0 to 1 over the layers; bands are intervals, a vertical line the cursor.

    Values that stay far below 1 are drawn from 0 to `top`, their largest, so that they can be read;
    correlations from `bottom`, which is -1.
    """
    look = theme(mode)
    figure = new_figure(mode, height=height, hovermode="x", clickmode="event+select")
    layers = list(range(max(len(curve.values) for curve in curves)))
    states = states or LayerStates(layers[-1])
    for curve in curves:
        if curve.low is not None and curve.high is not None:
            add_band(figure, layers, curve.low, curve.high, faded(curve.color, 0.16))
    for curve in curves:
        figure.add_scatter(
            x=layers,
            y=curve.values,
            name=plain(curve.name),
            mode="lines+markers",
            line={"color": curve.color, "width": 2.2, "dash": curve.dash},
            marker={
                "size": [11 if layer == cursor else 6 for layer in layers],
                "color": curve.color,
                "line": {"color": look.background, "width": 1.5},
            },
            hovertext=[_describe(curve, layer, states) for layer in layers],
            hoverinfo="text",
            **unfaded(),
        )
    for reference in references:
        _add_reference(figure, reference, mode)
    figure.add_vline(
        x=cursor,
        line={"color": look.text, "width": 1.2, "dash": "dot"},
        layer="below",
        name="cursor",
    )
    if references:
        longest = max(len(reference.name) for reference in references)
        figure.update_layout(margin_r=8 + 7 * (longest + 6))
    figure.update_xaxes(
        title={"text": LAYER},
        range=[-0.3, len(layers) - 0.7],
        showspikes=False,
        **layer_ticks(layers, states),
    )
    figure.update_yaxes(title={"text": plain(title)}, **_height_axis(top, bottom))
    return figure


def _height_axis(top: float, bottom: float) -> dict[str, Any]:
    """An axis from 0 to 1, or to the largest of values that would lie flat on it."""
    if bottom < 0:
        return {"range": [bottom - 0.04, 1.04], "tickformat": ".1f", "dtick": 0.5, "zeroline": True}
    if top >= 0.5 or top <= 0:
        return {"range": [-0.02, 1.04], "tickformat": ".1f", "dtick": 0.2}
    return {"range": [-0.02 * top, 1.1 * top], "tickformat": ".2~g", "nticks": 6}


def correlation_figure(
    similarity: Array,
    retrieval: Array,
    cursor: int,
    titles: tuple[str, str],
    mode: Mode = "light",
    height: int = HEIGHT,
    names: tuple[str, ...] | None = None,
) -> go.Figure:
    """Draw each layer as a point, similarity across and retrieval up, joined in order."""
    look = theme(mode)
    layers = list(range(len(similarity)))
    figure = new_figure(mode, height=height, showlegend=False)
    figure.add_scatter(
        x=similarity,
        y=retrieval,
        mode="lines",
        line={"color": look.border, "width": 1.5},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=similarity,
        y=retrieval,
        mode="markers+text",
        marker={
            "size": [20 if layer == cursor else 16 for layer in layers],
            "color": [look.accent if layer == cursor else look.surface for layer in layers],
            "line": {"color": look.accent, "width": 1.2},
        },
        text=list(names) if names else [str(layer) for layer in layers],
        textfont={
            "size": 10,
            "color": [look.background if layer == cursor else look.text for layer in layers],
        },
        hovertext=[
            f"Layer {layer}<br>{plain(titles[0])}: {x:.3f}<br>{plain(titles[1])}: {y:.3f}"
            for layer, x, y in zip(layers, similarity, retrieval, strict=True)
        ],
        hoverinfo="text",
    )
    figure.update_xaxes(title={"text": plain(titles[0])}, tickformat=".2f", nticks=5)
    figure.update_yaxes(title={"text": plain(titles[1])}, tickformat=".2f", nticks=6)
    return figure


def add_band(
    figure: go.Figure, x: Sequence[float], low: Array, high: Array, color: str, **place: int
) -> None:
    """Fill what lies between two lines; `place` is the row and the column of a chart of several."""
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*high, *reversed(list(low))],
        fill="toself",
        fillcolor=color,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        **place,
    )


def _add_reference(figure: go.Figure, reference: Reference, mode: Mode) -> None:
    look = theme(mode)
    dash = "longdashdot" if reference.published else "dot"
    figure.add_hline(
        y=reference.value,
        line={"color": look.quiet, "width": 1, "dash": dash},
        layer="below",
        name="reference",
    )
    text = f"{plain(reference.name)} {reference.value:.2g}"
    write_beside(figure, reference.value, text, look.quiet, 11)


def write_beside(figure: go.Figure, y: float, text: str, color: str, size: int) -> None:
    """Write at the right of the plot, and not in it, where it would cover a curve."""
    figure.add_annotation(
        xref="paper", x=1.005, xanchor="left", y=y, yanchor="middle", text=text, showarrow=False,
        font={"size": size, "color": color},
    )  # fmt: skip


def layer_ticks(layers: Sequence[int], states: LayerStates) -> dict[str, Any]:
    """The ticks of an axis of layers."""
    shown = ticked(layers, states)
    return {
        "tickvals": shown,
        "ticktext": [states.short(layer) for layer in shown],
        "showgrid": False,
    }


def ticked(layers: Sequence[int], states: LayerStates) -> list[int]:
    """The layers that an axis names: all, or every other where many; a normed top always."""
    shown = list(layers) if len(layers) <= 20 else list(layers[::2])
    top = states.normed
    if top is None or top in shown or top not in layers:
        return shown
    return [*shown, top]


def _describe(curve: Curve, layer: int, states: LayerStates) -> str:
    interval = ""
    if curve.low is not None and curve.high is not None:
        interval = f"  ({curve.low[layer]:.3f} to {curve.high[layer]:.3f})"
    place = states.title(layer).lower()
    return f"{plain(curve.name)}, {place}: <b>{curve.values[layer]:.3f}</b>{interval}"
