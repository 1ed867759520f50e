"""Retrieval against a brute-force reference: loops over pairs, in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.measures import nearest_neighbours
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import (
    DIRECTIONS,
    METRICS,
    confusions,
    hits_and_blocked,
    score_layers,
    score_pairs,
)
from isogloss.measures.stacks import Array


def cosine(x: Array, y: Array) -> float:
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def reference_scores(X: Array, Y: Array, score: str) -> Array:
    """The score of every pair, by the papers' formulas, neighbour by neighbour."""
    cosines = np.array([[cosine(x, y) for y in Y] for x in X])
    neighbours = {"cosine": 0, "csls": 10, "margin": 4}[score]
    if not neighbours:
        return cosines
    near_x = [np.mean(sorted(row)[-neighbours:]) for row in cosines]
    near_y = [np.mean(sorted(column)[-neighbours:]) for column in cosines.T]
    result = np.zeros_like(cosines)
    for i, j in np.ndindex(*cosines.shape):
        if score == "csls":
            result[i, j] = 2 * cosines[i, j] - near_x[i] - near_y[j]
        else:
            result[i, j] = cosines[i, j] / (near_x[i] / 2 + near_y[j] / 2)
    return result


def reference_ranks(scores: Array) -> list[int]:
    """The place of entry i in row i, sorted from the highest."""
    return [
        sorted(range(len(row)), key=lambda j: -row[j]).index(i) + 1 for i, row in enumerate(scores)
    ]


def noisy_pairs(rows: int = 40, width: int = 9, noise: float = 0.9) -> tuple[Array, Array]:
    generator = np.random.default_rng(11)
    X = generator.normal(size=(rows, width)) + 1
    return X, X + noise * generator.normal(size=X.shape) - 0.5


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("score", SCORES)
def test_ranks_equal_brute_force(score: str, centre: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_neighbours, "BLOCK", 7)
    X, Y = noisy_pairs()
    forward, backward = (ranks.expected() for ranks in score_pairs(X, Y, score, centre=centre))
    if centre:
        X, Y = X - X.mean(0), Y - Y.mean(0)
    expected = reference_scores(X, Y, score)
    assert forward.tolist() == reference_ranks(expected)
    assert backward.tolist() == reference_ranks(expected.T)
    assert 1 < np.mean(forward) < 20


def test_scores_disagree_with_each_other() -> None:
    X, Y = noisy_pairs()
    ranks = {score: score_pairs(X, Y, score)[0].expected().tolist() for score in SCORES}
    assert ranks["cosine"] != ranks["csls"] != ranks["margin"] != ranks["cosine"]


@pytest.mark.parametrize("score", SCORES)
def test_metrics_per_layer_and_direction(score: str) -> None:
    X, Y = noisy_pairs()
    found = score_layers([X, X], [Y, X], score)
    forward, backward = (ranks.expected() for ranks in score_pairs(X, Y, score))
    for direction, ranks in enumerate((forward, backward)):
        expected = [(ranks <= 1).mean(), (ranks <= 5).mean(), (ranks <= 10).mean()]
        np.testing.assert_allclose(found.values[0, direction, :3], expected)
        assert found.values[0, direction, 3] == pytest.approx(np.mean(1 / ranks))
    np.testing.assert_array_equal(found.values[1], 1)
    assert (found.low <= found.values).all()
    assert (found.values <= found.high).all()
    assert (found.low[0] < found.high[0]).all()
    assert found.values.shape == (2, len(DIRECTIONS), len(METRICS))
    np.testing.assert_allclose(
        found.curve("precision@1", "target to source"), found.values[:, 1, 0]
    )
    np.testing.assert_allclose(found.curve("precision@5"), found.values[:, :, 1].mean(1))


def test_shuffled_pairs_read_chance() -> None:
    generator = np.random.default_rng(1)
    X, Y = noisy_pairs(30)
    values = np.mean(
        [score_layers([X], [generator.permutation(Y)]).values[0] for _ in range(400)], 0
    )
    chance = score_layers([X], [Y]).chance
    assert chance[0] == pytest.approx(1 / 30)
    assert chance[2] == pytest.approx(10 / 30)
    assert chance[3] == pytest.approx(sum(1 / k for k in range(1, 31)) / 30)
    np.testing.assert_allclose(values, np.stack([chance, chance]), atol=0.02)


def test_intervals_match_the_binomial() -> None:
    X, Y = noisy_pairs(300, 6)
    found = score_layers([X], [Y])
    p = found.values[0, 0, 0]
    assert 0.1 < p < 0.9
    width = found.high[0, 0, 0] - found.low[0, 0, 0]
    assert width == pytest.approx(2 * 1.96 * np.sqrt(p * (1 - p) / 300), rel=0.15)


@pytest.mark.parametrize("score", SCORES)
def test_vectors_all_alike_read_chance(score: str) -> None:
    X = np.ones((20, 4))
    for centre in (False, True):
        found = score_layers([X], [X], score, centre=centre)
        np.testing.assert_allclose(found.values[0], np.stack([found.chance, found.chance]))


def test_a_copy_of_the_translation_shares_its_place() -> None:
    X, _ = noisy_pairs(10)
    Y = X.copy()
    Y[7] = Y[2]
    forward, backward = (ranks.expected() for ranks in score_pairs(X, Y, "cosine"))
    assert forward[2] == 1.5
    assert backward[2] == 1
    assert forward[7] > 1


@pytest.mark.parametrize(("rows", "others"), [(3, 30), (30, 3), (3, 4), (1, 1), (12, 10)])
@pytest.mark.parametrize("neighbours", [0, 4, 10])
def test_closeness_is_the_mean_of_so_many_neighbours_or_of_all_there_are(
    rows: int, others: int, neighbours: int
) -> None:
    generator = np.random.default_rng(rows)
    X, Y = (nearest_neighbours.unit_rows(generator.normal(size=(n, 5))) for n in (rows, others))
    nearest = [sorted(x @ Y.T, reverse=True)[:neighbours] for x in X]
    expected = [np.mean(found) if found else 0 for found in nearest]
    np.testing.assert_allclose(nearest_neighbours.closeness(X, Y, neighbours), expected, atol=1e-6)


def test_csls_frees_rows_from_a_hub() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 20)) + 1.0
    Y = X + 0.8 * generator.normal(size=X.shape)
    Y[0] = Y.mean(0)
    hits = {
        score: np.mean(confusions(X, Y, 1, score).found[:, 0] == 0) for score in ("cosine", "csls")
    }
    assert hits["cosine"] > 5 * hits["csls"]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("score", SCORES)
def test_confusions_name_what_was_found(score: str, direction: str) -> None:
    X, Y = noisy_pairs()
    found = confusions(X, Y, 3, score, direction=direction)
    scores = reference_scores(X, Y, score)
    if direction == DIRECTIONS[1]:
        scores = scores.T
    expected = np.argsort(-scores, axis=1)[:, :3]
    np.testing.assert_array_equal(found.found, expected)
    np.testing.assert_allclose(
        found.scores, np.take_along_axis(scores, expected, axis=1), atol=1e-5
    )
    np.testing.assert_allclose(found.own_scores, np.diag(scores), atol=1e-5)
    assert found.ranks.tolist() == reference_ranks(scores)
    assert set(found.confused) == {i for i in range(len(X)) if expected[i, 0] != i}
    assert list(found.ranks[found.confused]) == sorted(found.ranks[found.confused], reverse=True)


def test_k_may_exceed_the_rows() -> None:
    X, Y = noisy_pairs(6)
    assert confusions(X, Y, 50).found.shape == (6, 6)


def test_what_cannot_be_searched_is_said_plainly() -> None:
    X, Y = noisy_pairs()
    with pytest.raises(IsoglossError, match="no score 'dot'"):
        score_layers([X], [Y], "dot")
    with pytest.raises(IsoglossError, match="40 and 39 rows"):
        score_layers([X], [Y[1:]])
    with pytest.raises(IsoglossError, match="1 and 2 layers"):
        score_layers([X], [Y, Y])
    with pytest.raises(IsoglossError, match="learn a mapping"):
        score_layers([X], [Y[:, 1:]])
    with pytest.raises(IsoglossError, match="NaN"):
        score_layers([X * np.inf], [Y])
    with pytest.raises(IsoglossError, match="no direction"):
        confusions(X, Y, direction="backwards")


def test_stacks_without_layers_are_refused() -> None:
    with pytest.raises(IsoglossError, match="at least one layer"):
        score_layers([], [])


def test_what_a_pair_alone_keeps_from_the_others_is_seen_when_it_is_taken_out():
    generator = np.random.default_rng(4)
    X = generator.normal(size=(30, 8))
    Y = X + 0.8 * generator.normal(size=X.shape)
    hits, blocked = hits_and_blocked(X, Y, "cosine")
    assert blocked.sum() > 0
    np.testing.assert_allclose(hits.mean(), score_layers([X], [Y], "cosine").values[0, :, 0].mean())
    for row in range(len(X)):
        rest = np.delete(np.arange(len(X)), row)
        without, _ = hits_and_blocked(X[rest], Y[rest], "cosine")
        assert hits.sum() - without.sum() == pytest.approx(hits[row] - blocked[row])
