"""What stands beside accuracy over frozen layers: its tie to alignment, and two runs compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.figures.experiments.frozen_axis import frozen_place, set_frozen_axis, signed
from isogloss.figures.template import Mode, new_figure, plain, theme
from isogloss.formatting import percent
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class AlignmentPoints:
    """One language's accuracy (n,) against the alignment (n,) of the last frozen layer."""

    name: str
    color: str
    frozen: Sequence[int]
    alignment: Array
    accuracy: Array


def difference_figure(
    frozen: Sequence[int],
    differences: Sequence[tuple[str, str, Array]],
    n_layers: int,
    mode: Mode = "light",
    axis: str = "n",
) -> go.Figure:
    """Draw by how many points a second run is better: (name, colour, (n,)) per language."""
    look = theme(mode)
    figure = new_figure(mode, height=230, hovermode="closest", barmode="group", bargap=0.35)
    for name, color, values in differences:
        figure.add_bar(
            x=[frozen_place(n, n_layers, axis) for n in frozen],
            y=100 * values,
            name=plain(name),
            marker={"color": color},
            hovertext=[
                f"{plain(name)}, N = {signed(n)}: <b>{signed(100 * value, 1)}</b> points"
                for n, value in zip(frozen, values, strict=True)
            ],
            hoverinfo="text",
        )
    figure.add_hline(y=0, line={"color": look.quiet, "width": 1})
    set_frozen_axis(figure, frozen, n_layers, axis)
    figure.update_yaxes(title={"text": "Difference (points)"}, nticks=5)
    return figure


def alignment_figure(
    points: Sequence[AlignmentPoints],
    cursor: int | None,
    title: str,
    mode: Mode = "light",
) -> go.Figure:
    """Draw each N as a point: alignment of layer N across, accuracy up, one colour a language."""
    look = theme(mode)
    figure = new_figure(mode, height=318)
    for each in points:
        marked = [n == cursor for n in each.frozen]
        figure.add_scatter(
            x=each.alignment,
            y=100 * each.accuracy,
            name=plain(each.name),
            mode="markers+text",
            marker={
                "size": [21 if here else 17 for here in marked],
                "opacity": 1,
                "color": [each.color if here else look.surface for here in marked],
                "line": {"color": each.color, "width": 1.4},
            },
            text=[str(n) for n in each.frozen],
            textfont={
                "size": 10,
                "color": [look.background if here else look.text for here in marked],
            },
            hovertext=[
                f"{plain(each.name)}, N = {n}<br>{plain(title)} at layer {n}: {x:.3f}<br>"
                f"Accuracy: {percent(y)}"
                for n, x, y in zip(each.frozen, each.alignment, each.accuracy, strict=True)
            ],
            hoverinfo="text",
        )
    # The badge has a line of its own: in one, the title would not fit beside the curves.
    lines = plain(f"{title}, layer N").replace(" (", "<br>(")
    figure.update_xaxes(title={"text": lines}, tickformat=".2f", nticks=5)
    figure.update_yaxes(title={"text": "Accuracy (%)"}, nticks=6)
    return figure
