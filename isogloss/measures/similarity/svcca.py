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

How many components hold 99 % is itself a matter of the rows, and where a shared space ends there
the value jumps with it. So the interval reaches as far as the value does with any number that
resampled rows would keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.procrustes import singular_values
from isogloss.measures.similarity.shuffling import draw_orders, drawn_baseline
from isogloss.measures.stacks import Array, PreparedLayer, centre
from isogloss.measures.uncertainty import LEVEL

VARIANCE_KEPT = 0.99
# No resample keeps components beyond these.
VARIANCE_KNOWN = 0.999


def svcca(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the mean canonical correlation of every pair of layers."""
    import scipy.linalg

    layers_a, layers_b = [centre(x) for x in a], [centre(y) for y in b]
    all_a, all_b = ([_components(x) for x in layers] for layers in (layers_a, layers_b))
    A, B = ([each.white(each.kept) for each in side] for side in (all_a, all_b))
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
        reach=lambda counts: _reach(all_a, all_b, counts),
    )


@dataclass(frozen=True)
class Components:
    """The principal components of a layer, the largest first: `values` are sums of squares."""

    features: Array
    values: Array
    vectors: Array

    @property
    def kept(self) -> int:
        """How many hold 99 % of the variance."""
        return self._holding(VARIANCE_KEPT)

    def white(self, count: int) -> Array:
        """The first so many, each of variance 1, (n, count)."""
        n, width = self.features.shape
        if not self.values[0]:
            return np.zeros((n, 1))
        if width > n:
            return self.vectors[:, :count] * np.sqrt(n)
        return self.features @ self.vectors[:, :count] * np.sqrt(n / self.values[:count])

    def kept_by(self, counts: Array) -> tuple[int, int]:
        """The fewest and the most that resamples (samples, n) keep, as so many of them do.

        A resample has, to first order, the variances of its rows along the same components.
        """
        known = self._holding(VARIANCE_KNOWN)
        along = self.white(known) ** 2 * (self.values[:known] / len(self.features))
        held = np.cumsum(counts @ along, axis=1)
        whole = counts @ (self.features**2).sum(axis=1)
        kept = 1 + (held < VARIANCE_KEPT * whole[:, None]).sum(axis=1)
        tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        fewest, most = np.quantile(kept, tails, method="inverted_cdf")
        return min(int(fewest), self.kept), max(min(int(most), known), self.kept)

    def _holding(self, share: float) -> int:
        found = 1 + int(np.searchsorted(np.cumsum(self.values), share * self.values.sum()))
        return min(found, len(self.values))


def _components(layer: PreparedLayer) -> Components:
    X = layer.features.astype(np.float64)
    values, vectors = np.linalg.eigh(X.T @ X if X.shape[1] <= len(X) else X @ X.T)
    return Components(X, np.maximum(values[::-1], 0), vectors[:, ::-1])


def _reach(a: Sequence[Components], b: Sequence[Components], counts: Array) -> tuple[Array, Array]:
    """How far each value falls and rises with the numbers of components that resamples keep."""
    ends_a, ends_b = ([each.kept_by(counts) for each in side] for side in (a, b))
    A = [x.white(most) for x, (_, most) in zip(a, ends_a, strict=True)]
    B = [y.white(most) for y, (_, most) in zip(b, ends_b, strict=True)]
    fall, rise = np.zeros((2, len(a), len(b)))
    for i, x in enumerate(A):
        for j, y in enumerate(B):
            joint = x.T @ y / len(x)

            def value(rows: int, columns: int, joint: Array = joint) -> float:
                found = singular_values(joint[:rows, :columns])
                return float(found.sum() / max(min(rows, columns), 1))

            usual = value(a[i].kept, b[j].kept)
            others = [value(rows, columns) for rows in ends_a[i] for columns in ends_b[j]]
            fall[i, j], rise[i, j] = usual - min(usual, *others), max(usual, *others) - usual
    return fall, rise
