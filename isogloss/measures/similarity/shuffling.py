r"""What a similarity reads when every sentence is paired with a random other one.

For most measures nothing need be shuffled: the mean and the variance over all n! pairings are
known. They are given here for two kinds of matrices, and in their own files for the rest.

**Centred kernels.** Doubly centred symmetric matrices split into three parts that permutations
cannot mix (the decomposition of $\mathrm{Sym}^2$ of the standard representation of $S_n$):

- multiples of the centring matrix, dimension 1, squared norm $(\mathrm{tr} K)^2 / (n-1)$;
- what the diagonal adds, dimension n - 1, squared norm
  $\tfrac{n}{n-2} \sum_i (K_{ii} - \mathrm{tr} K / n)^2$;
- the U-centred rest, dimension n(n - 3)/2.

The first part is the mean; by Schur's lemma each other part adds the product of the two squared
norms over its dimension to the variance. A debiased kernel is all rest: its shuffled CKA has mean
0 and variance $2 / n(n-3)$ whatever the data. (The moments of the RV coefficient, which plain
linear CKA is, were first given by Kazi-Aoual et al. 1995.)

**Graphs.** Any two matrices without a diagonal, symmetric or not, centred or not (Mantel 1967).

**What shuffles are drawn for.** A calibrated score needs the null's 95 % quantile, and the best of
many cells the quantile of the null's *largest* cell (Gröger et al. 2026, algorithms 1 and 2): both
are counted over shuffles that all cells share. The i-th smallest of K shuffles is the quantile of
level i / (K + 1), the value itself being one more draw of the null, so the error is exact for any
K. Beyond `MOST_SHUFFLED` rows a fixed sample of them is shuffled: what these read, in deviations
from their own exact mean, is moved to the exact mean and deviation of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

# How many shuffles are drawn, and how many where each costs as much as the measure itself: the
# fewest with which a value above all of them has p = 0.05.
SHUFFLES = 99
COSTLY_SHUFFLES = 19
# The time a shuffle takes grows with the square of the rows.
MOST_SHUFFLED = 300
# Chance reads more than a threshold this often, and above it a calibrated score begins.
ALPHA = 0.05
# Values this close are equal but for rounding, and a shuffle that reads as much counts.
SAME = 1e-6


@dataclass(frozen=True)
class Baseline:
    """Mean and standard deviation of a measure over shuffled pairings, each (L_a, L_b).

    `exact` over all n! pairings, or of those that were drawn. `drawn` (shuffles, L_a, L_b) has
    what each shuffle read; without it, thresholds and p-values are bounds made from the moments.
    """

    mean: Array
    deviation: Array
    drawn: Array | None = None
    exact: bool = True

    def p_values(self, values: Array) -> Array:
        r"""Return how likely shuffled pairs read as much as `values` (L_a, L_b).

        Counted, $(1 + \#\{\mathrm{shuffled} \ge s\}) / (1 + \mathrm{shuffles})$. Where no shuffle
        reads as much and the moments are exact, Cantelli's bound if that is lower; without
        shuffles, the bound. Chance brings a p of at most a with probability a at most.
        """
        if self.drawn is None:
            return self._bounds(values)
        return _sharpen(_count(self.drawn, values), self._bounds(values), len(self.drawn))

    def thresholds(self) -> Array:
        """Return what shuffled pairs exceed in 5 % of cases, (L_a, L_b), or a bound above it."""
        return self._reach(ALPHA) if self.drawn is None else _quantile(self.drawn)

    def search(self, values: Array, cells: Array) -> tuple[float, float]:
        """Return threshold and p-value of the largest of `values` among `cells` (L_a, L_b) of bool.

        Of the largest that each shuffle reads among them (Gröger et al. 2026, algorithm 2);
        without shuffles by Bonferroni's inequality.
        """
        count, best = np.count_nonzero(cells), values[cells].max()
        bound = np.minimum(1, count * self._bounds(np.full_like(values, best))[cells].max())
        if self.drawn is None:
            return float(self._reach(ALPHA / count)[cells].max()), float(bound)
        largest = self.drawn[:, cells].max(axis=1)
        p_value = _sharpen(_count(largest, best), bound, len(largest))
        return float(_quantile(largest)), float(p_value)

    def _bounds(self, values: Array) -> Array:
        r"""Cantelli's bound $\sigma^2 / (\sigma^2 + (s - \mu)^2)$, for every distribution."""
        if not self.exact:
            return np.ones_like(values)
        above = np.maximum(values - self.mean, 0)
        variance = self.deviation**2
        known = variance > 0
        return np.divide(variance, variance + above**2, where=known, out=np.ones_like(variance))

    def _reach(self, alpha: float) -> Array:
        """Where Cantelli's bound is `alpha`."""
        return np.asarray(self.mean + self.deviation * np.sqrt((1 - alpha) / alpha))


def _count(drawn: Array, values: Array | float) -> Array:
    return np.asarray((1 + (drawn >= values - SAME).sum(0)) / (1 + len(drawn)))


def _sharpen(counted: Array, bound: Array, shuffles: int) -> Array:
    """Lower p-values to a bound where no shuffle reads as much: counting can say no less there."""
    least = counted * (1 + shuffles) < 1.5
    return np.where(least, np.minimum(counted, bound), counted)


def _quantile(drawn: Array) -> Array:
    """The value that leaves 5 % of the draws and of one more, the value that was found, above."""
    place = int(np.ceil((1 - ALPHA) * (len(drawn) + 1) - SAME)) - 1
    return np.asarray(np.partition(drawn, place, axis=0)[place])


def draw_orders(rows: int, shuffles: int = COSTLY_SHUFFLES) -> list[Array]:
    """Return shuffles of rows, the same ones every time."""
    generator = np.random.default_rng(0)
    return [generator.permutation(rows) for _ in range(shuffles)]


def drawn_baseline(drawn: Array) -> Baseline:
    """Return the baseline of what a measure read under shuffles, (shuffles, L_a, L_b)."""
    return Baseline(drawn.mean(0), drawn.std(0, ddof=1), drawn, exact=False)


def shuffled_rows(rows: int) -> Array:
    """Return the rows that are shuffled: all of them, or a fixed sample of many."""
    if rows <= MOST_SHUFFLED:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).permutation(rows)[:MOST_SHUFFLED])


def shuffle_matrices(
    baseline: Baseline, few_a: Sequence[Array], few_b: Sequence[Array], few: Baseline
) -> Baseline:
    r"""Add what $\langle M, PNP^\top\rangle / \lVert M\rVert\lVert N\rVert$ reads under shuffles P.

    `few_a` and `few_b` are the matrices (m, m) of `shuffled_rows`, and `few` is their exact
    baseline, `baseline` that of all rows.
    """
    first = _unit(few_a)
    second = _unit(few_b).reshape(len(few_b), *few_b[0].shape)
    drawn = np.stack(
        [
            first @ second[:, order[:, None], order].reshape(len(second), -1).T
            for order in draw_orders(len(few_b[0]), SHUFFLES)
        ]
    ).astype(np.float64)
    varies = few.deviation > 0
    stretch = np.divide(
        baseline.deviation, few.deviation, where=varies, out=np.zeros_like(few.deviation)
    )
    drawn = baseline.mean + stretch * (drawn - few.mean)
    return Baseline(baseline.mean, baseline.deviation, drawn)


def _unit(matrices: Sequence[Array]) -> Array:
    """Matrices as rows of length 1, (L, m²)."""
    flat = np.stack([matrix.ravel() for matrix in matrices]).astype(np.float32)
    lengths = np.linalg.norm(flat, axis=1, keepdims=True)
    return flat / np.where(lengths > 0, lengths, 1)


def kernel_baseline(
    norms_a: Array, norms_b: Array, diagonals_a: Array, diagonals_b: Array
) -> Baseline:
    r"""Return the exact moments of $\langle K, PLP^\top\rangle / \lVert K\rVert\lVert L\rVert$.

    Over all permutations P, for kernels with squared norms `norms` (L,) and `diagonals` (L, n).
    """
    n = diagonals_a.shape[1]
    common_a, diagonal_a, rest_a = _parts(norms_a, diagonals_a)
    common_b, diagonal_b, rest_b = _parts(norms_b, diagonals_b)
    variance = np.outer(diagonal_a, diagonal_b) / (n - 1)
    variance += np.outer(rest_a, rest_b) / (n * (n - 3) / 2)
    return Baseline(np.sqrt(np.outer(common_a, common_b)), np.sqrt(variance))


def _parts(norms: Array, diagonals: Array) -> tuple[Array, Array, Array]:
    """Return the share of each part in the squared norm, three arrays (L,); zeros for a zero K."""
    n = diagonals.shape[1]
    diagonals = diagonals.astype(np.float64)
    scale = np.where(norms > 0, norms, 1)
    common = diagonals.sum(1) ** 2 / (n - 1) / scale
    diagonal = diagonals.var(1) * n * n / (n - 2) / scale
    return common, diagonal, np.where(norms > 0, np.maximum(1 - common - diagonal, 0), 0)


@dataclass(frozen=True)
class GraphSums:
    r"""The sums of a matrix M without a diagonal that decide how it agrees with a shuffled one.

    `outgoing` and `incoming` (n,) are the sums of its rows and columns, `squares` is
    $\sum M_{ij}^2$ and `returns` $\sum M_{ij} M_{ji}$.
    """

    outgoing: Array
    incoming: Array
    squares: float
    returns: float

    def classes(self) -> Array:
        """Return the sums of products of two entries by which of their indices coincide, (6,).

        The same entry; its mirror image; same row; same column; chained (twice); none.
        """
        total = self.outgoing.sum()
        rows = self.outgoing @ self.outgoing - self.squares
        columns = self.incoming @ self.incoming - self.squares
        chained = self.outgoing @ self.incoming - self.returns
        apart = total**2 - self.squares - self.returns - rows - columns - 2 * chained
        return np.array([self.squares, self.returns, rows, columns, 2 * chained, apart])


def graph_baseline(graphs_a: list[GraphSums], graphs_b: list[GraphSums]) -> Baseline:
    r"""Return the exact moments of $\langle M, PNP^\top\rangle / \lVert M\rVert\lVert N\rVert$.

    Two entries of M fall on two entries of N whose indices coincide in the same way, and on each
    such pair equally often: so each class of pairs adds the product of both sums over their count.
    """
    n = len(graphs_a[0].outgoing)
    pairs, triples = n * (n - 1), n * (n - 1) * (n - 2)
    # Chained pairs come in two mirrored kinds that do not mix, hence twice their count.
    counts = np.array([pairs, pairs, triples, triples, 2 * triples, triples * (n - 3)])
    classes_a, classes_b = (
        np.stack([graph.classes() for graph in graphs]) for graphs in (graphs_a, graphs_b)
    )
    totals_a, totals_b = (
        np.array([graph.outgoing.sum() for graph in graphs]) for graphs in (graphs_a, graphs_b)
    )
    norms = np.sqrt(np.outer(classes_a[:, 0], classes_b[:, 0]))
    norms = np.where(norms > 0, norms, 1)
    mean = np.outer(totals_a, totals_b) / pairs
    variance = (classes_a / counts) @ classes_b.T - mean**2
    return Baseline(mean / norms, np.sqrt(np.maximum(variance, 0)) / norms)
