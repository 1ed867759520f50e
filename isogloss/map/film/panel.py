"""The panel beside the map: caption, layer, legend, the score strip and how this was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.film.labels import LabelBox
from isogloss.map.film.scene import Colour, FilmScene, Theme
from isogloss.map.film.sprites import OVERSAMPLING, TextStyle, make_sprites, write
from isogloss.map.lettering.fonts import FontFile, printable
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

# In the pixels of a picture of 1280 x 720, as are all lengths that `unit` multiplies.
PANEL_WIDTH = 372
MARGIN = 32
PROVENANCE_LINES = 3


class PanelPainter:
    """Writes what belongs around the map; `unit` is a pixel of a picture of 1280 x 720."""

    def __init__(
        self,
        scene: FilmScene,
        size: tuple[int, int],
        theme: Theme,
        font: FontFile,
        unit: float,
    ) -> None:
        self.map, self.size, self.theme, self.font = scene, size, theme, font
        self.unit = unit
        self.margin = MARGIN * unit
        self.right = PANEL_WIDTH * unit

    def paint_still(self, image: Image) -> None:
        """Paint what no movement changes: caption, legend, score strip and how this was made."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image, "RGBA")
        draw.rectangle((0, 0, self.right, self.size[1]), fill=self.theme.panel)
        style = self._style(25)
        lines = style.wrap(printable(self.map.caption), self.right - 2 * self.margin, 4)
        for row, line in enumerate(lines):
            write(image, (self.margin, self.margin + (20 + 33 * row) * self.unit), line, style)
        title = self.margin, self._counter_base() - 92 * self.unit
        write(image, title, printable(self.map.title), self._style(17, self.theme.muted))
        self._paint_legend(image)
        if self.map.scores is not None:
            self._paint_strip(image, draw)
        self._paint_provenance(image)

    def paint_moving(self, draw: ImageDraw, position: float) -> None:
        """Paint the layer's name, its score and note at a position from 0 to stops - 1."""
        self._paint_counter(draw, position)
        if self.map.notes and (note := self.map.notes[round(position)]):
            place = self.right + 20 * self.unit, 14 * self.unit
            small = self.font.at(15 * self.unit)
            draw.text(place, printable(note), font=small, fill=self.theme.ink)
        if self.map.scores is not None:
            self._paint_cursor(draw, position)

    def _style(self, size: float, colour: Colour | None = None) -> TextStyle:
        return TextStyle(self.font, size * self.unit, colour or self.theme.ink)

    def _paint_provenance(self, image: Image) -> None:
        style, left = self._style(11, self.theme.muted), self.right + 20 * self.unit
        width = self.size[0] - 20 * self.unit - left
        lines = style.wrap(printable(self.map.provenance_line()), width, PROVENANCE_LINES)
        for row, line in enumerate(reversed(lines)):
            write(image, (left, self.size[1] - (12 + 15 * row) * self.unit), line, style)

    def _paint_legend(self, image: Image) -> None:
        several = len(self.map.languages) > 2
        style, radius = self._style(12 if several else 17), (4 if several else 7) * self.unit
        left, middle = self.margin, self.size[1] * (0.48 if several else 0.52)
        colours = self.theme.languages(len(self.map.languages))
        for side, language in enumerate(map(printable, self.map.languages)):
            # Where markers tell something else than the language, its colour alone does.
            shape = 0 if self.map.shapes is not None else side
            sprite = make_sprites(shape, colours[side], self.theme.panel, radius)[0]
            width = sprite.width + 4 * self.unit + style.length(language)
            if left > self.margin and left + width > self.right - self.margin:
                left, middle = self.margin, middle + 17 * self.unit
            image.paste(sprite, (round(left), round(middle - sprite.height / 2)), sprite)
            start = left + sprite.width + 4 * self.unit
            write(image, (start, middle + 0.36 * style.size), language, style)
            left += width + (12 if several else 22) * self.unit
        small = self._style(13, self.theme.muted)
        said = f"Lines: {self.map.lines}" if self.map.lines else ""
        room = self.right - 2 * self.margin
        for row, line in enumerate(small.wrap(printable(said), room, 3)):
            write(image, (self.margin, middle + (34 + 17 * row) * self.unit), line, small)

    def _counter_base(self) -> float:
        return self.size[1] * 0.44

    def _paint_counter(self, draw: ImageDraw, position: float) -> None:
        left, base = self.margin, self._counter_base()
        small, large = self.font.at(17 * self.unit), self.font.at(92 * self.unit)
        name = printable(self.map.stops[round(position)])
        last = next((stop for stop in reversed(self.map.stops) if stop.isdigit()), "")
        if large.getlength(name) > self.right - 2 * self.margin:
            large = self.font.at(38 * self.unit)
        draw.text((left, base), name, font=large, fill=self.theme.ink, anchor="ls")
        if name.isdigit() and last:
            right = left + large.getlength(name) + 12 * self.unit
            draw.text((right, base), f"of {last}", font=small, fill=self.theme.muted, anchor="ls")

    def _strip_box(self) -> LabelBox:
        bottom = self.size[1] - 52 * self.unit
        return LabelBox(self.margin, bottom - 104 * self.unit, self.right - self.margin, bottom)

    def _strip_points(self) -> Array:
        """The score of every stop on the picture: (stops, 2)."""
        box, scores = self._strip_box(), np.asarray(self.map.scores, dtype=float)
        across = np.linspace(0, 1, len(scores)) if len(scores) > 1 else np.array([0.5])
        x = box.left + across * (box.right - box.left)
        return np.stack([x, box.bottom - np.clip(scores, 0, 1) * (box.bottom - box.top)], axis=1)

    def _paint_strip(self, image: Image, draw: ImageDraw) -> None:
        from PIL import Image as Images
        from PIL import ImageDraw as Draws

        box, points = self._strip_box(), self._strip_points()
        theme = self.theme
        for level in (box.top, box.bottom):
            draw.line((box.left, level, box.right, level), fill=theme.hairline, width=1)
        mask = Images.new("L", (image.width * OVERSAMPLING, image.height * OVERSAMPLING))
        shape = Draws.Draw(mask)
        line = [tuple(point) for point in (points * OVERSAMPLING).tolist()]
        floor = box.bottom * OVERSAMPLING
        shape.polygon([(line[0][0], floor), *line, (line[-1][0], floor)], fill=36)
        shape.line(line, fill=255, width=round(2 * OVERSAMPLING * self.unit), joint="curve")
        dot = 2.6 * OVERSAMPLING * self.unit
        for x, y in line:
            shape.ellipse((x - dot, y - dot, x + dot, y + dot), fill=255)
        image.paste(theme.ink, mask=mask.reduce(OVERSAMPLING))
        style = self._style(13, theme.muted)
        room = 0.72 * (box.right - box.left)
        lines = style.wrap(printable(self.map.score_name), room, 2)
        if self.map.badge:
            lines += style.wrap(printable(self.map.badge), room, 2)
        for row, text in enumerate(reversed(lines)):
            write(image, (box.left, box.top - (12 + 17 * row) * self.unit), text, style)
        below = box.bottom + 19 * self.unit
        first, last = (printable(self.map.stop_name(end)) for end in (0, -1))
        write(image, (box.left, below), first, style)
        write(image, (box.right, below), last, style, anchor="rs")

    def _paint_cursor(self, draw: ImageDraw, position: float) -> None:
        box, points, radius = self._strip_box(), self._strip_points(), 5 * self.unit
        line = float(np.interp(position, np.arange(len(points)), points[:, 0]))
        draw.line((line, box.top, line, box.bottom), fill=(*self.theme.ink, 110), width=1)
        # Between two stops nothing was measured: the number is of the stop that is named.
        x, y = points[round(position)]
        score = (box.bottom - y) / (box.bottom - box.top)
        draw.ellipse(
            (x - radius, y - radius, x + radius, y + radius),
            fill=self.theme.ink,
            outline=self.theme.panel,
            width=round(2 * self.unit),
        )
        draw.text(
            (box.right, box.top - 10 * self.unit),
            f"{score:.0%}",
            font=self.font.at(27 * self.unit),
            fill=self.theme.ink,
            anchor="rb",
        )
