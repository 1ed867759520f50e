"""Finds fonts that can draw the texts at hand, Chinese above all, and never draws empty boxes."""

from __future__ import annotations

import shutil
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

# The package zhplot carries Noto Sans SC under the SIL Open Font Licence.
PACKAGED_FONT = ("zhplot", "fonts/NotoSansSC-Regular.ttf")
USUAL_PLACES = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "/System/Library/Fonts/STHeiti Medium.ttc",
    "C:/Windows/Fonts/msyh.ttc",
    "C:/Windows/Fonts/simhei.ttf",
)
BUNDLED_FONTS = Path(__file__).parents[2] / "bundled" / "fonts"
FONTCONFIG_SECONDS = 10
MOST_OF_A_LANGUAGE = 0.5


@dataclass(frozen=True)
class FontFile:
    """A font on disk; `index` counts the fonts of a collection."""

    path: Path
    index: int = 0

    def draws(self, text: str) -> bool:
        """Whether the font has a glyph for every character of the text."""
        return self.missing(text) == ""

    def missing(self, text: str) -> str:
        """The characters of the text that the font has no glyph for, each once, in order."""
        known = _characters(self.path, self.index)
        return "".join(c for c in dict.fromkeys(text) if not c.isspace() and ord(c) not in known)

    def at(self, size: float) -> FreeTypeFont:
        """The font at a size in pixels."""
        return _load(self.path, self.index, size)


def find_font(*groups: Sequence[str]) -> FontFile:
    """Return the first font that draws every text of every group, else the one that does best.

    Looked for in this order: the packaged font, what fontconfig names for Chinese, the usual places
    of Linux, macOS and Windows, what fontconfig names for the characters at hand. Raises when every
    font leaves out more than half of some group, which would be a whole language.
    """
    groups = tuple(group for group in groups if group)
    best, most = None, 0.0
    for font in _candidates(chain(*groups)):
        drawn = min(sum(map(font.draws, group)) / len(group) for group in groups)
        if drawn == 1:
            return font
        if drawn > most:
            best, most = font, drawn
    if best is None or most < MOST_OF_A_LANGUAGE:
        # Latin letters are in every font; what is missing is found among the others.
        example = max(chain(*groups), key=lambda text: max(map(ord, text), default=0))
        raise IsoglossError(
            f"No font here can draw “{example}”; install one that has its letters, for Chinese, "
            "Japanese and Korean with `pip install zhplot` or the Debian package fonts-noto-cjk."
        )
    return best


@dataclass(frozen=True)
class Fonts:
    """The font that everything around a map is written in, and those of each language's words."""

    main: FontFile
    of_sides: tuple[tuple[FontFile, ...], ...]

    def of(self, text: str, side: int) -> FontFile | None:
        """The font for a word of a language, None if no font here has all its letters."""
        return next((font for font in self.of_sides[side] if font.draws(text)), None)


def fonts_for(words: Sequence[Sequence[str]], lettering: Sequence[str]) -> Fonts:
    """Return fonts for the words of each language, and one for all that is written around them.

    Of the lettering everything must be there. Of two languages, most words of both must be; of
    more, a word that no font here has goes without its label. A language has one font where one
    draws all its words: the main one, else one that ships, else one of this machine.
    """
    more = list(_supplements())
    needed = []
    if len(words) <= 2:
        needed = [group for group in words if _best_share(more, group) < MOST_OF_A_LANGUAGE]
    main = find_font(*needed, lettering)
    for text in lettering:
        if missing := main.missing(text):
            raise IsoglossError(
                f"The font {main.path.name} cannot draw “{missing}” in “{text}”; "
                "leave it out or install a font that has it."
            )
    return Fonts(main, tuple(_ordered([main, *more], group) for group in words))


def fonts_covering(texts: Sequence[str]) -> tuple[tuple[FontFile, ...], str]:
    """Return fonts that between them draw the texts, the first most of them, and what none draws.

    Looked for in the order of `find_font`, then among those that ship.
    """
    missing = "".join(c for c in dict.fromkeys("A1" + "".join(texts)) if not c.isspace())
    chosen: list[FontFile] = []
    for font in chain(_candidates([]), _supplements()):
        missing = _take(font, chosen, missing)
        if not missing:
            return tuple(chosen), ""
    # One character of each script that is left: no single font need have them all.
    for character in missing:
        if character in missing:
            for font in _matched(_charset_pattern([character])):
                missing = _take(font, chosen, missing)
    return tuple(chosen), missing


def _take(font: FontFile, chosen: list[FontFile], missing: str) -> str:
    """Choose a font if it draws any of the missing characters; returns what is still missing."""
    left = font.missing(missing)
    if len(left) < len(missing):
        chosen.append(font)
    return left


def _ordered(fonts: Sequence[FontFile], words: Sequence[str]) -> tuple[FontFile, ...]:
    """The fonts for the words of a language, the one that draws most of them first."""
    fonts = list(fonts)
    if missing := [text for text in words if not any(font.draws(text) for font in fonts)]:
        fonts += _matched(_charset_pattern(missing))
    return tuple(sorted(fonts, key=lambda font: -_best_share([font], words)))


def _best_share(fonts: Iterable[FontFile], words: Sequence[str]) -> float:
    """Of the words of a language, the largest share that one of the fonts draws."""
    return max((sum(map(font.draws, words)) / max(len(words), 1) for font in fonts), default=0)


def printable(text: str) -> str:
    """The text without control and direction marks, on one line."""
    kept = (c for c in text if c.isspace() or not unicodedata.category(c).startswith("C"))
    return " ".join("".join(kept).split())


def wrap(text: str, font: FreeTypeFont, width: float) -> list[str]:
    """Return the text in lines no wider than `width`, broken at spaces or within a long word."""
    lines: list[str] = []
    rest = text.strip()
    while rest:
        fitting = _fitting(rest, font, width)
        space = rest.rfind(" ", 0, fitting + 1)
        cut = space if fitting < len(rest) and space > fitting // 2 else fitting
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip(" ·")
    return lines


def _fitting(text: str, font: FreeTypeFont, width: float) -> int:
    """How many letters of a text fit into a width, one at least."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(text[:middle]) <= width else (low, middle - 1)
    return low


def _candidates(texts: Iterable[str]) -> Iterator[FontFile]:
    yield from _packaged()
    yield from _matched("sans:lang=zh-cn")
    yield from (FontFile(path) for path in map(Path, USUAL_PLACES) if path.is_file())
    yield from _matched(_charset_pattern(texts))


def _supplements() -> Iterator[FontFile]:
    """Fonts for what a Chinese one leaves out: those that ship, and the one in Matplotlib."""
    yield from (FontFile(path) for path in sorted(BUNDLED_FONTS.glob("*.ttf")))
    spec = find_spec("matplotlib")
    if spec is not None and spec.origin is not None:
        yield FontFile(Path(spec.origin).parent / "mpl-data/fonts/ttf/DejaVuSans.ttf")


def _packaged() -> Iterator[FontFile]:
    package, file = PACKAGED_FONT
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / file
        if path.is_file():
            yield FontFile(path)


def _matched(pattern: str) -> Iterator[FontFile]:
    """The font that fontconfig, where there is one, prefers for a pattern."""
    command = shutil.which("fc-match")
    if command is not None:
        yield from _ask_fontconfig(command, pattern)


@lru_cache(maxsize=64)
def _ask_fontconfig(command: str, pattern: str) -> tuple[FontFile, ...]:
    answer = subprocess.run(
        [command, "--format", "%{index} %{file}", pattern],
        capture_output=True,
        text=True,
        timeout=FONTCONFIG_SECONDS,
        check=False,
    )
    index, _, file = answer.stdout.partition(" ")
    if answer.returncode or not index.isdigit() or not Path(file).is_file():
        return ()
    # The upper half of the index names an instance of a variable font.
    return (FontFile(Path(file), int(index) & 0xFFFF),)


def _charset_pattern(texts: Iterable[str]) -> str:
    """A fontconfig pattern that asks for characters beyond ASCII; 64 tell a script apart."""
    characters = sorted({c for text in texts for c in text if ord(c) > 127})
    return "sans:charset=" + " ".join(f"{ord(c):x}" for c in characters[:64])


@lru_cache(maxsize=16)
def _characters(path: Path, index: int) -> frozenset[int]:
    from fontTools.ttLib import TTFont

    with TTFont(path, fontNumber=index, lazy=True) as font:
        # Which glyphs there are matters and not their names, which take a second to read.
        font.setGlyphOrder([str(glyph) for glyph in range(font["maxp"].numGlyphs)])
        return frozenset(font.getBestCmap() or ())


@lru_cache(maxsize=64)
def _load(path: Path, index: int, size: float) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(path, size, index=index)
