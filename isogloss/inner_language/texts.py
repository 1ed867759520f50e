"""The bundled sentences in the languages of the word list: for gaps, and for means of languages."""

from __future__ import annotations

from functools import cache

from isogloss.errors import IsoglossError
from isogloss.text.concepts import NAMES
from isogloss.text.language_names import language_name
from isogloss.text.reading import bundled_texts, load_bundled

MANY_LANGUAGES = "everyday.16-languages"
WORDS_ALONE = "parallel-words"


@cache
def _many_languages() -> dict[str, tuple[str, ...]]:
    """The sentences of the text in sixteen languages, row by row the same."""
    text = load_bundled(MANY_LANGUAGES)
    found = dict(zip(text.languages, text.sides, strict=True))
    return {code: found[code] for code in NAMES if code in found}


@cache
def sentence_pairs(first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Sentences of two languages that translate each other."""
    many = _many_languages()
    for code in (first, second):
        if code not in many:
            known = ", ".join(map(language_name, many))
            raise IsoglossError(f"No bundled text has {language_name(code)}: choose among {known}.")
    pairs = list(zip(many[first], many[second], strict=True))
    for bundled in bundled_texts():
        if {first, second} == set(bundled.languages) and WORDS_ALONE not in bundled.name:
            text = load_bundled(bundled.name)
            sides = (text.side(text.side_of(code)) for code in (first, second))
            pairs += zip(*sides, strict=True)
    return tuple(pairs)


@cache
def sentences_in(language: str) -> tuple[str, ...]:
    """All bundled sentences in a language, each once."""
    found = dict.fromkeys(_many_languages().get(language, ()))
    for bundled in bundled_texts():
        if language in bundled.languages and WORDS_ALONE not in bundled.name:
            text = load_bundled(bundled.name)
            found |= dict.fromkeys(text.side(text.side_of(language)))
    return tuple(found)
