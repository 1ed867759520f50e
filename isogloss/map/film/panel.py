"""The panel beside the map: caption, layer, legend, the score strip and how this was made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from isogloss.map.film.ink import STEPS, LabelInk, Lines, TextStyle, make_sprites, text_block
from isogloss.map.film.labels import LabelBox
from isogloss.map.film.strip import StripPainter
from isogloss.map.lettering.fonts import Fonts, printable
from isogloss.map.scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    Painting = Callable[[Image], None]
    """Paints what is placed already."""

# In the pixels of a picture of 1280 x 720, as are all lengths that `unit` multiplies.
PANEL_WIDTH = 372
MARGIN = 32
SWATCH = 2
"""The square among the palette's shapes, for what only a colour means."""


def said_of_lines(scene: Scene) -> str:
    """What lines join."""
    return f"Lines: {scene.data.lines}" if scene.view.links and scene.data.lines else ""


def written_around(scene: Scene) -> list[str]:
    """Everything written around the map."""
    data, score = scene.data, scene.score
    return [
        *(data.caption, score.name if score else "", score.badge if score else ""),
        *(said_of_lines(scene), data.title, *(language.name for language in data.languages)),
        *(*data.stops, *data.stop_names, *(data.notes or ()), scene.pairs_rest_on),
        *(entry.name for entry in scene.legend),
        *(rank for _, rank in scene.pairs(0)),
        scene.provenance_line,
    ]


class PanelPainter:
    """Writes what belongs around the map; `unit` is a pixel of a picture of 1280 x 720."""

    def __init__(self, scene: Scene, size: tuple[int, int], fonts: Fonts, unit: float) -> None:
        self.scene, self.data, self.theme = scene, scene.data, scene.theme
        self.size, self.fonts, self.font, self.unit = size, fonts, fonts.main, unit
        self.margin = MARGIN * unit
        self.right = PANEL_WIDTH * unit
        self.room = self.right - 2 * self.margin
        self.base = self.size[1] * 0.44  # of the layer's number
        wide = size[0] - self.right - 40 * unit
        self.provenance = self._block(scene.provenance_line, 11, wide, 0.2 * size[1])
        self.strip = None
        floor, bottom = size[1] - 52 * unit, size[1] - self.margin
        if scene.score is not None:
            box = LabelBox(self.margin, floor - 104 * unit, self.right - self.margin, floor)
            ends = self.data.stop_names[0], self.data.stop_names[-1]
            self.strip = StripPainter(scene.score, ends, box, self.theme, self.font, unit)
            bottom = self.strip.top - 8 * unit
        self.legend, self.pairs = self._legend_and_pairs(bottom)

    def paint_still(self, image: Image) -> None:
        """Paint what no movement changes: caption, legend, score strip and how this was made."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image, "RGBA")
        draw.rectangle((0, 0, self.right, self.size[1]), fill=self.theme.panel)
        axis = self.base - 92 * self.unit
        height = axis - 22 * self.unit - self.margin
        caption = self._block(self.data.caption, 25, self.room, height, self.theme.ink)
        caption.paint(image, self.margin, 0.75 * self.margin)
        title = self._style(17, self.theme.muted)
        title.write(image, (self.margin, axis), printable(self.data.title))
        for painting in self.legend:
            painting(image)
        if self.strip is not None:
            self.strip.paint_still(image, draw)
        bottom = self.size[1] - 8 * self.unit - self.provenance.height
        self.provenance.paint(image, self.right + 20 * self.unit, bottom)

    def paint_moving(self, image: Image, position: float) -> None:
        """Paint the layer's name, its score, note and pinned pairs at a position."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image, "RGBA")
        stop = round(position)
        self._paint_counter(draw, stop)
        if self.data.notes and (note := self.data.notes[stop]):
            place = self.right + 20 * self.unit, 14 * self.unit
            small = self.font.at(15 * self.unit)
            draw.text(place, printable(note), font=small, fill=self.theme.ink)
        if self.strip is not None:
            self.strip.paint_cursor(draw, position)
        for painting in self.pairs[stop]:
            painting(image)

    def _style(self, size: float, colour: str) -> TextStyle:
        return TextStyle(self.font, size * self.unit, colour)

    def _block(
        self, text: str, size: float, width: float, height: float = math.inf, colour: str = ""
    ) -> Lines:
        ink = colour or self.theme.muted
        return text_block(text, self.font, size * self.unit, ink, width, height)

    def _paint_counter(self, draw: ImageDraw, stop: int) -> None:
        small, large = self.font.at(17 * self.unit), self.font.at(92 * self.unit)
        name = printable(self.data.stops[stop])
        last = next((stop for stop in reversed(self.data.stops) if stop.isdigit()), "")
        if large.getlength(name) > self.right - 2 * self.margin:
            large = self.font.at(38 * self.unit)
        place = self.margin, self.base
        draw.text(place, name, font=large, fill=self.theme.ink, anchor="ls")
        if name.isdigit() and last:
            place = self.margin + large.getlength(name) + 12 * self.unit, self.base
            draw.text(place, f"of {last}", font=small, fill=self.theme.muted, anchor="ls")

    # --- legend, lines and pinned pairs, below each other --------------------------------------

    def _legend_and_pairs(self, bottom: float) -> tuple[list[Painting], list[list[Painting]]]:
        """What paints the legend and, for each stop, the pairs below it, as large as has room."""
        for scale in STEPS:
            legend, top = self._legend(scale)
            pairs = [self._pairs(stop, scale, top) for stop in range(len(self.data.stops))]
            if max(end for _, end in pairs) <= bottom:
                break
        return legend, [paintings for paintings, _ in pairs]

    def _legend(self, scale: float) -> tuple[list[Painting], float]:
        """What paints the legend, and how far down it reaches."""
        many = len(self.scene.legend) > 4
        style = self._style((13 if many else 17) * scale, self.theme.ink)
        radius = (4.5 if many else 7) * scale * self.unit
        left, middle = self.margin, self.base + 30 * self.unit
        paintings: list[Painting] = []
        for entry in self.scene.legend:
            shape = SWATCH if entry.shape is None else entry.shape
            sprite = make_sprites(shape, entry.color, self.theme.panel, radius)[0]
            start = sprite.width + 4 * self.unit
            name = Lines(
                style, style.wrap(printable(entry.name), self.room - start), 1.25 * style.size
            )
            width = start + max(map(style.length, name.lines), default=0)
            if left > self.margin and left + width > self.right - self.margin:
                left, middle = self.margin, middle + 1.4 * style.size
            corner = round(left), round(middle - sprite.height / 2)
            # The middle of the first line's letters is that of the mark.
            first = middle - 0.54 * style.size
            paintings.append(partial(_paste, sprite=sprite, corner=corner))
            paintings.append(partial(name.paint, left=left + start, top=first))
            middle += name.height - name.pitch
            left += width + 14 * scale * self.unit
        top = middle + style.size
        lines = self._block(said_of_lines(self.scene), 13 * scale, self.room)
        paintings.append(partial(lines.paint, left=self.margin, top=top))
        return paintings, top + lines.height

    def _pairs(self, stop: int, scale: float, top: float) -> tuple[list[Painting], float]:
        """What paints the pinned pairs and how near they are at a stop, as beside the map."""
        if not self.scene.pins:
            return [], top
        paintings: list[Painting] = []
        top += 8 * scale * self.unit
        near = self._style(13 * scale, self.theme.muted)
        pitch, dash = 1.5 * near.size, near.length(" – ")
        for points, rank in self.scene.pairs(stop):
            if rank:
                place = self.right - self.margin, top + 0.9 * near.size
                paintings.append(partial(near.write, place=place, text=rank, anchor="rs"))
            end = self.right - self.margin - near.length(rank) - 10 * self.unit
            left = self.margin
            for number, point in enumerate(points):
                word = self._word(point, near.size, end - self.margin)
                if word is None:
                    continue
                if number and left + dash + word.extent[1] > end:
                    left, top = self.margin, top + pitch
                if number:
                    place = left, top + 0.9 * near.size
                    paintings.append(partial(near.write, place=place, text=" – "))
                    left += dash
                paintings.append(partial(word.paint, place=(left, top + 0.56 * near.size)))
                left += word.extent[1]
            top += pitch
        badge = self._block(self.scene.pairs_rest_on, 11 * scale, self.room)
        paintings.append(partial(badge.paint, left=self.margin, top=top))
        return paintings, top + badge.height

    def _word(self, point: int, size: float, room: float) -> LabelInk | None:
        """A word in a font that has its letters, in smaller ones where it is too long."""
        text = printable(self.data.texts[point])
        font = self.fonts.of(text, int(self.data.sides[point]))
        if not text or font is None:
            return None
        word = LabelInk(text, font, size, self.theme.ink, self.theme.panel)
        width = word.extent[1]
        return word if width <= room else replace(word, size=size * room / width)


def _paste(image: Image, sprite: Image, corner: tuple[int, int]) -> None:
    image.paste(sprite, corner, sprite)
