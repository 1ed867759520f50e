r"""Centred kernels of whole layers, compared pair by pair in tiles of bounded memory.

A centred kernel is an (n, n) matrix that says how each two rows of a layer relate. HSIC, the
numerator of CKA, is the inner product of two of them, so *all* pairs of layers are one matrix
product over flattened kernels. Tiles bound the memory, symmetry halves the work, and partial sums
leave single precision every `TILE` terms, which keeps the result within 1e-6 of double precision.

**Debiasing.** With $\tilde K$ = K without its diagonal and $r = \tilde K \mathbf 1$, the U-centred

$$ U_{ij} = \tilde K_{ij} + c_i + c_j, \quad
   c_i = \frac{\mathbf 1^\top r}{2(n-1)(n-2)} - \frac{r_i}{n-2}, \quad U_{ii} = 0 $$

has $\langle U^K, U^L \rangle / n(n-3)$ equal to the unbiased HSIC of Song et al. (2012), eq. 5
(Székely & Rizzo 2014). The cosine of two U-centred kernels is thus the debiased CKA of
Nguyen et al. (2021), and can never leave [-1, 1].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.shuffling import kernel_baseline
from isogloss.measures.stacks import Array, PreparedLayer

# Large enough for matrix products at full speed; no power of two, whose rows would crowd the same
# lines of the processor's cache when a tile is turned.
TILE = 400
MEDIAN_ROWS = 2000
# Entries of a U-centred kernel this close to their own rounding error hold no information.
ROUNDING = (64 * np.finfo(np.float32).eps) ** 2
NO_STRUCTURE = "has too few rows that differ for the debiased measure"


@dataclass(frozen=True)
class Kernel:
    """A symmetric centred kernel that can compute any tile of itself, in single precision.

    Linear without a `bandwidth`, Gaussian with one; doubly centred because its features are,
    or U-centred by one of `offsets` a row. `squares` are the squared lengths of its rows.
    """

    features: Array
    squares: Array
    flaw: str | None
    bandwidth: float | None = None
    offsets: Array | None = None

    @property
    def diagonal(self) -> Array:
        """The kernel's own diagonal, (n,): zero once it is debiased."""
        return np.zeros_like(self.squares) if self.offsets is not None else self.squares

    @property
    def noise(self) -> float:
        """The squared norm at or below which the kernel is rounding error."""
        if self.offsets is None:
            return 0.0
        return float(ROUNDING * 2 * len(self.offsets) * (self.offsets @ self.offsets))

    def tile(self, rows: slice, columns: slice, out: Array | None = None) -> Array:
        """Return the entries of some rows and columns; equal slices lie on the diagonal."""
        tile = np.matmul(self.features[rows], self.features[columns].T, out=out)
        if self.bandwidth is not None:
            tile = squared_distances(tile, self.squares[rows], self.squares[columns])
            tile *= -0.5 / self.bandwidth**2
            np.exp(tile, out=tile)
        if self.offsets is not None:
            tile += self.offsets[rows, None]
            tile += self.offsets[columns]
            if rows == columns:
                np.fill_diagonal(tile, 0)
        return tile


def linear_kernel(layer: PreparedLayer) -> Kernel:
    """Return the dot products of centred rows, $K = X X^\top$."""
    return Kernel(layer.features, _squares(layer), layer.flaw)


def debiased_linear_kernel(layer: PreparedLayer) -> Kernel:
    """Return the U-centred linear kernel; centred rows sum to zero, so $r_i = -K_{ii}$."""
    kernel = linear_kernel(layer)
    return replace(kernel, offsets=_offsets(-kernel.squares.astype(np.float64)))


def debiased_radial_kernel(layer: PreparedLayer, fraction: float) -> Kernel:
    r"""Return the U-centred Gaussian kernel $K_{ij} = \exp(-\lVert x_i - x_j\rVert^2/2\sigma^2)$.

    $\sigma$ is `fraction` of the median distance between two rows (of the first 2,000 rows when
    there are more), as in Kornblith et al. (2019).
    """
    squares = _squares(layer)
    head = layer.features[:MEDIAN_ROWS]
    distances = squared_distances(head @ head.T, squares[:MEDIAN_ROWS], squares[:MEDIAN_ROWS])
    median = np.median(distances[np.triu_indices(len(head), 1)])
    flaw = layer.flaw
    if flaw is None and median == 0:
        flaw = "has a median distance of zero between rows"
    kernel = Kernel(layer.features, squares, flaw, float(fraction * np.sqrt(median)) or 1.0)
    sums = np.zeros(len(squares))
    for rows, columns in tiles(len(squares)):
        tile = kernel.tile(rows, columns)
        if rows == columns:
            np.fill_diagonal(tile, 0)
        else:
            sums[columns] += tile.sum(0)
        sums[rows] += tile.sum(1)
    return replace(kernel, offsets=_offsets(sums))


def _squares(layer: PreparedLayer) -> Array:
    return np.einsum("ij,ij->i", layer.features, layer.features)


def squared_distances(products: Array, squares_a: Array, squares_b: Array) -> Array:
    """Turn dot products, in place, into squared distances, never below zero."""
    products *= -2
    products += squares_a[:, None]
    products += squares_b
    return np.maximum(products, 0, out=products)


def _offsets(sums: Array) -> Array:
    """Return the $c_i$ of the U-centring for row sums r, (n,), taken without the diagonal."""
    n = len(sums)
    offsets = sums.sum() / (2 * (n - 1) * (n - 2)) - sums / (n - 2)
    return offsets.astype(np.float32)


def tiles(n: int) -> Iterator[tuple[slice, slice]]:
    """Yield the tiles of the upper triangle of an (n, n) matrix, its diagonal included."""
    starts = range(0, n, TILE)
    for i in starts:
        for j in starts[i // TILE :]:
            yield slice(i, i + TILE), slice(j, j + TILE)


class Matrix(Protocol):
    """A symmetric (n, n) matrix that can compute any tile of itself, into `out` if there is one."""

    def tile(self, rows: slice, columns: slice, out: Array | None = None) -> Array: ...


def row_products(
    matrices_a: Sequence[Matrix], matrices_b: Sequence[Matrix], n: int
) -> tuple[Array, Array, Array]:
    r"""Return each row's share in the inner products of all pairs of matrices.

    For every pair $h_i = \sum_j M_{ij} N_{ij}$, shape (n, L_a, L_b), and the same of each matrix
    with itself, (n, L_a) and (n, L_b). Time (L_a + L_b) n² d + L_a L_b n² for kernels of d
    features; memory beyond the layers 4 (L_a + L_b) TILE² bytes.
    """
    joint = np.zeros((n, len(matrices_a), len(matrices_b)))
    left, right = np.zeros((n, len(matrices_a))), np.zeros((n, len(matrices_b)))

    def add(rows: slice, a: Array, b: Array) -> None:
        joint[rows] += a.transpose(1, 0, 2) @ b.transpose(1, 2, 0)
        left[rows] += np.vecdot(a, a).T
        right[rows] += np.vecdot(b, b).T

    for rows, columns in tiles(n):
        a, b = (_stack_tiles(matrices, rows, columns, n) for matrices in (matrices_a, matrices_b))
        add(rows, a, b)
        if rows != columns:
            add(columns, *(np.ascontiguousarray(x.transpose(0, 2, 1)) for x in (a, b)))
    return joint, left, right


def _stack_tiles(matrices: Sequence[Matrix], rows: slice, columns: slice, n: int) -> Array:
    """Return the same tile of all matrices, each written straight to its place."""
    stack = np.empty(
        (len(matrices), min(rows.stop, n) - rows.start, min(columns.stop, n) - columns.start),
        np.float32,
    )
    for place, matrix in zip(stack, matrices, strict=True):
        matrix.tile(rows, columns, out=place)
    return stack


def kernel_contributions(kernels_a: Sequence[Kernel], kernels_b: Sequence[Kernel]) -> Contributions:
    r"""Return each row's share $h_i = \sum_j K_{ij} L_{ij}$ for every pair of kernels."""
    joint, left, right = row_products(kernels_a, kernels_b, len(kernels_a[0].squares))
    norms_a, norms_b = left.sum(0), right.sum(0)
    return Contributions(
        joint,
        left,
        right,
        degree=2,
        reasons=explain(_flaws(kernels_a, norms_a), _flaws(kernels_b, norms_b)),
        baseline=kernel_baseline(
            norms_a,
            norms_b,
            np.stack([kernel.diagonal for kernel in kernels_a]),
            np.stack([kernel.diagonal for kernel in kernels_b]),
        ),
    )


def _flaws(kernels: Sequence[Kernel], norms: Array) -> list[str | None]:
    return [
        kernel.flaw or (NO_STRUCTURE if norm <= kernel.noise else None)
        for kernel, norm in zip(kernels, norms, strict=True)
    ]
