"""A Plotly figure laid out again for paper: axes, traces and words, with room for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.figures.paper import marks
from isogloss.figures.paper.axes import draw_axis, draw_grid
from isogloss.figures.paper.canvas import Canvas
from isogloss.figures.paper.cells import draw_heatmap
from isogloss.figures.paper.lettering import Letters, read_markup
from isogloss.figures.paper.scales import Scale, fit_range
from isogloss.figures.paper.traces import (
    Panel,
    Trace,
    bar_ends,
    draw_bars,
    draw_scatter,
    error_ends,
    stacked,
    unpacked,
)

EDGE = 3.0
"""Pixels around everything."""
AROUND = 70
"""Of a chart's height on the page, what axes and legend take there."""
LOWEST, FLATTEST = 60.0, 0.6
"""A plot is no lower in pixels; one of lines alone no higher, as a share of its page's width."""
ROUNDS = 6
UNSAID = ("hovertext", "hovertemplate", "hoverlabel", "customdata", "template", "meta", "ids")


class Drawing:
    """One figure on its way to a page of a width in pixels."""

    def __init__(self, figure: Mapping[str, Any], width: float) -> None:
        given = unpacked(figure.get("layout") or {})
        base = (given.get("template") or {}).get("layout") or {}
        self.layout = _merged(base, given)
        self.traces = stacked(
            {"xaxis": "x", "yaxis": "y", **unpacked(trace)}
            for trace in figure.get("data") or ()
            if trace.get("visible") not in (False, "legendonly")
        )
        self.width = width
        if unknown := {trace["type"] for trace in self.traces} - {"scatter", "bar", "heatmap"}:
            raise IsoglossError(
                f"A chart that turns ({', '.join(sorted(unknown))}) has no one look for paper: "
                "save the flat chart of the same values."
            )
        self.letters = Letters.for_texts(
            ["0123456789.,%−–", *_texts(self.traces), *_texts(self.layout)]
        )
        self.margins = [EDGE, EDGE, EDGE, EDGE]  # left, top, right, bottom

    def draw(self) -> Canvas:
        """Draw until everything that is written has its room."""
        for _ in range(ROUNDS):
            canvas = Canvas(self.width, self.height, self.letters)
            self._paint(canvas)
            left, top, right, bottom = canvas.reach
            over = [EDGE - left, EDGE - top, right - self.width + EDGE, bottom - self.height + EDGE]
            if max(over) < 0.5:
                break
            self.margins = [
                margin + max(more, 0) for margin, more in zip(self.margins, over, strict=True)
            ]
        return canvas

    # --- where things are --------------------------------------------------------------------

    @property
    def height(self) -> float:
        return self._plot_height + self.margins[1] + self.margins[3]

    @cached_property
    def _plot_height(self) -> float:
        high = max(float(self.layout.get("height") or 400) - AROUND, LOWEST)
        tall = any(t["type"] == "heatmap" or t.get("orientation") == "h" for t in self.traces)
        rows = len({trace["yaxis"] for trace in self.traces})
        named = any(each.get("ticktext") is not None for each in self._axes("y"))
        return high if tall or rows > 1 or named else min(high, FLATTEST * self.width)

    @cached_property
    def panels_across(self) -> int:
        """How many charts stand side by side."""
        return len({tuple(self._axis(n).get("domain") or (0, 1)) for n in self._names["x"]})

    @property
    def plot(self) -> tuple[float, float, float, float]:
        """The rectangle that shares of the paper are counted in: left, top, right, bottom."""
        left, top, right, bottom = self.margins
        return left, top, max(self.width - right, left + LOWEST), self.height - bottom

    def _axes(self, letter: str) -> list[dict[str, Any]]:
        return [v for k, v in self.layout.items() if k.startswith(f"{letter}axis")]

    def _axis(self, name: str) -> dict[str, Any]:
        """The layout of the axis that traces call x, x2 or y3."""
        return (
            self.layout.get(f"{name[0]}axis{name[1:]}") or self.layout.get(f"{name[0]}axis") or {}
        )

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The axes in use: those of the traces."""
        return {
            letter: list(dict.fromkeys(t[f"{letter}axis"] for t in self.traces)) or [letter]
            for letter in "xy"
        }

    def _along(self, *names: str) -> list[Trace]:
        """The traces that any of some axes of one letter is for."""
        return [trace for trace in self.traces if trace[f"{names[0][0]}axis"] in names]

    @cached_property
    def _ends(self) -> dict[str, tuple[float, float]]:
        """The range of each axis, one for all axes that match."""
        ends: dict[str, tuple[float, float]] = {}
        for letter, names in self._names.items():
            groups: dict[str, list[str]] = {}
            for name in names:
                groups.setdefault(self._axis(name).get("matches") or name, []).append(name)
            for first, group in groups.items():
                layout = self._axis(group[0])
                if layout.get("range") is None and first in names:
                    layout = self._axis(first)
                found = self._fit(letter, layout, self._along(*group))
                ends |= dict.fromkeys(group, found)
        return ends

    def _fit(
        self, letter: str, layout: Mapping[str, Any], traces: list[Trace]
    ) -> tuple[float, float]:
        names = self._categories(letter, layout, traces)
        if names and layout.get("range") is None:
            return -0.5, len(names) - 0.5
        values: list[Any] = []
        from_zero = whole = False
        for trace in traces:
            values += [end for _, ends in error_ends(trace, letter) for end in ends]
            if trace["type"] == "heatmap":
                whole = True
                count = np.asarray(trace["z"]).shape[1 if letter == "x" else 0]
                values += [-0.5, count - 0.5] if trace.get(letter) is None else [
                    end for v in trace[letter] for end in (v - 0.5, v + 0.5)
                ]  # fmt: skip
            elif trace["type"] == "bar" and (trace.get("orientation") == "h") == (letter == "x"):
                from_zero = True
                base, tip, _, _ = self._bars[id(trace)]
                values += [*base.tolist(), *tip.tolist()]
            elif trace["type"] == "bar":
                _, _, first, last = self._bars[id(trace)]
                values += [*first.tolist(), *last.tolist()]
            else:
                values += trace[letter]
        return fit_range(layout, values, from_zero=from_zero, air=not whole)

    def _categories(
        self, letter: str, layout: Mapping[str, Any], traces: list[Trace]
    ) -> tuple[str, ...]:
        """The names along an axis of categories, in the order in which they come."""
        values = [v for trace in traces for v in trace.get(letter) or ()]
        if layout.get("type") != "category" and not any(isinstance(v, str) for v in values):
            return ()
        given = layout.get("categoryarray") or ()
        return tuple(dict.fromkeys(map(str, [*given, *values])))

    def _scale(self, name: str) -> Scale:
        letter, layout = name[0], self._axis(name)
        left, top, right, bottom = self.plot
        first, last = layout.get("domain") or (0.0, 1.0)
        if letter == "x":
            start, end = left + first * (right - left), left + last * (right - left)
        else:
            start, end = bottom - first * (bottom - top), bottom - last * (bottom - top)
        names = self._categories(letter, layout, self._along(name))
        return Scale(letter, layout, start, end, *self._ends.get(name, (0.0, 1.0)), names)

    @cached_property
    def _bars(self) -> dict[int, tuple[Any, Any, Any, Any]]:
        """Where the bars of each bar trace begin and end, by the trace."""
        found: dict[int, tuple[Any, Any, Any, Any]] = {}
        groups: dict[tuple[str, str], list[Trace]] = {}
        for trace in self.traces:
            if trace["type"] == "bar":
                groups.setdefault((trace["xaxis"], trace["yaxis"]), []).append(trace)
        for group in groups.values():
            counted = [self._counted(trace) for trace in group]
            ends = bar_ends(counted, self.layout.get("barmode") or "group")
            found |= {id(trace): each for trace, each in zip(group, ends, strict=True)}
        return found

    def _counted(self, trace: Trace) -> Trace:
        lying = trace.get("orientation") == "h"
        letter = "y" if lying else "x"
        name = trace[f"{letter}axis"]
        names = self._categories(letter, self._axis(name), self._along(name))
        places = trace[letter]
        if names:
            places = [names.index(str(place)) for place in places]
        return {**trace, "_places": places, "_values": trace["x" if lying else "y"]}

    # --- what is drawn -----------------------------------------------------------------------

    def _paint(self, canvas: Canvas) -> None:
        scales = {name: self._scale(name) for names in self._names.values() for name in names}
        _keep_proportions(scales)
        page = marks.Page(canvas, self.layout, self.plot, scales)
        used = dict.fromkeys((trace["xaxis"], trace["yaxis"]) for trace in self.traces)
        panels = {(x, y): Panel(scales[x], scales[y]) for x, y in used}
        for panel in panels.values():
            draw_grid(canvas, panel)
        marks.draw_shapes(page, "below")
        colorway = self.layout.get("colorway") or ["#1f77b4"]
        for number, trace in enumerate(self.traces):
            panel = panels[trace["xaxis"], trace["yaxis"]]
            color = colorway[number % len(colorway)]
            if trace["type"] == "scatter":
                draw_scatter(canvas, trace, panel, color)
            elif trace["type"] == "bar":
                draw_bars(canvas, trace, panel, self._bars[id(trace)], color)
            elif trace["type"] == "heatmap":
                draw_heatmap(canvas, trace, panel, self._colors(trace))
        marks.draw_shapes(page, "above")
        for name, scale in scales.items():
            draw_axis(canvas, scale, self._beside(name, scales), self.plot)
        marks.draw_annotations(page)
        self._draw_color_bars(page)
        marks.draw_legend(page, self.traces, colorway)
        marks.draw_title(page)

    def _beside(self, name: str, scales: Mapping[str, Scale]) -> Scale | None:
        """The axis that an axis stands at an end of."""
        anchor = self._axis(name).get("anchor")
        return scales.get(anchor or ("y" if name[0] == "x" else "x"))

    def _colors(self, trace: Trace) -> Mapping[str, Any]:
        """What gives a heatmap its colours: itself, or an axis of colours of the figure."""
        shared = trace.get("coloraxis")
        return self.layout.get(shared) or {} if shared else trace

    def _draw_color_bars(self, page: marks.Page) -> None:
        drawn: set[int] = set()
        for trace in self.traces:
            colors = self._colors(trace) if trace["type"] == "heatmap" else {}
            if colors and colors.get("showscale") is not False and id(colors) not in drawn:
                drawn.add(id(colors))
                marks.draw_color_bar(page, colors, np.asarray(trace["z"], dtype=float))


def _keep_proportions(scales: dict[str, Scale]) -> None:
    """Where an axis is tied to another, widen the range of one so that units are equally long."""
    for name, scale in list(scales.items()):
        other = scales.get(str(scale.layout.get("scaleanchor") or ""))
        if other is None:
            continue
        sizes = [abs((each.end - each.start) / (each.high - each.low)) for each in (scale, other)]
        longer = name if sizes[0] > sizes[1] else next(k for k, v in scales.items() if v is other)
        each = scales[longer]
        middle, half = (each.low + each.high) / 2, (each.high - each.low) / 2
        half *= max(sizes) / min(sizes)
        scales[longer] = replace(each, low=middle - half, high=middle + half)


def _merged(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A layout over that of its template, each axis over the template's."""
    found: dict[str, Any] = dict(base)
    for key, value in given.items():
        if key == "template":
            continue
        below = base.get(key.rstrip("0123456789")) if "axis" in key else found.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            value = _merged(below, value)
        found[key] = value
    return found


def _texts(part: Any) -> Iterator[str]:
    """Everything that may be written."""
    if isinstance(part, str):
        yield from ("".join(run.text for run in line) for line in read_markup(part))
    elif isinstance(part, Mapping):
        for name, value in part.items():
            if name not in UNSAID:
                yield from _texts(value)
    elif isinstance(part, list):
        for value in part:
            yield from _texts(value)
