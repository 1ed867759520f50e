"""Lines, points, bars and heatmaps of a Plotly figure, drawn on paper."""

from __future__ import annotations

import math
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.figures.paper.canvas import Box, Canvas, Point
from isogloss.figures.paper.colors import Color, read_color
from isogloss.figures.paper.lettering import read_markup
from isogloss.figures.paper.scales import Scale
from isogloss.measures.stacks import Array

Trace = Mapping[str, Any]
MARKER, LINE_WIDTH = 6, 2
"""What Plotly takes where a figure says nothing, in pixels."""


@dataclass(frozen=True)
class Panel:
    """The two axes of a trace and the rectangle between them."""

    x: Scale
    y: Scale

    @property
    def box(self) -> Box:
        left, right = sorted((self.x.start, self.x.end))
        top, bottom = sorted((self.y.start, self.y.end))
        return left, top, right, bottom

    def place(self, x: Any, y: Any) -> Point:
        return self.x.place(x), self.y.place(y)


def draw_scatter(canvas: Canvas, trace: Trace, panel: Panel, color: str) -> None:
    """Lines, areas, points and words."""
    mode = trace.get("mode") or "lines+markers"
    points = [panel.place(x, y) for x, y in zip(trace["x"], trace["y"], strict=True)]
    line, opacity = trace.get("line") or {}, trace.get("opacity") or 1.0
    points_color = (trace.get("marker") or {}).get("color")
    ink = read_color(
        line.get("color") or (points_color if isinstance(points_color, str) else color), opacity
    )
    clip = panel.box if trace.get("cliponaxis") is not False else None
    if trace.get("fill") == "toself":
        fill = read_color(trace["fillcolor"], opacity)
        for part in _unbroken(points, gaps=True):
            canvas.polygon(part, fill, clip)
    if trace.get("stackgroup"):
        below = [panel.place(x, y) for x, y in zip(trace["x"], trace["_below"], strict=True)]
        canvas.polygon([*points, *reversed(below)], read_color(trace["fillcolor"], opacity), clip)
    if "lines" in mode:
        for part in _unbroken(points, gaps=not trace.get("connectgaps")):
            canvas.line(part, ink, number_or(line.get("width"), LINE_WIDTH), line.get("dash"), clip)
    _draw_errors(canvas, panel, trace, ink)
    if "markers" in mode:
        _draw_markers(canvas, trace, points, line.get("color") or color, opacity)
    if "text" in mode:
        _draw_words(canvas, trace, points)


def stacked(traces: Iterable[Trace]) -> list[Trace]:
    """The traces with those of a stack raised by what lies below them, which `_below` keeps."""
    heights: dict[tuple[Any, ...], Array] = {}
    found = []
    for trace in traces:
        group = trace.get("stackgroup")
        if group:
            where = group, trace["xaxis"], trace["yaxis"]
            values = np.array(trace["y"], dtype=float)
            below = heights.get(where, np.zeros(len(values)))
            heights[where] = below + np.nan_to_num(values)
            trace = {**trace, "y": heights[where].tolist(), "_below": below.tolist()}
        found.append(trace)
    return found


def _unbroken(points: Sequence[Point], *, gaps: bool) -> list[list[Point]]:
    """The stretches of a line between its gaps."""
    parts: list[list[Point]] = [[]]
    for point in points:
        if all(map(math.isfinite, point)):
            parts[-1].append(point)
        elif gaps and parts[-1]:
            parts.append([])
    return parts


def _draw_markers(
    canvas: Canvas, trace: Trace, points: Sequence[Point], color: str, opacity: float
) -> None:
    marker = trace.get("marker") or {}
    edge = marker.get("line") or {}
    for i, point in enumerate(points):
        if not all(map(math.isfinite, point)):
            continue
        shade = number_or(_each(marker.get("opacity"), i), 1.0) * opacity
        fill = read_color(_each(marker.get("color"), i) or color, shade)
        rim = read_color(_each(edge.get("color"), i) or "#444444", shade)
        width = number_or(_each(edge.get("width"), i), 0)
        size = number_or(_each(marker.get("size"), i), MARKER)
        symbol = _each(marker.get("symbol"), i) or "circle"
        if shade:
            canvas.marker(point, str(symbol), size, fill, rim, width)


def _draw_words(canvas: Canvas, trace: Trace, points: Sequence[Point]) -> None:
    for i, point in enumerate(points):
        words = _each(trace.get("text"), i)
        if words is None or not all(map(math.isfinite, point)):
            continue
        up, across = str(_each(trace.get("textposition"), i) or "middle center").split()
        gap = {"top": -3, "middle": 0, "bottom": 3}[up]
        anchor = (
            {"left": "right", "center": "center", "right": "left"}[across],
            {"top": "bottom", "middle": "middle", "bottom": "top"}[up],
        )
        at = point[0], point[1] + gap
        canvas.text(at, read_markup(words), *read_font(trace.get("textfont"), i=i), anchor)


def _draw_errors(canvas: Canvas, panel: Panel, trace: Trace, color: Color) -> None:
    """Lines from below to above each value, with a stroke across both ends."""
    for along, letter in enumerate("xy"):
        bars = trace.get(f"error_{letter}") or {}
        ink = read_color(bars["color"]) if bars.get("color") else color
        width, cap = number_or(bars.get("thickness"), 2), number_or(bars.get("width"), 4)
        for i, ends in error_ends(trace, letter):
            places = [
                panel.place(end, trace["y"][i]) if along == 0 else panel.place(trace["x"][i], end)
                for end in ends
            ]
            for x, y in places:
                across = (
                    [(x, y - cap), (x, y + cap)] if along == 0 else [(x - cap, y), (x + cap, y)]
                )
                canvas.line(across, ink, width, clip=panel.box)
            canvas.line(places, ink, width, clip=panel.box)


def error_ends(trace: Trace, letter: str) -> list[tuple[int, tuple[float, float]]]:
    """Which values of a trace have error bars along an axis, and where those begin and end."""
    bars = trace.get(f"error_{letter}") or {}
    if bars.get("visible") is False or bars.get("array") is None:
        return []
    above = bars["array"]
    below = above if bars.get("arrayminus") is None else bars["arrayminus"]
    return [
        (i, (value - less, value + more))
        for i, (value, more, less) in enumerate(zip(trace[letter], above, below, strict=True))
        if None not in (value, more, less) and (more or less)
    ]


def bar_ends(traces: Sequence[Trace], mode: str) -> list[tuple[Array, Array, Array, Array]]:
    """Where each bar of some bar traces begins and ends: its base and tip, and its two sides.

    Positions are numbers here; the caller has counted categories.
    """
    several = len(traces) if mode == "group" else 1
    stacks: dict[float, float] = {}
    found = []
    for number, trace in enumerate(traces):
        values = np.array([np.nan if v is None else float(v) for v in trace["_values"]])
        middles = np.array([float(v) for v in trace["_places"]])
        whole = 0.8 * _spacing(middles)
        given, offset = trace.get("width"), trace.get("offset")
        width = np.full(len(middles), whole / several) if given is None else np.broadcast_to(
            np.asarray(given, float), middles.shape
        )  # fmt: skip
        if offset is not None:
            first = middles + np.asarray(offset, float)
        elif mode == "group" and given is None:
            first = middles - whole / 2 + number * whole / several
        elif mode == "group":
            first = middles + (number - several / 2) * width
        else:
            first = middles - width / 2
        base = np.broadcast_to(np.asarray(trace.get("base") or 0.0, float), middles.shape).copy()
        if mode == "stack":
            base += [stacks.get(place, 0.0) for place in middles]
            stacks |= dict(
                zip(middles.tolist(), (base + np.nan_to_num(values)).tolist(), strict=True)
            )
        found.append((base, base + values, first, first + width))
    return found


def draw_bars(
    canvas: Canvas,
    trace: Trace,
    panel: Panel,
    ends: tuple[Array, Array, Array, Array],
    color: str,
) -> None:
    """Bars of one trace, with their numbers and error bars."""
    lying = trace.get("orientation") == "h"
    marker = trace.get("marker") or {}
    edge, pattern = marker.get("line") or {}, marker.get("pattern") or {}
    opacity = trace.get("opacity") or 1.0
    for i, (base, tip, first, last) in enumerate(zip(*ends, strict=True)):
        if not math.isfinite(tip):
            continue
        along, across = (panel.x, panel.y) if lying else (panel.y, panel.x)
        a, b = sorted((along.at(along.value(base)), along.at(along.value(tip))))
        c, d = sorted((across.at(first), across.at(last)))
        box = (a, c, b, d) if lying else (c, a, d, b)
        shade = number_or(_each(marker.get("opacity"), i), 1.0) * opacity
        hatched = bool(_each(pattern.get("shape"), i))
        rim = _each(edge.get("color"), i)
        canvas.box(
            box,
            read_color(_each(marker.get("color"), i) or color, shade),
            panel.box,
            edge=read_color(rim or pattern.get("fgcolor")) if rim or hatched else None,
            edge_width=number_or(_each(edge.get("width"), i), 1 if hatched else 0),
            hatch="////" if hatched else "",
        )
        words = _each(trace.get("text"), i)
        if words is not None:
            at = (b + 4, (c + d) / 2) if lying else ((c + d) / 2, a - 3)
            anchor = ("left", "middle") if lying else ("center", "bottom")
            canvas.text(at, read_markup(words), *read_font(trace.get("textfont"), i=i), anchor)
    _draw_errors(canvas, panel, trace, read_color("#444444"))


def unpacked(part: Any) -> Any:
    """A part of a figure with its arrays as lists, which Plotly packs in some versions."""
    if isinstance(part, Mapping) and "bdata" in part:
        numbers = np.frombuffer(b64decode(part["bdata"]), part["dtype"])
        shape = part.get("shape")
        part = numbers.reshape([int(n) for n in shape.split(",")]) if shape else numbers
    if isinstance(part, Mapping):
        return {name: unpacked(value) for name, value in part.items()}
    if isinstance(part, np.ndarray | np.generic):
        part = part.tolist()
    return [unpacked(each) for each in part] if isinstance(part, list | tuple) else part


def _each(values: Any, i: int) -> Any:
    """The i-th of several, or what holds for all."""
    return values[i % len(values)] if isinstance(values, list) and values else values


def read_font(
    font: Mapping[str, Any] | None, size: float = 12, color: str = "#1a1a1a", i: int = 0
) -> tuple[float, Color]:
    """The size and the colour of letters, of the i-th text where a font has several."""
    font = font or {}
    ink = read_color(_each(font.get("color"), i) or color)
    return number_or(_each(font.get("size"), i), size), ink


def number_or(value: Any, otherwise: float) -> float:
    return otherwise if value is None else float(value)


def _spacing(places: Array) -> float:
    steps = np.diff(np.unique(places))
    return float(steps.min()) if len(steps) else 1.0
