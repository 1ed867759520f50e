"""Text on paper: Plotly's markup read, a font for every character, and how wide each line is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

from isogloss.errors import IsoglossError
from isogloss.map.lettering.embedded_fonts import truetype_subset
from isogloss.map.lettering.fonts import FontFile, fonts_covering, printable
from isogloss.map.lettering.shaping import text_width

LINE = 1.22
"""From one line to the next, of the letters' size."""
BASE = 0.94
"""From the top of a line to the foot of its letters, of their size."""

USUAL = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2027))))
USUAL += "−×→←≤≥≈ρ"
"""Letters and marks of Latin scripts, which nearly every figure has."""


@dataclass(frozen=True)
class Run:
    """Letters of one kind on a line; `color` is None where the whole text's holds."""

    text: str
    bold: bool = False
    color: str | None = None


Line = tuple[Run, ...]


class _Markup(HTMLParser):
    """The few tags that our figures use; what others enclose is kept as text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[Run]] = [[]]
        self.open: list[Run] = [Run("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.lines.append([])
            return
        style = dict(attrs).get("style") or ""
        color = style.partition("color:")[2].partition(";")[0].strip()
        inside = self.open[-1]
        inside = replace(inside, bold=True) if tag == "b" else inside
        self.open.append(replace(inside, color=color) if color else inside)

    def handle_endtag(self, tag: str) -> None:
        if tag != "br" and len(self.open) > 1:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.lines[-1].append(replace(self.open[-1], text=data))


def read_markup(text: object) -> list[Line]:
    """Return the lines of a text as Plotly writes it.

    >>> read_markup("<b>7 %</b> &lt; 8<br>next")[0]
    (Run(text='7 %', bold=True, color=None), Run(text=' < 8', bold=False, color=None))
    """
    parser = _Markup()
    parser.feed("" if text is None else str(text))
    parser.close()
    return [tuple(line) for line in parser.lines]


@dataclass(frozen=True)
class Letters:
    """Fonts that between them draw every character asked for, and their bold sisters."""

    plain: tuple[FontFile, ...]
    bold: tuple[FontFile, ...]

    @classmethod
    def for_texts(cls, texts: Iterable[str]) -> Letters:
        """Find fonts on this machine; raises where a character is in none of them."""
        wanted = [printable(line) for text in texts for line in str(text).split("\n")]
        fonts, missing = fonts_covering(wanted)
        if missing:
            raise IsoglossError(
                f"No font on this machine can draw “{missing[:8]}”; install one that has it, for "
                "example the Debian package fonts-noto-core, or fonts-noto-cjk for Chinese."
            )
        return cls(fonts, tuple(map(_bold, fonts)))

    def split(self, run: Run) -> list[tuple[int, str]]:
        """The run in pieces that one font each draws, by the font's number."""
        pieces: list[tuple[int, str]] = []
        for character in run.text:
            number = next(
                (n for n, font in enumerate(self.plain) if font.draws(character)),
                0,
            )
            if character.isspace() and pieces:
                number = pieces[-1][0]
            if pieces and pieces[-1][0] == number:
                pieces[-1] = (number, pieces[-1][1] + character)
            else:
                pieces.append((number, character))
        return pieces

    def font(self, number: int, bold: bool, text: str) -> FontFile:
        """The font of a piece: the bold one where it has all of the piece."""
        heavy = self.bold[number]
        return heavy if bold and heavy.draws(text) else self.plain[number]

    def width(self, line: Sequence[Run], size: float) -> float:
        """How wide a line is in letters of a size, in the unit of the size."""
        return sum(
            text_width(self.font(number, run.bold, piece), 100, piece) * size / 100
            for run in line
            for number, piece in self.split(run)
        )

    def wrap(self, lines: Sequence[Line], size: float, width: float) -> list[Line]:
        """The lines broken at spaces so that none is wider, as far as single words allow."""
        broken: list[Line] = []
        for line in lines:
            words = [
                replace(run, text=word + " ")
                for run in line
                for word in (run.text.split(" ") if run.text.strip() else [])
                if word
            ]
            now: list[Run] = []
            for word in words:
                if now and self.width([*now, replace(word, text=word.text.rstrip())], size) > width:
                    broken.append(_trimmed(now))
                    now = []
                now.append(word)
            broken.append(_trimmed(now) if self.width(line, size) > width else line)
        return broken


def write_fonts(folder: Path, used: Mapping[FontFile, str]) -> dict[FontFile, Path]:
    """Return a TrueType file of each font with the characters that it draws.

    Matplotlib cuts TrueType down by itself; other fonts are redrawn, usual letters once for all.
    """
    written = {}
    for font, characters in used.items():
        if font.path.suffix == ".ttf":
            written[font] = font.path
            continue
        rare = "".join(sorted(set(characters) - set(USUAL)))
        written[font] = folder / f"letters{len(written)}.ttf"
        written[font].write_bytes(_redrawn(font, rare))
    return written


@lru_cache(maxsize=16)
def _redrawn(font: FontFile, rare: str) -> bytes:
    return truetype_subset(font, [USUAL, rare])


def _trimmed(words: Sequence[Run]) -> Line:
    if not words:
        return ()
    return (*words[:-1], replace(words[-1], text=words[-1].text.rstrip()))


def _bold(font: FontFile) -> FontFile:
    """The bold font beside a regular one; the same where there is none."""
    name = font.path.name
    for plain, bold in (("-Regular", "-Bold"), ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")):
        beside = font.path.with_name(name.replace(plain, bold))
        if plain in name and beside.is_file():
            return FontFile(beside, font.index)
    return font
