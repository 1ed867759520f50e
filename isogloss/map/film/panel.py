"""The panel beside the map: caption, layer, legend, the score strip and how this was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.film.label_ink import LabelInk
from isogloss.map.film.labels import LabelBox
from isogloss.map.film.scene import Colour, FilmScene, Theme
from isogloss.map.film.sprites import OVERSAMPLING, TextStyle, make_sprites, write
from isogloss.map.lettering.fonts import Fonts, printable
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

# In the pixels of a picture of 1280 x 720, as are all lengths that `unit` multiplies.
PANEL_WIDTH = 372
MARGIN = 32
STEPS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35, 0.28, 0.22, 0.16)
"""How much smaller letters become until all that is to be written has room: nothing is cut."""


@dataclass(frozen=True)
class Lines:
    """Text in a style, broken into lines that are `pitch` pixels apart."""

    style: TextStyle
    lines: list[str]
    pitch: float

    @property
    def height(self) -> float:
        return len(self.lines) * self.pitch


class PanelPainter:
    """Writes what belongs around the map; `unit` is a pixel of a picture of 1280 x 720."""

    def __init__(
        self,
        scene: FilmScene,
        size: tuple[int, int],
        theme: Theme,
        fonts: Fonts,
        unit: float,
    ) -> None:
        self.map, self.size, self.theme, self.font = scene, size, theme, fonts.main
        self.fonts = fonts
        self.unit = unit
        self.margin = MARGIN * unit
        self.right = PANEL_WIDTH * unit
        self.room = self.right - 2 * self.margin
        self.provenance = self._fitting(
            lambda step: self._lines(
                scene.provenance_line(), 11 * step, size[0] - self.right - 40 * unit
            ),
            0.2 * size[1],
        )
        self.strip_title = self._fitting(
            lambda step: self._lines(
                f"{scene.score_name}\n{scene.badge}", 13 * step, 0.72 * self.room
            ),
            80 * unit,
        )
        self.scale = self._scale()
        self.pairs_top = self._flow(None, self.scale)

    def paint_still(self, image: Image) -> None:
        """Paint what no movement changes: caption, legend, score strip and how this was made."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image, "RGBA")
        draw.rectangle((0, 0, self.right, self.size[1]), fill=self.theme.panel)
        axis = self._counter_base() - 92 * self.unit
        caption = self._fitting(
            lambda step: self._lines(self.map.caption, 25 * step, self.room, self.theme.ink),
            axis - 22 * self.unit - self.margin,
        )
        self._write_lines(image, self.margin, 0.75 * self.margin, caption)
        title = self._style(17, self.theme.muted)
        write(image, (self.margin, axis), printable(self.map.title), title)
        self._flow(image, self.scale)
        if self.map.scores is not None:
            self._paint_strip(image, draw)
        bottom = self.size[1] - 8 * self.unit - self.provenance.height
        self._write_lines(image, self.right + 20 * self.unit, bottom, self.provenance)

    def paint_moving(self, image: Image, position: float) -> None:
        """Paint the layer's name, its score, note and pinned pairs at a position."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image, "RGBA")
        stop = round(position)
        self._paint_counter(draw, position)
        if self.map.notes and (note := self.map.notes[stop]):
            place = self.right + 20 * self.unit, 14 * self.unit
            small = self.font.at(15 * self.unit)
            draw.text(place, printable(note), font=small, fill=self.theme.ink)
        if self.map.scores is not None:
            self._paint_cursor(draw, position)
        self._flow_pairs(image, stop, self.scale, self.pairs_top)

    def _style(self, size: float, colour: Colour | None = None) -> TextStyle:
        return TextStyle(self.font, size * self.unit, colour or self.theme.ink)

    def _lines(self, text: str, size: float, width: float, colour: Colour | None = None) -> Lines:
        style = self._style(size, colour or self.theme.muted)
        parts = filter(None, map(printable, text.split("\n")))
        lines = [line for part in parts for line in style.wrap(part, width)]
        return Lines(style, lines, 1.32 * style.size)

    def _fitting(self, make: Callable[[float], Lines], room: float) -> Lines:
        """Lines as large as there is room for."""
        return next((found for found in map(make, STEPS) if found.height <= room), make(STEPS[-1]))

    def _write_lines(self, image: Image | None, left: float, top: float, text: Lines) -> float:
        """Write lines below each other, if there is a picture; returns where the next begins."""
        for row, line in enumerate(text.lines if image is not None else ()):
            assert image is not None
            write(image, (left, top + row * text.pitch + 0.9 * text.style.size), line, text.style)
        return top + text.height

    def _word(self, point: int, size: float, room: float) -> LabelInk | None:
        """A word in a font that has its letters, in smaller ones where it is too long."""
        text = printable(self.map.texts[point])
        font = self.fonts.of(text, int(self.map.sides[point]))
        if not text or font is None:
            return None
        word = LabelInk(text, font, size, 0)
        width = word.extent[1]
        return word if width <= room else LabelInk(text, font, size * room / width, 0)

    # --- legend, lines and pinned pairs, below each other --------------------------------------

    def _scale(self) -> float:
        """How large the legend and the pairs below it can be above the strip."""
        bottom = self._strip_box().top - 22 * self.unit - self.strip_title.height
        if self.map.scores is None:
            bottom = self.size[1] - self.margin

        def ends(step: float) -> float:
            top = self._flow(None, step)
            return max(
                self._flow_pairs(None, stop, step, top)
                for stop in (range(len(self.map.stops)) if self.map.pairs else (0,))
            )

        return next((step for step in STEPS if ends(step) <= bottom), STEPS[-1])

    def _flow(self, image: Image | None, scale: float) -> float:
        """Paint the legend, if there is a picture; returns how far down it reaches."""
        entries = self.map.legend_in(self.theme)
        many = len(entries) > 4
        style = self._style((13 if many else 17) * scale)
        radius = (4.5 if many else 7) * scale * self.unit
        left, middle = self.margin, self._counter_base() + 30 * self.unit
        for entry in entries:
            sprite = make_sprites(entry.shape, entry.colour, self.theme.panel, radius)[0]
            name = printable(entry.name)
            start = sprite.width + 4 * self.unit
            rows = style.wrap(name, self.room - start)
            width = start + max((style.length(row) for row in rows), default=0)
            if left > self.margin and left + width > self.right - self.margin:
                left, middle = self.margin, middle + 1.4 * style.size
            if image is not None:
                image.paste(sprite, (round(left), round(middle - sprite.height / 2)), sprite)
                for row, text in enumerate(rows):
                    at = (left + start, middle + (0.36 + 1.25 * row) * style.size)
                    write(image, at, text, style)
            middle += 1.25 * (len(rows) - 1) * style.size
            left += width + 14 * scale * self.unit
        top = middle + style.size
        said = f"Lines: {self.map.lines}" if self.map.lines else ""
        return self._write_lines(image, self.margin, top, self._lines(said, 13 * scale, self.room))

    def _flow_pairs(self, image: Image | None, stop: int, scale: float, top: float) -> float:
        """The pinned pairs and how near they are at a stop, as beside the map."""
        if self.map.pairs is None:
            return top
        top += 8 * scale * self.unit
        near = self._style(13 * scale, self.theme.muted)
        pitch, dash = 1.5 * near.size, near.length(" – ")
        for points, rank in self.map.pairs(stop):
            if image is not None and rank:
                place = (self.right - self.margin, top + 0.9 * near.size)
                write(image, place, rank, near, anchor="rs")
            end = self.right - self.margin - near.length(rank) - 10 * self.unit
            left = self.margin
            for number, point in enumerate(points):
                word = self._word(point, near.size, end - self.margin)
                if word is None:
                    continue
                if number and left + dash + word.extent[1] > end:
                    left, top = self.margin, top + pitch
                if image is not None:
                    if number:
                        write(image, (left, top + 0.9 * near.size), " – ", near)
                    at = (left + (dash if number else 0), top + 0.56 * near.size)
                    word.paint(image, at, False, self.theme.ink, self.theme.panel, 1)
                left += word.extent[1] + (dash if number else 0)
            top += pitch
        badge = self._lines(self.map.pairs_badge, 11 * scale, self.room)
        return self._write_lines(image, self.margin, top, badge)

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
        top = box.top - 14 * self.unit - self.strip_title.height
        self._write_lines(image, box.left, top, self.strip_title)
        style = self._style(13, theme.muted)
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
