"""Ranks with ties, against the mean over every order of the equals."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.measures.ranks import Ranks, rank_among
from isogloss.measures.sentence_retrieval import score_layers


def orders(scores, right):
    """The rank of the right candidate, highest score first, under every order of the equals."""
    return np.array(
        [
            sorted(order, key=lambda i: -scores[i]).index(right) + 1
            for order in permutations(range(len(scores)))
        ]
    )


@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.data())
def test_every_figure_is_the_mean_over_all_orders_of_equals(scores, data):
    right = data.draw(st.integers(0, len(scores) - 1))
    places = orders(scores, right)
    mask = np.arange(len(scores)) == right
    found = rank_among(np.array([scores], float), mask[None])
    assert found.expected()[0] == pytest.approx(places.mean())
    assert found.reciprocal()[0] == pytest.approx((1 / places).mean())
    for k in (1, 2, 5):
        assert found.within(k)[0] == pytest.approx((places <= k).mean())


def test_other_right_candidates_neither_beat_nor_tie():
    scores = np.array([[3.0, 3.0, 2.0, 3.0]])
    right = np.array([[True, True, False, False]])
    found = rank_among(scores, right)
    assert (found.better.tolist(), found.tied.tolist()) == ([0], [1])


def test_vectors_that_are_all_alike_read_exactly_what_chance_reads():
    X = np.ones((20, 4))
    found = score_layers([X], [X], "cosine")
    np.testing.assert_allclose(found.values[0], np.stack([found.chance] * 2))


def test_identical_twins_share_the_first_place():
    Y = np.repeat(np.eye(6)[::2], 2, axis=0)  # every row has one identical twin
    found = score_layers([Y], [Y], "cosine")
    assert found.values[0, 0, 0] == pytest.approx(0.5)
    assert Ranks(np.array([0]), np.array([1])).expected()[0] == 1.5
