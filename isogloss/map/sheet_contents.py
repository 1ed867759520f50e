"""What is on a contact sheet, and where: pictures, words, the legend in rows, and the footer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from isogloss.map.lettering.fonts import FontFile, Fonts, printable, wrap
from isogloss.map.lettering.shaping import text_width
from isogloss.map.scene import Scene
from isogloss.map.sheet_plan import LEGEND, MARGIN, WIDTHS, SheetPlan, plan_sheet
from isogloss.measures.projection.framing import Frame, frame_layer, lay_flat
from isogloss.palette import SHAPES

POINT = 25.4 / 72
"""A point, the unit of letters and lines, in millimetres."""
SMALL = 5.5
"""The size of what is written around the tiles, in points."""
LINE = 1.35 * SMALL * POINT
MARK = 6.0
"""The room that a legend's mark takes, with what is left free around its name."""
Marker = str | list[tuple[float, float]]
MARKERS: list[Marker] = ["o", "D"]
"""Matplotlib's markers for the palette's shapes, whose corners it wants y upwards."""
MARKERS += [[(across, -down) for across, down in corners] for corners in SHAPES[2:]]
NO_MARK, LINE_MARK, SWATCH = "", "_", "s"
LegendRow = list[tuple[Marker, str, str]]


@dataclass(frozen=True)
class SheetContents:
    """A map on a sheet of one or two columns; lengths are in millimetres."""

    scene: Scene
    columns: int

    @cached_property
    def plan(self) -> SheetPlan:
        legend = LEGEND * len(self.legend_rows)
        footer = 1.0 + len(self.footer) * LINE
        return plan_sheet(len(self.scene.data.stops), self.columns, legend, footer)

    @cached_property
    def frames(self) -> list[Frame]:
        tile = plan_sheet(len(self.scene.data.stops), self.columns, 0, 0).tile
        return [frame_layer(layer, *tile) for layer in lay_flat(self.scene.data.positions)]

    @cached_property
    def words(self) -> dict[int, str]:
        """The words that are written: of pinned points and their translations."""
        texts = {point: printable(self.scene.data.texts[point]) for point in self.scene.named}
        return {point: text for point, text in texts.items() if text}

    @cached_property
    def fonts(self) -> Fonts:
        return self.scene.fonts(self.words, self.lettering)

    def font_of(self, point: int) -> FontFile | None:
        """The font of a point's word, None if it cannot be written here."""
        return self.fonts.of(self.words[point], int(self.scene.data.sides[point]))

    @property
    def texts_by_font(self) -> dict[FontFile, list[str]]:
        """Everything that is written, by the font it is written in."""
        texts = {self.fonts.main: list(self.lettering)}
        for point, word in self.words.items():
            if font := self.font_of(point):
                texts.setdefault(font, []).append(word)
        return texts

    @cached_property
    def lettering(self) -> list[str]:
        """Everything written around the tiles."""
        data = self.scene.data
        legend = [entry.name for entry in self.scene.legend]
        texts = [*legend, self.score_line, *data.stop_names, self._about, data.lines]
        return [*map(printable, texts), "0123456789.†…"]

    @property
    def score_line(self) -> str:
        score = self.scene.score
        if score is None:
            return ""
        chance = "" if score.chance is None else f" (chance {score.chance:.2g})"
        return f"Bar and number: {score.title}{chance}"

    @cached_property
    def footer(self) -> list[str]:
        width = WIDTHS[self.columns] - 2 * MARGIN
        return wrap(self._about, self.fonts.main.at(100), width / POINT / SMALL * 100)

    @property
    def _about(self) -> str:
        data = self.scene.data
        stretch = max(max(frame.stretch, 1 / frame.stretch) for frame in self.frames)
        scale = f"Each {data.title.lower()} at its own scale"
        if stretch >= 1.05:
            scale += f", stretched at most {stretch:.1f} ×"
        doubts = ". † This picture keeps few of the neighbourhoods" if any(data.notes or ()) else ""
        said = ("text", "points", "coordinates", "links scored", "made with")
        made = [f"{name} {data.provenance[name]}" for name in said if name in data.provenance]
        about = f"{data.caption.rstrip('.')}. {scale}{doubts}."
        return printable(" ".join([about, " · ".join(made)]))

    @cached_property
    def legend_rows(self) -> list[LegendRow]:
        """(marker, colour, name) in rows no wider than the sheet."""
        scene = self.scene
        entries: LegendRow = [
            (SWATCH if entry.shape is None else MARKERS[entry.shape], entry.color, entry.name)
            for entry in scene.shape_legend
        ]
        if scene.view.links:
            entries.append((LINE_MARK, scene.theme.muted, scene.data.lines))
        entries += [(SWATCH, entry.color, entry.name) for entry in scene.color_legend]
        entries.append((NO_MARK, scene.theme.ink, self.score_line))
        rows: list[LegendRow] = [[]]
        room, used = WIDTHS[self.columns] - 2 * MARGIN, 0.0
        for marker, color, name in entries:
            wide = (room - MARK) / POINT / SMALL * 100
            for line, text in enumerate(wrap(printable(name), self.fonts.main.at(100), wide)):
                width = self.length(text, SMALL) + MARK
                if rows[-1] and (line or used + width > room):
                    rows.append([])
                    used = 0.0
                rows[-1].append((NO_MARK if line else marker, color, text))
                used += width
        return rows

    def length(self, text: str, size: float, font: FontFile | None = None) -> float:
        """The width of a text in millimetres."""
        return text_width(font or self.fonts.main, 100, text) / 100 * size * POINT
