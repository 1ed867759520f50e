"""Small drawings with smooth edges: points, and lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.film.scene import Colour
from isogloss.map.lettering.fonts import FontFile, wrap
from isogloss.palette import SHAPES

if TYPE_CHECKING:
    from PIL.Image import Image

# Shapes are drawn this much larger and shrunk, which smooths their edges.
OVERSAMPLING = 4
# A point may lie on any of this many places within a pixel, so that slow movement stays smooth.
SUBPIXELS = 4


def sprite_half(radius: float) -> int:
    """Half the width of a point's sprite in pixels, its rim and room to shift included."""
    return int(np.ceil(radius * 1.35)) + 2


@dataclass(frozen=True)
class TextStyle:
    """A font, its size in pixels and its colour."""

    font: FontFile
    size: float
    colour: Colour

    def wrap(self, text: str, width: float) -> list[str]:
        """Return the text in lines no wider than `width`."""
        return wrap(text, self.font.at(self.size * OVERSAMPLING), width * OVERSAMPLING)

    def length(self, text: str) -> float:
        """The width of the text in pixels."""
        return self.font.at(self.size * OVERSAMPLING).getlength(text) / OVERSAMPLING


@lru_cache(maxsize=512)
def make_sprites(shape: int, colour: Colour, rim: Colour, radius: float) -> tuple[Image, ...]:
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


def write(
    image: Image, place: tuple[float, float], text: str, style: TextStyle, anchor: str = "ls"
) -> None:
    """Write a line of small text: drawn large and shrunk, or its letters would stand unevenly."""
    from PIL import Image as Images
    from PIL import ImageDraw

    font = style.font.at(style.size * OVERSAMPLING)
    left, top, right, bottom = np.array(font.getbbox(text, anchor=anchor)) / OVERSAMPLING
    corner = int(place[0] + left) - 1, int(place[1] + top) - 1
    size = int(right - left) + 4, int(bottom - top) + 4
    mask = Images.new("L", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
    origin = [OVERSAMPLING * (at - start) for at, start in zip(place, corner, strict=True)]
    ImageDraw.Draw(mask).text((origin[0], origin[1]), text, font=font, fill=255, anchor=anchor)
    image.paste(style.colour, corner, mask.reduce(OVERSAMPLING))


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """A colour this share of the way from the first to the second."""
    r, g, b = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return r, g, b
