"""A run read into arrays: means, bands, intervals, what is missing, what was saved."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import pearsonr

from components.transfer.basis import basis, caveats
from components.transfer.wording import describe
from isogloss.errors import RunError
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.comparison import check_rates, is_same_but_for_rates
from isogloss.lab.transfer.gains import (
    find_by_language,
    gains_of_freezing,
    read_judgements,
)
from isogloss.lab.transfer.results import SELECTIONS, read_transfer
from isogloss.measures.uncertainty import wilson_interval
from tests.helpers.plans import CountingPlan
from tests.helpers.transfer_run import CORRECT, PLAN, TESTED, write_transfer


@pytest.fixture
def runs(store) -> Runs:
    return Runs(store, shipped=None)


def test_means_and_bands_are_those_of_the_counts(runs):
    found = read_transfer(write_transfer(runs))
    assert found.frozen == (-1, 0, 1, 2, 3)
    assert found.languages == ("en", "zh")
    for column, language in enumerate(found.languages):
        one = np.array(list(CORRECT[language].values())) / TESTED
        np.testing.assert_allclose(found.mean("selected")[:, column], one + 0.02)
        low, high = found.band("selected")
        np.testing.assert_allclose(low[:, column], one)
        np.testing.assert_allclose(high[:, column], one + 0.04)
        np.testing.assert_allclose(found.mean("oracle")[:, column], one + 0.05)
    assert found.missing == ()
    assert found.done == 10
    assert found.small


def test_each_run_has_its_own_interval(runs):
    found = read_transfer(write_transfer(runs))
    low, high = found.intervals("oracle")
    assert (low[3, 1, 1], high[3, 1, 1]) == pytest.approx(wilson_interval(62 + 4 + 3, TESTED))


def test_what_is_not_finished_is_missing_and_left_out(runs):
    found = read_transfer(write_transfer(runs, but=[(2, 0), (2, 1), (1, 0)]))
    assert found.missing == ((1, 0), (2, 0), (2, 1))
    assert found.done == 7
    mean = found.mean("selected")
    assert np.isnan(mean[3]).all()
    assert mean[2, 1] == pytest.approx(0.60), "the one seed that is there"
    assert np.isnan(found.band("selected")[0][3]).all()
    assert np.isnan(found.accuracy("selected")[2, 1, 0])
    assert {(row["frozen_layers"], row["seed"]) for row in found.rows()} == {
        (n, seed) for n in PLAN.layers for seed in PLAN.seeds
    } - set(found.missing)


def test_rows_say_everything_of_a_run(runs):
    found = read_transfer(write_transfer(runs))
    row = next(
        row
        for row in found.rows()
        if (row["frozen_layers"], row["seed"], row["language"]) == (2, 1, "zh")
    )
    assert row["selected_correct"] == 66
    assert row["selected_accuracy"] == 0.66
    assert row["oracle_accuracy"] == 0.69
    assert (row["selected_step"], row["oracle_step"]) == (20, 10)
    assert row["selected_low_95%"] < 0.66 < row["selected_high_95%"]
    assert row["seconds"] == 8.0
    assert len(found.rows()) == 5 * 2 * 2


def test_saving_is_the_ratio_of_passes(runs):
    found = read_transfer(write_transfer(runs, but=[(3, 1)]))
    made = 9 * 4.0
    assert found.saving == pytest.approx((made + 2 * (0 + 2 + 4) + 6) / made)


def test_dev_curves_are_kept(runs):
    curve = read_transfer(write_transfer(runs)).dev[1, 0]
    assert curve.steps.tolist() == [10, 20]
    assert curve.losses.tolist() == [1.0, 0.5]
    assert curve.accuracy["zh"].tolist() == [28 / 50, 28 / 50]


def test_correlation_leaves_out_what_has_no_layer_or_no_result(runs):
    alignment = np.array([0.1, 0.3, 0.9, 0.4])
    whole = read_transfer(write_transfer(runs)).correlation("selected", "zh", alignment)
    assert whole.n == 4, "N = -1 has no layer"
    assert whole.pearson == pytest.approx(pearsonr([52, 56, 62, 58], alignment).statistic)
    part = read_transfer(write_transfer(runs, but=[(2, 0), (2, 1)]))
    assert part.correlation("selected", "zh", alignment).n == 3


def test_selections_are_those_the_runs_keep(runs):
    result = write_transfer(runs).results()["N=0 seed=0"]["test"]["zh"]
    assert set(SELECTIONS) <= set(result)


def test_what_cannot_be_read_is_said(runs):
    with pytest.raises(RunError, match="no run of Transfer"):
        read_transfer(runs.create(CountingPlan()))
    with pytest.raises(RunError, match="nothing yet"):
        read_transfer(runs.create(PLAN))


def test_a_shipped_run_says_which_n_have_fewer_seeds_and_other_rates(runs):
    plan = replace(PLAN, rates=("-1:5e-5",))
    run = write_transfer(runs, plan, but=[(2, 1)])
    assert not read_transfer(run).finished
    found = read_transfer(Run(run.path, shipped=True))
    assert found.finished
    assert found.rates == (5e-5, *[PLAN.learning_rate] * 4)
    gains = gains_of_freezing(found, {}, "selected")
    said = basis(found, gains, "selected", (), curves=False)
    assert "fewer have N = 2." in caveats(found, "selected")
    assert "5e-05 at N = −1; of 0.0001 at N = 0, 1, 2 and 3" in said


def test_one_seed_is_not_enough_to_say_that_freezing_helps(runs):
    def said(*seeds: int) -> str:
        run = write_transfer(runs, replace(PLAN, seeds=seeds))
        found = read_transfer(run)
        return describe(found, read_judgements(run, found), "selected")

    assert "Freezing helps **Chinese**" in said(0, 1)
    assert "other seeds may differ" not in said(0, 1)
    assert "Freezing helps" not in said(0)
    assert "other seeds may differ" in said(0)


def test_a_gain_at_another_rate_is_not_said_to_be_freezings_alone(runs):
    run = write_transfer(runs, replace(PLAN, seeds=(0, 1)))
    found = read_transfer(run)
    judgements = read_judgements(run, found)
    unequal = replace(found, rates=(found.rates[0] / 2, *found.rates[1:]))
    equally, unequally = (describe(each, judgements, "selected") for each in (found, unequal))
    assert "Freezing helps **Chinese**: N = " in equally
    assert "changed together" not in equally
    assert "Freezing helps" not in unequally
    assert "**Chinese** gains: N = 2, at a learning rate of its own, gives " in unequally
    assert unequally.startswith("Freezing and learning rate changed together")


def test_what_a_run_at_one_rate_found_comes_first():
    """The shipped run's gains are at twice the rate; the run at one rate gains nothing."""
    shipped = [
        Run(SHIPPED / f"multilingual-e5-small-xnli{end}", shipped=True) for end in ("", "-one-rate")
    ]
    assert is_same_but_for_rates(*shipped)
    (results, judgements), other = (
        (found, read_judgements(run, found))
        for run, found in ((r, read_transfer(r)) for r in shipped)
    )
    checks = check_rates(results, [(shipped[1].id, *other)], "selected")
    said = describe(results, judgements, "selected", checks)
    first = "**At the learning rate of training all, N = 4 gains nothing**: −1.2 points ("
    assert said.count("no N is clearly above training all") == 3
    assert "differs clearly" not in said, "some are clearly below"
    assert said.startswith(first)
    assert "one-rate" in said
    # Three seeds bear one language's gain by itself, and none as the best of 4 languages x 8 N.
    assert "gains:" not in said
    found = {
        code: find_by_language(results, judgements, "selected", code) for code in results.languages
    }
    alone = {code for code, each in found.items() if each.gain.alone[0] > 0}
    assert alone == {"fr"}
    assert {each.gain.compared for each in found.values()} == {32}


def test_a_gain_that_stays_at_one_rate_is_said_to_stay(runs):
    apart = write_transfer(runs, replace(PLAN, rates=(f"2:{2 * PLAN.learning_rate}",)))
    again = write_transfer(runs, replace(PLAN, frozen=(-1, 2)))
    results, other = read_transfer(apart), read_transfer(again)
    checks = check_rates(results, [(again.id, other, read_judgements(again, other))], "selected")
    said = describe(results, read_judgements(apart, results), "selected", checks)
    assert said.startswith(
        "**At the learning rate of training all, N = 2 still gains in Chinese**: +12.0 points ("
    )
