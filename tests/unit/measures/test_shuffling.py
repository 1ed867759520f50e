"""Shuffled baselines, calibrated scores and p-values, against all permutations of few rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from isogloss.measures.similarity import shuffling
from isogloss.measures.similarity.comparison import compare, compare_layers
from isogloss.measures.similarity.neighbourhoods import cknna, mutual_neighbours
from isogloss.measures.similarity.shuffling import Baseline, GraphSums, graph_baseline
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array


def graph_sums(M: Array) -> GraphSums:
    return GraphSums(M.sum(1), M.sum(0), float((M * M).sum()), float((M * M.T).sum()))


@pytest.mark.parametrize("rows", [4, 5, 6])
def test_moments_of_graphs_are_exact_over_all_permutations(rows: int) -> None:
    generator = np.random.default_rng(rows)
    graphs = generator.normal(0.5, size=(3, rows, rows)) * (1 - np.eye(rows))
    found = graph_baseline([graph_sums(graphs[0])], [graph_sums(M) for M in graphs[1:]])
    for column, N in enumerate(graphs[1:]):
        everything = np.array(
            [
                np.sum(graphs[0] * N[np.ix_(order, order)])
                for order in itertools.permutations(range(rows))
            ]
        ) / (np.linalg.norm(graphs[0]) * np.linalg.norm(N))
        assert found.mean[0, column] == pytest.approx(everything.mean(), abs=1e-12)
        assert found.deviation[0, column] == pytest.approx(everything.std(), abs=1e-12)


@pytest.mark.parametrize("measure", [mutual_neighbours, cknna])
def test_neighbours_of_few_rows_over_all_permutations(measure) -> None:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(5, 4))
    Y = X + generator.normal(size=X.shape)
    found = measure([X], [Y], neighbours=2).baseline
    everything = [
        measure([X], [Y[list(order)]], neighbours=2).values()[0, 0]
        for order in itertools.permutations(range(5))
    ]
    assert found.mean[0, 0] == pytest.approx(np.mean(everything), abs=1e-6)
    assert found.deviation[0, 0] == pytest.approx(np.std(everything), abs=1e-6)


def test_mutual_neighbours_of_shuffled_pairs_read_k_of_the_others() -> None:
    X, Y = np.random.default_rng(0).normal(size=(2, 50, 8))
    found = compare(X, Y, "mutual_neighbours")
    assert found.baseline == pytest.approx(10 / 49)
    assert 10 / 49 < found.threshold < 10 / 49 + 3 * found.baseline_deviation
    expected = max(0, (found.value - found.threshold) / (1 - found.threshold))
    assert found.calibrated == pytest.approx(expected)


def test_mexa_of_shuffled_pairs_is_at_most_one_in_n() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 30))
    # Every row and its translation are mutual nearest, so chance hits each with 1/n.
    found = compare(X, X + 0.01 * generator.normal(size=X.shape), "mexa")
    assert (found.value, found.baseline) == pytest.approx((1, 1 / 40))
    assert found.calibrated == pytest.approx(1)


def test_a_calibrated_score_begins_at_the_nulls_95_percent_quantile() -> None:
    """Gröger et al. 2026, algorithm 1, with the quantile over all 720 pairings of six rows."""
    X, Y = np.random.default_rng(0).normal(size=(2, 6, 3))
    Y += X
    everything = np.array(
        [compare(X, Y[list(order)]).value for order in itertools.permutations(range(6))]
    )
    found = compare(X, Y)
    ordinary = np.quantile(everything, [0.9, 0.98])
    assert ordinary[0] <= found.threshold <= ordinary[1]
    assert found.threshold > found.baseline + found.baseline_deviation
    expected = max(0, (found.value - found.threshold) / (1 - found.threshold))
    assert found.calibrated == pytest.approx(expected)


def planted_null(generator: np.random.Generator, layers: int, rows: int) -> tuple[Array, Array]:
    """Two unrelated stacks, whose own layers resemble each other as those of a model do."""
    first, second = (
        generator.normal(size=(rows, 8)) + 0.7 * generator.normal(size=(layers, rows, 8))
        for _ in range(2)
    )
    return first, second


@pytest.mark.parametrize("measure", ["debiased_cka", "cka", "rsa", "mexa", "neuron_correlation"])
def test_a_false_best_cell_comes_in_one_of_twenty(measure: str) -> None:
    """Unrelated sides: the highest of 49 cells is beyond chance as rarely as is promised."""
    generator = np.random.default_rng(11)
    found = [
        compare_layers(*planted_null(generator, 7, 30), measure, samples=2) for _ in range(150)
    ]
    # Twelve or fewer of 150 with probability .95 where the rate is one of twenty.
    for best in ("best_cell", "best_layer"):
        assert sum(getattr(each, best).p_value <= 0.05 for each in found) <= 13
        assert sum(getattr(each, best).calibrated > 0 for each in found) <= 13
    cells = np.array([[each.p_values <= 0.05] for each in found])
    assert cells.mean() < 0.09
    if measure == "debiased_cka":  # what looking at every cell for itself would promise
        assert cells.any(axis=(1, 2, 3)).mean() > 0.15


def test_a_true_best_cell_is_found() -> None:
    generator = np.random.default_rng(3)
    a, b = planted_null(generator, 7, 40)
    b[4] += 2 * a[2]
    found = compare_layers(a, b)
    best = found.best_cell
    assert (best.layer_a, best.layer_b) == (2, 4)
    assert best.value == found.values.max()
    assert best.p_value <= 0.01
    assert best.threshold > found.threshold[2, 4]
    assert 0 < best.calibrated < found.calibrated[2, 4]
    layer = found.best_layer
    assert layer.layer_a == layer.layer_b
    assert layer.value == found.values.diagonal().max()


def test_chance_at_the_best_is_counted_over_the_largest_of_each_shuffle() -> None:
    """By hand: two cells, 19 shuffles; one cell's largest is the other's smallest."""
    drawn = np.stack([np.arange(19.0), 18 - np.arange(19.0)], axis=1)[:, None]
    baseline = Baseline(drawn.mean(0), drawn.std(0), drawn, exact=False)
    both = np.ones((1, 2), bool)
    assert baseline.search(np.array([[17.5, 0.0]]), both) == (18, pytest.approx(3 / 20))
    assert baseline.search(np.array([[18.5, 0.0]]), both) == (18, pytest.approx(1 / 20))
    alone = np.array([[True, False]])
    assert baseline.search(np.array([[17.5, 0.0]]), alone) == (18, pytest.approx(2 / 20))


def test_without_shuffles_thresholds_are_bounds_for_every_distribution() -> None:
    baseline = Baseline(np.zeros((1, 4)), np.ones((1, 4)))
    assert baseline.thresholds() == pytest.approx(np.full((1, 4), np.sqrt(19)))
    assert baseline.p_values(baseline.thresholds()) == pytest.approx(np.full((1, 4), 0.05))
    values = np.array([[10.0, 1.0, 1.0, 1.0]])
    threshold, p_value = baseline.search(values, np.ones((1, 4), bool))
    assert p_value == pytest.approx(4 / 101)
    assert threshold == pytest.approx(np.sqrt(79))


@pytest.mark.parametrize("measure", ["debiased_cka", "cka", "rbf_cka", "rsa", "mutual_neighbours"])
def test_many_rows_are_shuffled_by_a_sample_of_them(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a sample reads, moved to the exact moments, is what all rows would have read."""
    generator = np.random.default_rng(5)
    X, Y = generator.normal(size=(2, 260, 12)) * np.geomspace(1, 4, 12)
    whole = compare(X, Y, measure)
    monkeypatch.setattr(shuffling, "MOST_SHUFFLED", 130)
    sampled = compare(X, Y, measure)
    assert sampled.baseline == whole.baseline
    off = (sampled.threshold - whole.threshold) / whole.baseline_deviation
    assert abs(off) < 0.8
    assert 1 < (sampled.threshold - whole.baseline) / whole.baseline_deviation < 2.6


def test_unrelated_sides_are_calibrated_to_nothing_and_related_ones_are_not() -> None:
    generator = np.random.default_rng(3)
    X, Y = generator.normal(size=(2, 60, 40))
    related = X + generator.normal(size=X.shape)
    for measure in SIMILARITY_MEASURES:
        found = compare_layers([X], [Y, related], measure)
        assert abs(found.calibrated[0, 0]) < 0.15, measure
        assert found.p_values[0, 0] > 0.05, measure
        assert found.calibrated[0, 1] > 0.2, measure
        assert found.p_values[0, 1] <= 0.05, measure
    # Plain CKA and SVCCA of unrelated sides look like agreement until they are calibrated.
    assert compare(X, Y, "cka").value > 0.3
    assert compare(X, Y, "svcca").value > 0.6


def test_the_bound_on_p_holds_for_every_distribution() -> None:
    """Cantelli's bound is met exactly by two points."""
    two_points = Baseline(np.array([[0.0]]), np.array([[1.0]]))
    assert two_points.p_values(np.array([[1.0]])) == pytest.approx(0.5)
    assert two_points.p_values(np.array([[-0.3]])) == 1


def test_a_count_is_sharpened_by_the_bound_only_where_no_shuffle_reaches() -> None:
    drawn = np.linspace(-1, 1, 19)[:, None, None]
    baseline = Baseline(np.zeros((1, 1)), np.full((1, 1), 0.1), drawn)
    assert baseline.p_values(np.array([[1.0]])) == pytest.approx(2 / 20)
    assert baseline.p_values(np.array([[1.1]])) == pytest.approx(0.01 / (0.01 + 1.21))
    wide = Baseline(np.zeros((1, 1)), np.ones((1, 1)), drawn)
    assert wide.p_values(np.array([[1.1]])) == pytest.approx(1 / 20)


def test_drawn_shuffles_are_counted_with_the_value_itself() -> None:
    drawn = np.arange(19.0)[:, None, None]
    baseline = Baseline(drawn.mean(0), drawn.std(0), drawn, exact=False)
    assert baseline.p_values(np.array([[18.5]])) == pytest.approx(1 / 20)
    assert baseline.p_values(np.array([[17.0]])) == pytest.approx(3 / 20)


def test_nothing_is_calibrated_where_shuffled_pairs_read_all_there_is() -> None:
    # With as many components as rows, canonical correlations are 1 whatever the rows say.
    X, Y = np.random.default_rng(4).normal(size=(2, 8, 30))
    found = compare(X, Y, "svcca")
    assert found.value == pytest.approx(1)
    assert (found.calibrated, found.p_value) == (0, 1)
