"""What others have reached, drawn beside a run so that nobody takes it for a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.figures.experiments.frozen_axis import frozen_place
from isogloss.figures.experiments.marks import AS_EVER, write
from isogloss.figures.labels import spread_labels
from isogloss.figures.template import Mode, faded, plain, theme
from isogloss.formatting import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go


_LABEL_GAP = 0.05


@dataclass(frozen=True)
class TransferReference:
    """A level to compare with: chance, or a published accuracy in the colour of its language."""

    name: str
    value: float
    color: str | None = None


@dataclass(frozen=True)
class PublishedCurve:
    """Others' accuracy (n,) by frozen layers, in the colour of its language."""

    name: str
    color: str
    n_layers: int
    frozen: Sequence[int]
    accuracy: Sequence[float]


def add_curve(figure: go.Figure, curve: PublishedCurve, axis: str) -> None:
    """A published curve: thin, with open diamonds."""
    figure.add_scatter(
        x=[frozen_place(n, curve.n_layers, axis) for n in curve.frozen],
        y=[100 * value for value in curve.accuracy],
        name=plain(curve.name),
        mode="lines+markers",
        line={"color": faded(curve.color, 0.75), "width": 1, "dash": "2px,3px"},
        marker={
            "symbol": "diamond-open",
            "size": 6,
            "color": curve.color,
            "line": {"color": curve.color, "width": 1},
        },
        hovertext=[
            f"{plain(curve.name)}, {n if n >= 0 else 'none'} of {curve.n_layers} frozen: "
            f"{percent(value)}, published"
            for n, value in zip(curve.frozen, curve.accuracy, strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
        **AS_EVER,
    )


def add_references(figure: go.Figure, references: Sequence[TransferReference], mode: Mode) -> None:
    """Levels as dashed lines through the whole plot."""
    for reference in references:
        figure.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            y0=100 * reference.value,
            y1=100 * reference.value,
            line={
                "color": faded(reference.color or theme(mode).quiet, 0.75),
                "width": 1,
                "dash": "5px,4px" if reference.color else "dot",
            },
            layer="below",
            name="reference",
        )


def add_labels(
    figure: go.Figure,
    references: Sequence[TransferReference],
    curves: Sequence[PublishedCurve],
    levels: tuple[float, float],
    mode: Mode,
    ends: Sequence[tuple[str, float, str]] = (),
) -> tuple[float, float]:
    """Names beside the plot, moved apart where they would meet; a curve's stands at its end.

    `ends` are further names, each with the value and the colour of the line that ends there.
    Returns `levels`, the ends of the axis in per cent, widened where names need the room.
    """
    labels = [
        (f"{each.name} {100 * each.value:.1f}", each.value, each.color) for each in references
    ]
    labels += [(each.name, each.accuracy[-1], each.color) for each in curves]
    before = len(labels)
    labels += ends
    gap = _LABEL_GAP * (levels[1] - levels[0])
    places = spread_labels([100 * value for _, value, _ in labels], gap)
    for i, ((text, _, color), place) in enumerate(zip(labels, places, strict=True)):
        beside = {"xref": "paper", "x": 1.005, "xanchor": "left", "y": place, "yanchor": "middle"}
        size, ink = 11 if i < before else 13, color or theme(mode).quiet
        write(figure, plain(text), size, ink, **beside)
    if labels:
        figure.update_layout(
            margin_r=12 + (7.2 if ends else 6.2) * max(len(text) for text, _, _ in labels)
        )
    low, high = min(places, default=levels[0]), max(places, default=levels[1])
    return min(levels[0], low - gap / 2), max(levels[1], high + gap / 2)
