"""Heatmaps on paper: coloured cells, their texts, and which colour a value has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.figures.paper.canvas import Canvas
from isogloss.figures.paper.colors import Color, read_color
from isogloss.figures.paper.lettering import Line, read_markup
from isogloss.figures.paper.scales import Scale
from isogloss.figures.paper.traces import Panel, Trace, number_or, read_font
from isogloss.measures.stacks import Array


def draw_heatmap(canvas: Canvas, trace: Trace, panel: Panel, colors: Mapping[str, Any]) -> None:
    """Coloured cells, each a shape of its own, and their texts; one without a value is white."""
    values = np.array(trace["z"], dtype=float)
    rows, columns = values.shape
    across = cell_edges(trace.get("x"), columns, panel.x, trace.get("dx"))
    up = cell_edges(trace.get("y"), rows, panel.y, trace.get("dy"))
    low, high = color_range(colors, values)
    gaps = number_or(trace.get("xgap"), 0) / 2, number_or(trace.get("ygap"), 0) / 2
    texts = trace.get("text") if trace.get("texttemplate") else None
    size, ink = read_font(trace.get("textfont"))
    for i, j in np.ndindex(rows, columns):
        (a, b), (c, d) = sorted(across[j : j + 2]), sorted(up[i : i + 2])
        share = float(values[i, j] - low) / ((high - low) or 1)
        if math.isfinite(share):
            box = (a + gaps[0], c + gaps[1], b - gaps[0], d - gaps[1])
            canvas.box(box, scale_color(colors.get("colorscale") or [], share), panel.box)
        if texts is not None:
            lines = _fitting(canvas, texts[i][j], size, b - a)
            canvas.text(((a + b) / 2, (c + d) / 2), lines, size, ink)


def _fitting(canvas: Canvas, words: Any, size: float, room: float) -> list[Line]:
    """A cell's text; nothing where the cell is too small for it."""
    lines = read_markup(words)
    return lines if all(canvas.letters.width(line, size) <= room for line in lines) else []


def cell_edges(given: Any, count: int, scale: Scale, step: float | None) -> list[float]:
    """Where the cells of a heatmap begin and end on the page, one more than there are cells."""
    places = (
        [float(i) for i in range(count)]
        if given is None
        else [scale.value(value) for value in given]
    )
    if len(places) == count + 1:
        return [scale.at(place) for place in places]
    if count == 1:
        half = (step or 1) / 2
        edges = [places[0] - half, places[0] + half]
    else:
        middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
        edges = [2 * places[0] - middles[0], *middles, 2 * places[-1] - middles[-1]]
    return [scale.at(edge) for edge in edges]


def color_range(colors: Mapping[str, Any], values: Array) -> tuple[float, float]:
    """The values at the two ends of the colours."""
    known = values[np.isfinite(values)]
    ends = (colors.get("zmin"), colors.get("zmax"))
    if None in ends:
        ends = (colors.get("cmin"), colors.get("cmax"))
    low, high = ends
    low = float(known.min()) if low is None and len(known) else low
    high = float(known.max()) if high is None and len(known) else high
    return float(low or 0.0), float(1.0 if high is None else high)


def scale_color(scale: Sequence[Sequence[Any]], share: float) -> Color:
    """The colour at a share of a scale, as Plotly mixes it: evenly in red, green and blue."""
    share = min(max(share, 0.0), 1.0)
    for (start, first), (end, second) in itertools.pairwise(scale):
        if share <= end:
            part = (share - start) / ((end - start) or 1)
            mixed = zip(read_color(first), read_color(second), strict=True)
            red, green, blue, alpha = (a + (b - a) * part for a, b in mixed)
            return red, green, blue, alpha
    return read_color(scale[-1][1])
