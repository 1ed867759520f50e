r"""Orthogonal mapping of one space onto another, learned on some rows and tested on the others.

$$ W = \arg\max_{W} \mathrm{tr}(W^\top X^\top Y) = U V^\top, \quad X^\top Y = U \Sigma V^\top $$

(Schönemann 1966), after the iterative normalisation of Zhang et al. (2019), which makes rows unit
and the mean zero in turn until both hold: an orthogonal map can only join spaces that agree there.

**Widths.** X of width d1 and Y of width d2 give W of shape (d1, d2), semi-orthogonal: a narrower X
is laid into Y's space without distortion; of a wider X the d2 directions are kept that vary most
with Y. **Few rows.** Directions that no training row reaches have no singular value and are left
out (`rank` says how many remain), rather than sent anywhere at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE, make_space, rank_pairs
from isogloss.measures.sentence_retrieval import RetrievalScores, summarise_ranks
from isogloss.measures.stacks import (
    Array,
    Stack,
    read_layer,
    require_finite,
    require_layer_pairs,
    require_pairs,
)

ITERATIONS = 5
TRAIN_SHARE = 0.5


@dataclass(frozen=True)
class Normalisation:
    """The means, one a round, (rounds, d), that iterative normalisation removed in training."""

    means: Array

    def apply(self, X: Array) -> Array:
        """Return X (n, d) with rows made unit and the learned mean removed, round by round."""
        rows = X.astype(np.float64)
        for mean in self.means:
            rows = _unit(rows) - mean
        return _unit(rows)


def learn_normalisation(X: Array, iterations: int = ITERATIONS) -> Normalisation:
    """Return the normalisation after which rows of X are unit and their mean nearly zero."""
    rows = X.astype(np.float64)
    require_finite(rows.sum())
    means = []
    for _ in range(iterations):
        rows = _unit(rows)
        means.append(rows.mean(0))
        rows = rows - means[-1]
    return Normalisation(np.array(means).reshape(iterations, X.shape[1]))


def _unit(rows: Array) -> Array:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


@dataclass(frozen=True)
class OrthogonalMap:
    """A learned map from the space of X into the space of Y; `rotation` W is (d1, d2)."""

    rotation: Array
    source: Normalisation
    target: Normalisation
    rank: int

    def map_source(self, X: Array) -> Array:
        """Return rows of X normalised and rotated into Y's space, (n, d2)."""
        return self.source.apply(X) @ self.rotation

    def place_target(self, Y: Array) -> Array:
        """Return rows of Y normalised, where `map_source` would have X land, (m, d2)."""
        return self.target.apply(Y)


def learn_mapping(X: Array, Y: Array, target: Normalisation | None = None) -> OrthogonalMap:
    """Learn the semi-orthogonal map that brings paired rows of X (n, d1) closest to Y (n, d2).

    `target` is the normalisation of Y's space where it was fixed before, by more rows than these.
    """
    from scipy.linalg import svd

    require_pairs(len(X), len(Y))
    source = learn_normalisation(X)
    target = learn_normalisation(Y) if target is None else target
    left, values, right = svd(source.apply(X).T @ target.apply(Y), full_matrices=False)
    # The usual bound on the rounding error of a singular value.
    rounding = values[0] * max(left.shape[0], right.shape[1]) * np.finfo(values.dtype).eps
    rank = int(np.count_nonzero(values > rounding))
    return OrthogonalMap(left[:, :rank] @ right[:rank], source, target, rank)


def split_rows(rows: int, groups: Sequence[int] | Array | None = None) -> tuple[Array, Array]:
    """Return sorted row numbers to learn from and to test on, half of them drawn at random.

    Rows of one group (the words of one sentence, say) stay together on one side.
    """
    labels = np.arange(rows) if groups is None else np.asarray(groups)
    if len(labels) != rows:
        raise IsoglossError(f"There are {len(labels)} groups for {rows} rows; give one a row.")
    kinds = np.unique(labels)
    if len(kinds) < 2:
        raise IsoglossError("One sentence cannot be split; learning a mapping needs at least two.")
    count = min(max(round(TRAIN_SHARE * len(kinds)), 1), len(kinds) - 1)
    chosen = np.random.default_rng(0).permutation(kinds)[:count]
    training = np.isin(labels, chosen)
    return np.flatnonzero(training), np.flatnonzero(~training)


def score_mappings(
    stack_a: Stack,
    stack_b: Stack,
    train: Array,
    test: Array,
    score: str = DEFAULT_SCORE,
    *,
    groups: Array | None = None,
) -> RetrievalScores:
    """Learn a mapping per layer on the `train` rows and score retrieval among the `test` rows.

    Layer i of one stack meets layer i of the other; their widths may differ. Rows may be sentences,
    words in context or word types; rows of one of `groups` (all rows,) are taken together. To
    see what the mapping adds, score the same test rows without.
    """
    require_layer_pairs(stack_a, stack_b)
    if not len(train) or not len(test):
        raise IsoglossError("A mapping needs rows to learn from and rows to test on; give both.")
    if np.intersect1d(train, test).size:
        raise IsoglossError("Some rows are both learned from and tested on; split them apart.")
    ranks = []
    for first, second in zip(stack_a, stack_b, strict=True):
        X, Y = read_layer(first), read_layer(second)
        require_pairs(len(X), len(Y))
        mapping = learn_mapping(X[train], Y[train])
        space = make_space(mapping.map_source(X[test]), mapping.place_target(Y[test]), score)
        ranks.append(rank_pairs(space))
    tested = None if groups is None else np.asarray(groups)[test]
    return summarise_ranks(ranks, score, groups=tested)
