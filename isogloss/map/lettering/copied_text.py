"""Words that are copied out of a PDF as they were written, where a letter takes several glyphs.

With every glyph of a cluster, a letter and the marks around it, Matplotlib notes the whole cluster,
and a reader copies it once for each of them. Here each letter is noted once. Glyphs for which none
is left are outlines, and so are marks from left to right, where readers would see gaps beside them;
from right to left, readers turn the letters round that one glyph stands for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

from isogloss.map.lettering.shaping import needs_shaping


class Glyph(NamedTuple):
    """A glyph in its place and the text that it stands for, as Matplotlib's layout has them."""

    ft_object: Any
    char: str
    glyph_index: int
    x: float
    y: float
    prev_kern: float = 0.0


@contextmanager
def copied_as_written() -> Iterator[None]:
    """Have Matplotlib write PDFs whose words can be copied; they look as they do otherwise."""
    from matplotlib import _text_helpers
    from matplotlib.backends.backend_pdf import RendererPdf

    write, lay_out = RendererPdf.draw_text, _text_helpers.layout

    def draw_text(
        renderer: Any, gc: Any, x: float, y: float, text: str, prop: Any, angle: float, *more: Any,
        **named: Any,
    ) -> None:  # fmt: skip
        outlined: list[Glyph] = []

        def layout(text: str, font: Any, **options: Any) -> Iterator[Glyph]:
            glyphs = list(lay_out(text, font, **options))
            written, rest = deal(text, glyphs, [_advance(glyph) for glyph in glyphs])
            outlined.extend(rest)
            yield from written

        if needs_shaping(text):
            _text_helpers.layout = layout
        try:
            write(renderer, gc, x, y, text, prop, angle, *more, **named)
        finally:
            _text_helpers.layout = lay_out
        for glyph in outlined:
            _draw_outline(renderer, gc, glyph, x, y, angle)

    RendererPdf.draw_text = draw_text
    try:
        yield
    finally:
        RendererPdf.draw_text = write


def deal(
    text: str, glyphs: Sequence[Any], advances: Sequence[float]
) -> tuple[list[Any], list[Glyph]]:
    """Return the glyphs that are written, each with its part of the text, and those outlined.

    Glyphs come from left to right. Where a text runs both ways, so that nobody can tell which of
    two equal clusters is which, all are written as they are.
    """
    backwards = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    along = range(len(glyphs))[:: -1 if backwards else 1]
    parts = [""] * len(glyphs)
    start = 0
    for cluster, group in groupby(along, key=lambda i: glyphs[i].char):
        places = list(group)
        end = start
        while text.startswith(cluster, end) and end - start < len(places) * len(cluster):
            end += len(cluster)
        takers = [i for i in places if backwards or advances[i]] or places[:1]
        alone = max(end - start - len(takers) + 1, 1)
        letters = [text[start : start + alone], *text[start + alone : end]]
        for i, part in zip(takers, letters, strict=False):
            parts[i] = part
        start = end
    if start != len(text):
        return list(glyphs), []
    written, outlined, reached = [], [], None
    for glyph, part, advance in zip(glyphs, parts, advances, strict=True):
        place = glyph.ft_object, part, glyph.glyph_index, glyph.x, glyph.y
        if part:
            written.append(Glyph(*place, 0.0 if reached is None else glyph.x - reached))
            reached = glyph.x + advance
        else:
            outlined.append(Glyph(*place))
    return written, outlined


def _advance(glyph: Any) -> float:
    """How far a reader takes a glyph to go, in points."""
    from matplotlib.ft2font import LoadFlags

    loaded = glyph.ft_object.load_glyph(glyph.glyph_index, flags=LoadFlags.NO_HINTING)
    return float(loaded.linearHoriAdvance) / 2**16


def _draw_outline(renderer: Any, gc: Any, glyph: Glyph, x: float, y: float, angle: float) -> None:
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    _advance(glyph)  # loads it
    place = Affine2D().translate(glyph.x, glyph.y).rotate_deg(angle).translate(x, y)
    gc.set_linewidth(0)
    renderer.draw_path(gc, Path(*glyph.ft_object.get_path()), place, gc.get_rgb())
