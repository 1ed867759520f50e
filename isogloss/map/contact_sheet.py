"""Every layer's picture on one sheet for a paper: one tile per layer, with its score."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.map.lettering.embedded_fonts import Letters, embedded, paper_settings
from isogloss.map.lettering.fonts import FontFile, printable
from isogloss.map.payload import MapView, ScrubberData
from isogloss.map.scene import Scene
from isogloss.map.sheet_contents import (
    LINE,
    LINE_MARK,
    MARKERS,
    NO_MARK,
    POINT,
    SMALL,
    SheetContents,
)
from isogloss.map.sheet_plan import LEGEND, MARGIN, WIDTHS, place_words
from isogloss.map.story import opening_pins
from isogloss.measures.stacks import Array
from isogloss.palette import SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("pdf", "svg", "png")
DOTS_PER_INCH = 600
LETTER, WORD = 6.5, 5.0
"""Sizes of headings and of words, in points."""
# Matplotlib scales a marker of corners so that its furthest coordinate is half of the size.
SPAN = [max([1.0, *(abs(end) for corner in corners for end in corner)]) for corners in SHAPES]
LINK_OPACITIES, LONGEST_LINK = (0.55, 0.36, 0.22, 0.13, 0.07), 0.45
"""As in the browser (`painter.js`): the longer a link, of the tile's diagonal, the fainter."""
MOST_VECTOR_POINTS = 60_000
"""On all tiles together; beyond, points and links are an image within the drawing."""


def write_contact_sheet(
    data: ScrubberData, path: Path, columns: int = 2, view: MapView | None = None
) -> Path:
    """Write the sheet as PDF, SVG or PNG by the name's ending, one or two columns wide."""
    path.write_bytes(contact_sheet(data, path.suffix.lstrip(".").lower(), columns, view))
    return path


def contact_sheet(
    data: ScrubberData, format: str, columns: int = 2, view: MapView | None = None
) -> bytes:
    """Return the sheet of a map as a file: the stops in order, each with its first score.

    `view` gives pins, colours and whether links and words are drawn; by default the map's opening.
    One column is 84 mm wide, two are 175 mm. Letters of a PDF are in an embedded TrueType subset,
    those of an SVG are outlines, so that both look the same everywhere. How the map was made is in
    the file's properties.
    """
    if format not in FORMATS:
        raise IsoglossError(
            f"A contact sheet cannot be a {format or 'file without an ending'}; end its name in "
            f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    if columns not in WIDTHS:
        raise IsoglossError(f"A contact sheet is 1 or 2 columns wide, not {columns}.")
    from matplotlib.figure import Figure

    scene = Scene(data, view or MapView(pins=opening_pins(data)))
    contents, written = SheetContents(scene, columns), BytesIO()
    plan = contents.plan
    with tempfile.TemporaryDirectory() as directory, paper_settings(data.digest):
        letters = embedded(contents.texts_by_font, Path(directory))
        figure = Figure(figsize=(plan.width / 25.4, plan.height / 25.4))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, plan.width))
        axes.set_ylim(plan.height, 0)
        axes.set_axis_off()
        _Drawing(contents, axes, letters).draw()
        figure.savefig(
            written, format=format, dpi=DOTS_PER_INCH, metadata=_properties(scene, format)
        )
    return written.getvalue()


def require_font(data: ScrubberData, view: MapView) -> None:
    """Raise the one sentence that says so where this machine has no font for a map's sheet."""
    _ = SheetContents(Scene(data, view), 2).fonts


def _properties(scene: Scene, format: str) -> dict[str, Any]:
    title, made = scene.data.caption or "Isogloss", scene.provenance_line
    if format == "pdf":
        return {"Title": title, "Subject": made, "Creator": "Isogloss", "CreationDate": None}
    described = {"Title": title, "Description": made, "Creator": "Isogloss"}
    return described | ({"Date": None} if format == "svg" else {})


@dataclass(frozen=True)
class _Drawing:
    """A sheet on its way to paper."""

    contents: SheetContents
    axes: Axes
    letters: Letters

    @property
    def scene(self) -> Scene:
        return self.contents.scene

    def draw(self) -> None:
        self._draw_legend()
        for stop in range(len(self.scene.data.stops)):
            self._draw_heading(stop)
            self._draw_picture(stop)
        style: dict[str, Any] = {"size": SMALL, "color": self.scene.theme.muted, "va": "baseline"}
        for row, text in enumerate(reversed(self.contents.footer)):
            self._write(MARGIN, self.contents.plan.height - 0.6 - row * LINE, text, **style)

    def _write(
        self, x: float, y: float, text: str, font: FontFile | None = None, **how: Any
    ) -> None:
        own = self.letters[font or self.contents.fonts.main]
        look = {"va": "center", "color": self.scene.theme.ink} | how
        self.axes.text(x, y, text, font=own, parse_math=False, **look)

    def _draw_legend(self) -> None:
        for row, entries in enumerate(self.contents.legend_rows):
            x, y = MARGIN, 2.0 + row * LEGEND * 0.8
            for marker, color, name in entries:
                if marker == LINE_MARK:
                    self.axes.plot((x, x + 2.6), (y, y), color=color, lw=0.6)
                    x += 3.4
                elif marker != NO_MARK:
                    size = (4.4 if marker == "D" else 5.0) ** 2
                    self.axes.scatter(x + 1, y, s=size, c=color, marker=marker, linewidths=0)
                    x += 2.6
                self._write(x, y, name, size=SMALL)
                x += self.contents.length(name, SMALL) + 3.2

    def _draw_heading(self, stop: int) -> None:
        data, theme = self.scene.data, self.scene.theme
        left, top = self.contents.plan.corners[stop]
        width = self.contents.plan.tile[0]
        mark = " †" if data.notes and data.notes[stop] else ""
        name = printable(data.stop_names[stop]) + mark
        if self.contents.length(name, LETTER) > 0.72 * width:
            name = printable(data.stops[stop]) + mark
        self._write(left, top - 2.3, name, size=LETTER)
        rule: dict[str, Any] = {"lw": 1.1, "solid_capstyle": "butt"}
        self.axes.plot((left, left + width), (top - 0.5,) * 2, color=theme.hairline, **rule)
        if (score := self.scene.score) is None:
            return
        value = float(score.values[stop])
        self._write(left + width, top - 2.3, score_text(value), size=LETTER, ha="right")
        bar = (left, left + width * min(max(value, 0.0), 1.0))
        self.axes.plot(bar, (top - 0.5,) * 2, color=theme.ink, **rule)

    def _draw_picture(self, stop: int) -> None:
        scene, data = self.scene, self.scene.data
        places = self.contents.plan.corners[stop] + self.contents.frames[stop].places
        crowded = data.positions[..., 0].size > MOST_VECTOR_POINTS
        if scene.view.links:
            self._draw_links(places[data.links_of(stop)], crowded)
        colors = np.array(scene.point_colors(stop))
        # In a mixed order neither language lies on top of the other throughout.
        order = np.random.default_rng(0).permutation(data.marked)
        radius = self._radius()
        for some in np.array_split(order, 6):
            self._draw_points(places, colors, some, radius, scene.theme.paper, 0.15, crowded)
        for ends in places[scene.pinned_links]:
            self.axes.plot(*ends.T, color=scene.theme.ink, lw=0.6, alpha=0.85)
        named = np.array(scene.named, dtype=int)
        self._draw_points(places, colors, named, 1.45 * radius, scene.theme.ink, 0.4, False)
        self._draw_words(stop, 1.45 * radius)

    def _radius(self) -> float:
        """Of a point, in millimetres: smaller in a crowd."""
        crowd = float(np.clip((1000 / len(self.scene.data.texts)) ** 0.24, 0.3, 1.4))
        return 0.064 * crowd * float(np.sqrt(self.contents.plan.tile[1]))

    def _draw_links(self, ends: Array, crowded: bool) -> None:
        from matplotlib.collections import LineCollection

        if len(ends) == 0:
            return
        lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        longest = LONGEST_LINK * np.hypot(*self.contents.plan.tile)
        steps = np.minimum(lengths / longest * len(LINK_OPACITIES), len(LINK_OPACITIES) - 1)
        crowd = float(np.clip(np.sqrt(1500 / (2 * len(ends))), 0.35, 1))
        for step, opacity in enumerate(LINK_OPACITIES):
            lines = ends[steps.astype(int) == step].tolist()
            look: dict[str, Any] = {"colors": self.scene.theme.ink, "alpha": opacity * crowd}
            self.axes.add_collection(
                LineCollection(lines, linewidths=0.25, rasterized=crowded, **look)
            )

    def _draw_points(
        self,
        places: Array,
        colors: Array,
        some: Array,
        radius: float,
        rim: str,
        rim_width: float,
        crowded: bool,
    ) -> None:
        shapes = self.scene.data.shapes[some]
        for shape, marker in enumerate(MARKERS):
            mine = some[shapes == shape]
            if not len(mine):
                continue
            hues = colors[mine]
            self.axes.scatter(
                places[mine, 0],
                places[mine, 1],
                # A square of half the diagonal 1.3 r, as the browser's diamonds are.
                s=(2 * radius / POINT * (0.92 if marker == "D" else SPAN[shape])) ** 2,
                c=hues[:1] if len(set(hues)) == 1 else hues,
                marker=marker,
                edgecolors=rim,
                linewidths=rim_width,
                rasterized=crowded,
            )

    def _draw_words(self, stop: int, reach: float) -> None:
        from matplotlib.patheffects import Stroke

        words, plan = self.contents.words, self.contents.plan
        fonts = {point: font for point in words if (font := self.contents.font_of(point))}

        def size_of(point: int) -> tuple[float, float]:
            return self.contents.length(words[point], WORD, fonts[point]), 1.1 * WORD * POINT

        places = self.contents.frames[stop].places
        # The ring around the letters is drawn first; with it they would become outlines.
        ring = [Stroke(linewidth=1.1, foreground=self.scene.theme.paper)]
        for word in place_words(list(fonts), places, size_of, plan.tile, reach):
            x, y = plan.corners[stop] + (word.x, word.y)
            at = (x, y, words[word.point], fonts[word.point])
            self._write(*at, size=WORD, color=self.scene.theme.paper, path_effects=ring)
            self._write(*at, size=WORD, color=self.scene.word_color(word.point))


def score_text(value: float) -> str:
    """A score with two places, three where there would be nothing else."""
    return f"{value:.3f}" if 0 < value < 0.005 else f"{value:.2f}"
