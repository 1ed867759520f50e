"""Wilson's interval against its definition and against SciPy's."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from isogloss.errors import IsoglossError
from isogloss.intervals import wilson_interval


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("correct", "n"), [(0, 1), (1, 1), (3, 10), (0, 60), (167, 500), (60, 60)])
def test_it_is_scipys(correct, n, level):
    low, high = wilson_interval(correct, n, level)
    expected = binomtest(correct, n).proportion_ci(level, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_its_ends_are_where_the_share_would_be_just_rejected():
    """What defines it: at either end p, the count lies z standard deviations from n p."""
    correct, n, z = 37, 90, norm.ppf(0.975)
    for end in wilson_interval(correct, n):
        assert abs(correct - n * end) == pytest.approx(z * np.sqrt(n * end * (1 - end)))


def test_arrays_keep_their_shape_and_what_is_missing_stays_so():
    low, high = wilson_interval(np.array([[1.0, np.nan], [5.0, 9.0]]), 10.0)
    assert low.shape == high.shape == (2, 2)
    assert np.isnan(low[0, 1])
    assert np.isnan(high[0, 1])
    assert (low[1] < [0.5, 0.9]).all()
    assert (high[1] > [0.5, 0.9]).all()


@pytest.mark.parametrize(("correct", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 0, 0.95)])
def test_impossible_counts_are_said(correct, n, level):
    with pytest.raises(IsoglossError, match="between 0 and n"):
        wilson_interval(correct, n, level)


def test_impossible_levels_are_said():
    with pytest.raises(IsoglossError, match="between 0 and 1"):
        wilson_interval(1, 2, 95)
