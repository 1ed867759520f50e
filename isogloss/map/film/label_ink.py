"""Writes a word beside its point, with a rim of the paper that keeps it readable over others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from isogloss.map.film.scene import Colour
from isogloss.map.film.sprites import OVERSAMPLING
from isogloss.map.lettering.fonts import FontFile
from isogloss.map.lettering.shaping import ShapedText, needs_shaping, shape_text

if TYPE_CHECKING:
    from PIL.Image import Image

RIM_OPACITY = 230


@dataclass(frozen=True)
class LabelInk:
    """A word in its font at a size; `rim` is the width of what is drawn around it, in pixels."""

    text: str
    font: FontFile
    size: float
    rim: float

    @cached_property
    def extent(self) -> tuple[float, float, float]:
        """How far it reaches up, to the right and down from the left end of its middle line."""
        if self._shaped is None:
            _, top, right, bottom = self.font.at(self.size).getbbox(self.text, anchor="lm")
            return top, right, bottom
        (width, height), middle = self._shaped.mask.size, self._shaped.middle
        return -middle / OVERSAMPLING, width / OVERSAMPLING, (height - middle) / OVERSAMPLING

    def paint(
        self,
        image: Image,
        place: tuple[float, float],
        flipped: bool,
        colour: Colour,
        paper: Colour,
        opacity: float,
    ) -> None:
        """Write it from `place` on, or up to there if it is flipped."""
        from PIL import ImageDraw

        if self._shaped is None:
            ImageDraw.Draw(image, "RGBA").text(
                place,
                self.text,
                font=self.font.at(self.size),
                anchor="rm" if flipped else "lm",
                fill=(*colour, round(255 * opacity)),
                stroke_width=self.rim,
                stroke_fill=(*paper, round(RIM_OPACITY * opacity)),
            )
            return
        ink, rim = self._masks
        edge = (rim.width - self._shaped.mask.width) / 2 / OVERSAMPLING
        left = place[0] - edge - (self.extent[1] if flipped else 0)
        top = place[1] - edge + self.extent[0]
        _paste(image, paper, rim, left, top, opacity * RIM_OPACITY / 255)
        _paste(image, colour, ink, left, top, opacity)

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


def _paste(
    image: Image, colour: Colour, mask: Image, left: float, top: float, opacity: float
) -> None:
    """Lay a colour through a large mask, between pixels, too, so that slow words do not jump."""
    from PIL import Image as Images

    column, row = int(left // 1), int(top // 1)
    shift = round((left - column) * OVERSAMPLING), round((top - row) * OVERSAMPLING)
    room = [-(-(long + OVERSAMPLING) // OVERSAMPLING) * OVERSAMPLING for long in mask.size]
    moved = Images.new("L", (room[0], room[1]))
    moved.paste(mask, shift)
    image.paste(colour, (column, row), moved.reduce(OVERSAMPLING).point(lambda ink: ink * opacity))
