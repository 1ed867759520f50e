"""Orthogonal mappings: planted rotations, held-out rows, widths that differ."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.measures.nearest_neighbours import make_space, rank_pairs
from isogloss.measures.procrustes import (
    learn_mapping,
    learn_normalisation,
    score_mappings,
    split_rows,
)
from isogloss.measures.ranks import Ranks
from isogloss.measures.sentence_retrieval import rank_metrics, score_layers
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import share_interval


def planted(
    rows: int = 200, width: int = 12, wider: int = 0, noise: float = 0.0
) -> tuple[Array, Array, Array]:
    """X, Y and the semi-orthogonal W that brings X to Y but for noise."""
    generator = np.random.default_rng(5)
    W = np.linalg.qr(generator.normal(size=(width + wider, width + wider)))[0][:width]
    X = generator.normal(size=(rows, width))
    return X, X @ W + noise * generator.normal(size=(rows, width + wider)), W


def test_iterative_normalisation_leaves_unit_rows_and_no_mean() -> None:
    X = np.random.default_rng(0).normal(size=(300, 8)) * [5, 1, 1, 1, 1, 1, 1, 1] + 3
    rows = learn_normalisation(X).apply(X)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.linalg.norm(rows.mean(0)) < 0.01
    once = learn_normalisation(X, iterations=1).apply(X)
    assert np.linalg.norm(once.mean(0)) > 10 * np.linalg.norm(rows.mean(0))


def test_normalisation_is_learned_from_training_rows_alone() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)) + 1
    learned = learn_normalisation(X[:30])
    np.testing.assert_allclose(learned.apply(X)[:30], learned.apply(X[:30]), rtol=1e-6)
    assert np.linalg.norm(learned.apply(X)[30:].mean(0)) > 1e-3


def test_recovers_a_planted_rotation() -> None:
    X, Y, W = planted()
    mapping = learn_mapping(X, Y)
    np.testing.assert_allclose(mapping.rotation, W, atol=1e-8)
    np.testing.assert_allclose(mapping.map_source(X), mapping.place_target(Y), atol=1e-8)
    assert mapping.rank == 12


def test_rotation_stays_orthogonal_under_noise() -> None:
    X, Y, W = planted(noise=0.5)
    rotation = learn_mapping(X, Y).rotation
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(12), atol=1e-10)
    assert 0.01 < np.abs(rotation - W).max() < 0.5


def test_no_rotation_does_better_on_the_training_rows() -> None:
    X, Y, _ = planted(noise=0.5)
    mapping = learn_mapping(X, Y)
    source, target = mapping.source.apply(X), mapping.place_target(Y)
    best = np.sum((source @ mapping.rotation) * target)
    generator = np.random.default_rng(0)
    for _ in range(50):
        nudge = np.linalg.qr(np.eye(12) + 0.1 * generator.normal(size=(12, 12)))[0]
        assert np.sum((source @ mapping.rotation @ nudge) * target) < best


def test_a_narrower_space_is_laid_into_a_wider_one() -> None:
    X, Y, W = planted(wider=5)
    mapping = learn_mapping(X, Y)
    np.testing.assert_allclose(mapping.rotation, W, atol=1e-8)
    np.testing.assert_allclose(mapping.rotation @ mapping.rotation.T, np.eye(12), atol=1e-10)


def test_of_a_wider_space_the_shared_directions_are_kept() -> None:
    X, Y, W = planted(wider=5)
    mapping = learn_mapping(Y, X)
    np.testing.assert_allclose(mapping.rotation, W.T, atol=1e-8)


def test_directions_never_seen_are_left_out() -> None:
    X, Y, _ = planted(rows=200, width=30)
    mapping = learn_mapping(X[:10], Y[:10])
    assert mapping.rank <= 10
    assert np.linalg.matrix_rank(mapping.rotation) == mapping.rank


@pytest.mark.parametrize("wider", [0, 6])
def test_a_mapping_finds_what_no_cosine_can(wider: int) -> None:
    X, Y, _ = planted(rows=300, wider=wider, noise=0.05)
    train, test = split_rows(300)
    mapped = score_mappings([X], [Y], train, test)
    assert mapped.rows == len(test) == 150
    assert (mapped.values[0, :, 0] > 0.95).all()
    if not wider:
        plain = score_layers([X[test]], [Y[test]])
        assert (plain.values[0, :, 0] < 0.1).all()


def test_a_mapping_of_unrelated_sides_generalises_to_nothing() -> None:
    X, Y = np.random.default_rng(3).normal(size=(2, 300, 12))
    train, test = split_rows(300)
    scores = score_mappings([X], [Y], train, test)
    assert (scores.low[0, :, 2] <= 3 * scores.chance[2]).all()
    seen = learn_mapping(X[train], Y[train])
    learned = np.sum(seen.map_source(X[train]) * seen.place_target(Y[train]), axis=1).mean()
    tested = np.sum(seen.map_source(X[test]) * seen.place_target(Y[test]), axis=1).mean()
    assert learned > 0.15
    assert abs(tested) < 0.05


def test_the_rotation_is_learned_from_training_rows_alone() -> None:
    """As many features as rows: a rotation fitted to any rows brings noise together on them."""
    X, Y = np.random.default_rng(8).normal(size=(2, 100, 100))
    rows = np.arange(100)
    found = score_mappings([X], [Y], rows[:50], rows[50:], "cosine")
    learned = score_mappings([X], [Y], rows[50:], rows[:50], "cosine")
    # Each row finds its partner among fifty by chance alone.
    assert max(found.values[0, :, 0].max(), learned.values[0, :, 0].max()) < 0.15
    fitted = learn_mapping(X[:50], Y[:50])
    space = make_space(fitted.map_source(X[:50]), fitted.place_target(Y[:50]), "cosine")
    assert (rank_pairs(space)[0].expected() == 1).mean() > 0.9


def test_words_of_one_tested_sentence_are_taken_together() -> None:
    """Forty sentences, each said three times over: as wide an interval as forty rows have."""
    X, Y, _ = planted(80, 12, 12, noise=1.2)
    X, Y = (np.repeat(side, 3, axis=0) for side in (X, Y))
    # Numbers that tell apart who is tested from who was learned from.
    groups = np.repeat(np.arange(80), 3)
    groups[:120] = np.arange(120) + 1000
    rows = np.arange(240)
    found = score_mappings([X], [Y], rows[:120], rows[120:], "cosine", groups=groups)
    alone = score_mappings([X], [Y], rows[:120], rows[120:], "cosine")
    share, width = (found.values[0, 0, 2], (found.high - found.low)[0, 0, 2])
    assert 0.2 < share < 0.95
    expected = share_interval(
        rank_metrics(mapped_ranks(X, Y, rows[:120], rows[120:]))[:, 2], groups[120:]
    )
    assert (found.low[0, 0, 2], found.high[0, 0, 2]) == pytest.approx(
        tuple(float(end) for end in expected)
    )
    assert width > 1.4 * (alone.high - alone.low)[0, 0, 2]


def mapped_ranks(X: Array, Y: Array, train: Array, test: Array) -> Ranks:
    mapping = learn_mapping(X[train], Y[train])
    space = make_space(mapping.map_source(X[test]), mapping.place_target(Y[test]), "cosine")
    return rank_pairs(space)[0]


def test_split_is_random_complete_and_repeatable() -> None:
    train, test = split_rows(100)
    assert len(train) == 50
    assert sorted([*train, *test]) == list(range(100))
    np.testing.assert_array_equal(train, split_rows(100)[0])
    assert not np.array_equal(train, np.arange(50))


def test_split_keeps_groups_together() -> None:
    groups = np.repeat(np.arange(20), 3)
    train, test = split_rows(60, groups=groups)
    assert not set(groups[train]) & set(groups[test])
    assert len(train) == 30


def test_what_cannot_be_mapped_is_said_plainly() -> None:
    X, Y, _ = planted()
    rows = np.arange(200)
    with pytest.raises(IsoglossError, match="both learned from and tested"):
        score_mappings([X], [Y], rows[:100], rows[99:])
    with pytest.raises(IsoglossError, match="rows to learn from"):
        score_mappings([X], [Y], rows[:0], rows)
    with pytest.raises(IsoglossError, match="at least two"):
        split_rows(3, groups=[0, 0, 0])
    with pytest.raises(IsoglossError, match="2 groups for 3 rows"):
        split_rows(3, groups=[0, 1])
    with pytest.raises(IsoglossError, match="200 and 199 rows"):
        learn_mapping(X, Y[1:])
