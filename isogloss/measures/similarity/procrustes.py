r"""Orthogonal Procrustes similarity: the cosine of X and Y after the best rotation.

$$ \frac{\lVert X^\top Y\rVert_*}{\lVert X\rVert_F \lVert Y\rVert_F} $$

in [0, 1]. With $X^\top Y = U \Sigma V^\top$ row i's share is $x_i^\top U V^\top y_i$: by the
envelope theorem the rotation itself moves only at second order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.shuffling import draw_orders, drawn_baseline
from isogloss.measures.stacks import Array, PreparedLayer, centre


def procrustes(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the Procrustes similarity of every pair of layers."""
    import scipy.linalg

    layers_a, layers_b = [centre(x) for x in a], [centre(y) for y in b]
    A, B = [_reduce(x) for x in layers_a], [_reduce(y) for y in layers_b]
    n = len(A[0])
    orders = draw_orders(n)
    joint = np.zeros((n, len(A), len(B)))
    drawn = np.zeros((len(orders), len(A), len(B)))
    for j, y in enumerate(B):
        shuffled = [y[order] for order in orders]
        for i, x in enumerate(A):
            left, _, right = scipy.linalg.svd(x.T @ y, full_matrices=False)
            joint[:, i, j] = np.einsum("ij,ij->i", (x @ left) @ right, y)
            # Rows have a mean squared length of 1, so both norms are the square root of n.
            drawn[:, i, j] = [singular_values(x.T @ z).sum() / n for z in shuffled]
    squares_a, squares_b = (
        np.stack([np.einsum("ij,ij->i", x, x) for x in side], axis=1).astype(np.float64)
        for side in (A, B)
    )
    return Contributions(
        joint,
        squares_a,
        squares_b,
        degree=1,
        reasons=explain([x.flaw for x in layers_a], [y.flaw for y in layers_b]),
        baseline=drawn_baseline(drawn),
    )


def singular_values(matrix: Array) -> Array:
    """Return the singular values, by the eigenvalues of a Gram matrix, which cost a quarter.

    Values below a hundred-millionth of the largest are lost to rounding; a sum does not miss them.
    """
    matrix = matrix.astype(np.float64)
    gram = matrix @ matrix.T if len(matrix) <= matrix.shape[1] else matrix.T @ matrix
    return np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0))


def _reduce(layer: PreparedLayer) -> Array:
    """Return the rows in at most n coordinates: a rotation, which Procrustes cannot see."""
    import scipy.linalg

    n, width = layer.features.shape
    if width <= n:
        return layer.features
    left, lengths, _ = scipy.linalg.svd(layer.features, full_matrices=False)
    return left * lengths
