"""Words as spans of a sentence, so that points can be words in any model's tokenisation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from isogloss.errors import CorpusError

if TYPE_CHECKING:
    from regex import Pattern
    from rjieba import Jieba

Unit = Literal["word", "character"]

# Languages whose Han text the segmenter knows; in all others Han characters stand alone.
SEGMENTED_LANGUAGES = frozenset({"zh", "zho", "chi", "cmn", "yue", "wuu", "lzh"})

# Scripts written without spaces between words.
UNSPACED_SCRIPTS = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")


@dataclass(frozen=True)
class Word:
    """A word and where it stands: `text` is the sentence's characters from `start` to `end`."""

    text: str
    start: int
    end: int


def segment(text: str, language: str, unit: Unit = "word") -> tuple[Word, ...]:
    """The words of `text` in order; together they cover all of it but white space.

    In spaced scripts a word runs between spaces with punctuation split off; apostrophes and
    hyphens inside it ("don't", "well-known") and points inside numbers ("3.14") stay. Chinese is
    cut by jieba's dictionary, which knows simplified words best, or into characters if `unit` is
    "character". Other unspaced scripts (Japanese, Thai, Lao, Khmer, Burmese) have no segmenter
    here and are cut into characters either way. Runs of Latin letters in them stay whole.
    """
    if unit not in ("word", "character"):
        raise CorpusError(f"The unit {unit!r} is not known; choose word or character.")
    use_segmenter = unit == "word" and language.split("-")[0].lower() in SEGMENTED_LANGUAGES
    words: list[Word] = []
    for match in _patterns()[0].finditer(text):
        start, end = match.span()
        if match.lastgroup != "unspaced":
            pieces = iter([match[0]])
        elif use_segmenter:
            pieces = iter(_segmenter().cut(match[0]))
        else:
            pieces = _characters(match[0])
        for piece in pieces:
            end = start + len(piece)
            words.append(Word(piece, start, end))
            start = end
    return tuple(word for word in words if not word.text.isspace())


def locate(tokens: Sequence[str], text: str) -> tuple[Word, ...]:
    """The spans of given tokens, which must spell `text` in order, white space aside."""
    words: list[Word] = []
    position = 0
    for number, token in enumerate(tokens, start=1):
        # A token may itself begin with a wide space, so that is tried before skipping one.
        while not text.startswith(token, position) and text[position : position + 1].isspace():
            position += 1
        if not text.startswith(token, position):
            raise CorpusError(f"word {number} is not what the text has at character {position + 1}")
        words.append(Word(token, position, position + len(token)))
        position += len(token)
    if text[position:].strip():
        raise CorpusError(f"the text goes on at character {position + 1}, after the last word")
    return tuple(words)


def _characters(text: str) -> Iterator[str]:
    """Characters as a reader sees them, with the marks that belong to them."""
    return (match[0] for match in _patterns()[1].finditer(text))


@cache
def _patterns() -> "tuple[Pattern[str], Pattern[str]]":
    """The pieces of a sentence, and what a character is; only regex knows scripts and marks."""
    import regex

    scripts = "".join(rf"\p{{Script_Extensions={script}}}" for script in UNSPACED_SCRIPTS)
    unspaced = rf"[[\p{{L}}\p{{N}}\p{{M}}]&&[{scripts}]&&[^\p{{Script=Inherited}}]]"
    letter = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{unspaced}]"
    pattern = regex.compile(
        rf"""
        (?P<unspaced>(?:{unspaced}\p{{Script=Inherited}}*)+)
        | (?P<abbreviation>(?<!{letter})(?:\p{{L}}\.){{2,}})
        | (?P<word>{letter}+
            (?:(?:['’\-‐‑·\u00ad\u200c\u200d]|(?<=\p{{N}})[.,:](?=\p{{N}})){letter}+)*)
        | (?P<mark>\p{{P}})(?P=mark)*
        | (?P<other>(?=\S)\X)
        """,
        regex.VERBOSE | regex.VERSION1,
    )
    return pattern, regex.compile(r"\X")


@cache
def _segmenter() -> "Jieba":
    from rjieba import Jieba

    return Jieba()
