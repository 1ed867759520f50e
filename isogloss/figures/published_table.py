"""The paper's table, layer by language pair by kind of encoder, and ours beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.heatmaps import COLOR_BAR, add_click_targets, add_numbers, frame_cell
from isogloss.figures.template import Mode, new_figure, plain, theme
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates

if TYPE_CHECKING:
    import plotly.graph_objects as go


ROW_HEIGHT = 30
# The row of means stands apart from the layers, below them.
MEAN_ROW = -1.4


@dataclass(frozen=True)
class TableEntry:
    """One column: its languages and text, its label (a kind of encoder), values by layer.

    `hover` says, layer by layer, what is known beyond the value; `ours` separates measurements
    from published values.
    """

    languages: str
    text: str
    label: str
    values: Array
    mean: float
    hover: tuple[str, ...]
    ours: bool


def place_columns(entries: Sequence[TableEntry]) -> list[float]:
    """Return where each column stands: groups half a column apart, ours two from the published."""
    positions: list[float] = []
    at = 0.0
    for previous, entry in zip((None, *entries), entries, strict=False):
        if previous is not None:
            at += 1
            if previous.ours != entry.ours:
                at += 1.2
            elif _group(previous) != _group(entry):
                at += 0.4
        positions.append(at)
    return positions


def layer_table_figure(
    entries: Sequence[TableEntry],
    published_title: str,
    cell: tuple[int, int] | None,
    mode: Mode = "light",
    states: LayerStates | None = None,
) -> go.Figure:
    """Draw all columns on one fixed scale from 0 to 1; `cell` is (layer, column) of ours."""
    look = theme(mode)
    layers = max(len(entry.values) for entry in entries)
    positions = place_columns(entries)
    figure = new_figure(
        mode, height=155 + ROW_HEIGHT * (layers + 1), showlegend=False, clickmode="event+select"
    )
    for entry, position in zip(entries, positions, strict=True):
        rows = [MEAN_ROW, *range(len(entry.values))]
        column = np.concatenate([[entry.mean], entry.values])
        for chosen in (slice(0, 1), slice(1, None)):
            figure.add_heatmap(
                x=[position],
                y=rows[chosen],
                z=column[chosen, None],
                dx=1,
                dy=1,
                hoverinfo="skip",
                coloraxis="coloraxis",
                xgap=1.5,
                ygap=1.5,
            )
            numbers = column[chosen, None]
            add_numbers(figure, numbers, numbers, look.sequential, 11, [position], rows[chosen])
    targets = [
        (position, layer, text)
        for entry, position in zip(entries, positions, strict=True)
        for layer, text in enumerate(entry.hover)
    ]
    x, y, hover = (list(part) for part in zip(*targets, strict=True))
    add_click_targets(figure, x, y, hover)
    if cell is not None:
        frame_cell(figure, positions[cell[1]], cell[0], mode)
    _label_groups(figure, entries, positions, layers, published_title, mode)
    figure.update_layout(
        coloraxis={
            "colorscale": look.sequential,
            "cmin": 0,
            "cmax": 1,
            "colorbar": COLOR_BAR,
        }
    )
    figure.update_xaxes(
        tickvals=positions,
        ticktext=[plain(entry.label) for entry in entries],
        tickangle=-90,
        range=[positions[0] - 0.6, positions[-1] + 0.6],
        showgrid=False,
    )
    figure.update_yaxes(
        tickvals=[MEAN_ROW, *range(layers)],
        ticktext=["mean", *(_row_name(layer, states) for layer in range(layers))],
        range=[MEAN_ROW - 0.6, layers + 1.5],
        showgrid=False,
    )
    return figure


def _row_name(layer: int, states: LayerStates | None) -> str:
    return "norm" if states is not None and layer == states.normed else f"L{layer}"


def _label_groups(
    figure: go.Figure,
    entries: Sequence[TableEntry],
    positions: Sequence[float],
    layers: int,
    published_title: str,
    mode: Mode,
) -> None:
    """Write the language pair over its columns, and whose values they are over those."""
    look = theme(mode)
    for ours in (False, True):
        mine = [(e, p) for e, p in zip(entries, positions, strict=True) if e.ours == ours]
        if not mine:
            continue
        centre = (mine[0][1] + mine[-1][1]) / 2
        title = "Measured here" if ours else plain(published_title)
        figure.add_annotation(
            x=centre,
            y=layers + 1.15,
            text=f"<b>{title}</b>",
            showarrow=False,
            font={"color": look.accent if ours else look.quiet, "size": 13},
        )
        for group in dict.fromkeys(_group(entry) for entry, _ in mine):
            places = [p for entry, p in mine if _group(entry) == group]
            figure.add_annotation(
                x=(places[0] + places[-1]) / 2,
                y=layers - 0.45,
                yanchor="bottom",
                text=plain(group[0]) + (f"<br>{plain(group[1])}" if ours else ""),
                showarrow=False,
                font={"size": 12, "color": look.text},
            )


def _group(entry: TableEntry) -> tuple[str, str]:
    """What columns that stand together share."""
    return entry.languages, entry.text
