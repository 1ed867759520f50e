"""Pearson and Spearman against their definitions."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.stats

from isogloss.errors import IsoglossError
from isogloss.measures.correlation import correlate, rank_permutation_test


def test_by_hand() -> None:
    """x = 1..4 and y = 1, 2, 3, 10: covariance 14, variances 5 and 50; the ranks are equal."""
    found = correlate([1, 2, 3, 4], [1, 2, 3, 10])
    assert found.pearson == pytest.approx(14 / (5 * 50) ** 0.5)
    assert found.spearman == pytest.approx(1)
    assert (found.n, found.reason) == (4, "")
    assert correlate([1, 2, 3], [3, 2, 1]).pearson == pytest.approx(-1)


@pytest.mark.parametrize("seed", range(5))
def test_as_scipy_has_it_with_ties(seed) -> None:
    x, y = np.random.default_rng(seed).integers(0, 6, (2, 13)).astype(float)
    found = correlate(x, y)
    assert found.pearson == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(x, y).statistic)


def test_while_another_thread_is_importing_torch(monkeypatch) -> None:
    """A module is in sys.modules before it has its names; scipy.stats trips over that."""
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert correlate([1, 2, 3], [3, 2, 1]).spearman == pytest.approx(-1)


def test_what_has_no_correlation_says_why() -> None:
    flat = correlate([1, 1, 1], [1, 2, 3])
    assert (flat.pearson, flat.spearman, flat.reason) == (None, None, "One of the curves is flat.")
    assert correlate([1, 2], [1, 2]).reason == "Fewer than 3 layers to correlate."
    with pytest.raises(IsoglossError, match="do not pair up"):
        correlate([1, 2, 3], [1, 2])
    with pytest.raises(IsoglossError, match="NaN"):
        correlate([1, 2, float("nan")], [1, 2, 3])


@pytest.mark.parametrize("points", [4, 6, 10])
def test_the_permutation_test_is_scipys(points) -> None:
    """Exact up to eight points, with ties, and close to the exact one for more."""
    first = np.arange(points)
    second = np.random.default_rng(points).integers(0, 5, points) - 0.4 * first
    second[1] = second[0]
    rho, p = rank_permutation_test(first, second)
    assert rho == pytest.approx(scipy.stats.spearmanr(first, second).statistic)
    theirs = scipy.stats.permutation_test(
        (second,),
        lambda order: scipy.stats.spearmanr(first, order).statistic,
        permutation_type="pairings",
        n_resamples=1_000 if points > 8 else np.inf,
        rng=0,
    )
    assert p == pytest.approx(theirs.pvalue, abs=0.05 if points > 8 else 1e-12)


def test_equal_values_favour_no_order() -> None:
    assert rank_permutation_test([1, 2, 3, 4], [5, 5, 5, 5]) == (0.0, 1.0)
