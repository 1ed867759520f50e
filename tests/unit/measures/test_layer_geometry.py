"""Hubness and IsoScore: closed forms and written-out definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from isogloss.errors import IsoglossError
from isogloss.measures.evenness import hubness, iso_score, occurrences


def spheres(variances: list[float], rows: int = 64) -> np.ndarray:
    """Rows with exactly these variances and no correlation, turned at random."""
    generator = np.random.default_rng(0)
    white = np.linalg.qr(generator.normal(size=(rows, len(variances) + 1)) * [1e-9, *variances])[0]
    white = np.linalg.qr(np.column_stack([np.ones(rows), white[:, 1:]]))[0][:, 1:]
    turn = np.linalg.qr(generator.normal(size=(len(variances),) * 2))[0]
    return white * np.sqrt(rows * np.array(variances)) @ turn + 3


def test_iso_score_is_the_share_of_dimensions_that_are_used() -> None:
    """With k of d directions in even use the score is (k - 1) / (d - 1), as the paper derives."""
    for used in (1, 2, 5, 10):
        variances = [2.0] * used + [0.0] * (10 - used)
        assert iso_score(spheres(variances)) == pytest.approx((used - 1) / 9, abs=1e-6)


def test_iso_score_follows_the_paper_step_by_step() -> None:
    X = np.random.default_rng(1).normal(size=(200, 7)) * np.array([9, 3, 1, 1, 0.5, 2, 1]) + 4
    variances = np.linalg.svd(np.cov(X.T), compute_uv=False)
    normed = np.sqrt(7) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normed - 1) / np.sqrt(2 * (7 - np.sqrt(7)))
    phi = (7 - defect**2 * (7 - np.sqrt(7))) ** 2 / 49
    assert iso_score(X) == pytest.approx((7 * phi - 1) / 6, abs=1e-6)


def test_iso_score_of_odd_layers() -> None:
    assert iso_score(np.ones((5, 3))) == 0
    # Four rows span three directions of fifty.
    wide = np.zeros((4, 50))
    wide[:, :4] = np.eye(4)
    assert iso_score(wide) == pytest.approx(2 / 49, abs=1e-6)
    with pytest.raises(IsoglossError, match="needs two"):
        iso_score(np.ones((5, 1)))


def test_hubness_is_the_skewness_of_how_often_rows_are_found() -> None:
    generator = np.random.default_rng(3)
    X, Y = generator.normal(size=(2, 80, 40))
    cosines = (X @ Y.T) / np.linalg.norm(X, axis=1)[:, None] / np.linalg.norm(Y, axis=1)
    counts = np.zeros(80)
    for row in cosines:
        counts[np.argsort(-row)[:10]] += 1
    np.testing.assert_array_equal(occurrences(X, Y), counts)
    assert hubness(X, Y) == pytest.approx(scipy.stats.skew(counts))


def test_a_hub_is_seen_from_one_side_only() -> None:
    generator = np.random.default_rng(4)
    X, Y = generator.normal(size=(2, 200, 30))
    X += 0.5
    Y[:3] = 2
    assert hubness(X, Y) > 5
    assert abs(hubness(Y, X)) < 1
    # As many neighbours as rows: all are found by all.
    assert hubness(X[:10], Y[:10]) == 0
