"""A font cut down to the letters in use, in the form that every PDF reader and printer takes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.map.lettering.copied_text import copied_as_written
from isogloss.map.lettering.fonts import FontFile
from isogloss.map.lettering.shaping import needs_shaping

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

Letters = Mapping[FontFile, "FontProperties"]
"""Fonts cut down, as Matplotlib takes them."""

CURVE_ERROR = 0.5
"""Thousandths of a letter's size by which a redrawn curve may differ; nobody can see that."""
_matplotlib_settings = threading.Lock()


@contextmanager
def paper_settings(salt: str) -> Iterator[None]:
    """Have Matplotlib embed TrueType in a PDF and write letters as outlines in an SVG.

    Its settings belong to the whole process, and a server draws for several people, so they draw
    one after the other. Names inside an SVG follow from `salt`, the same at every drawing.
    """
    import matplotlib

    settings = {"pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": salt}
    with _matplotlib_settings, matplotlib.rc_context(settings), copied_as_written():
        yield


def embedded(texts: Mapping[FontFile, Iterable[str]], folder: Path) -> Letters:
    """Write each font's subset for its texts into a folder."""
    from matplotlib.font_manager import FontProperties

    letters = {}
    for number, (font, written) in enumerate(texts.items()):
        file = folder / f"{number}.ttf"
        file.write_bytes(truetype_subset(font, list(written)))
        letters[font] = FontProperties(fname=str(file))
    return letters


def truetype_subset(font: FontFile, texts: Iterable[str]) -> bytes:
    """Return a TrueType file with the font's glyphs for the texts and no others.

    How letters join and stack is kept where a text needs it, with the glyphs that this takes.
    Noto's Chinese fonts have PostScript outlines and lie several to a file, which Matplotlib's PDF
    writer cannot embed; their curves are redrawn as TrueType's quadratic ones. Publishers refuse
    the Type 3 fonts that it would make of them otherwise.
    """
    from fontTools import subset
    from fontTools.ttLib import TTFont

    texts = list(texts)
    features = ["*"] if any(map(needs_shaping, texts)) else []
    options = subset.Options(layout_features=features, hinting=False, notdef_outline=True)
    with TTFont(font.path, fontNumber=font.index, lazy=True) as full:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=" " + "".join(texts))
        subsetter.subset(full)
        if "glyf" not in full:
            _redraw(full)
        written = BytesIO()
        full.save(written)
    return written.getvalue()


def _redraw(font: Any) -> None:
    """Replace cubic outlines by quadratic ones."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    glyphs = font.getGlyphSet()
    error = CURVE_ERROR * font["head"].unitsPerEm / 1000
    drawn = {}
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, error, reverse_direction=True))
        drawn[name] = pen.glyph()
    for table in ("CFF ", "CFF2", "VORG", "maxp"):
        if table in font:
            del font[table]
    builder = FontBuilder(font=font)
    builder.isTTF = True
    builder.setupGlyf(drawn)
    builder.setupMaxp()
    font["post"].formatType = 3.0  # without names of glyphs, which only the cubic form had
    font.sfntVersion = "\000\001\000\000"
