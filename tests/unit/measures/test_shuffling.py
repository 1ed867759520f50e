"""Shuffled baselines, calibrated scores and p-values, against all permutations of few rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

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
    assert found.calibrated == pytest.approx((found.value - 10 / 49) / (1 - 10 / 49))


def test_mexa_of_shuffled_pairs_is_at_most_one_in_n() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 30))
    # Every row and its translation are mutual nearest, so chance hits each with 1/n.
    found = compare(X, X + 0.01 * generator.normal(size=X.shape), "mexa")
    assert (found.value, found.baseline) == pytest.approx((1, 1 / 40))
    assert found.calibrated == pytest.approx(1)


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
    """Cantelli's bound is met exactly by two points, and never lies below the count."""
    two_points = Baseline(np.array([[0.0]]), np.array([[1.0]]))
    assert two_points.p_values(np.array([[1.0]])) == pytest.approx(0.5)
    assert two_points.p_values(np.array([[-0.3]])) == 1
    X, Y = np.random.default_rng(2).normal(size=(2, 5, 3))
    Y += X
    found = compare(X, Y)
    everything = np.array(
        [compare(X, Y[list(order)]).value for order in itertools.permutations(range(5))]
    )
    assert found.p_value >= np.mean(everything >= found.value - 1e-9)


def test_drawn_shuffles_are_counted_with_the_value_itself() -> None:
    drawn = np.arange(19.0)[:, None, None]
    baseline = Baseline(drawn.mean(0), drawn.std(0), drawn)
    assert baseline.p_values(np.array([[18.5]])) == pytest.approx(1 / 20)
    assert baseline.p_values(np.array([[17.0]])) == pytest.approx(3 / 20)


def test_nothing_is_calibrated_where_shuffled_pairs_read_all_there_is() -> None:
    # With as many components as rows, canonical correlations are 1 whatever the rows say.
    X, Y = np.random.default_rng(4).normal(size=(2, 8, 30))
    found = compare(X, Y, "svcca")
    assert found.value == pytest.approx(1)
    assert (found.calibrated, found.p_value) == (0, 1)
