"""Linked points: who is nearest, in full and in the picture, against brute force."""

import numpy as np
import pytest

from isogloss.measures import linked_points
from isogloss.measures.linked_points import (
    chance_nearest,
    each_others_nearest,
    length_of_links,
    linked_shares,
    partner_ranks,
    seen_in_picture,
)


def test_what_is_seen_in_the_picture_equals_brute_force():
    rng = np.random.default_rng(3)
    side = np.repeat([0, 1], 15)
    places = rng.normal(size=(2, 30, 2))
    pairs = np.stack([np.arange(15), 15 + np.arange(15)], axis=1)
    for layer, found in enumerate(seen_in_picture(places, side, pairs)):
        hits = []
        for a, b in pairs.tolist():
            for point, partner in ((a, b), (b, a)):
                distance = np.linalg.norm(places[layer] - places[layer, point], axis=1)
                others = np.flatnonzero(side != side[point])
                hits.append(others[distance[others].argmin()] == partner)
        assert found == pytest.approx(np.mean(hits))
    assert seen_in_picture(places, side, np.empty((0, 2), int)).tolist() == [0, 0]


def test_equals_in_the_picture_share_the_chance_and_several_partners_count_as_one():
    # A word on its partner, on which another of that language lies too; and one between its two.
    places = np.array([[[0, 0], [5, 0], [0, 0], [0, 0], [4, 0], [6, 0]]], float)
    side = np.array([0, 0, 1, 1, 1, 1])
    pairs = np.array([[0, 2], [1, 4], [1, 5]])
    # 0 finds 2 or 3 alike; 1 finds either partner; 2, 4 and 5 find theirs.
    assert seen_in_picture(places, side, pairs)[0] == pytest.approx((0.5 + 1 + 1 + 1 + 1) / 5)


def test_ranks_are_the_same_however_many_pairs_are_compared_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(60, 7)).astype(np.float32)
    side = np.repeat([0, 1], 30)
    pairs = np.stack([rng.integers(0, 30, 40), rng.integers(30, 60, 40)], axis=1)
    at_once = partner_ranks(vectors, side, pairs)
    monkeypatch.setattr(linked_points, "MOST_PRODUCTS", 100)
    in_parts = partner_ranks(vectors, side, pairs)
    np.testing.assert_array_equal(at_once.better, in_parts.better)
    np.testing.assert_array_equal(at_once.tied, in_parts.tied)


def test_chance_is_what_a_random_nearest_would_give():
    side = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    pairs = np.array([[0, 3], [0, 4], [1, 5], [2, 7]])
    partners = [{3, 4}, {5}, {7}, {0}, {0}, {1}, set(), {2}]
    rng = np.random.default_rng(0)
    linked = [point for point, mine in enumerate(partners) if mine]
    hits = [
        np.mean([rng.choice(np.flatnonzero(side != side[p])) in partners[p] for p in linked])
        for _ in range(4000)
    ]
    assert chance_nearest(side, pairs) == pytest.approx(np.mean(hits), abs=0.01)
    assert chance_nearest(side, np.empty((0, 2), int)) == 0


def test_who_is_nearest_both_ways_is_found_in_parts_too(monkeypatch):
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(40, 6))
    side = rng.permutation(np.repeat([0, 1], [25, 15]))
    first, second = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
    products = vectors[first] @ vectors[second].T
    expected = [
        (int(first[i]), int(second[j]))
        for i, j in enumerate(products.argmax(axis=1))
        if products[:, j].argmax() == i
    ]
    assert each_others_nearest(vectors, side).tolist() == [list(pair) for pair in expected]
    monkeypatch.setattr(linked_points, "MOST_PRODUCTS", 30)
    assert each_others_nearest(vectors, side).tolist() == [list(pair) for pair in expected]
    assert each_others_nearest(vectors, np.zeros(40, int)).shape == (0, 2)


def test_a_share_of_each_side_is_linked_and_lengths_are_of_the_picture():
    side = np.array([0, 0, 0, 1, 1])
    assert linked_shares(side, np.array([[0, 3], [1, 3]])) == (2 / 3, 1 / 2)
    square = np.array([[[0, 0], [0, 2], [2, 0], [2, 2]]], float)
    found = length_of_links(square, np.array([[0, 1]]))
    assert found == pytest.approx([2 / np.sqrt(2 * 2)])
    assert length_of_links(9 * square, np.array([[0, 1]])) == pytest.approx(found)
