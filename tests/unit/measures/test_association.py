"""Coefficients over few cases, layer by layer, against scipy; and their intervals and p-values."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from isogloss.measures.association import associate, correlations, draw_cases, tied_ranks


def measured(x, y, noise=0.0, ranks=False, seed=0):
    generator = np.random.default_rng(seed)
    outcomes = y + noise * generator.standard_normal((500, len(y)))
    return associate(np.atleast_2d(x), y, draw_cases(outcomes), ranks=ranks)


@pytest.mark.parametrize("seed", range(3))
def test_coefficients_are_those_of_scipy(seed):
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(3, 14)), generator.integers(0, 6, 14) / 6
    for layer, found in enumerate(measured(x, y).value):
        assert found == pytest.approx(stats.pearsonr(x[layer], y)[0], abs=1e-12)
    for layer, found in enumerate(measured(x, y, ranks=True).value):
        assert found == pytest.approx(stats.spearmanr(x[layer], y)[0], abs=1e-12)
    np.testing.assert_allclose(tied_ranks(y) + 1, stats.rankdata(y))


def test_p_values_are_those_of_all_orders():
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=5), generator.normal(size=5)
    r = [abs(stats.pearsonr(order, y)[0]) for order in permutations(x)]
    found = measured(x, y)
    assert found.p_value[0] == pytest.approx(np.mean(np.array(r) >= r[0] - 1e-9))
    assert found.p_of_all[0] == found.p_value[0], "one layer is all there are"


def test_of_many_layers_the_best_is_less_surprising():
    generator = np.random.default_rng(4)
    y = generator.normal(size=10)
    x = np.concatenate([generator.normal(size=(11, 10)), y[None] + generator.normal(size=(1, 10))])
    found = measured(x, y)
    assert (found.p_of_all >= found.p_value).all()
    assert found.p_of_all[-1] > found.p_value[-1]


def test_uncertain_outcomes_widen_the_interval():
    x = np.linspace(0, 1, 14)
    y = x + np.random.default_rng(0).normal(0, 0.2, 14)
    sure, unsure = measured(x, y), measured(x, y, noise=0.5)
    assert sure.low[0] < sure.value[0] < sure.high[0]
    assert unsure.low[0] < sure.low[0] - 0.1


def test_what_does_not_vary_has_no_coefficient():
    found = measured(np.ones((1, 8)), np.arange(8.0))
    for each in (found.value, found.low, found.high, found.p_value, found.p_of_all):
        assert np.isnan(each).all()
    assert np.isnan(correlations(np.zeros(5), np.arange(5.0)))
