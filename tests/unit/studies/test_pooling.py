"""Pooling: words, characters, tokens and sentences as vectors, against loops over the rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import IsoglossError
from isogloss.models.tokens import words_of
from isogloss.studies import pooling
from isogloss.studies.extraction import extract
from isogloss.studies.pooling import STUDY_POOLINGS, point_table, point_vectors, sentence_vectors
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText


@pytest.fixture
def study(model, bitext, store) -> Study:
    return Study(extract(model, bitext, store))


def states_of(study: Study, layer: int) -> np.ndarray:
    """The model's own states, which stored ones are only after scaling."""
    return study.scale * study.entry.layer(layer).astype(np.float64)


def brute_force(study: Study, layer: int, side: int, sentence: int, how: str) -> np.ndarray:
    tokens, states = study.tokens, states_of(study, layer)
    mine = [
        row
        for row in range(len(tokens))
        if tokens.side[row] == side and tokens.sentence[row] == sentence
    ]
    if how == "first":
        return states[mine[0]]
    ordinary = [states[row] for row in mine if not tokens.special[row]]
    if how == "last":
        return ordinary[-1]
    if how == "weighted":
        return np.average(ordinary, axis=0, weights=range(1, len(ordinary) + 1))
    return np.max(ordinary, axis=0) if how == "max" else np.mean(ordinary, axis=0)


@pytest.mark.parametrize("how", STUDY_POOLINGS)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("rows_at_a_time", [1, 20, 16_384])
def test_sentences_are_pooled_as_by_hand(study, bitext, how, side, rows_at_a_time, monkeypatch):
    monkeypatch.setattr(pooling, "_ROWS_AT_A_TIME", rows_at_a_time)
    for layer in (0, study.n_layers):
        vectors = sentence_vectors(study, layer, side, how)
        assert vectors.dtype == np.float32
        expected = [brute_force(study, layer, side, number, how) for number in range(len(bitext))]
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_an_unknown_pooling_is_refused(study):
    with pytest.raises(IsoglossError, match="choose one of mean, weighted, max, first, last"):
        sentence_vectors(study, 0, 0, "median")


@pytest.mark.parametrize("text", ["\u200b", " "])
@pytest.mark.parametrize("how", STUDY_POOLINGS)
def test_a_sentence_without_ordinary_tokens_is_zero(encoder, store, text, how):
    """Even as the last of its side, where it could be overlooked."""
    bitext = ParallelText("odd", ("en", "zh"), (text, "Yes.", text), ("是。", text, text))
    study = Study(extract(encoder, bitext, store))
    for side, empty in ((0, [0, 2]), (1, [1, 2])):
        vectors = sentence_vectors(study, 1, side, how)
        assert vectors.shape == (3, encoder.width)
        assert np.isfinite(vectors).all()
        is_zero = ~vectors.any(axis=1)
        assert np.flatnonzero(is_zero).tolist() == ([] if how == "first" else empty)
    assert set(point_table(study).sentence[point_table(study).side == 0]) == {1}


def test_no_sentence_has_ordinary_tokens(encoder, store):
    bitext = ParallelText("odd", ("en", "zh"), ("\u200b",), ("\u200b",))
    study = Study(extract(encoder, bitext, store))
    assert not sentence_vectors(study, 0, 0).any()
    with pytest.raises(IsoglossError, match="choose others"):
        point_table(study)


@pytest.mark.parametrize("unit", ["word", "character"])
def test_words_and_characters_are_means_of_the_tokens_they_touch(study, bitext, unit):
    table = point_table(study, unit)
    vectors = point_vectors(study, 2, table)
    tokens, states = study.tokens, states_of(study, 2)
    expected_points = [
        (side, number, index, word)
        for side in (0, 1)
        for number in range(len(bitext))
        for index, word in enumerate(words_of(bitext, number, side, unit))
    ]
    assert len(table) == len(vectors) == len(expected_points)
    for point, (side, number, index, word) in enumerate(expected_points):
        assert (table.side[point], table.sentence[point]) == (side, number)
        assert (table.index[point], table.text[point]) == (index, word.text)
        assert tuple(table.spans[point]) == (word.start, word.end)
        touching = [
            states[row]
            for row in range(len(tokens))
            if (tokens.side[row], tokens.sentence[row]) == (side, number)
            and tokens.start[row] < word.end
            and word.start < tokens.end[row]
        ]
        np.testing.assert_allclose(vectors[point], np.mean(touching, axis=0), atol=1e-5)


def test_tokens_are_the_rows_that_are_not_special(study):
    table = point_table(study, "token")
    ordinary = np.flatnonzero(~study.tokens.special)
    assert table.rows.tolist() == [[row, row + 1] for row in ordinary]
    assert table.text.tolist() == study.tokens.text[ordinary].tolist()
    np.testing.assert_array_equal(
        point_vectors(study, 1, table), states_of(study, 1)[ordinary].astype(np.float32)
    )


def test_only_chosen_sentences_have_points(study):
    table = point_table(study, "word", np.array([7, 2, 2]))
    assert np.unique(table.sentence).tolist() == [2, 7]
    everything = point_table(study, "word")
    chosen = np.isin(everything.sentence, [2, 7])
    assert table.text.tolist() == everything.text[chosen].tolist()
    assert table.rows.tolist() == everything.rows[chosen].tolist()


def test_punctuation_can_be_left_out_without_renumbering_words(study):
    table = point_table(study, "word", np.array([4]), punctuation=False)
    english = table.side == 0
    assert "," not in table.text
    assert table.text[english].tolist()[-3:] == ["but", "she", "does"]
    assert table.index[english].tolist()[-3:] == [6, 7, 8]


def test_words_cut_off_have_no_point_but_keep_their_number(encoder, bitext, store):
    study = Study(extract(replace(encoder, max_tokens=8), bitext, store))
    table = point_table(study, "word", np.array([7]))
    assert table.index[table.side == 0].tolist() == list(range((table.side == 0).sum()))
    assert len(table) < sum(len(words_of(bitext, 7, side)) for side in (0, 1))


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)), max_size=30),
    st.integers(1, 12),
    st.sampled_from(["mean", "max"]),
)
def test_any_ranges_are_pooled_as_by_hand(ranges, rows_at_a_time, how):
    states = np.random.default_rng(1).standard_normal((26, 3)).astype(np.float32)
    bounds = np.array([(first, first + count) for first, count in ranges], np.int64).reshape(-1, 2)
    expected = [
        getattr(states[first:last], how)(axis=0) if last > first else np.zeros(3)
        for first, last in bounds
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pooling, "_ROWS_AT_A_TIME", rows_at_a_time)
        found = pooling.pool_rows(states, bounds, how)
    np.testing.assert_allclose(found, np.reshape(expected, (-1, 3)), atol=1e-6)
