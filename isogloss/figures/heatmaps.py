"""Heatmaps of layers against layers; hovering tells a cell's interval, clicking names the cell.

Plotly cannot select a heatmap's cell, so an invisible point lies on each: it carries the hover text
and is what a click selects, at x and y equal to the two layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.figures.color_scales import Scale, color_at, contrast
from isogloss.figures.curves import ticked
from isogloss.figures.template import Mode, new_figure, plain, theme, unfaded
from isogloss.measures.labels import Labels
from isogloss.measures.similarity.comparison import NO_INTERVAL, LayerSimilarity
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.studies.similarity import SimilarityDifference

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 470
# Beyond this many columns, numbers in cells are too small to read.
MOST_NUMBERED = 14
INKS = ("#10161c", "#ffffff")
COLOR_BAR = {"thickness": 10, "outlinewidth": 0, "ticks": "", "tickfont": {"size": 11}}


def similarity_heatmap_figure(
    similarity: LayerSimilarity,
    labels: Labels,
    cell: tuple[int, int],
    mode: Mode = "light",
    *,
    fit: bool = False,
) -> go.Figure:
    """Draw a measure between all pairs of layers; `cell` is framed.

    Colours run from 0 to 1, or with `fit` from the smallest value to the largest.
    """

    def describe(i: int, j: int) -> str:
        if similarity.reasons[i, j]:
            return plain(str(similarity.reasons[i, j]))
        return (
            f"<b>{similarity.values[i, j]:.3f}</b>  ({similarity.describe_interval(i, j)})"
            f"<br>shuffled pairs: {similarity.baseline[i, j]:.3f} ± "
            f"{similarity.baseline_deviation[i, j]:.3f}"
        )

    hover = _hover(similarity.values.shape, labels, describe)
    values = np.where(similarity.undefined, np.nan, similarity.values)
    low, high = (np.nanmin(values), np.nanmax(values)) if fit and _varies(values) else (0, 1)
    scale = {"colorscale": theme(mode).sequential, "zmin": low, "zmax": high}
    return _heatmap(values, hover, labels, cell, mode, scale)


def difference_heatmap_figure(
    difference: SimilarityDifference,
    labels: Labels,
    cell: tuple[int, int],
    mode: Mode = "light",
    *,
    fit: bool = False,
) -> go.Figure:
    """Draw the difference of two comparisons on a diverging scale around 0; `cell` is framed.

    Colours run from -1 to 1, or with `fit` as far on both sides as the largest difference.
    """

    def describe(i: int, j: int) -> str:
        if difference.reasons[i, j]:
            return plain(str(difference.reasons[i, j]))
        if np.isnan(difference.low[i, j]):
            return f"<b>{_signed(difference.values[i, j])}</b>  ({NO_INTERVAL})"
        return (
            f"<b>{_signed(difference.values[i, j])}</b>  (cautiously "
            f"{_signed(difference.low[i, j])} to {_signed(difference.high[i, j])})"
        )

    hover = _hover(difference.values.shape, labels, describe)
    values = np.where(difference.reasons != "", np.nan, difference.values)
    limit = np.nanmax(np.abs(values)) if fit and _varies(values) else 1
    scale = {"colorscale": theme(mode).diverging, "zmin": -limit, "zmax": limit}
    return _heatmap(values, hover, labels, cell, mode, scale)


def _varies(values: Array) -> bool:
    known = values[~np.isnan(values)]
    return known.size > 0 and bool(np.ptp(known) > 0)


def _hover(shape: tuple[int, ...], labels: Labels, describe: Any) -> list[list[str]]:
    rows, columns = map(plain, labels.names)
    first, second = (
        [each.title(i).lower() for i in range(length)]
        for each, length in zip((labels.states, labels.other_states), shape, strict=True)
    )
    return [
        [
            f"{rows}, {first[i]} · {columns}, {second[j]}<br>{describe(i, j)}"
            for j in range(shape[1])
        ]
        for i in range(shape[0])
    ]


def _heatmap(
    values: Array,
    hover: list[list[str]],
    labels: Labels,
    cell: tuple[int, int],
    mode: Mode,
    scale: dict[str, Any],
) -> go.Figure:
    height, width = values.shape
    figure = new_figure(mode, height=HEIGHT, showlegend=False, clickmode="event+select")
    figure.add_heatmap(z=values, hoverinfo="skip", xgap=1.5, ygap=1.5, colorbar=COLOR_BAR, **scale)
    if max(height, width) <= MOST_NUMBERED:
        span = scale["zmax"] - scale["zmin"]
        shares = (values - scale["zmin"]) / span
        size = 12 if max(height, width) <= 10 else 10
        add_numbers(figure, values, shares, scale["colorscale"], size)
    add_targets_of_cells(figure, hover)
    frame_cell(figure, cell[1], cell[0], mode)
    rows, columns = labels.names
    figure.update_xaxes(**_layer_axis(labels.other_states, width, cell[1], columns))
    figure.update_yaxes(**_layer_axis(labels.states, height, cell[0], rows))
    return figure


def add_click_targets(
    figure: go.Figure, x: list[float] | list[int], y: list[float] | list[int], hover: list[str]
) -> None:
    """Lay an invisible point on each cell, for hovering and clicking."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"symbol": "square", "size": 22, "opacity": 0},
        hovertext=hover,
        hoverinfo="text",
        showlegend=False,
        **unfaded(0),
    )


def add_targets_of_cells(figure: go.Figure, hover: Sequence[Sequence[str]]) -> None:
    """The same for the cells of a whole heatmap, by row and column."""
    cells = [(j, i, text) for i, row in enumerate(hover) for j, text in enumerate(row)]
    x, y, texts = (list(part) for part in zip(*cells, strict=True))
    add_click_targets(figure, x, y, texts)


def frame_cell(figure: go.Figure, x: float, y: float, mode: Mode) -> None:
    """Frame the cell around (x, y), with a halo that keeps the frame visible on any colour."""
    look = theme(mode)
    for name, color, width in (("halo", look.background, 6), ("cell", look.text, 2.5)):
        frame(figure, x, y, color, width, name=name)


def frame(figure: go.Figure, x: float, y: float, color: str, width: float, **more: str) -> None:
    """Frame the cell around (x, y) by a line."""
    line = {"color": color, "width": width}
    ends = {"x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5}
    figure.add_shape(type="rect", line=line, **ends, **more)


def add_numbers(
    figure: go.Figure,
    values: Array,
    shares: Array,
    scale: Scale,
    size: int,
    x: list[float] | None = None,
    y: list[float] | None = None,
) -> None:
    """Write each value (m, n) on its cell, dark or light, whichever reads better there.

    `shares` (m, n) says where on the scale a cell's colour is. Numbers are clear heatmaps, one an
    ink, because one heatmap writes in one colour.
    """
    inks = [[ink_on(scale, share) for share in row] for row in shares]
    for ink in INKS:
        texts = [
            [_short(value) if own == ink else "" for value, own in zip(*row, strict=True)]
            for row in zip(values, inks, strict=True)
        ]
        figure.add_heatmap(
            x=x,
            y=y,
            z=np.zeros(values.shape),
            colorscale=[(0, "rgba(0,0,0,0)"), (1, "rgba(0,0,0,0)")],
            showscale=False,
            text=texts,
            texttemplate="%{text}",
            textfont={"size": size, "color": ink},
            hoverinfo="skip",
        )


def ink_on(scale: Scale, share: float) -> str:
    """Dark or light, whichever reads better on the colour at a share of a scale."""
    below = color_at(scale, share)
    return max(INKS, key=lambda ink: contrast(ink, below))


def _short(value: float) -> str:
    """A value as short as it can be: .61 for 0.61, nothing where there is none."""
    if np.isnan(value):
        return ""
    return f"{value:.2f}".replace("0.", ".", 1).replace("-.00", ".00").replace("-", "−")


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _layer_axis(states: LayerStates, layers: int, marked: int, title: str) -> dict[str, Any]:
    """An axis of layers with the cursor's one in bold."""
    shown = sorted({*ticked(range(layers), states), marked})
    names = [states.short(i) for i in shown]
    return {
        "tickvals": shown,
        "ticktext": [
            f"<b>▸ {name}</b>" if i == marked else name
            for i, name in zip(shown, names, strict=True)
        ],
        "title": {"text": f"Layer · {plain(title)}"},
        "range": [-0.5, layers - 0.5],
        "showgrid": False,
    }
