r"""Measures that compare features one by one or after a rotation, in the form of contributions.

Average neuron-wise correlation (Del & Fishel 2022) is the mean over features k of Pearson's
$r_k$ between the two sides. With standardised features z, row i's share is, to first order,

$$ h_i = \frac1d \sum_k \Big( z^x_{ik} z^y_{ik}
   + r_k \big( 1 - \tfrac12 (z^x_{ik})^2 - \tfrac12 (z^y_{ik})^2 \big) \Big), $$

whose second term carries how row i changes the two standard deviations; it sums to zero.

Orthogonal Procrustes similarity is $\lVert X^\top Y\rVert_* / \lVert X\rVert_F \lVert Y\rVert_F$,
the cosine of X and Y after the best rotation. With $X^\top Y = U \Sigma V^\top$ row i's share is
$x_i^\top U V^\top y_i$: by the envelope theorem the rotation itself moves only at second order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from isogloss.contributions import Contributions, explain
from isogloss.errors import IsoglossError
from isogloss.shuffling import Baseline
from isogloss.stacks import Array, CentredLayer

# The nuclear norm of shuffled rows hardly varies, and each shuffle costs an evaluation.
PROCRUSTES_SHUFFLES = 2
# A feature whose deviation is below this share of the layer's largest is rounding.
CONSTANT_FEATURE = 1e-9


def neuron_contributions(
    layers_a: Sequence[CentredLayer], layers_b: Sequence[CentredLayer]
) -> Contributions:
    """Return each row's share in the average neuron-wise correlation of every pair of layers.

    Features constant on either side are left out of the average. The shuffled mean is 0, its
    variance $\\langle R^x, R^y \\rangle / d^2 (n-1)$ with R the correlations between features.
    """
    widths = {layer.features.shape[1] for layer in (*layers_a, *layers_b)}
    if len(widths) > 1:
        raise IsoglossError(
            "Neuron-wise correlation compares feature k with feature k, so both sides must have "
            f"the same width, not {sorted(widths)}; choose CKA or Procrustes similarity."
        )
    a, b = (
        np.stack([_standardise(x) for x in layers_a]),
        np.stack([_standardise(y) for y in layers_b]),
    )
    n = a.shape[1]
    shared = a.any(1).astype(float) @ b.any(1).T.astype(float)
    features = np.maximum(shared, 1)

    joint = (a.transpose(1, 0, 2) @ b.transpose(1, 2, 0)).astype(np.float64)
    correlations = (a.transpose(2, 0, 1) @ b.transpose(2, 1, 0)) / n  # (d, L_a, L_b)
    a_squared, b_squared = a**2, b**2
    spread = np.stack([x @ correlations[:, i] for i, x in enumerate(a_squared)], axis=1)
    spread += np.stack([y @ correlations[:, :, j] for j, y in enumerate(b_squared)], axis=2)
    joint += correlations.sum(0) - spread / 2
    joint /= features

    own_a, own_b = (np.stack([(z.T @ z / n).ravel() for z in side]) for side in (a, b))
    variance = (own_a @ own_b.T).astype(np.float64) / features**2 / (n - 1)
    reasons = explain([x.flaw for x in layers_a], [y.flaw for y in layers_b])
    nothing = "Undefined: no feature varies on both sides."
    return Contributions(
        joint,
        np.ones((n, len(a))),
        np.ones((n, len(b))),
        degree=1,
        reasons=np.where((reasons == "") & (shared == 0), nothing, reasons),
        baseline=Baseline(np.zeros_like(variance), np.sqrt(np.maximum(variance, 0))),
    )


def _standardise(layer: CentredLayer) -> Array:
    """Return features with mean 0 and variance 1, and 0 throughout where they are constant."""
    deviation = layer.features.std(0, dtype=np.float64)
    varies = deviation > CONSTANT_FEATURE * deviation.max()
    return layer.features * np.divide(
        1, deviation, where=varies, out=np.zeros_like(deviation)
    ).astype(np.float32)


def procrustes_contributions(
    layers_a: Sequence[CentredLayer], layers_b: Sequence[CentredLayer], seed: int = 0
) -> Contributions:
    """Return each row's share in the Procrustes similarity of every pair of layers.

    The shuffled baseline has no closed form and is drawn from two actual shuffles.
    """
    a, b = [_reduce(x) for x in layers_a], [_reduce(y) for y in layers_b]
    n = len(a[0])
    joint = np.zeros((n, len(a), len(b)))
    shuffled = np.zeros((PROCRUSTES_SHUFFLES, len(a), len(b)))
    generator = np.random.default_rng(seed)
    orders = [generator.permutation(n) for _ in range(PROCRUSTES_SHUFFLES)]
    for j, y in enumerate(b):
        shuffled_y = [y[order] for order in orders]
        for i, x in enumerate(a):
            left, _, right = scipy.linalg.svd(x.T @ y, full_matrices=False)
            joint[:, i, j] = np.einsum("ij,ij->i", (x @ left) @ right, y)
            # Rows have a mean squared length of 1, so both norms are the square root of n.
            shuffled[:, i, j] = [scipy.linalg.svdvals(x.T @ z).sum() / n for z in shuffled_y]
    squares_a, squares_b = (
        np.stack([np.einsum("ij,ij->i", x, x) for x in side], axis=1).astype(np.float64)
        for side in (a, b)
    )
    return Contributions(
        joint,
        squares_a,
        squares_b,
        degree=1,
        reasons=explain([x.flaw for x in layers_a], [y.flaw for y in layers_b]),
        baseline=Baseline(shuffled.mean(0), shuffled.std(0, ddof=1)),
    )


def _reduce(layer: CentredLayer) -> Array:
    """Return the rows in at most n coordinates: a rotation, which Procrustes cannot see."""
    n, width = layer.features.shape
    if width <= n:
        return layer.features
    left, lengths, _ = scipy.linalg.svd(layer.features, full_matrices=False)
    return left * lengths
