"""Which language a token looks like, told by its script, and by word lists where scripts agree."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cache

import numpy as np

from isogloss.inner_language.word_tokens import script_of
from isogloss.links.lexicons import BUNDLED_DIRECTORY
from isogloss.text.concepts import NAMES, bundled_concepts

LANGUAGES = tuple(NAMES)
_BY_SCRIPT = {1: "zh", 2: "ja", 3: "ru"}
_OF_GRAMMAR = {
    "fr": "le la les du des une et est sont dans pour sur avec qui que pas ne plus ce cette il "
    "elle nous vous ils au aux ou mais très être était leur",
    "de": "der die das den dem ein eine einen und ist sind im für auf mit nicht von zu zum zur es "
    "sie wir ihr aber sehr auch sich war oder wie aus bei nach wenn",
    "es": "el la los las una y es son en para por con que no más este esta él ella nosotros al "
    "pero muy ser estar su como o se lo le del",
    "en": "the a an and is are in for on with who that not of to it she we they but very also was "
    "or as from by if this these his her their be have has had will no",
}
SHORTEST_BEGINNING = 3
"""So many letters of a word are enough where only one language's words begin like that."""


@cache
def _known() -> dict[str, frozenset[str]]:
    """Which languages with Latin letters have a word, or words that begin like this."""
    found: dict[str, set[str]] = {}
    concepts = bundled_concepts()
    for language in ("en", "fr", "de", "es"):
        for word in concepts.of(language):
            for end in range(min(SHORTEST_BEGINNING, len(word)), len(word) + 1):
                found.setdefault(word[:end].casefold(), set()).add(language)
        for word in _OF_GRAMMAR[language].split():
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


@cache
def _english() -> frozenset[str]:
    """The English words of the bundled lexicon."""
    with gzip.open(BUNDLED_DIRECTORY / "en-zh.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        return frozenset(line.split("\t", 1)[0].casefold() for line in lines)


def language_of(token: str) -> str:
    """The code of the language that a token looks like, "" where that is not known.

    Chinese characters count as Chinese, though Japanese has them, too; a word that the lists of
    two languages have counts for neither.
    """
    script = script_of(token)
    if script != 0:
        return _BY_SCRIPT.get(script, "")
    word = token.strip().removeprefix("##").casefold()
    languages = _known().get(word, frozenset())
    if len(languages) == 1:
        return next(iter(languages))
    return "en" if not languages and len(word) > 1 and word in _english() else ""


def languages_of(vocabulary: Sequence[str]) -> np.ndarray:
    """The number in LANGUAGES of every token's language, -1 where it is not known."""
    places = {code: number for number, code in enumerate(LANGUAGES)} | {"": -1}
    return np.array([places[language_of(token)] for token in vocabulary], np.int8)
