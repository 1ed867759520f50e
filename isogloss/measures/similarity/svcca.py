r"""SVCCA: how well can directions of one side be predicted from those of the other, on average?

Each side keeps the principal components that hold 99 % of its variance; the measure is the mean
of the $m = \min(r_x, r_y)$ canonical correlations $\rho_k$ between them (Raghu et al. 2017), in
[0, 1]. With $\hat X$ the kept components made white,
$\hat X^\top \hat Y / n = U \,\mathrm{diag}(\rho)\, V^\top$.

With canonical variates $p = \hat X U$ and $q = \hat Y V$ row i's share is, to first order,

$$ h_i = \frac1m \sum_k \Big( p_{ik} q_{ik}
   + \rho_k \big( 1 - \tfrac12 p_{ik}^2 - \tfrac12 q_{ik}^2 \big) \Big); $$

the directions themselves, which make the correlations largest, move at second order only. Where
both sides keep more components than half the rows, some fit perfectly whatever the rows say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.procrustes import singular_values
from isogloss.measures.similarity.shuffling import draw_orders, drawn_baseline
from isogloss.measures.stacks import Array, PreparedLayer, centre

VARIANCE_KEPT = 0.99


def svcca(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the mean canonical correlation of every pair of layers."""
    import scipy.linalg

    layers_a, layers_b = [centre(x) for x in a], [centre(y) for y in b]
    A, B = [white_components(x) for x in layers_a], [white_components(y) for y in layers_b]
    n = len(a[0])
    orders = draw_orders(n)
    joint = np.zeros((n, len(A), len(B)))
    drawn = np.zeros((len(orders), len(A), len(B)))
    for j, y in enumerate(B):
        for i, x in enumerate(A):
            left, correlations, right = scipy.linalg.svd(x.T @ y / n, full_matrices=False)
            p, q = x @ left, y @ right.T
            joint[:, i, j] = np.einsum("ij,ij->i", p, q) + correlations.sum()
            joint[:, i, j] -= (p**2 + q**2) @ correlations / 2
            joint[:, i, j] /= len(correlations)
            drawn[:, i, j] = [singular_values(x.T @ y[order] / n).sum() for order in orders]
            drawn[:, i, j] /= len(correlations)
    return Contributions(
        joint,
        np.ones((n, len(A))),
        np.ones((n, len(B))),
        degree=1,
        reasons=explain([x.flaw for x in layers_a], [y.flaw for y in layers_b]),
        baseline=drawn_baseline(drawn),
    )


def white_components(layer: PreparedLayer) -> Array:
    """Return the components that hold 99 % of the variance, each of variance 1, (n, r)."""
    X = layer.features.astype(np.float64)
    n, width = X.shape
    values, vectors = np.linalg.eigh(X.T @ X if width <= n else X @ X.T)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    kept = 1 + int(np.searchsorted(np.cumsum(values), VARIANCE_KEPT * values.sum()))
    kept = min(kept, len(values))
    if not values[0]:
        return np.zeros((n, 1))
    if width > n:
        return vectors[:, :kept] * np.sqrt(n)
    return X @ vectors[:, :kept] * np.sqrt(n / values[:kept])
