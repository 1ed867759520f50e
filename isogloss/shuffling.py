r"""What a similarity reads when every sentence is paired with a random other one.

For kernel measures nothing need be shuffled: the mean and the variance over all n! pairings are
known. Doubly centred symmetric matrices split into three parts that permutations cannot mix
(the decomposition of $\mathrm{Sym}^2$ of the standard representation of $S_n$):

- multiples of the centring matrix, dimension 1, squared norm $(\mathrm{tr} K)^2 / (n-1)$;
- what the diagonal adds, dimension n - 1, squared norm
  $\tfrac{n}{n-2} \sum_i (K_{ii} - \mathrm{tr} K / n)^2$;
- the U-centred rest, dimension n(n - 3)/2.

The first part is the mean; by Schur's lemma each other part adds the product of the two squared
norms over its dimension to the variance. A debiased kernel is all rest: its shuffled CKA has mean
0 and variance $2 / n(n-3)$ whatever the data. (The moments of the RV coefficient, which plain
linear CKA is, were first given by Kazi-Aoual et al. 1995.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.stacks import Array


@dataclass(frozen=True)
class Baseline:
    """Mean and standard deviation of a measure over shuffled pairings, each (L_a, L_b)."""

    mean: Array
    deviation: Array


def shuffled_moments(
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
