"""Marks that several figures of runs have: bands over seeds, dots for seeds, cursors, words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go

Places = Sequence[float] | Array
AS_EVER: dict[str, Any] = {name: {"marker": {"opacity": 1}} for name in ("selected", "unselected")}
"""For what can be clicked: a selected point would otherwise fade all others."""


def add_band(
    figure: go.Figure, x: Places, low: Places, high: Places, color: str, **more: Any
) -> None:
    """The area between two lines, without a border."""
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*high, *reversed(low)],
        fill="toself",
        fillcolor=color,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        **more,
    )


def add_seeds(
    figure: go.Figure,
    x: Places,
    y: Places,
    color: str,
    outline: str,
    edge: float = 1,
    **more: Any,
) -> None:
    """A dot for every seed, its outline `edge` pixels wide."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"size": 6, "color": color, "line": {"color": outline, "width": edge}},
        hoverinfo="skip",
        name="seeds",
        **more,
    )


def add_cursor(
    figure: go.Figure, x: float | None, color: str, width: float = 1.2, **more: Any
) -> None:
    """A dotted upright at what is on show, below all else; none where nothing is."""
    if x is not None:
        line = {"color": color, "width": width, "dash": "dot"}
        figure.add_vline(x=x, line=line, layer="below", name="cursor", **more)


def write(figure: go.Figure, text: str, size: float, color: str, **more: Any) -> None:
    """Words without an arrow."""
    font = {"size": size, "color": color}
    figure.add_annotation(text=text, showarrow=False, font=font, **more)


def marked(name: str, chosen: bool) -> str:
    """A name on an axis, in bold where it is the chosen one."""
    return f"<b>▸ {name}</b>" if chosen else name
