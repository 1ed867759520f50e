"""Coordinates: against scikit-learn, against planted rogue dimensions, and where nothing varies."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from isogloss.errors import IsoglossError
from isogloss.measures.coordinates import layer_statistics, rogue_dimensions
from isogloss.measures.sentence_retrieval import score_layers
from isogloss.measures.similarity.comparison import compare


def two_languages(rows=80, width=24, seed=0):
    random = np.random.default_rng(seed)
    meaning = random.normal(size=(rows, width))
    X = meaning + 0.4 * random.normal(size=meaning.shape) + 3
    Y = meaning + 0.4 * random.normal(size=meaning.shape) - random.normal(size=width)
    return X, Y


def standardised(X, Y):
    statistics = layer_statistics(X, Y)
    return statistics.apply(X, 0, "standardised"), statistics.apply(Y, 1, "standardised")


def test_it_is_scikit_learns_scaler_after_each_languages_mean():
    X, Y = two_languages()
    ours = np.concatenate(standardised(X, Y))
    centred = np.concatenate([X - X.mean(0), Y - Y.mean(0)])
    np.testing.assert_allclose(ours, StandardScaler().fit_transform(centred), atol=1e-12)


def test_sides_may_be_mixed_and_raw_is_untouched():
    X, Y = two_languages(rows=5)
    statistics = layer_statistics(X, Y)
    side = np.array([0, 1, 1, 0])
    rows = np.stack([X[0], Y[1], Y[2], X[3]])
    for coordinates, expected in (
        ("raw", rows),
        ("centred", rows - np.stack([X.mean(0), Y.mean(0)])[side]),
    ):
        np.testing.assert_allclose(statistics.apply(rows, side, coordinates), expected)


def planted(X, Y, factor=100):
    """The same rows with one coordinate, unrelated across the languages, made rogue."""
    random = np.random.default_rng(9)
    X, Y = X.copy(), Y.copy()
    X[:, 3], Y[:, 3] = random.normal(size=len(X)), random.normal(size=len(Y))
    rogue = np.ones(X.shape[1])
    rogue[3] = factor
    return (X, Y), (X * rogue, Y * rogue)


def test_a_planted_rogue_dimension_rules_raw_scores_and_leaves_standardised_ones_alone():
    plain, rogue = planted(*two_languages())

    def scores(X, Y):
        found = score_layers([X], [Y], "cosine", centre=True).values[0, 0, 0]
        return np.array([found, compare(X, Y, "debiased_cka").value])

    assert np.abs(scores(*plain) - scores(*rogue)).min() > 0.2
    before, after = scores(*standardised(*plain)), scores(*standardised(*rogue))
    np.testing.assert_allclose(before, after, atol=1e-5)


def test_a_dimension_that_never_varies_is_zero():
    X, Y = two_languages(rows=6)
    X[:, 0], Y[:, 0] = 1e4 + 0.1, -3.7
    for part in standardised(X, Y):
        assert np.isfinite(part).all()
        assert not part[:, 0].any()


def test_rogue_dimensions_by_hand():
    statistics = layer_statistics(np.array([[9.0, 1, 0], [-9, -1, 0]]), np.zeros((2, 3)))
    found = rogue_dimensions(statistics)
    assert found.largest == pytest.approx(81 / 82)
    assert found.largest_five == pytest.approx(1)
    assert found.dimension == 0
    assert found.participation == pytest.approx(82**2 / (81**2 + 1))
    even = rogue_dimensions(layer_statistics(np.eye(4), np.eye(4)))
    assert even.participation == pytest.approx(4)
    still = rogue_dimensions(layer_statistics(np.ones((3, 4)), np.ones((3, 4))))
    assert (still.largest, still.participation) == (0, 0)


def test_the_largest_five_are_five():
    """Seven dimensions with variances 7, 6 … 1 of 28 in all, in no order."""
    variances = np.array([3.0, 7, 1, 5, 2, 6, 4])
    rows = np.sqrt(variances) * np.array([[1.0], [-1.0]])
    found = rogue_dimensions(layer_statistics(rows, rows))
    assert found.largest == pytest.approx(7 / 28)
    assert found.dimension == 1
    assert found.largest_five == pytest.approx((7 + 6 + 5 + 4 + 3) / 28)


def test_the_deviation_is_over_the_rows_of_both_languages():
    """Four rows of one language and two of the other, each around its own mean."""
    X = np.array([[1.0], [3], [5], [7]])
    Y = np.array([[100.0], [104]])
    # Squares 9 + 1 + 1 + 9 and 4 + 4, over six rows.
    assert layer_statistics(X, Y).deviation == pytest.approx([np.sqrt(28 / 6)])
    assert layer_statistics(Y, X).deviation == pytest.approx([np.sqrt(28 / 6)])


def test_unknown_coordinates_are_told_with_the_known_ones():
    X, Y = two_languages(rows=5)
    with pytest.raises(IsoglossError, match="standardised, centred, raw"):
        layer_statistics(X, Y).apply(X, 0, "polar")


def test_states_that_are_not_numbers_are_refused():
    X, Y = two_languages(rows=5)
    X[0, 0] = np.nan
    with pytest.raises(IsoglossError, match="NaN"):
        layer_statistics(X, Y)
