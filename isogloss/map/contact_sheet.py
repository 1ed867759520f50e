"""Every layer's picture on one sheet for a paper: one tile per layer, with its score."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.map.lettering.embedded_fonts import Letters, embedded, paper_settings
from isogloss.map.lettering.fonts import FontFile, Fonts, fonts_for, printable, wrap
from isogloss.map.lettering.shaping import text_width
from isogloss.map.payload import MapView, ScrubberData
from isogloss.map.pinned import pinned_points
from isogloss.map.point_colors import language_colors, legend_colors, point_colors
from isogloss.map.sheet_plan import (
    LEGEND,
    MARGIN,
    WIDTHS,
    SheetPlan,
    place_words,
    plan_sheet,
)
from isogloss.map.story import opening_pins
from isogloss.measures.projection.framing import Frame, frame_layer, lay_flat
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("pdf", "svg", "png")
DOTS_PER_INCH = 600
POINT = 25.4 / 72
"""A point, the unit of letters and lines, in millimetres."""
LETTER, SMALL, WORD = 6.5, 5.5, 5.0
"""Sizes of headings, of what is written around the tiles, and of words, in points."""
INK, RULE, PAPER = "#20242c", "#d9dbde", "#ffffff"
PAPER_COLORS = PALETTES["light"]
QUIET = PAPER_COLORS.quiet
Marker = str | list[tuple[float, float]]
MARKERS: list[Marker] = ["o", "D"]
"""Matplotlib's markers for the palette's shapes, whose corners it wants y upwards."""
MARKERS += [[(across, -down) for across, down in corners] for corners in SHAPES[2:]]
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
    sheet = _Sheet(data, columns, view or MapView(pins=opening_pins(data)))
    if format not in FORMATS:
        raise IsoglossError(
            f"A contact sheet cannot be a {format or 'file without an ending'}; end its name in "
            f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    if columns not in WIDTHS:
        raise IsoglossError(f"A contact sheet is 1 or 2 columns wide, not {columns}.")
    return sheet.write(format)


def require_font(data: ScrubberData, view: MapView) -> None:
    """Raise the one sentence that says so where this machine has no font for a map's sheet."""
    _ = _Sheet(data, 2, view).font


@dataclass(frozen=True)
class _Sheet:
    """One sheet on its way to paper."""

    data: ScrubberData
    columns: int
    view: MapView

    def write(self, format: str) -> bytes:
        from matplotlib.figure import Figure

        written = BytesIO()
        with tempfile.TemporaryDirectory() as directory, paper_settings(self.data.digest):
            letters = embedded(self._texts_by_font, Path(directory))
            figure = Figure(figsize=(self.plan.width / 25.4, self.plan.height / 25.4))
            axes = figure.add_axes((0, 0, 1, 1), xlim=(0, self.plan.width))
            axes.set_ylim(self.plan.height, 0)
            axes.set_axis_off()
            self._draw(axes, letters)
            figure.savefig(
                written, format=format, dpi=DOTS_PER_INCH, metadata=self._properties(format)
            )
        return written.getvalue()

    # --- what is on it -----------------------------------------------------------------------

    @cached_property
    def plan(self) -> SheetPlan:
        legend = LEGEND * len(self.legend_rows)
        footer = 1.0 + len(self.footer) * 1.35 * SMALL * POINT
        return plan_sheet(len(self.data.stops), self.columns, legend, footer)

    @cached_property
    def frames(self) -> list[Frame]:
        return [frame_layer(layer, *self._tile_size) for layer in lay_flat(self.data.coordinates)]

    @property
    def _tile_size(self) -> tuple[float, float]:
        return plan_sheet(len(self.data.stops), self.columns, 0, 0).tile

    @cached_property
    def named(self) -> list[int]:
        """The points that carry a word: pinned ones and their translations."""
        return pinned_points(self.data, self.view.pins)

    @cached_property
    def words(self) -> dict[int, str]:
        texts = {point: printable(self.data.texts[point]) for point in self.named}
        return {point: text for point, text in texts.items() if text}

    @cached_property
    def score_line(self) -> str:
        if not self.data.scores:
            return ""
        score = self.data.scores[0]
        chance = "" if score.chance is None else f" (chance {score.chance:.2g})"
        return f"Bar and number: {score.title}{chance}"

    @cached_property
    def lettering(self) -> list[str]:
        """Everything written around the tiles."""
        legend = [name for _, name in legend_colors(self.data, self.view.color_by)]
        languages = [language.name for language in self.data.languages]
        legend += self.data.topics if self.data.shapes_of_topics else []
        texts = [*languages, *legend, self.score_line, *self.data.stop_names, self._about()]
        return [*map(printable, texts), printable(self.data.lines), "0123456789.†…"]

    @property
    def font(self) -> FontFile:
        """The font of all that is written around the tiles."""
        return self.fonts.main

    def font_of(self, point: int) -> FontFile | None:
        """The font of a point's word, None if it cannot be written here."""
        return self.fonts.of(self.words[point], int(self.data.sides[point]))

    @cached_property
    def _texts_by_font(self) -> dict[FontFile, list[str]]:
        texts = {self.font: list(self.lettering)}
        for point, word in self.words.items():
            if font := self.font_of(point):
                texts.setdefault(font, []).append(word)
        return texts

    @cached_property
    def fonts(self) -> Fonts:
        sides = [
            [text for point, text in self.words.items() if self.data.sides[point] == side]
            for side in range(len(self.data.languages))
        ]
        return fonts_for(sides, self.lettering)

    @cached_property
    def footer(self) -> list[str]:
        width = WIDTHS[self.columns] - 2 * MARGIN
        return wrap(self._about(), self.font.at(100), width / POINT / SMALL * 100)

    def _about(self) -> str:
        stretch = max(max(frame.stretch, 1 / frame.stretch) for frame in self.frames)
        scale = f"Each {self.data.title.lower()} at its own scale"
        if stretch >= 1.05:
            scale += f", stretched at most {stretch:.1f} ×"
        doubts = ". † This picture keeps few of the neighbourhoods" if self._doubted() else ""
        said = ("corpus", "points", "coordinates", "links scored", "made with")
        made = [
            f"{name} {self.data.provenance[name]}" for name in said if name in self.data.provenance
        ]
        about = f"{self.data.caption.rstrip('.')}. {scale}{doubts}."
        return printable(" ".join([about, " · ".join(made)]))

    def _doubted(self) -> list[bool]:
        notes = [bool(note) for note in self.data.notes or ()]
        return notes if any(notes) else []

    @cached_property
    def legend_rows(self) -> list[list[tuple[Marker, str, str]]]:
        """(marker, colour, name) in rows no wider than the sheet."""
        languages = [printable(language.name) for language in self.data.languages]
        entries: list[tuple[Marker, str, str]] = []
        if self.view.color_by == "language":
            shapes = ["s" if self.data.shapes_of_topics else marker for marker in MARKERS]
            colors_of = language_colors(self.data)
            entries += [
                (shapes[side % len(shapes)], colors_of[side], name)
                for side, name in enumerate(languages)
            ]
        elif not self.data.shapes_of_topics:
            entries += [(MARKERS[side], INK, name) for side, name in enumerate(languages)]
        if self.data.shapes_of_topics:
            colored = PAPER_COLORS.categories if self.view.color_by == "topic" else [INK]
            entries += [
                (MARKERS[topic % len(MARKERS)], colored[topic % len(colored)], printable(name))
                for topic, name in enumerate(self.data.topics)
            ]
        if self.view.links:
            entries.append(("_", QUIET, printable(self.data.lines)))
        colors = legend_colors(self.data, self.view.color_by)
        entries += [("s", color, printable(name)) for color, name in colors]
        if self.score_line:
            entries.append(("", INK, self.score_line))
        rows: list[list[tuple[Marker, str, str]]] = [[]]
        room, used = WIDTHS[self.columns] - 2 * MARGIN, 0.0
        for marker, color, name in entries:
            lines = wrap(name, self.font.at(100), (room - 6) / POINT / SMALL * 100)
            for line, text in enumerate(lines):
                width = self._length(text, SMALL) + 6
                if rows[-1] and (line or used + width > room):
                    rows.append([])
                    used = 0.0
                rows[-1].append(("" if line else marker, color, text))
                used += width
        return rows

    def _length(self, text: str, size: float, font: FontFile | None = None) -> float:
        """The width of a text in millimetres."""
        return text_width(font or self.font, 100, text) / 100 * size * POINT

    def _properties(self, format: str) -> dict[str, Any]:
        made = " · ".join(f"{name}: {value}" for name, value in self.data.provenance.items())
        title = self.data.caption or "Isogloss"
        if format == "pdf":
            return {"Title": title, "Subject": made, "Creator": "Isogloss", "CreationDate": None}
        described = {"Title": title, "Description": made, "Creator": "Isogloss"}
        return described | ({"Date": None} if format == "svg" else {})

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self, axes: Axes, letters: Letters) -> None:
        self._draw_legend(axes, letters)
        for stop in range(len(self.data.stops)):
            self._draw_heading(axes, letters, stop)
            self._draw_picture(axes, letters, stop)
        line = 1.35 * SMALL * POINT
        for row, text in enumerate(reversed(self.footer)):
            y = self.plan.height - 0.6 - row * line
            self._write(axes, letters, MARGIN, y, text, size=SMALL, color=QUIET, va="baseline")

    def _write(
        self,
        axes: Axes,
        letters: Letters,
        x: float,
        y: float,
        text: str,
        font: FontFile | None = None,
        **how: Any,
    ) -> None:
        own = letters[font or self.font]
        axes.text(x, y, text, font=own, parse_math=False, **({"va": "center"} | how))

    def _draw_legend(self, axes: Axes, letters: Letters) -> None:
        for row, entries in enumerate(self.legend_rows):
            x, y = MARGIN, 2.0 + row * LEGEND * 0.8
            for marker, color, name in entries:
                if marker == "_":
                    axes.plot((x, x + 2.6), (y, y), color=color, lw=0.6)
                    x += 3.4
                elif len(marker):
                    size = (4.4 if marker == "D" else 5.0) ** 2
                    axes.scatter(x + 1, y, s=size, c=color, marker=marker, linewidths=0)
                    x += 2.6
                self._write(axes, letters, x, y, name, size=SMALL, color=INK)
                x += self._length(name, SMALL) + 3.2

    def _draw_heading(self, axes: Axes, letters: Letters, stop: int) -> None:
        left, top = self.plan.corners[stop]
        width = self.plan.tile[0]
        mark = " †" if self._doubted() and self._doubted()[stop] else ""
        name = printable(self.data.stop_names[stop]) + mark
        if self._length(name, LETTER) > 0.72 * width:
            name = printable(self.data.stops[stop]) + mark
        self._write(axes, letters, left, top - 2.3, name, size=LETTER, color=INK)
        axes.plot((left, left + width), (top - 0.5,) * 2, color=RULE, lw=1.1, solid_capstyle="butt")
        if not self.data.scores:
            return
        score = self.data.scores[0]
        value = float(score.values[stop])
        said: dict[str, Any] = {"size": LETTER, "color": INK, "ha": "right"}
        self._write(axes, letters, left + width, top - 2.3, score_text(value), **said)
        bar = (left, left + width * min(max(value, 0.0), 1.0))
        axes.plot(bar, (top - 0.5,) * 2, color=INK, lw=1.1, solid_capstyle="butt")

    def _draw_picture(self, axes: Axes, letters: Letters, stop: int) -> None:
        corner = self.plan.corners[stop]
        places = corner + self.frames[stop].places
        crowded = self.data.coordinates[..., 0].size > MOST_VECTOR_POINTS
        if self.view.links:
            self._draw_links(axes, places, stop, crowded)
        colors = np.array(point_colors(self.data, self.view.color_by, stop))
        # In a mixed order neither language lies on top of the other throughout.
        order = np.random.default_rng(0).permutation(self.data.marked)
        for some in np.array_split(order, 6):
            self._draw_points(axes, places, colors, some, self.radius, PAPER, 0.15, crowded)
        if not self.named:
            return
        self._draw_pairs(axes, places)
        named = np.array(self.named)
        self._draw_points(axes, places, colors, named, 1.45 * self.radius, INK, 0.4, False)
        self._draw_words(axes, letters, stop)

    @cached_property
    def radius(self) -> float:
        """Of a point, in millimetres: smaller in a crowd."""
        crowd = float(np.clip((1000 / len(self.data.texts)) ** 0.24, 0.3, 1.4))
        return 0.064 * crowd * float(np.sqrt(self.plan.tile[1]))

    def _draw_links(self, axes: Axes, places: Array, stop: int, crowded: bool) -> None:
        from matplotlib.collections import LineCollection

        ends = places[self.data.links_of(stop)]
        if len(ends) == 0:
            return
        lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        longest = LONGEST_LINK * np.hypot(*self.plan.tile)
        steps = np.minimum(lengths / longest * len(LINK_OPACITIES), len(LINK_OPACITIES) - 1)
        crowd = float(np.clip(np.sqrt(1500 / (2 * len(ends))), 0.35, 1))
        for step, opacity in enumerate(LINK_OPACITIES):
            lines = ends[steps.astype(int) == step].tolist()
            alpha = opacity * crowd
            axes.add_collection(
                LineCollection(lines, colors=INK, alpha=alpha, linewidths=0.25, rasterized=crowded)
            )

    def _draw_points(
        self,
        axes: Axes,
        places: Array,
        colors: Array,
        some: Array,
        radius: float,
        rim: str,
        rim_width: float,
        crowded: bool,
    ) -> None:
        shapes = self.data.shapes[some]
        for shape, marker in enumerate(MARKERS):
            mine = some[shapes == shape]
            if not len(mine):
                continue
            hues = colors[mine]
            axes.scatter(
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

    def _draw_pairs(self, axes: Axes, places: Array) -> None:
        named = set(self.named)
        for one, other in np.asarray(self.data.links, dtype=int).reshape(-1, 2).tolist():
            if one in named and other in named:
                axes.plot(*places[[one, other]].T, color=INK, lw=0.6, alpha=0.85)

    def _draw_words(self, axes: Axes, letters: Letters, stop: int) -> None:
        from matplotlib.patheffects import Stroke

        fonts = {p: font for p in self.words if (font := self.font_of(p))}
        corner = self.plan.corners[stop]

        def size_of(point: int) -> tuple[float, float]:
            return self._length(self.words[point], WORD, fonts[point]), 1.1 * WORD * POINT

        reach = 1.45 * self.radius
        places = self.frames[stop].places
        for word in place_words(list(fonts), places, size_of, self.plan.tile, reach):
            at = (corner[0] + word.x, corner[1] + word.y, self.words[word.point])
            font = fonts[word.point]
            # The ring around the letters is drawn first; with it they would become outlines.
            ring = [Stroke(linewidth=1.1, foreground=PAPER)]
            self._write(axes, letters, *at, font, size=WORD, color=PAPER, path_effects=ring)
            color = mixed(language_colors(self.data)[self.data.sides[word.point]], INK, 0.35)
            self._write(axes, letters, *at, font, size=WORD, color=color)


def score_text(value: float) -> str:
    """A score as the browser writes it: two places, three where there would be nothing else."""
    return f"{value:.3f}" if 0 < value < 0.005 else f"{value:.2f}"


def mixed(one: str, other: str, share: float) -> str:
    """A colour this share of the way from one to another."""
    pairs = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
