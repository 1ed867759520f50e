"""MEXA, mutual nearest neighbours and CKNNA: closed forms, ties, and what they must not see."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.measures.similarity.comparison import agreements, compare
from isogloss.measures.similarity.neighbourhoods import mutual_neighbours, nearest_graph
from isogloss.measures.stacks import centre_directions


def rotation(width: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))[0]


def sides(rows: int = 60, width: int = 12) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    X = generator.normal(size=(rows, width)) + 1
    return X, X + generator.normal(size=X.shape)


def test_mexa_counts_a_pair_only_if_neither_side_prefers_another() -> None:
    # Row 0 prefers its own translation, but that is nearer to row 1: lost for both.
    angles_x, angles_y = np.radians([0, 20, 90, 180]), np.radians([12, 40, 92, 181])
    X, Y = (np.stack([np.cos(t), np.sin(t)], axis=1) for t in (angles_x, angles_y))
    np.testing.assert_array_equal(agreements(X, Y, "mexa"), [0, 0, 1, 1])
    assert compare(X, Y, "mexa").value == 0.5


def test_mexa_counts_ties_against_the_pair() -> None:
    X = np.repeat(np.eye(4), 2, axis=0)
    assert compare(X, X, "mexa").value == 0
    assert compare(X[::2], X[::2], "mexa").value == 1


def test_mexa_falls_with_more_sentences() -> None:
    X, Y = sides(400, 6)
    values = [compare(X[:n], Y[:n], "mexa").value for n in (25, 100, 400)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 2 * values[2]


def test_mexa_needs_both_sides_in_one_space() -> None:
    X, Y = sides()
    turn = rotation(12)
    assert compare(X @ turn, Y @ turn, "mexa").value == pytest.approx(compare(X, Y, "mexa").value)
    assert compare(X, Y @ turn, "mexa").value < 0.2 < compare(X, Y, "mexa").value


@pytest.mark.parametrize("measure", ["mutual_neighbours", "cknna"])
def test_neighbours_see_neither_rotations_nor_lengths(measure: str) -> None:
    X, Y = sides()
    lengths = np.random.default_rng(5).uniform(0.5, 9, size=(60, 1))
    value = compare(X, Y, measure).value
    assert compare(X, lengths * (Y @ rotation(12)), measure).value == pytest.approx(value, abs=1e-5)
    assert compare(X, X + 5, measure).value < 0.95, "directions change with a shift"


def test_mutual_neighbours_of_a_circle_and_the_same_circle_folded() -> None:
    """On a circle the k nearest are the k/2 on either side; folded, half of them remain."""
    angles = 2 * np.pi * np.arange(40) / 40
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert compare(circle, circle[::-1] @ rotation(2), "mutual_neighbours").value == (
        pytest.approx(1)
    )
    # Every second point moved to the far side: its even neighbours, 4 of 10, stay with it.
    folded = np.where(np.arange(40)[:, None] % 2 == 0, circle, -circle)
    assert compare(circle, folded, "mutual_neighbours").value == pytest.approx(0.4)


def test_ties_for_the_last_place_share_it() -> None:
    star = np.array([[1.0, 0.1], [1, -0.1], [0, 1], [0, -1], [-1, 0]])
    graph = nearest_graph(centre_directions(star), 2).toarray()
    np.testing.assert_allclose(graph[0], [0, 1, 1, 0, 0], atol=1e-6)
    # The last point is as far from the third as from the fourth, and from the first two.
    np.testing.assert_allclose(graph[4], [0, 0, 1, 1, 0], atol=1e-6)
    same = mutual_neighbours([np.repeat(star, 3, axis=0)], [np.repeat(star, 3, axis=0)], 4)
    assert same.values() == pytest.approx(1)
    order = np.random.default_rng(0).permutation(15)
    other = np.random.default_rng(1).normal(size=(15, 2))
    tied = np.repeat(star, 3, axis=0)
    assert mutual_neighbours([tied], [other], 4).values() == pytest.approx(
        mutual_neighbours([tied[order]], [other[order]], 4).values()
    )


def test_a_weight_of_one_everywhere_would_make_cknna_mutual_neighbours() -> None:
    """Far clusters: within each the kernel is flat, so both measures count the same edges."""
    centres = 50 * np.eye(6)
    X = np.repeat(centres, 11, axis=0) + 1e-3 * np.random.default_rng(0).normal(size=(66, 6))
    Y = X[np.random.default_rng(1).permutation(66)]
    assert compare(X, Y, "cknna").value == pytest.approx(
        compare(X, Y, "mutual_neighbours").value, abs=1e-3
    )


@pytest.mark.parametrize("measure", ["mutual_neighbours", "cknna"])
def test_too_few_rows_to_have_neighbours_are_told(measure: str) -> None:
    X, Y = sides(11)
    found = compare(X, Y, measure)
    assert found.value is None
    assert "has 11 rows, all of them among the 10 nearest" in found.reason
    assert compare(*sides(12), measure).value is not None


def test_rows_that_point_one_way_have_no_neighbours_by_cosine() -> None:
    X = np.linspace(1, 9, 30)[:, None] * np.array([[1.0, 2.0]])
    found = compare(X, sides(30)[0], "mutual_neighbours")
    assert found.reason == "Undefined: layer 0 of the first side points the same way in every row."
