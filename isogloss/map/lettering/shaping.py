"""Texts whose letters join, stack or run from right to left, drawn by Matplotlib's text layout.

Pillow shapes such text only where the system has FriBidi; Matplotlib carries all that it takes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.map.lettering.fonts import FontFile

if TYPE_CHECKING:
    from PIL.Image import Image

_UNITS = 64
"""FreeType counts in 64ths of a pixel."""


def needs_shaping(text: str) -> bool:
    """Whether a text is more than its letters from left to right, one after the other."""
    return any(
        unicodedata.category(letter).startswith("M")
        or unicodedata.bidirectional(letter) in ("R", "AL")
        for letter in text
    )


@dataclass(frozen=True, eq=False)
class ShapedText:
    """The ink of a text as a mask, and the row of it that is the middle of the font's lines."""

    mask: Image
    middle: float


@lru_cache(maxsize=1024)
def shape_text(font: FontFile, size: float, text: str) -> ShapedText:
    """Draw a text at a size in pixels; by default it runs as its first strong letter does."""
    from matplotlib.ft2font import FT2Font, LoadFlags
    from PIL import Image as Images

    face = FT2Font(font.path, face_index=font.index)
    face.set_size(size, 72)
    face.set_text(text, 0, flags=LoadFlags.NO_HINTING)
    face.draw_glyphs_to_bitmap(antialiased=True)
    ink = np.asarray(face.get_image())
    baseline = len(ink) - face.get_descent() / _UNITS
    lines = (face.ascender + face.descender) / face.units_per_EM * size
    return ShapedText(Images.fromarray(ink), baseline - lines / 2)


def text_width(font: FontFile, size: float, text: str) -> float:
    """The width of a text in pixels, be it shaped or not."""
    if needs_shaping(text):
        return float(shape_text(font, size, text).mask.width)
    return font.at(size).getlength(text)
