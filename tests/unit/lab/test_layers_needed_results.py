"""Costs, intervals and sentences from results written by hand."""

from dataclasses import replace

import numpy as np
import pytest

from components.layers_needed.wording import evidence, halves_table, verdict
from isogloss.formatting import points
from isogloss.lab.layers_needed.plan import (
    FULL,
    LayersNeededPlan,
    layer_groups,
    layers_needed_unit,
)
from isogloss.lab.layers_needed.results import (
    cost_table,
    in_points,
    read_results,
)
from isogloss.measures.uncertainty import Estimate, estimate

LAYERS = 4


def result(english: int, chinese: int, kept: float = 0.8) -> dict:
    """A unit that judged so many of 1,000 pairs right; layer i is `kept` to the power of i."""

    def outcome(correct: int) -> dict:
        # The oracle is another number, so that whoever took it would be found out.
        return {"selected": [correct, 1_000], "oracle": [999, 1_000]}

    layers = [kept**i for i in range(LAYERS + 1)]
    return {
        "test": {
            "en": outcome(english),
            **dict.fromkeys(("zh", "de", "fr"), outcome(chinese)),
        },
        "similarity": {
            "kept": {"en": layers, "zh": [1.0] * (LAYERS + 1)},
            "across": {"zh": {"before": [0.5] * 5, "after": [0.6] * 5}},
        },
    }


def found_with(
    costs: dict[int, tuple[int, ...]],
    full: tuple[int, ...] = (600, 610, 620),
    languages: tuple[str, ...] = ("en", "zh"),
    layers: int = LAYERS,
):
    """Results where layer i costs so many of 1,000 Chinese pairs by seed, and 10 English ones."""
    seeds = tuple(range(len(full)))
    plan = LayersNeededPlan(n_layers=layers, languages=languages, seeds=seeds)
    units = {layers_needed_unit(FULL, seed): result(700, full[seed]) for seed in seeds}
    for layer, lost in costs.items():
        for seed, count in enumerate(lost):
            units[layers_needed_unit((layer,), seed)] = result(690, full[seed] - count)
    return read_results(plan, units)


LOWER_NEEDED = {1: (100, 110, 90), 2: (80, 90, 100), 3: (2, -3, 4), 4: (-2, 3, 0)}


def test_a_cost_is_paired_by_seed_and_has_the_t_interval():
    found = found_with({1: (100, 110, 90)})
    cost = found.cost((1,), "zh")
    # By hand: mean 0.1, standard deviation 0.01, t of 2 degrees of freedom at 97.5 % is 4.30265.
    reach = 4.30265 * 0.01 / np.sqrt(3)
    assert cost.mean == pytest.approx(0.1)
    assert (cost.low, cost.high) == pytest.approx((0.1 - reach, 0.1 + reach), rel=1e-5)
    assert cost.n == 3
    english = found.cost((1,), "en")
    assert (english.mean, english.low, english.high) == pytest.approx((0.01, 0.01, 0.01))
    assert found.accuracy(FULL, "zh").mean == pytest.approx(0.61)
    assert found.test_pairs == {"en": 1_000, "zh": 1_000}


def test_seeds_without_a_partner_are_left_out_and_one_has_no_interval():
    found = found_with({1: (100, 110), 2: (30,)})
    assert found.measured() == ((1,), (2,))
    assert found.cost((1,), "zh").n == 2
    alone = found.cost((2,), "zh")
    assert alone.n == 1
    assert np.isnan(alone.low)
    assert in_points(alone) == "3.0 points (one seed, no interval)"
    nothing = found.cost((3,), "zh")
    assert nothing.n == 0
    assert np.isnan(nothing.mean)
    assert estimate(np.array([np.nan])).n == 0


def test_similarities_are_means_over_seeds():
    plan = LayersNeededPlan(n_layers=LAYERS, seeds=(0, 1))
    units = {
        layers_needed_unit(FULL, 0): result(1, 1, 0.8),
        layers_needed_unit(FULL, 1): result(1, 1, 0.6),
    }
    (similar,) = read_results(plan, units).similarities.values()
    assert similar.kept["en"] == pytest.approx([(0.8**i + 0.6**i) / 2 for i in range(5)])
    assert similar.after["zh"] == pytest.approx([0.6] * 5)


def test_the_halves_leave_out_what_lies_in_the_middle():
    halves = found_with(LOWER_NEEDED).halves("zh")
    assert halves.lower_layers == (1, 2)
    assert halves.upper_layers == (3, 4)
    assert halves.lower.mean == pytest.approx(0.095)
    assert halves.upper.mean == pytest.approx(0.004 / 6)
    by_seed = np.array([90 - 0, 100 - 0, 95 - 2]) / 1_000
    by_hand = estimate(by_seed)
    assert halves.difference.low == pytest.approx(by_hand.low)
    assert halves.difference.n == 3
    plan = LayersNeededPlan(n_layers=3, seeds=(0,))
    units = {layers_needed_unit(group, 0): result(500, 500) for group in layer_groups("single", 3)}
    odd = read_results(plan, units).halves("zh")
    assert (odd.lower_layers, odd.upper_layers) == ((1,), (3,))


def test_a_seed_that_lacks_a_block_does_not_count_for_the_halves():
    costs = LOWER_NEEDED | {4: (-2, 3)}
    assert found_with(costs).halves("zh").difference.n == 2
    assert found_with({1: (5,), 2: (5,), 3: (5,)}).halves("zh") is None


def test_the_sentence_says_what_the_figures_say():
    def said(*arguments, **options):
        return verdict(found_with(*arguments, **options))

    assert said(LOWER_NEEDED) == (
        "This run shows that transfer to Chinese needs the lower half more. "
        "What the upper half costs in Chinese cannot be told from nothing."
    )
    costly = LOWER_NEEDED | {3: (30, 31, 32), 4: (30, 31, 30)}
    assert "not simply replaceable" in said(costly)
    better = LOWER_NEEDED | {3: (-30, -31, -32), 4: (-30, -31, -30)}
    assert "even better" in said(better)
    swapped = {1: LOWER_NEEDED[3], 2: LOWER_NEEDED[4], 3: LOWER_NEEDED[1], 4: LOWER_NEEDED[2]}
    assert "the opposite" in said(swapped)
    close = {1: (10, -20, 5), 2: (3, 9, -8), 3: (-5, 8, 2), 4: (9, -9, 1)}
    assert "halves cost in Chinese is too close to tell apart" in said(close)
    assert "With one seed" in said(dict.fromkeys(range(1, 5), (50,)), full=(600,))
    assert "Not enough is finished" in said({1: (5, 5, 5)})
    assert "not clearly above chance" in said(LOWER_NEEDED, full=(340, 350, 360))


def test_a_sentence_is_said_once_of_all_languages_that_it_holds_for():
    found = found_with(LOWER_NEEDED, languages=("en", "zh", "de", "fr"))
    assert verdict(found) == (
        "This run shows that transfer to Chinese, German and French needs the lower half more. "
        "What the upper half costs in Chinese, German and French cannot be told from nothing."
    )
    other = replace(found, accuracies=found.accuracies.copy())
    other.accuracies[:, 2] = other.accuracies[0, 2]
    said = verdict(other)
    assert "transfer to Chinese and French needs" in said
    assert "halves cost in German is too close" in said


FALLING = {1: (200, 20), 2: (100, 30), 3: (70, 15), 4: (20, 6), 5: (5, 4), 6: (0, 1)}


def test_two_seeds_that_differ_can_still_show_that_costs_fall_with_depth():
    found = found_with(FALLING, full=(600, 610), layers=6)
    trend = found.trend("zh")
    assert (trend.correlation, trend.blocks) == (pytest.approx(-1), 6)
    assert trend.p == pytest.approx(2 / 720)
    assert verdict(found) == (
        "The deeper the layers that are forgotten, the less it costs in Chinese. How much the two "
        "halves differ in Chinese varies too much between seeds to put a figure on it."
    )
    alone = found_with({layer: costs[:1] for layer, costs in FALLING.items()}, (600,), layers=6)
    assert "The deeper the layers that are forgotten" in verdict(alone)
    assert "With one seed" in verdict(alone)
    upwards = {7 - layer: costs for layer, costs in FALLING.items()}
    rising = found_with(upwards, full=(600, 610), layers=6).trend("zh")
    assert rising.p == trend.p
    assert not rising.falls


def test_blocks_that_share_layers_have_no_trend():
    found = found_with(LOWER_NEEDED)
    assert replace(found, groups=(FULL, (1,), (1, 2), (3,), (4,))).trend("zh") is None
    assert found_with({1: (5,), 2: (4,)}).trend("zh") is None


def test_what_the_language_of_training_loses_is_not_transfer():
    found = found_with(LOWER_NEEDED)
    assert "itself loses" not in verdict(found)
    dear = replace(found, accuracies=found.accuracies.copy())
    dear.accuracies[1:3, 0] = 0.5
    assert "English itself loses 20.0 points a block of the lower half" in verdict(dear)


def test_the_halves_stand_in_a_table():
    english, chinese = halves_table(found_with(LOWER_NEEDED))
    assert chinese == {
        "Language": "Chinese",
        "Full model": "61.0\u00a0%",
        "Cost within layers 1–2": "9.5 (8.3 to 10.7)",
        "Cost within layers 3–4": "0.1 (−0.2 to 0.4)",
        "Difference": "9.4 (8.2 to 10.7)",
        "Falls with depth": "ρ = −1.00, p = 0.083, n = 4",
    }
    assert english["Cost within layers 3–4"] == "1.0 (1.0 to 1.0)"
    one_seed = found_with(dict.fromkeys(range(1, 5), (50,)), full=(600,))
    assert halves_table(one_seed)[1]["Difference"] == "0.0"
    assert halves_table(found_with({1: (5, 5, 5)})) == []


def test_the_evidence_names_the_figures():
    guessing, kept, alike = evidence(found_with(LOWER_NEEDED))
    assert "gives 33.3\u00a0%, so at most 36.7 points are there to be lost, in English" in guessing
    assert (
        "in layers 1–2 and layers 3–4, 0.72 and 0.46 in English and 1.00 and 1.00 in Chinese"
        in kept
    )
    assert "English and Chinese are alike:** 0.50 before and 0.60 after" in alike


def test_numbers_in_words():
    assert points(-0.0001) == "0.0"
    assert points(-0.012) == "−1.2"
    assert (
        in_points(Estimate(0.02, -0.01, 0.05, 3)) == "2.0 points (95\u00a0%: −1.0 to 5.0, 3 seeds)"
    )


def test_the_table_has_a_row_for_every_finished_unit_and_language():
    rows = cost_table(found_with({2: (30,)}, full=(600, 610)))
    assert len(rows) == 6
    assert rows[0] == {
        "reinitialised": "none",
        "language": "en",
        "seed": 0,
        "accuracy": 0.7,
        "cost": None,
    }
    assert rows[-1] == {
        "reinitialised": "2",
        "language": "zh",
        "seed": 0,
        "accuracy": 0.57,
        "cost": 0.03,
    }
