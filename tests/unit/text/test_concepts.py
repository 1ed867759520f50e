"""The word list: complete, in the scripts of its languages, and no word twice."""

import unicodedata

import pytest

from isogloss.errors import TextError
from isogloss.text.concepts import NAMES, bundled_concepts

LATIN, HAN, KANA, CYRILLIC = "LATIN", "CJK", ("HIRAGANA", "KATAKANA"), "CYRILLIC"
SCRIPTS = {"en": [LATIN], "fr": [LATIN], "de": [LATIN], "es": [LATIN], "ru": [CYRILLIC],
           "zh": [HAN], "ja": [HAN, *KANA]}  # fmt: skip


def test_a_hundred_concepts_in_seven_languages():
    concepts = bundled_concepts()
    assert concepts.languages == ("en", "zh", "fr", "de", "es", "ru", "ja") == tuple(NAMES)
    assert len(concepts) >= 100
    for words in concepts.words.values():
        assert len(words) == len(concepts)


@pytest.mark.parametrize("language", SCRIPTS)
def test_words_are_written_in_their_script_and_each_stands_once(language):
    words = bundled_concepts().of(language)
    assert len({word.casefold() for word in words}) == len(words)
    for word in words:
        assert unicodedata.is_normalized("NFC", word)
        for letter in word:
            name = unicodedata.name(letter)
            assert name.startswith(tuple(SCRIPTS[language])), (word, name)


def test_no_word_is_spelt_alike_in_two_languages_of_latin_letters():
    concepts = bundled_concepts()
    for words in zip(*(concepts.of(code) for code in ("en", "fr", "de", "es")), strict=True):
        assert len({word.casefold() for word in words}) == 4, words


def test_a_language_that_is_not_there_is_named():
    with pytest.raises(TextError, match="no language sw: choose en, zh"):
        bundled_concepts().of("sw")
