"""Which layer is best: planted peaks and ties, joint coverage, and what has no answer."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from isogloss.measures.best_layer import (
    LayerDifferences,
    differences_of_layers,
    resampled_ratios,
    student_reach,
)
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import FEWEST_RESAMPLED, resample_counts, sums_by_unit

PEAK = np.array([0.3, 0.4, 0.55, 0.75, 0.55, 0.4, 0.3])
FLAT = np.full(7, 0.6)


def draw_hits(n: int, shares: Array, seed: int) -> Array:
    """Hits (n, L) of sentences of which some are hard at every layer."""
    generator = np.random.default_rng(seed)
    own = generator.normal(size=(n, 1)) + generator.normal(size=(n, len(shares)))
    limits = [NormalDist(sigma=2**0.5).inv_cdf(share) for share in shares]
    return (own < limits).astype(float)


def compare(hits: Array, seed: int = 0) -> LayerDifferences:
    counts = resample_counts(len(hits), 500, seed)
    resampled = resampled_ratios(hits, np.ones_like(hits), counts)
    return differences_of_layers(hits.mean(0), resampled, len(hits), rows=len(hits))


@pytest.fixture(scope="module")
def many() -> dict[str, list[LayerDifferences]]:
    return {
        name: [compare(draw_hits(120, shares, seed), seed) for seed in range(150)]
        for name, shares in (("peak", PEAK), ("flat", FLAT))
    }


@pytest.mark.parametrize(("name", "shares"), [("peak", PEAK), ("flat", FLAT)])
def test_intervals_of_all_pairs_hold_together(
    many: dict[str, list[LayerDifferences]], name: str, shares: Array
) -> None:
    true = shares[:, None] - shares
    held = np.mean([((d.low <= true) & (true <= d.high)).all() for d in many[name]])
    assert 0.90 <= held <= 0.995  # of 150 draws; benchmarks/best_layer.py has thousands


def test_the_planted_peak_is_best_or_among_those_like_it(
    many: dict[str, list[LayerDifferences]],
) -> None:
    assert np.mean([found.best == 3 for found in many["peak"]]) > 0.95
    assert np.mean([found.tied[3] for found in many["peak"]]) >= 0.95
    assert np.mean([found.worse[[0, 6]].all() for found in many["peak"]]) > 0.95


def test_planted_ties_are_hardly_ever_told_apart(
    many: dict[str, list[LayerDifferences]],
) -> None:
    assert np.mean([found.worse.any() for found in many["flat"]]) <= 0.09


def test_one_pair_of_layers_has_the_interval_of_a_paired_difference() -> None:
    hits = draw_hits(400, np.array([0.4, 0.6]), 3)
    found = compare(hits)
    apart = hits[:, 1] - hits[:, 0]
    half = 1.96 * apart.std() / 400**0.5
    assert found.values[1, 0] == pytest.approx(apart.mean())
    assert found.high[1, 0] - found.values[1, 0] == pytest.approx(half, rel=0.1)
    assert found.critical == pytest.approx(1.96, abs=0.15)


def test_many_pairs_reach_further_than_one() -> None:
    hits = draw_hits(200, np.full(7, 0.5), 4)
    assert compare(hits).critical > compare(hits[:, :2]).critical + 0.5


def test_differences_turn_around_with_their_layers() -> None:
    found = compare(draw_hits(50, PEAK, 0))
    np.testing.assert_allclose(found.values, -found.values.T)
    np.testing.assert_allclose(found.low, -found.high.T)
    assert (np.diagonal(found.low) == 0).all()


def test_of_errors_the_smallest_is_best() -> None:
    errors = 1 - draw_hits(120, PEAK, 1)
    counts = resample_counts(120, 500)
    resampled = resampled_ratios(errors, np.ones_like(errors), counts)
    found = differences_of_layers(errors.mean(0), resampled, 120, rows=120, lower_is_better=True)
    assert found.best == int(errors.mean(0).argmin())
    assert (found.values[found.best] >= 0).all()


def test_layers_that_found_the_same_are_alike_but_not_for_certain() -> None:
    found = compare(np.ones((40, 3)))
    assert found.best == 0
    assert found.tied.all()
    assert found.low[0, 1] < 0 < found.high[0, 1]


def test_all_against_nothing_is_told_apart() -> None:
    hits = np.zeros((40, 2))
    hits[:, 1] = 1
    found = compare(hits)
    assert (found.best, found.worse.tolist()) == (1, [True, False])
    assert found.low[1, 0] < 1


def test_one_sentence_more_is_not_told_apart() -> None:
    hits = np.zeros((40, 2))
    hits[0, 1] = 1
    assert compare(hits).tied.all()


def test_few_pairs_have_no_intervals() -> None:
    found = compare(draw_hits(FEWEST_RESAMPLED - 1, PEAK, 0))
    assert not found.told_apart
    assert np.isnan(found.low).all()
    assert found.tied.all()
    assert not found.worse.any()


def test_a_layer_without_a_score_is_neither_best_nor_alike() -> None:
    hits = draw_hits(60, PEAK, 0)
    hits[:, 3] = np.nan
    found = compare(hits)
    assert found.best != 3
    assert not found.tied[3]
    assert not found.worse[3]
    assert np.isnan(found.values[3, 0])
    without = compare(np.delete(hits, 3, axis=1))
    np.testing.assert_allclose(np.delete(np.delete(found.low, 3, 0), 3, 1), without.low)


def test_no_scores_at_all_have_no_best() -> None:
    found = compare(np.full((20, 4), np.nan))
    assert found.best == -1
    assert not found.tied.any()


def test_students_reach_is_the_normal_one_of_many_and_more_of_few() -> None:
    assert student_reach(3.0, 10**6) == pytest.approx(3.0, abs=1e-3)
    assert student_reach(1.959964, 10) == pytest.approx(2.262157 * (10 / 9) ** 0.5, rel=1e-4)


def test_words_of_one_sentence_are_drawn_together() -> None:
    words = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    sums = sums_by_unit(words, np.array([7, 7, 9]))
    np.testing.assert_array_equal(sums, [[2, 0], [0, 1]])
    sizes = sums_by_unit(np.ones((3, 2)), np.array([7, 7, 9]))
    drawn = resampled_ratios(sums, sizes, np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    np.testing.assert_allclose(drawn, [[1, 0], [0, 1], [2 / 3, 1 / 3]])
