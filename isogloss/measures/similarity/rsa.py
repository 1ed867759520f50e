r"""Representational similarity analysis: are the same pairs of sentences far apart on both sides?

Each side has a dissimilarity, 1 less Pearson's correlation over the features, for every two rows;
RSA is Spearman's correlation of the two lists of n(n - 1)/2 (Kriegeskorte et al. 2008), in [-1, 1].

Ranks less their mean, laid out as a symmetric matrix without a diagonal, make it the cosine of two
such matrices, as with kernels. Dissimilarities are compared in double precision: among two million
of them single precision would see ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.kernels import row_products
from isogloss.measures.similarity.shuffling import (
    Baseline,
    GraphSums,
    graph_baseline,
    shuffle_matrices,
    shuffled_rows,
)
from isogloss.measures.stacks import CONSTANT, Array, centre, require_finite

# Twice the rounding of a correlation in double precision, and more.
TIE = 1e-12


def rsa(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the RSA of every pair of layers."""
    ranked_a, ranked_b = [_rank_pairs(x) for x in a], [_rank_pairs(y) for y in b]
    joint, left, right = row_products(ranked_a, ranked_b, len(a[0]))
    rows = shuffled_rows(len(a[0]))
    few_a, few_b = ([_rank_pairs(layer[rows]) for layer in side] for side in (a, b))
    return Contributions(
        joint,
        left,
        right,
        degree=2,
        reasons=explain([x.flaw for x in ranked_a], [y.flaw for y in ranked_b]),
        baseline=shuffle_matrices(
            _baseline(ranked_a, ranked_b),
            [x.ranks for x in few_a],
            [y.ranks for y in few_b],
            _baseline(few_a, few_b),
        ),
    )


def _baseline(a: Sequence[_RankedPairs], b: Sequence[_RankedPairs]) -> Baseline:
    return graph_baseline([x.sums() for x in a], [y.sums() for y in b])


@dataclass(frozen=True)
class _RankedPairs:
    """All pairs of rows ranked by dissimilarity, (n, n): mean 0, range at most 1."""

    ranks: Array
    flaw: str | None

    def tile(self, rows: slice, columns: slice, out: Array | None = None) -> Array:
        tile = self.ranks[rows, columns]
        if out is None:
            return tile
        out[:] = tile
        return out

    def sums(self) -> GraphSums:
        sums = self.ranks.sum(1, dtype=np.float64)
        squares = float(np.einsum("ij,ij->i", self.ranks, self.ranks).sum(dtype=np.float64))
        return GraphSums(sums, sums, squares, squares)


def _rank_pairs(layer: Array) -> _RankedPairs:
    n = len(layer)
    rows = layer.astype(np.float64)
    require_finite(rows.sum())
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows -= rows.mean(1, keepdims=True)
    spread = np.linalg.norm(rows, axis=1, keepdims=True)
    varies = spread > CONSTANT * lengths
    rows = np.divide(rows, spread, where=varies, out=np.zeros_like(rows))
    above = np.triu_indices(n, 1)
    ranks = tied_ranks(-(rows @ rows.T)[above])
    flaw = centre(layer).flaw
    if flaw is None and np.ptp(ranks) == 0:
        flaw = "has every two rows equally far apart"
    matrix = np.zeros((n, n), np.float32)
    matrix[above] = (ranks - ranks.mean()) / len(ranks)
    return _RankedPairs(matrix + matrix.T, flaw)


def tied_ranks(values: Array) -> Array:
    """Return ranks from 1 of values (m,); those equal but for rounding share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    groups = np.concatenate([[0], np.cumsum(np.diff(ascending) > TIE)])
    ends = np.cumsum(np.bincount(groups))
    counts = np.diff(ends, prepend=0)
    ranks = np.empty(len(values))
    ranks[order] = (ends - (counts - 1) / 2)[groups]
    return ranks
