"""What freezing gained: paired where it can be, with intervals that hold, and two sweeps apart."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from isogloss.experiments.transfer.comparison import (
    compare,
    find_by_language,
    gains_of_freezing,
    read_judgements,
)
from isogloss.experiments.transfer.results import read_sweep
from isogloss.measures.correlation import correlate
from isogloss.measures.uncertainty import mean_normal_interval
from isogloss.runs.queue import Runs
from tests.helpers.sweeps import PLAN, TESTED, write_sweep


@pytest.fixture
def runs(store):
    return Runs(store, shipped=None)


def read(run):
    results = read_sweep(run)
    return results, read_judgements(run, results)


def test_a_paired_gain_is_that_of_the_differences_pair_by_pair(runs):
    results, judgements = read(write_sweep(runs))
    gains = gains_of_freezing(results, judgements, "selected")
    assert gains.paired
    place, column = results.frozen.index(2), results.languages.index("zh")
    # Seed 0: 62 right against 50; seed 1: 66 against 54, always the first pairs.
    rank = np.arange(TESTED)
    differences = (((rank >= 50) & (rank < 62)) + 1.0 * ((rank >= 54) & (rank < 66))) / 2
    assert gains.values[place, column] == pytest.approx(0.12)
    expected = stats.norm.interval(0.95, differences.mean(), stats.sem(differences))
    found = gains.low[place, column], gains.high[place, column]
    np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(gains.values[results.frozen.index(-1)], 0)


def test_without_judgements_the_interval_is_that_of_two_samples(runs):
    results, judgements = read(write_sweep(runs, judged=False))
    assert not judgements
    gains = gains_of_freezing(results, judgements, "selected")
    assert not gains.paired
    place, column = results.frozen.index(2), results.languages.index("zh")
    error = np.sqrt((0.64 * 0.36 + 0.52 * 0.48) / TESTED)
    found = gains.low[place, column], gains.high[place, column]
    np.testing.assert_allclose(found, stats.norm.interval(0.95, 0.12, error))


def test_only_seeds_that_both_have_are_compared(runs):
    results, judgements = read(write_sweep(runs, but=[(-1, 0), (2, 1), (3, 0)]))
    gains = gains_of_freezing(results, judgements, "selected")
    column = results.languages.index("zh")
    assert np.isnan(gains.values[results.frozen.index(2), column])
    assert gains.values[results.frozen.index(3), column] == pytest.approx(0.08)


def test_intervals_of_a_mean_hold_what_they_promise():
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        low, high = mean_normal_interval(generator.integers(0, 2, 300) - 0.0)
        held += low < 0.5 < high
    assert 0.91 < held / 400 < 0.98


def test_a_finding_allows_for_having_tried_every_n(runs):
    results, judgements = read(write_sweep(runs))
    found = find_by_language(results, judgements, "selected", "zh")
    assert (found.highest_frozen, found.highest) == (2, pytest.approx(0.64))
    alone = gains_of_freezing(results, judgements, "selected")
    place, column = results.frozen.index(2), results.languages.index("zh")
    assert found.gain[1] < alone.low[place, column]
    assert found.above_chance
    english = find_by_language(results, judgements, "selected", "en")
    assert english.spread == pytest.approx(0.11)


def test_training_all_as_the_highest_is_no_gain(runs):
    results, judgements = read(write_sweep(runs, replace(PLAN, frozen=(-1, 3))))
    assert find_by_language(results, judgements, "selected", "en").gain is None


def test_sweeps_of_different_depth_meet_at_equal_shares(runs):
    first = read_sweep(write_sweep(runs))
    second = read_sweep(write_sweep(runs, replace(PLAN, n_layers=6, frozen=(-1, 1, 2))))
    found = compare(first, second, "selected")
    assert found.by_share
    assert found.frozen == (-1, 1)
    np.testing.assert_allclose(found.values[:, found.languages.index("zh")], [0, 0.06])
    same = compare(first, first, "selected")
    assert not same.by_share
    assert (same.values == 0).all()


def test_languages_tested_on_other_pairs_are_named_and_left_out(runs):
    def tested(zh):
        return {"test": {"en": {"sha256": "e"}, "zh": {"sha256": zh}}}

    first, second = (read_sweep(write_sweep(runs, data=tested(zh))) for zh in ("one", "two"))
    found = compare(first, second, "selected")
    assert (found.languages, found.other_tests) == (("en",), ("zh",))


def test_the_interval_of_a_correlation_is_fishers():
    generator = np.random.default_rng(3)
    x = generator.normal(size=9)
    y = x + generator.normal(size=9)
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    np.testing.assert_allclose(correlate(x, y).interval, expected)
    assert correlate(x[:3], y[:3]).interval is None
