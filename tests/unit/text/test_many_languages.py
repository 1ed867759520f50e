"""Texts in more than two languages: their pairs are texts of two, and those are what they were."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import TextError
from isogloss.text.parallel import GoldAlignment, ParallelText

CODES = ("en", "de", "fr", "th", "sw")
CELLS = st.text("ab ก", max_size=3).map(str.strip)


@st.composite
def texts(draw) -> ParallelText:
    """Two to five languages, up to six rows, any cell empty."""
    languages = draw(st.permutations(CODES))[: draw(st.integers(2, 5))]
    rows = draw(st.integers(0, 6))
    side = st.lists(CELLS, min_size=rows, max_size=rows)
    topics = draw(st.none() | st.lists(st.sampled_from("xyz"), min_size=rows, max_size=rows))
    return ParallelText.of_sides(
        "drawn",
        languages,
        [draw(side) for _ in languages],
        topics=None if topics is None else tuple(topics),
    )


@given(texts(), st.data())
def test_a_pair_is_the_text_of_its_two_sides(text, data):
    first, second = data.draw(st.permutations(text.languages))[:2]
    cells = zip(text.side(text.side_of(first)), text.side(text.side_of(second)), strict=True)
    rows = [(row, a, b) for row, (a, b) in enumerate(cells) if a and b]
    plain = ParallelText(
        "plain",
        (first, second),
        tuple(a for _, a, _ in rows),
        tuple(b for _, _, b in rows),
        topics=text.topics and tuple(text.topics[row] for row, _, _ in rows),
    )
    assert replace(text.pair(first, second), name="plain") == plain
    assert text.pair(first, second).content_hash == plain.content_hash


@given(texts())
def test_what_is_left_out_or_changed_changes_the_hash(text):
    kept = text.select(range(len(text)))
    assert kept == text
    assert kept.content_hash == text.content_hash
    if len(text):
        assert text.select(range(len(text) - 1)).content_hash != text.content_hash
        changed = (*text.source[:-1], text.source[-1] + "!")
        assert replace(text, source=changed).content_hash != text.content_hash
    if text.more:
        fewer = replace(text, languages=text.languages[:-1], more=text.more[:-1])
        assert fewer.content_hash != text.content_hash


def test_texts_of_two_full_sides_keep_the_hash_they_had_in_0_3_0(bitext):
    assert bitext.content_hash == "e07c72f4eaa75d0aef32ed434d3b628cec381a7e8136ed068c87768a6e10656f"
    plain = ParallelText("two", ("en", "de"), ("Yes.", "No."), ("Ja.", "Nein."), topics=("a", "b"))
    assert plain.content_hash == "942bd10760ba829e52e25b51523f47b3e5b7c90a28142d07e4bcab33e31846ae"
    assert bitext.pair("en", "zh") is bitext


def test_links_by_hand_stay_with_the_first_two_whichever_way_round():
    links = GoldAlignment(frozenset({(0, 1)}), frozenset({(0, 1), (1, 0)}))
    text = ParallelText(
        "three",
        ("en", "de", "fr"),
        ("green tea", "yes"),
        ("Tee grüner", "ja"),
        gold=(links, None),
        words=((("green", "tea"), ("Tee", "grüner"), ("thé", "vert")), None),
        more=(("thé vert", "oui"),),
    )
    assert text.pair("en", "de").gold == (links, None)
    turned = text.pair("de", "en")
    assert turned.gold == (
        GoldAlignment(frozenset({(1, 0)}), frozenset({(1, 0), (0, 1)})),
        None,
    )
    assert turned.words == ((("Tee", "grüner"), ("green", "tea")), None)
    other = text.pair("fr", "en")
    assert other.gold is None
    assert other.words == ((("thé", "vert"), ("green", "tea")), None)


def test_what_is_no_text_of_many_languages_is_said():
    sides = [("a", "b")] * 3
    with pytest.raises(TextError, match="has the language de twice"):
        ParallelText.of_sides("t", ("en", "de", "de"), sides)
    with pytest.raises(TextError, match="names 2 languages but has 3 sides"):
        ParallelText.of_sides("t", ("en", "de"), sides)
    with pytest.raises(TextError, match="2 source sentences but 1 in fr"):
        ParallelText.of_sides("t", ("en", "de", "fr"), [*sides[:2], ("a",)])
    with pytest.raises(TextError, match="has one side"):
        ParallelText.of_sides("t", ("en",), sides[:1])
    with pytest.raises(TextError, match="31 languages, over the limit of 30"):
        ParallelText.of_sides("t", [f"x{number}" for number in range(31)], [("a",)] * 31)
    three = ParallelText.of_sides("t", ("en", "de", "fr"), sides)
    with pytest.raises(TextError, match="t has no sw; it is in en, de, fr"):
        three.pair("en", "sw")
    with pytest.raises(TextError, match="not of en with itself"):
        three.pair("en", "en")


def test_statistics_count_the_sentences_that_are_there():
    text = ParallelText.of_sides(
        "t", ("en", "de", "fr"), [("a", "b", ""), ("c", "", ""), ("", "", "")]
    )
    statistics = text.statistics()
    assert [(side.language, side.sentences) for side in statistics.sides] == [
        ("en", 2),
        ("de", 1),
        ("fr", 0),
    ]
    assert statistics.sides[2].words.maximum == 0
