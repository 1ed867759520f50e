"""What freezing gained: paired where it can be, with intervals that hold, and two runs apart."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from isogloss.lab.runs.queue import Runs
from isogloss.lab.transfer.comparison import check_rates, compare, is_same_but_for_rates
from isogloss.lab.transfer.gains import (
    find_by_language,
    gains_of_freezing,
    read_judgements,
)
from isogloss.lab.transfer.results import read_transfer
from isogloss.measures.correlation import correlate
from tests.helpers.transfer_run import PLAN, TESTED, planted_run, write_transfer


@pytest.fixture
def runs(store):
    return Runs(store, shipped=None)


def read(run):
    results = read_transfer(run)
    return results, read_judgements(run, results)


def test_a_paired_gain_is_that_of_the_differences_pair_by_pair(runs):
    results, judgements = read(write_transfer(runs))
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
    results, judgements = read(write_transfer(runs, judged=False))
    assert not judgements
    gains = gains_of_freezing(results, judgements, "selected")
    assert not gains.paired
    place, column = results.frozen.index(2), results.languages.index("zh")
    error = np.sqrt((0.64 * 0.36 + 0.52 * 0.48) / TESTED)
    found = gains.low[place, column], gains.high[place, column]
    np.testing.assert_allclose(found, stats.norm.interval(0.95, 0.12, error))


def test_only_seeds_that_both_have_are_compared(runs):
    results, judgements = read(write_transfer(runs, but=[(-1, 0), (2, 1), (3, 0)]))
    gains = gains_of_freezing(results, judgements, "selected")
    column = results.languages.index("zh")
    assert np.isnan(gains.values[results.frozen.index(2), column])
    assert gains.values[results.frozen.index(3), column] == pytest.approx(0.08)


def false_gains(rng, seed_noise, times):
    """In what share of runs without any gain one is called clear in some language."""
    found = 0
    for _ in range(times):
        results, judgements = planted_run(rng, seed_noise)
        found += any(
            each.gain is not None and each.gain.is_clear
            for each in (
                find_by_language(results, judgements, "selected", code)
                for code in results.languages
            )
        )
    return found / times


@pytest.mark.parametrize("seed_noise", [0.0, 0.01, 0.03, 0.1])
def test_where_nothing_gains_a_gain_is_called_so_in_one_run_of_twenty_at_most(seed_noise):
    # Of 150 runs, .05 reads more than .1 once in two hundred times.
    assert false_gains(np.random.default_rng(1), seed_noise, 150) < 0.1


def test_a_planted_gain_is_found_through_the_noise_of_seeds():
    rng = np.random.default_rng(2)
    found = [
        find_by_language(*planted_run(rng, 0.01, gain=0.2, n_seeds=6), "selected", "zh")
        for _ in range(20)
    ]
    assert {each.highest_frozen for each in found} == {2}
    assert sum(each.gain.is_clear for each in found) >= 18
    assert sum(each.gain.alone[0] < 0.2 < each.gain.alone[1] for each in found) >= 17


@pytest.mark.parametrize("seed_noise", [0.0, 0.02, 0.1])
def test_intervals_of_gains_hold_the_gain_whatever_seeds_and_pairs_do(seed_noise):
    rng = np.random.default_rng(3)
    held = []
    for _ in range(100):
        gains = gains_of_freezing(*planted_run(rng, seed_noise), "selected")
        held.append((gains.low[1:] <= 0) & (gains.high[1:] >= 0))
    assert np.mean(held) > 0.93


def test_the_interval_is_that_of_seeds_alone_where_pairs_say_nothing_else(runs):
    rng = np.random.default_rng(4)
    results, judgements = planted_run(rng, 0.1, tested=20_000)
    gains = gains_of_freezing(results, judgements, "selected")
    accuracy = results.accuracy("selected")[:, 0]
    low, high = stats.ttest_rel(accuracy[2], accuracy[0]).confidence_interval(0.95)
    np.testing.assert_allclose((gains.low[2, 0], gains.high[2, 0]), (low, high), atol=0.01)


def test_a_finding_allows_for_having_tried_every_n_and_language(runs):
    results, judgements = read(write_transfer(runs))
    found = find_by_language(results, judgements, "selected", "zh")
    assert (found.highest_frozen, found.highest) == (2, pytest.approx(0.64))
    alone = gains_of_freezing(results, judgements, "selected")
    place, column = results.frozen.index(2), results.languages.index("zh")
    assert found.gain.alone == (alone.low[place, column], alone.high[place, column])
    assert found.gain.compared == 4 * 2, "languages, too, were looked through"
    wider = gains_of_freezing(results, judgements, "selected", 1 - 0.05 / 8)
    assert found.gain.widened == (wider.low[place, column], wider.high[place, column])
    assert found.above_chance
    english = find_by_language(results, judgements, "selected", "en")
    assert english.spread == pytest.approx(0.11)


def test_training_all_as_the_highest_is_no_gain(runs):
    results, judgements = read(write_transfer(runs, replace(PLAN, frozen=(-1, 3))))
    assert find_by_language(results, judgements, "selected", "en").gain is None


def test_runs_of_different_depth_meet_at_equal_shares(runs):
    first = read_transfer(write_transfer(runs))
    second = read_transfer(write_transfer(runs, replace(PLAN, n_layers=6, frozen=(-1, 1, 2))))
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

    first, second = (read_transfer(write_transfer(runs, data=tested(zh))) for zh in ("one", "two"))
    found = compare(first, second, "selected")
    assert (found.languages, found.other_tests) == (("en",), ("zh",))


def test_the_interval_of_a_correlation_is_fishers():
    generator = np.random.default_rng(3)
    x = generator.normal(size=9)
    y = x + generator.normal(size=9)
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    np.testing.assert_allclose(correlate(x, y).interval, expected)
    assert correlate(x[:3], y[:3]).interval is None


def test_a_run_at_one_rate_is_found_and_its_gains_are_read(runs):
    rate = PLAN.learning_rate
    apart = write_transfer(runs, replace(PLAN, rates=(f"2:{2 * rate}",)))
    again = write_transfer(runs, replace(PLAN, frozen=(-1, 2)))
    assert is_same_but_for_rates(apart, again)
    assert not is_same_but_for_rates(apart, write_transfer(runs, replace(PLAN, train_size=9)))
    higher = replace(PLAN, learning_rate=2 * rate)
    assert not is_same_but_for_rates(apart, write_transfer(runs, higher))
    other_text = {"train": {"sha256": "another"}}
    assert not is_same_but_for_rates(apart, write_transfer(runs, data=other_text))
    (check,) = check_rates(read(apart)[0], [(again.id, *read(again))], "selected")
    assert (check.run, check.frozen) == (again.id, 2)
    assert check.gains["zh"].value == pytest.approx(0.12)
    assert check_rates(read(again)[0], [(again.id, *read(again))], "selected") == []
