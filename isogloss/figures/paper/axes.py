"""Axes on paper: grid, ticks that do not run into each other, titles."""

from __future__ import annotations

import itertools
import math

from isogloss.figures.paper.canvas import POINTS_PER_PIXEL, SMALLEST, Box, Canvas
from isogloss.figures.paper.colors import read_color
from isogloss.figures.paper.lettering import LINE, Line, read_markup
from isogloss.figures.paper.scales import Scale
from isogloss.figures.paper.traces import Panel, read_font

TICK = "#444444"
GAP = 5
"""Pixels between an axis and its ticks' texts."""
BETWEEN = 4
"""Pixels that two of them keep apart."""
LONGEST = 0.34
"""Of the page's width, what the texts of a vertical axis may take before they are broken."""


def draw_grid(canvas: Canvas, panel: Panel) -> None:
    """Quiet lines at the ticks of both axes."""
    left, top, right, bottom = panel.box
    for scale in (panel.x, panel.y):
        layout = scale.layout
        if layout.get("showgrid") is False or layout.get("visible") is False:
            continue
        color = read_color(layout.get("gridcolor") or "#e5e5e5")
        for at, _ in scale.ticks():
            place = scale.at(at)
            ends = [(place, top), (place, bottom)]
            if scale.letter == "y":
                ends = [(left, place), (right, place)]
            canvas.line(ends, color, float(layout.get("gridwidth") or 1))


def draw_axis(canvas: Canvas, scale: Scale, beside: Scale | None, plot: Box) -> None:
    """The texts of an axis and its title, at the end of the axis that it stands at."""
    layout = scale.layout
    if layout.get("visible") is False:
        return
    horizontal = scale.letter == "x"
    ends = (beside.start, beside.end) if beside else ((plot[3], plot[1]), plot[::2])[not horizontal]
    side = layout.get("side") or ("bottom" if horizontal else "left")
    edge = {"bottom": max, "top": min, "left": min, "right": max}[side](ends)
    out = -1 if side in ("top", "left") else 1
    used = 0.0
    if layout.get("showticklabels") is not False:
        draw = _draw_columns if horizontal else _draw_rows
        used = draw(canvas, scale, edge, out)
    _draw_title(canvas, scale, edge + out * (GAP + used), out)


def _draw_rows(canvas: Canvas, scale: Scale, edge: float, out: int) -> float:
    """The texts of a vertical axis; returns how wide they are."""
    size, color = read_font(scale.layout.get("tickfont"), color=TICK)
    letters, widest = canvas.letters, 0.0
    taken: list[tuple[float, float]] = []
    for at, text in scale.ticks():
        lines = letters.wrap(read_markup(text), size, LONGEST * canvas.width)
        place, half = scale.at(at), LINE * size * len(lines) / 2
        if any(place - half < bottom - 1 and place + half > top + 1 for top, bottom in taken):
            continue
        taken.append((place - half, place + half))
        anchor = ("right" if out < 0 else "left", "middle")
        box = canvas.text((edge + out * GAP, place), lines, size, color, anchor)
        widest = max(widest, box[2] - box[0])
    return widest


def _draw_columns(canvas: Canvas, scale: Scale, edge: float, out: int) -> float:
    """The texts of a horizontal axis; returns how high they are.

    Where they would run into each other, numbers are thinned out, and names are turned upright.
    """
    size, color = read_font(scale.layout.get("tickfont"), color=TICK)
    ticks = [(scale.at(at), read_markup(text)) for at, text in scale.ticks()]
    angle = float(scale.layout.get("tickangle") or 0)
    if not angle and not _fit(canvas, ticks, size):
        if all(_is_number(lines) for _, lines in ticks):
            step = next(n for n in range(2, len(ticks) + 2) if _fit(canvas, ticks[::n], size))
            ticks = ticks[::step]
        else:
            angle = -90.0
    if angle == -45 and any(b - a < LINE * size * 1.42 for a, b in _steps(ticks)):
        angle = -90.0
    if angle:
        apart = min((b - a for a, b in _steps(ticks)), default=math.inf)
        size = max(min(size, apart / LINE), SMALLEST / POINTS_PER_PIXEL)
    highest = 0.0
    for place, lines in ticks:
        if not angle:
            anchor = ("center", "top" if out > 0 else "bottom")
        else:
            # Turned text ends at its tick below an axis and begins there above one.
            anchor = ("right" if (angle < 0) == (out > 0) else "left", "middle")
        box = canvas.text((place, edge + out * GAP), lines, size, color, anchor, angle)
        highest = max(highest, box[3] - box[1])
    return highest


def _fit(canvas: Canvas, ticks: list[tuple[float, list[Line]]], size: float) -> bool:
    """Whether no two neighbours run into each other."""
    halves = [
        (place, max((canvas.letters.width(line, size) for line in lines), default=0) / 2)
        for place, lines in sorted(ticks, key=lambda tick: tick[0])
    ]
    return all(
        a + half + BETWEEN <= b - other for (a, half), (b, other) in itertools.pairwise(halves)
    )


def _steps(ticks: list[tuple[float, list[Line]]]) -> list[tuple[float, float]]:
    places = sorted(place for place, _ in ticks)
    return list(itertools.pairwise(places))


def _is_number(lines: list[Line]) -> bool:
    text = "".join(run.text for line in lines for run in line)
    return any(c.isdigit() for c in text) and sum(c.isalpha() for c in text) <= 1


def _draw_title(canvas: Canvas, scale: Scale, edge: float, out: int) -> None:
    title = scale.layout.get("title") or {}
    if not title.get("text"):
        return
    size, color = read_font(title.get("font"), 13)
    middle, long = (scale.start + scale.end) / 2, abs(scale.end - scale.start)
    horizontal = scale.letter == "x"
    room = canvas.width if horizontal else max(long, 0.5 * canvas.height)
    lines = canvas.letters.wrap(read_markup(title["text"]), size, room)
    if horizontal:
        wide = max((canvas.letters.width(line, size) for line in lines), default=0.0)
        middle = min(max(middle, wide / 2 + 2), max(canvas.width - wide / 2 - 2, wide / 2))
        anchor = ("center", "top" if out > 0 else "bottom")
        canvas.text((middle, edge + out * GAP), lines, size, color, anchor)
    else:
        anchor = ("center", "bottom" if out < 0 else "top")
        canvas.text((edge + out * GAP, middle), lines, size, color, anchor, -90)
