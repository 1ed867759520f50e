"""The bundled texts (news, words, Dutch, German, sentence similarity) keep their promises."""

import csv
import math
import re
from collections import Counter
from pathlib import Path

import pytest

import isogloss.errors

BUNDLED = Path(isogloss.errors.__file__).parent / "bundled"
NEWS = "texts/news.en-zh.tsv"
WORDS = "texts/parallel-words.en-zh.tsv"
DUTCH = "texts/everyday.en-nl.tsv"
GERMAN = "texts/everyday.en-de.tsv"
STS_ENGLISH = "sts/sts.en.tsv"
STS_CHINESE = "sts/sts.zh.tsv"
ALIGNMENT = ["en_words", "zh_words", "alignment"]
"""Columns that are empty but for pairs aligned by hand: see test_bundled_news.py."""

TEXTS = [(NEWS, "zh", 84), (WORDS, "zh", 216), (DUTCH, "nl", 66), (GERMAN, "de", 66)]
STS = [STS_ENGLISH, STS_CHINESE]
EVERY_FILE = [name for name, _, _ in TEXTS] + STS

TOPICS = {
    NEWS: ({"economy", "science", "weather", "culture", "sport", "city"}, 14),
    DUTCH: ({"home", "food", "travel", "work", "nature", "people"}, 11),
    GERMAN: ({"home", "food", "travel", "work", "nature", "people"}, 11),
    WORDS: (
        {
            "numbers",
            "colours",
            "animals",
            "kinship",
            "body",
            "food",
            "verbs",
            "adjectives",
            "time",
            "places",
            "function words",
        },
        15,
    ),
}

IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
HALFWIDTH_PUNCTUATION = re.compile(r"[,.;:?!()'\"]")


def table(name: str) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of one bundled file."""
    with (BUNDLED / name).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return header, rows


def columns(name: str) -> list[list[str]]:
    """The columns of one bundled file, without its header."""
    return [list(column) for column in zip(*(row[:3] for row in table(name)[1]), strict=True)]


def chinese_sentences() -> list[str]:
    """Every Chinese sentence of the files that hold whole sentences."""
    first, second, _ = columns(STS_CHINESE)
    return columns(NEWS)[1] + first + second


def english_sentences() -> list[str]:
    """Every English sentence of the files that hold whole sentences."""
    first, second, _ = columns(STS_ENGLISH)
    return columns(NEWS)[0] + columns(DUTCH)[0] + first + second


@pytest.mark.parametrize("name", EVERY_FILE)
def test_fields_are_clean_and_full(name: str) -> None:
    header, rows = table(name)
    for row in rows:
        assert len(row) == len(header), row
        for field, column in zip(row, header, strict=True):
            assert field or column in ALIGNMENT, row
            assert field == field.strip(), row
            assert '"' not in field, row
            assert "  " not in field, row


@pytest.mark.parametrize("name", EVERY_FILE)
def test_lines_end_plainly(name: str) -> None:
    data = (BUNDLED / name).read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert data.endswith(b"\n")


@pytest.mark.parametrize(("name", "language", "at_least"), TEXTS)
def test_texts_have_their_columns_and_size(name: str, language: str, at_least: int) -> None:
    header, rows = table(name)
    assert header[:3] == ["en", language, "topic"]
    assert header[3:] == (ALIGNMENT if name == NEWS else [])
    assert len(rows) >= at_least


@pytest.mark.parametrize("name", TOPICS)
def test_topics_are_the_promised_ones_and_filled(name: str) -> None:
    topics, at_least = TOPICS[name]
    counts = Counter(columns(name)[2])
    assert set(counts) == topics
    assert min(counts.values()) >= at_least


@pytest.mark.parametrize("name", TOPICS)
def test_no_side_repeats_itself(name: str) -> None:
    source, target, _ = columns(name)
    for side in (source, target):
        repeated = [text for text, n in Counter(map(str.casefold, side)).items() if n > 1]
        assert not repeated


def test_news_sentences_are_long() -> None:
    english, chinese, _ = columns(NEWS)
    for source, target in zip(english, chinese, strict=True):
        assert 18 <= len(source.split()) <= 40, source
        assert 25 <= len(IDEOGRAPH.findall(target)) <= 80, target


def test_words_are_words() -> None:
    english, chinese, _ = columns(WORDS)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z -]*", word) for word in english)
    assert all(re.fullmatch(r"[\u4e00-\u9fff]{1,4}", word) for word in chinese)


@pytest.mark.parametrize("name", STS)
def test_similarity_sets_have_their_columns_and_size(name: str) -> None:
    header, rows = table(name)
    assert header == ["sentence1", "sentence2", "score"]
    assert len(rows) >= 120


def test_similarity_sets_are_parallel() -> None:
    assert columns(STS_ENGLISH)[2] == columns(STS_CHINESE)[2]


def test_similarity_scores_use_the_whole_scale() -> None:
    scores = [float(score) for score in columns(STS_ENGLISH)[2]]
    assert all(0 <= score <= 5 and (2 * score).is_integer() for score in scores)
    units = Counter(math.floor(score) for score in scores)
    assert set(units) == set(range(6))
    assert min(units.values()) >= 15


@pytest.mark.parametrize("name", STS)
def test_similarity_sentences_occur_once(name: str) -> None:
    first, second, _ = columns(name)
    repeated = [text for text, n in Counter(first + second).items() if n > 1]
    assert not repeated


@pytest.mark.parametrize("name", STS)
def test_word_overlap_does_not_give_the_score_away(name: str) -> None:
    """Some unlike pairs overlap more than half, some equivalent pairs hardly at all."""

    def units(text: str) -> set[str]:
        return set(re.findall(r"[a-z']+|[\u4e00-\u9fff]", text.lower()))

    first, second, scores = columns(name)
    overlaps = [
        (len(units(a) & units(b)) / len(units(a) | units(b)), float(score))
        for a, b, score in zip(first, second, scores, strict=True)
    ]
    assert sum(overlap > 0.5 and score < 3 for overlap, score in overlaps) >= 5
    assert sum(overlap < 0.25 and score >= 4 for overlap, score in overlaps) >= 5


def test_chinese_is_simplified() -> None:
    """GB 2312 holds no traditional-only forms, so each ideograph must be encodable in it."""
    for text in chinese_sentences() + columns(WORDS)[1]:
        for character in IDEOGRAPH.findall(text):
            try:
                character.encode("gb2312")
            except UnicodeEncodeError:
                pytest.fail(f"{character} in {text}")


def test_chinese_punctuation_is_fullwidth() -> None:
    for text in chinese_sentences():
        assert not HALFWIDTH_PUNCTUATION.search(text), text
        assert " " not in text, text
        assert text.endswith(("。", "？", "！")), text


def test_spaced_sentences_end_like_sentences() -> None:
    for text in english_sentences() + columns(DUTCH)[1]:
        assert text[0].isupper(), text
        assert text.endswith((".", "?", "!")), text
        assert not IDEOGRAPH.search(text), text
