"""The bundled text in sixteen languages keeps what its README promises."""

import csv
import unicodedata
from collections import Counter
from itertools import combinations
from pathlib import Path

import isogloss.errors
from isogloss.text.readers.languages import language_code

TEXT = Path(isogloss.errors.__file__).parent / "bundled/texts/everyday.16-languages.tsv"
CODES = [
    "en",
    "zh",
    "de",
    "fr",
    "es",
    "ru",
    "bg",
    "el",
    "ar",
    "hi",
    "ja",
    "ko",
    "sw",
    "th",
    "tr",
    "vi",
]
SCRIPTS = {
    "zh": ("CJK",),
    "ru": ("CYRILLIC",),
    "bg": ("CYRILLIC",),
    "el": ("GREEK",),
    "ar": ("ARABIC",),
    "hi": ("DEVANAGARI",),
    "ja": ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"),
    "ko": ("HANGUL",),
    "th": ("THAI",),
}


def columns() -> dict[str, list[str]]:
    """Every column by its head."""
    with TEXT.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def test_it_has_sixteen_languages_and_eight_topics_of_five() -> None:
    found = columns()
    assert list(found) == [*CODES, "topic"]
    assert [language_code(code) for code in CODES] == CODES
    assert set(Counter(found["topic"]).values()) == {5}
    assert len(set(found["topic"])) == 8


def test_fields_are_full_clean_and_composed() -> None:
    assert b"\r" not in TEXT.read_bytes()
    for code, sentences in columns().items():
        for sentence in sentences:
            assert sentence == sentence.strip() != "", (code, sentence)
            assert "  " not in sentence
            assert unicodedata.is_normalized("NFC", sentence) or code == "hi", (code, sentence)


def test_each_language_is_in_its_script() -> None:
    for code, sentences in columns().items():
        if code == "topic":
            continue
        letters = [char for char in "".join(sentences) if char.isalpha()]
        scripts = {unicodedata.name(char).split()[0] for char in letters}
        assert scripts <= set(SCRIPTS.get(code, ("LATIN",))), (code, scripts)


def test_no_sentence_is_there_twice_and_no_figure_gives_a_translation_away() -> None:
    found = columns()
    sentences = [sentence for code in CODES for sentence in found[code]]
    assert len(set(sentences)) == 16 * 40
    assert not any(char.isdigit() for char in "".join(sentences))


def test_translations_share_next_to_no_long_words() -> None:
    """What a picture shows must be meaning and not spelling."""
    found = columns()

    def shared(first: str, second: str) -> int:
        return sum(
            len({word for word in one.casefold().split() if len(word) > 5} & set(other.split()))
            for one, other in zip(found[first], found[second], strict=True)
        )

    assert sum(shared(a, b) for a, b in combinations(CODES, 2)) <= 10
