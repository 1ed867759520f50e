"""Words as spans of a sentence, so that points can be words in any model's tokenisation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from isogloss.errors import TextError

if TYPE_CHECKING:
    from regex import Pattern

Unit = Literal["word", "character"]
Cut = Callable[[str], Iterable[str]]
"""Takes text without spaces, gives its words."""

CHINESE = frozenset({"zh", "zho", "chi", "cmn", "yue", "wuu", "lzh"})
JAPANESE = frozenset({"ja", "jpn"})
SOUTHEAST_ASIAN = {
    **dict.fromkeys(("th", "tha"), "th"),
    **dict.fromkeys(("lo", "lao"), "lo"),
    **dict.fromkeys(("km", "khm"), "km"),
    **dict.fromkeys(("my", "mya", "bur"), "my"),
}
"""Codes of Thai, Lao, Khmer and Burmese, and what ICU calls them."""
UNSPACED_LANGUAGES = CHINESE | JAPANESE | SOUTHEAST_ASIAN.keys()
CUT_ANEW = JAPANESE | SOUTHEAST_ASIAN.keys()
"""Languages that were cut into characters before, so that older answers count other words."""

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
    hyphens inside it ("don't", "well-known") and points inside numbers ("3.14") stay. Text without
    spaces is cut by what knows the language: Chinese by jieba's dictionary, simplified words best;
    Japanese by Lindera with the dictionary IPADIC, whose words are short (食べ, まし, た);
    Thai, Lao, Khmer and Burmese by the dictionaries of ICU. If `unit` is "character", or the
    language is another, each character stands alone. Runs of Latin letters in it stay whole.
    """
    if unit not in ("word", "character"):
        raise TextError(f"The unit {unit!r} is not known; choose word or character.")
    cut = _cutter(language) if unit == "word" else _characters
    words: list[Word] = []
    for match in _patterns()[0].finditer(text):
        start, end = match.span()
        for piece in cut(match[0]) if match.lastgroup == "unspaced" else [match[0]]:
            end = start + len(piece)
            words.append(Word(piece, start, end))
            start = end
    return tuple(word for word in words if not word.text.isspace())


def primary(language: str) -> str:
    """The code of a language without script and region: zh of zh-Hant."""
    return language.split("-")[0].lower()


def locate(tokens: Sequence[str], text: str) -> tuple[Word, ...]:
    """The spans of given tokens, which must spell `text` in order, white space aside."""
    words: list[Word] = []
    position = 0
    for number, token in enumerate(tokens, start=1):
        # A token may itself begin with a wide space, so that is tried before skipping one.
        while not text.startswith(token, position) and text[position : position + 1].isspace():
            position += 1
        if not text.startswith(token, position):
            raise TextError(f"word {number} is not what the text has at character {position + 1}")
        words.append(Word(token, position, position + len(token)))
        position += len(token)
    if text[position:].strip():
        raise TextError(f"the text goes on at character {position + 1}, after the last word")
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


def _cutter(language: str) -> Cut:
    """What cuts text without spaces in a language."""
    code = primary(language)
    if code in CHINESE:
        return _jieba()
    if code in JAPANESE:
        return _lindera()
    return _icu(SOUTHEAST_ASIAN[code]) if code in SOUTHEAST_ASIAN else _characters


@cache
def _jieba() -> Cut:
    from rjieba import Jieba

    cut: Cut = Jieba().cut
    return cut


@cache
def _lindera() -> Cut:
    from lindera import TokenizerBuilder

    builder = TokenizerBuilder()
    builder.set_mode("normal")
    builder.set_dictionary("embedded://ipadic")
    tokenize = builder.build().tokenize
    return lambda text: (token.surface for token in tokenize(text))


@cache
def _icu(language: str) -> Cut:
    from icu4py.breakers import WordBreaker

    return lambda text: WordBreaker(text, language)
