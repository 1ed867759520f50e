"""Small drawings with smooth edges: points, lines of text, and words with a rim around them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.lettering.fonts import FontFile, printable, wrap
from isogloss.map.lettering.shaping import ShapedText, needs_shaping, shape_text
from isogloss.palette import SHAPES

if TYPE_CHECKING:
    from PIL.Image import Image

OVERSAMPLING = 4
"""Shapes and letters are drawn this much larger and shrunk, which smooths their edges."""
SUBPIXELS = 4
"""A point may lie on any of this many places within a pixel: slow movement stays smooth."""
RIM_OPACITY = 230 / 255
STEPS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35, 0.28, 0.22, 0.16)
"""How much smaller letters become until all that is to be written has room: nothing is cut."""


def faded(colour: str, opacity: float) -> str:
    """A colour that lets what is below shine through."""
    return f"{colour}{round(255 * opacity):02x}"


def sprite_half(radius: float) -> int:
    """Half the width of a point's sprite in pixels, its rim and room to shift included."""
    return int(np.ceil(radius * 1.35)) + 2


@lru_cache(maxsize=512)
def make_sprites(shape: int, colour: str, rim: str, radius: float) -> tuple[Image, ...]:
    """A point (RGBA) in one of the palette's shapes; one for each place in a pixel."""
    from PIL import Image as Images
    from PIL import ImageDraw

    half = sprite_half(radius)
    sprites = []
    for shift in range(SUBPIXELS**2):
        middle = half + np.array([shift % SUBPIXELS, shift // SUBPIXELS]) / SUBPIXELS
        layers = []
        for reach in (radius + 1, radius):
            mask = Images.new("L", (2 * (half + 1) * OVERSAMPLING,) * 2)
            x, y = (middle * OVERSAMPLING).tolist()
            edge = reach * OVERSAMPLING
            if not SHAPES[shape]:
                ImageDraw.Draw(mask).ellipse((x - edge, y - edge, x + edge, y + edge), fill=255)
            else:
                corners = [(x + edge * across, y + edge * down) for across, down in SHAPES[shape]]
                ImageDraw.Draw(mask).polygon(corners, fill=255)
            layers.append(mask.reduce(OVERSAMPLING))
        sprite = Images.new("RGB", layers[0].size, rim)
        sprite.paste(colour, mask=layers[1])
        sprite.putalpha(layers[0])
        sprites.append(sprite)
    return tuple(sprites)


@dataclass(frozen=True)
class TextStyle:
    """A font, its size in pixels and its colour."""

    font: FontFile
    size: float
    colour: str

    def wrap(self, text: str, width: float) -> list[str]:
        """Return the text in lines no wider than `width`."""
        return wrap(text, self.font.at(self.size * OVERSAMPLING), width * OVERSAMPLING)

    def length(self, text: str) -> float:
        """The width of the text in pixels."""
        return self.font.at(self.size * OVERSAMPLING).getlength(text) / OVERSAMPLING

    def write(
        self, image: Image, place: tuple[float, float], text: str, anchor: str = "ls"
    ) -> None:
        """Write a line of small text: drawn large and shrunk, or letters would stand unevenly."""
        from PIL import Image as Images
        from PIL import ImageDraw

        font = self.font.at(self.size * OVERSAMPLING)
        left, top, right, bottom = np.array(font.getbbox(text, anchor=anchor)) / OVERSAMPLING
        corner = int(place[0] + left) - 1, int(place[1] + top) - 1
        size = int(right - left) + 4, int(bottom - top) + 4
        mask = Images.new("L", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
        origin = [OVERSAMPLING * (at - start) for at, start in zip(place, corner, strict=True)]
        ImageDraw.Draw(mask).text((origin[0], origin[1]), text, font=font, fill=255, anchor=anchor)
        image.paste(self.colour, corner, mask.reduce(OVERSAMPLING))


@dataclass(frozen=True)
class Lines:
    """Lines of text below each other, `pitch` pixels apart."""

    style: TextStyle
    lines: list[str]
    pitch: float

    @property
    def height(self) -> float:
        return len(self.lines) * self.pitch

    def paint(self, image: Image, left: float, top: float) -> None:
        for row, line in enumerate(self.lines):
            place = left, top + row * self.pitch + 0.9 * self.style.size
            self.style.write(image, place, line)


def text_block(
    text: str, font: FontFile, size: float, colour: str, width: float, height: float = np.inf
) -> Lines:
    """Text broken into lines no wider than `width`, in the largest letters that fit the height."""
    for step in STEPS:
        style = TextStyle(font, step * size, colour)
        parts = filter(None, map(printable, text.split("\n")))
        lines = [line for part in parts for line in style.wrap(part, width)]
        found = Lines(style, lines, 1.32 * style.size)
        if found.height <= height:
            break
    return found


@dataclass(frozen=True)
class LabelInk:
    """A word in its font at a size; `rim` is the width of the paper around it, in pixels."""

    text: str
    font: FontFile
    size: float
    colour: str
    paper: str
    rim: float = 0

    @cached_property
    def extent(self) -> tuple[float, float, float]:
        """How far it reaches up, to the right and down from the left end of its middle line."""
        if self._shaped is None:
            _, top, right, bottom = self.font.at(self.size).getbbox(self.text, anchor="lm")
            return top, right, bottom
        (width, height), middle = self._shaped.mask.size, self._shaped.middle
        return -middle / OVERSAMPLING, width / OVERSAMPLING, (height - middle) / OVERSAMPLING

    def paint(
        self, image: Image, place: tuple[float, float], flipped: bool = False, opacity: float = 1
    ) -> None:
        """Write it from `place` on, or up to there if it is flipped."""
        from PIL import ImageDraw

        if self._shaped is None:
            ImageDraw.Draw(image, "RGBA").text(
                place,
                self.text,
                font=self.font.at(self.size),
                anchor="rm" if flipped else "lm",
                fill=faded(self.colour, opacity),
                stroke_width=self.rim,
                stroke_fill=faded(self.paper, RIM_OPACITY * opacity),
            )
            return
        ink, rim = self._masks
        edge = (rim.width - self._shaped.mask.width) / 2 / OVERSAMPLING
        left = place[0] - edge - (self.extent[1] if flipped else 0)
        top = place[1] - edge + self.extent[0]
        _paste(image, self.paper, rim, left, top, RIM_OPACITY * opacity)
        _paste(image, self.colour, ink, left, top, opacity)

    @cached_property
    def _shaped(self) -> ShapedText | None:
        """The word drawn large; shrunk, it can stand between pixels."""
        if not needs_shaping(self.text):
            return None
        return shape_text(self.font, self.size * OVERSAMPLING, self.text)

    @cached_property
    def _masks(self) -> tuple[Image, Image]:
        """The letters, large, and what is around them."""
        from PIL import ImageFilter, ImageOps

        assert self._shaped is not None
        reach = max(1, round(self.rim * OVERSAMPLING))
        ink = ImageOps.expand(self._shaped.mask, reach)
        return ink, ink.filter(ImageFilter.MaxFilter(2 * reach + 1))


def _paste(image: Image, colour: str, mask: Image, left: float, top: float, opacity: float) -> None:
    """Lay a colour through a large mask, between pixels, too, so that slow words do not jump."""
    from PIL import Image as Images

    column, row = int(left // 1), int(top // 1)
    shift = round((left - column) * OVERSAMPLING), round((top - row) * OVERSAMPLING)
    room = [-(-(long + OVERSAMPLING) // OVERSAMPLING) * OVERSAMPLING for long in mask.size]
    moved = Images.new("L", (room[0], room[1]))
    moved.paste(mask, shift)
    image.paste(colour, (column, row), moved.reduce(OVERSAMPLING).point(lambda ink: ink * opacity))
