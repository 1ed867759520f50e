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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

# The fewest shuffles with which a value above all of them has p = 0.05.
SHUFFLES = 19
# Values this close are equal but for rounding, and a shuffle that reads as much counts.
SAME = 1e-6


@dataclass(frozen=True)
class Baseline:
    """Mean and standard deviation of a measure over shuffled pairings, each (L_a, L_b).

    Exact over all n! pairings, unless they had to be drawn; then `drawn` (shuffles, L_a, L_b)
    has what each shuffle read.
    """

    mean: Array
    deviation: Array
    drawn: Array | None = None

    def p_values(self, values: Array) -> Array:
        r"""Return how likely shuffled pairs read as much as `values` (L_a, L_b), never too low.

        From drawn shuffles, $(1 + \#\{\mathrm{shuffled} \ge s\}) / (1 + \mathrm{shuffles})$. From
        exact moments, Cantelli's bound $\sigma^2 / (\sigma^2 + (s - \mu)^2)$, which holds for every
        distribution; where a shuffled mean is far from the value it is the sharper of the two.
        """
        if self.drawn is not None:
            reached: Array = (self.drawn >= values - SAME).sum(0)
            return (1 + reached) / (1 + len(self.drawn))
        above = np.maximum(values - self.mean, 0)
        variance = self.deviation**2
        known = variance > 0
        return np.divide(variance, variance + above**2, where=known, out=np.ones_like(variance))


def draw_orders(rows: int) -> list[Array]:
    """Return the shuffles for a measure whose moments are not known, the same ones every time."""
    generator = np.random.default_rng(0)
    return [generator.permutation(rows) for _ in range(SHUFFLES)]


def drawn_baseline(drawn: Array) -> Baseline:
    """Return the baseline of what a measure read under shuffles, (shuffles, L_a, L_b)."""
    return Baseline(drawn.mean(0), drawn.std(0, ddof=1), drawn)


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
