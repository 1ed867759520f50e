r"""Average neuron-wise correlation (ANC): does each feature do the same thing on both sides?

$$ \frac1d \sum_k \lvert r_k \rvert $$

with $r_k$ Pearson's correlation of feature k on both sides (Del & Fishel 2022); in [0, 1]. With
standardised features z and $s_k$ the sign of $r_k$, row i's share is, to first order,

$$ h_i = \frac1d \sum_k s_k \Big( z^x_{ik} z^y_{ik}
   + r_k \big( 1 - \tfrac12 (z^x_{ik})^2 - \tfrac12 (z^y_{ik})^2 \big) \Big), $$

whose second term carries how row i changes the two standard deviations; it sums to zero.
Unrelated sides read about $\sqrt{2 / \pi (n-1)}$, so the value is to be read above its baseline.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.shuffling import draw_orders, drawn_baseline
from isogloss.measures.stacks import Array, PreparedLayer, centre

# A feature whose deviation is below this share of the layer's largest is rounding.
CONSTANT_FEATURE = 1e-9


def neuron_correlation(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the average neuron-wise correlation of every pair of layers.

    All layers have one width. Features constant on either side are left out of the average.
    """
    layers_a, layers_b = [centre(x) for x in a], [centre(y) for y in b]
    # By feature first, so that each feature's correlations are one small matrix product.
    A, B = (np.stack([_standardise(x).T for x in side], axis=1) for side in (layers_a, layers_b))
    n = A.shape[2]
    shared = A.any(2).T.astype(float) @ B.any(2).astype(float)
    features = np.maximum(shared, 1)

    correlations = _correlations(A, B)  # (d, L_a, L_b)
    signs = np.sign(correlations)
    joint = np.zeros((n, len(a), len(b)))
    for i, j in np.ndindex(len(a), len(b)):
        x, y = A[:, i] * signs[:, i, j, None], B[:, j]
        size = np.abs(correlations[:, i, j])
        # The row's own product, less what it adds to both deviations.
        joint[:, i, j] = np.einsum("kn,kn->n", x, y) + size.sum()
        joint[:, i, j] -= (size @ x**2 + size @ y**2) / 2
    joint /= features

    drawn = np.stack([np.abs(_correlations(A, B[:, :, order])).sum(0) for order in draw_orders(n)])
    reasons = explain([x.flaw for x in layers_a], [y.flaw for y in layers_b])
    nothing = "Undefined: no feature varies on both sides."
    return Contributions(
        joint,
        np.ones((n, len(a))),
        np.ones((n, len(b))),
        degree=1,
        reasons=np.where((reasons == "") & (shared == 0), nothing, reasons),
        baseline=drawn_baseline(drawn / features),
    )


def _correlations(A: Array, B: Array) -> Array:
    """Return Pearson's r of every feature for every pair of layers, (d, L_a, L_b)."""
    return (A @ B.transpose(0, 2, 1)).astype(np.float64) / A.shape[2]


def _standardise(layer: PreparedLayer) -> Array:
    """Return features with mean 0 and variance 1, and 0 throughout where they are constant."""
    deviation = layer.features.std(0, dtype=np.float64)
    varies = deviation > CONSTANT_FEATURE * deviation.max()
    return layer.features * np.divide(
        1, deviation, where=varies, out=np.zeros_like(deviation)
    ).astype(np.float32)
