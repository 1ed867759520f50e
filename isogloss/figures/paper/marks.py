"""What stands on and around the axes on paper: shapes, notes, legend, title, scale of colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.figures.paper.canvas import POINTS_PER_PIXEL, SMALLEST, Box, Canvas, Point
from isogloss.figures.paper.cells import color_range, scale_color
from isogloss.figures.paper.colors import read_color
from isogloss.figures.paper.lettering import LINE, Line, read_markup
from isogloss.figures.paper.scales import Scale
from isogloss.figures.paper.traces import LINE_WIDTH, Trace, number_or, read_font
from isogloss.measures.stacks import Array

BESIDE = 0.34
"""Of the page's width, what notes beside the plot may take before they are broken into lines."""
LARGEST = 13
"""Pixels: no note is written larger than the titles of axes."""
SAMPLE, AFTER = 24, 14
"""Pixels: a legend's sample of a line, and the room after an entry."""
STEPS = 96


@dataclass(frozen=True)
class Page:
    """The canvas, the figure's layout, the plot's rectangle and the axes by their names."""

    canvas: Canvas
    layout: Mapping[str, Any]
    plot: Box
    scales: Mapping[str, Scale]

    @property
    def ink(self) -> str:
        """The colour of letters that say no other."""
        return (self.layout.get("font") or {}).get("color") or "#000"

    def place(self, reference: str | None, value: Any, letter: str, *, counted: bool) -> float:
        """Where something stands that refers to the paper, to an axis or to a share of one.

        `counted` says that values of logarithmic axes are powers of ten, as those of notes are.
        """
        left, top, right, bottom = self.plot
        name, _, domain = (reference or letter).partition(" ")
        if name == "paper":
            share = float(value)
            return (
                left + share * (right - left) if letter == "x" else bottom - share * (bottom - top)
            )
        scale = self.scales.get(name) or next(s for n, s in self.scales.items() if n[0] == letter)
        if domain:
            return scale.part(float(value))
        return scale.at(float(value)) if counted and not scale.names else scale.place(value)


def draw_shapes(page: Page, layer: str) -> None:
    """Lines and rectangles, those below or those above what was measured."""
    for shape in page.layout.get("shapes") or ():
        if (shape.get("layer") or "above") != layer or shape.get("visible") is False:
            continue
        (a, b), (c, d) = (
            [
                page.place(
                    shape.get(f"{letter}ref"), shape[f"{letter}{end}"], letter, counted=False
                )
                for end in (0, 1)
            ]
            for letter in "xy"
        )
        opacity = number_or(shape.get("opacity"), 1)
        line = shape.get("line") or {}
        width = number_or(line.get("width"), 2)
        ink = read_color(line.get("color") or "#444444", opacity)
        if shape.get("type") == "line":
            page.canvas.line([(a, c), (b, d)], ink, width, line.get("dash"))
            continue
        left, right = sorted((a, b))
        top, bottom = sorted((c, d))
        fill = read_color(shape.get("fillcolor"), opacity)
        page.canvas.box((left, top, right, bottom), fill, edge=ink, edge_width=width)


def draw_annotations(page: Page) -> None:
    """Notes, with their lines where they point at something."""
    canvas = page.canvas
    for note in page.layout.get("annotations") or ():
        if note.get("visible") is False or not note.get("text"):
            continue
        x, y = (
            page.place(note.get(f"{letter}ref"), note[letter], letter, counted=True)
            for letter in "xy"
        )
        arrow = note.get("showarrow") is not False
        anchor = _anchor(note, arrow=arrow)
        tail = _tail(page, note, (x, y)) if arrow else (x, y)
        at = tail[0] + float(note.get("xshift") or 0), tail[1] - float(note.get("yshift") or 0)
        if arrow:
            _point_at(canvas, note, at, (x, y))
        size, ink = read_font(note.get("font"))
        lines = read_markup(note["text"])
        lines, size = _fitted(page, note, anchor, lines, min(size, LARGEST), at[0])
        back = note.get("bgcolor")
        align = note.get("align") or ("left" if anchor[0] == "left" else "center")
        canvas.text(at, lines, size, ink, anchor, float(note.get("textangle") or 0), align,
                    read_color(back) if back else None)  # fmt: skip


def _tail(page: Page, note: Mapping[str, Any], tip: Point) -> Point:
    """Where a note stands that points at something: so many pixels from it, or at values."""
    x, y = (
        page.place(str(reference), note[f"a{letter}"], letter, counted=True)
        if (reference := note.get(f"a{letter}ref") or "pixel") != "pixel"
        else tip[letter == "y"] + float(note.get(f"a{letter}") or 0)
        for letter in "xy"
    )
    return x, y


def _fitted(
    page: Page,
    note: Mapping[str, Any],
    anchor: tuple[str, str],
    lines: list[Line],
    size: float,
    x: float,
) -> tuple[list[Line], float]:
    """The lines and the size of a note in the room it has: smaller letters, then more lines.

    Titles of charts that stand side by side keep their size.
    """
    letters = page.canvas.letters
    if room := _room_of_title(page, note, anchor):
        return letters.wrap(lines, size, room), size
    room = {"left": page.canvas.width - x, "right": x}.get(anchor[0], page.canvas.width) - 4
    if note.get("xref") == "paper" and float(note["x"]) >= 1 and anchor[0] == "left":
        room = BESIDE * page.canvas.width  # and the plot makes place for it
    while max(letters.width(line, size) for line in lines) > room:
        if size * POINTS_PER_PIXEL <= SMALLEST:
            return letters.wrap(lines, size, room), size
        size = max(size - 0.5, SMALLEST / POINTS_PER_PIXEL)
    return lines, size


def _room_of_title(page: Page, note: Mapping[str, Any], anchor: tuple[str, str]) -> float:
    """What a title in a row of them may take; 0 for any other note."""
    if note.get("xref") != "paper" or note.get("yref") != "paper" or anchor[0] != "center":
        return 0.0
    notes = page.layout.get("annotations") or ()
    row = {n["x"] for n in notes if n.get("yref") == "paper" and n.get("y") == note["y"]}
    apart = [abs(x - note["x"]) for x in row if x != note["x"]]
    return min(apart) * (page.plot[2] - page.plot[0]) - 6 if apart else 0.0


def _anchor(note: Mapping[str, Any], *, arrow: bool) -> tuple[str, str]:
    """Which point of a note stands at its place; by itself, that which keeps it on the paper."""
    found = []
    for letter, names in (("x", ("left", "center", "right")), ("y", ("bottom", "middle", "top"))):
        anchor = note.get(f"{letter}anchor") or "auto"
        if anchor == "auto":
            whole = str(note.get(f"{letter}ref") or "").endswith(("paper", "domain"))
            share = float(note[letter]) if whole and not arrow else 0.5
            anchor = names[0 if share < 1 / 3 else 2 if share > 2 / 3 else 1]
        found.append(anchor)
    return found[0], found[1]


def _point_at(canvas: Canvas, note: Mapping[str, Any], start: Point, end: Point) -> None:
    length = math.dist(start, end) or 1.0
    share = 1 - float(note.get("standoff") or 0) / length
    tip = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
    color = read_color(note.get("arrowcolor") or "#444444")
    canvas.line([start, tip], color, float(note.get("arrowwidth") or 1))


def draw_legend(page: Page, traces: Sequence[Trace], colorway: Sequence[str]) -> None:
    """Names of lines and bars with a sample of each, in rows that the page has room for."""
    named = [
        (number, trace)
        for number, trace in enumerate(traces)
        if trace.get("name")
        and trace.get("showlegend") is not False
        and trace["type"] in ("scatter", "bar")
    ]
    asked = page.layout.get("showlegend")
    alone = len(named) < 2 and not any(trace.get("showlegend") for _, trace in named)
    if asked is False or not named or (asked is None and alone):
        return
    canvas, legend = page.canvas, page.layout.get("legend") or {}
    size, color = read_font(legend.get("font"), color=page.ink)
    rows: list[list[tuple[int, Trace, float]]] = [[]]
    left, top, _right, bottom = page.plot
    for number, trace in named:
        wide = canvas.letters.width(read_markup(trace["name"])[0], size) + SAMPLE + 4 + AFTER
        used = sum(width for _, _, width in rows[-1])
        if rows[-1] and left + used + wide - AFTER > canvas.width:
            rows.append([])
        rows[-1].append((number, trace, wide))
    high = LINE * size + 3
    y = bottom - number_or(legend.get("y"), 1.02) * (bottom - top)
    if (legend.get("yanchor") or "bottom") == "bottom":
        y -= high * len(rows)
    else:
        y = max(y, canvas.reach[3] + 4)
    for row in rows:
        x = left
        for number, trace, wide in row:
            _draw_sample(canvas, trace, x, y + high / 2, colorway[number % len(colorway)])
            at = (x + SAMPLE + 4, y + high / 2)
            canvas.text(at, read_markup(trace["name"])[:1], size, color, ("left", "middle"))
            x += wide
        y += high


def _draw_sample(canvas: Canvas, trace: Trace, x: float, y: float, otherwise: str) -> None:
    marker, line = trace.get("marker") or {}, trace.get("line") or {}
    marker_color = marker.get("color")
    if isinstance(marker_color, list):
        marker_color = next(iter(marker_color), None)
    opacity = trace.get("opacity") or 1.0
    fill = read_color(marker_color or line.get("color") or otherwise, opacity)
    if trace["type"] == "bar":
        edge = marker.get("line") or {}
        hatched = bool((marker.get("pattern") or {}).get("shape"))
        rim = edge.get("color") if isinstance(edge.get("color"), str) else None
        canvas.box((x + 5, y - 5, x + 17, y + 5), fill, edge=read_color(rim) if rim else None,
                   edge_width=1 if rim else 0, hatch="////" if hatched else "")  # fmt: skip
        return
    mode = trace.get("mode") or "lines+markers"
    if "lines" in mode:
        ink = read_color(line.get("color") or marker_color or otherwise, opacity)
        width = number_or(line.get("width"), LINE_WIDTH)
        canvas.line([(x, y), (x + SAMPLE, y)], ink, width, line.get("dash"))
    if "markers" in mode:
        symbol = marker.get("symbol") or "circle"
        edge = marker.get("line") or {}
        thick, rim = edge.get("width"), edge.get("color")
        canvas.marker(
            (x + SAMPLE / 2, y),
            symbol if isinstance(symbol, str) else next(iter(symbol)),
            7,
            fill,
            read_color(rim) if isinstance(rim, str) else fill,
            float(thick) if isinstance(thick, int | float) else 0.0,
        )


def draw_color_bar(page: Page, colors: Mapping[str, Any], values: Array) -> None:
    """The scale of colours right of the plot, with its ticks."""
    canvas, bar = page.canvas, colors.get("colorbar") or {}
    _, top, right, bottom = page.plot
    left = max(right, canvas.reach[2]) + 10
    thick = float(bar.get("thickness") or 10)
    low, high = color_range(colors, values)
    scale = Scale("y", {"nticks": 6, **bar}, bottom, top, low, high)
    for step in range(STEPS):
        ends = (scale.part(step / STEPS), scale.part((step + 1) / STEPS))
        shade = scale_color(colors.get("colorscale") or [], (step + 0.5) / STEPS)
        # Half a pixel more, or white would show between the steps.
        canvas.box((left, ends[1] - (0.5 if step < STEPS - 1 else 0), left + thick, ends[0]), shade)
    size, ink = read_font(bar.get("tickfont"), 11, page.ink)
    for at, text in scale.ticks():
        place = (left + thick + 5, scale.at(at))
        canvas.text(place, read_markup(text), size, ink, ("left", "middle"))
    title = (bar.get("title") or {}).get("text")
    if title:
        canvas.text((left, top - 4), read_markup(title), size, ink, ("left", "bottom"))


def draw_title(page: Page) -> None:
    """The figure's own title, above everything."""
    canvas, title = page.canvas, page.layout.get("title") or {}
    if not title.get("text"):
        return
    size, ink = read_font(title.get("font"), 14, page.ink)
    lines = canvas.letters.wrap(read_markup(title["text"]), size, canvas.width - 8)
    at = (page.plot[0], min(canvas.reach[1], page.plot[1]) - 3)
    canvas.text(at, lines, size, ink, ("left", "bottom"))
