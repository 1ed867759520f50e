"""A page in a chart's own pixels, y downwards: what is drawn, and how far its letters reach."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.figures.paper.colors import Color, read_color
from isogloss.figures.paper.lettering import BASE, LINE, Letters, Line, write_fonts
from isogloss.map.lettering.embedded_fonts import paper_settings
from isogloss.map.lettering.fonts import FontFile, printable
from isogloss.map.lettering.shaping import text_width

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    Step = Callable[[Axes, Callable[[FontFile], Any]], Artist]

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
POINTS_PER_PIXEL = 7 / 12
"""So that what the page writes in 12 pixels, such as its axes, has 7 points on paper."""
SMALLEST = 6.0
"""Points: no letter is smaller, whatever it is on the page."""
DOTS_PER_INCH = 600


def read_dash(dash: object) -> tuple[float, ...]:
    """The lengths of a dashed line's strokes and gaps, in widths of the line; none if whole."""
    named: dict[object, tuple[float, ...]] = {
        "dot": (1, 2.2),
        "dash": (4, 3),
        "longdash": (7, 3),
        "dashdot": (4, 2.5, 1, 2.5),
        "longdashdot": (7, 2.5, 1, 2.5),
        "solid": (),
        None: (),
    }
    if dash in named:
        return named[dash]
    return tuple(float(part.strip().removesuffix("px")) for part in str(dash).split(","))


@dataclass
class Canvas:
    """What is drawn on a page; `reach` is the box around all of its letters and boxes."""

    width: float
    height: float
    letters: Letters
    steps: list[Step] = field(default_factory=list)
    used: dict[FontFile, str] = field(default_factory=dict)
    reach: Box = (0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        middle = (self.width / 2, self.height / 2)
        self.reach = (*middle, *middle)

    def line(
        self,
        points: Sequence[Point],
        color: Color,
        width: float,
        dash: object = None,
        clip: Box | None = None,
    ) -> None:
        """Join points by a line."""
        pattern = read_dash(dash)
        if not width or not color[3] or len(points) < 2:
            return

        def draw(axes: Axes, _: Any) -> Artist:
            style: Any = (0, pattern) if pattern else "solid"
            (line,) = axes.plot(
                *zip(*points, strict=True),
                color=color,
                linewidth=width * POINTS_PER_PIXEL,
                linestyle=style,
                solid_capstyle="butt",
                dash_capstyle="butt",
                solid_joinstyle="round",
            )
            return _clip(axes, line, clip)

        self.steps.append(draw)

    def polygon(
        self,
        corners: Sequence[Point],
        fill: Color,
        clip: Box | None = None,
        edge: Color | None = None,
        edge_width: float = 0,
        hatch: str = "",
    ) -> None:
        """Fill a shape, with an edge if it has a width."""
        if len(corners) < 3 or not (fill[3] or edge_width):
            return

        def draw(axes: Axes, _: Any) -> Artist:
            from matplotlib.patches import Polygon

            shape = Polygon(
                list(corners),
                facecolor=fill,
                edgecolor=edge if edge and edge_width else (0, 0, 0, 0),
                linewidth=edge_width * POINTS_PER_PIXEL,
                joinstyle="miter",
                hatch=hatch or None,
            )
            axes.add_patch(shape)
            return _clip(axes, shape, clip)

        self.steps.append(draw)

    def box(self, box: Box, fill: Color, clip: Box | None = None, **edge: Any) -> None:
        """Fill a rectangle."""
        left, top, right, bottom = box
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        self.polygon(corners, fill, clip, **edge)

    def marker(
        self,
        at: Point,
        symbol: str,
        size: float,
        fill: Color,
        edge: Color,
        edge_width: float,
    ) -> None:
        """Set a point; an open symbol has its colour on the edge alone."""
        if symbol.endswith("-open"):
            symbol, fill, edge = symbol.removesuffix("-open"), (0, 0, 0, 0), fill
            edge_width = edge_width or 1
        half = size / 2
        x, y = at
        if symbol == "line-ew":
            self.line([(x - half, y), (x + half, y)], edge, edge_width)
            return
        if symbol == "square":
            square = (x - half, y - half, x + half, y + half)
            self.box(square, fill, edge=edge, edge_width=edge_width)
            return
        many = 4 if symbol == "diamond" else 24
        reach = half * (1.3 if symbol == "diamond" else 1)
        turns = [2 * math.pi * i / many for i in range(many)]
        corners = [(x + reach * math.sin(t), y + reach * math.cos(t)) for t in turns]
        self.polygon(corners, fill, edge=edge, edge_width=edge_width)

    def text(
        self,
        at: Point,
        lines: Sequence[Line],
        size: float,
        color: Color,
        anchor: tuple[str, str] = ("center", "middle"),
        angle: float = 0,
        align: str = "",
        background: Color | None = None,
    ) -> Box:
        """Write lines around a point, turned clockwise by `angle`; returns the box they fill."""
        size = max(size, SMALLEST / POINTS_PER_PIXEL)
        widths = [self.letters.width(line, size) for line in lines]
        wide, high = max(widths, default=0.0), LINE * size * len(lines)
        left = {"left": 0.0, "center": -wide / 2, "right": -wide}[anchor[0]]
        top = {"top": 0.0, "middle": -high / 2, "bottom": -high}[anchor[1]]
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))

        def turned(x: float, y: float) -> Point:
            return at[0] + x * cosine - y * sine, at[1] + x * sine + y * cosine

        corners = [turned(left + x, top + y) for x in (0, wide) for y in (0, high)]
        xs, ys = zip(*corners, strict=True)
        box = (min(xs), min(ys), max(xs), max(ys))
        if wide:
            self.reaches(box)
        if background is not None:
            self.box(box, background)
        align = align or anchor[0]
        for row, (line, width) in enumerate(zip(lines, widths, strict=True)):
            indent = {"left": 0.0, "center": (wide - width) / 2, "right": wide - width}[align]
            self._write(line, (left + indent, top + (row * LINE + BASE) * size), size, color,
                        angle, turned)  # fmt: skip
        return box

    def _write(
        self,
        line: Line,
        start: Point,
        size: float,
        color: Color,
        angle: float,
        turned: Callable[[float, float], Point],
    ) -> None:
        x, y = start
        for run in line:
            for number, piece in self.letters.split(run):
                font = self.letters.font(number, run.bold, piece)
                ink = read_color(run.color) if run.color else color
                self._put(turned(x, y), piece, font, size, ink, angle)
                x += text_width(font, 100, piece) * size / 100

    def _put(
        self, at: Point, text: str, font: FontFile, size: float, color: Color, angle: float
    ) -> None:
        shown = "".join(c if c.isspace() else printable(c) for c in text)
        if not shown.strip():
            return
        self.used[font] = self.used.get(font, "") + shown

        def draw(axes: Axes, properties: Callable[[FontFile], Any]) -> Artist:
            return axes.text(
                *at,
                shown,
                fontproperties=properties(font),
                fontsize=size * POINTS_PER_PIXEL,
                color=color,
                rotation=-angle,
                rotation_mode="anchor",
                ha="left",
                va="baseline",
                parse_math=False,
            )

        self.steps.append(draw)

    def reaches(self, box: Box) -> None:
        """Count a box to what must be on the page."""
        left, top, right, bottom = self.reach
        self.reach = (
            min(left, box[0]), min(top, box[1]), max(right, box[2]), max(bottom, box[3])
        )  # fmt: skip

    def write(self, format: str, properties: dict[str, Any]) -> bytes:
        """Return the page as a PDF, SVG or PNG file with its fonts in it."""
        from matplotlib.figure import Figure
        from matplotlib.font_manager import FontProperties

        written = BytesIO()
        with tempfile.TemporaryDirectory() as directory, paper_settings("isogloss"):
            files = write_fonts(Path(directory), self.used)
            inches = POINTS_PER_PIXEL / 72
            page = Figure(figsize=(self.width * inches, self.height * inches))
            page.patch.set_facecolor("white")
            axes = page.add_axes((0, 0, 1, 1), xlim=(0, self.width))
            axes.set_ylim(self.height, 0)
            axes.set_axis_off()
            for order, step in enumerate(self.steps):
                artist = step(axes, lambda font: FontProperties(fname=str(files[font])))
                artist.set_zorder(order)  # of whatever kind: what was drawn last lies on top
            page.savefig(written, format=format, dpi=DOTS_PER_INCH, metadata=properties)
        return written.getvalue()


def _clip(axes: Axes, artist: Artist, clip: Box | None) -> Artist:
    if clip is None:
        artist.set_clip_on(False)
        return artist
    from matplotlib.patches import Rectangle

    left, top, right, bottom = clip
    artist.set_clip_path(
        Rectangle((left, top), right - left, bottom - top, transform=axes.transData)
    )
    return artist
