r"""Linear CKA from feature products, exact, block by block: for texts larger than memory.

For linear kernels, HSIC needs no (n, n) matrix: $\langle XX^\top, YY^\top\rangle =
\lVert X^\top Y \rVert_F^2$, and row i's share is $x_i^\top (X^\top Y) y_i$.

**Debiased.** With centred rows, $s_i = \lVert x_i \rVert^2$ and
$c_i = s_i/(n-2) - \sum_k s_k / 2(n-1)(n-2)$, the U-centred kernel is, off its diagonal,

$$ U^K_{ij} = x_i \cdot x_j + c_i + c_j = \hat x_i \cdot \check x_j, \quad
   \hat x_i = (x_i, c_i, 1), \quad \check x_j = (x_j, 1, c_j), $$

an inner product of rows two features wider. So, with $e_i$ the same for Y,

$$ h_i = \hat x_i^\top (\check X^\top \check Y)\, \hat y_i - (s_i + 2 c_i)(t_i + 2 e_i), $$

the last term being the diagonal that U leaves out. The blocks are read three times: for the means,
for the products, for the shares. Memory: 8 L_a L_b d_a d_b bytes, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.kernels import NO_STRUCTURE, ROUNDING
from isogloss.measures.similarity.shuffling import kernel_baseline
from isogloss.measures.stacks import CONSTANT, FEWEST_ROWS, Array, require_finite, require_pairs

RowBlock = tuple[Sequence[Array], Sequence[Array]]
RowBlocks = Callable[[], Iterable[RowBlock]]

BLOCK_ROWS = 2048


@dataclass
class _Moments:
    """Running sums of one layer about its first row, which removes most of a large mean."""

    origin: Array
    total: Array
    squares: float = 0.0
    raw_squares: float = 0.0
    rows: int = 0

    def add(self, block: Array) -> None:
        block = block.astype(np.float64)
        shifted = block - self.origin
        self.total += shifted.sum(0)
        self.squares += float(np.vdot(shifted, shifted))
        self.raw_squares += float(np.vdot(block, block))
        self.rows += len(block)


@dataclass(frozen=True)
class _Rows:
    """A block of one layer as rows of the kernel's two factors, (b, d) or (b, d + 2)."""

    left: Array
    right: Array
    diagonal: Array
    offsets: Array

    def shares(self, other: _Rows, products: Array) -> Array:
        """Return $h_i$ of the module's formula for each row of the block, (b,)."""
        shares = np.einsum("ij,ij->i", self.left @ products, other.left)
        return shares - self._omitted * other._omitted

    @property
    def _omitted(self) -> Array:
        """The diagonal of the product of the factors that the kernel itself does not have."""
        return np.einsum("ij,ij->i", self.left, self.right) - self.diagonal


@dataclass(frozen=True)
class _Factor:
    """How to turn blocks of one layer into rows of its kernel's factors."""

    mean: Array
    scale: float
    rows: int
    debiased: bool

    @property
    def flaw(self) -> str | None:
        return None if self.scale else "is the same for every row"

    def apply(self, block: Array) -> _Rows:
        centred = (block - self.mean) * self.scale
        squares = np.einsum("ij,ij->i", centred, centred)
        if not self.debiased:
            return _Rows(centred, centred, squares, np.zeros_like(squares))
        n = self.rows
        offsets = squares / (n - 2)
        if self.scale:
            offsets -= n / (2 * (n - 1) * (n - 2))
        ones = np.ones_like(offsets)
        return _Rows(
            np.column_stack([centred, offsets, ones]),
            np.column_stack([centred, ones, offsets]),
            np.zeros_like(squares),
            offsets,
        )


def feature_contributions(blocks: RowBlocks, debiased: bool) -> Contributions:
    """Return each row's share in the linear HSIC of every pair of layers.

    `blocks()` starts a fresh reading; each block holds the same rows of every layer of both sides,
    as two sequences of (b, d) arrays. Equal to `kernels.kernel_contributions` to rounding.
    """
    factors, count_a = _read_factors(blocks, debiased)
    count = len(factors)
    pairs = [(k, k) for k in range(count)]
    pairs += [(i, j) for i in range(count_a) for j in range(count_a, count)]

    widths = [len(factor.mean) + 2 * debiased for factor in factors]
    products = {(k, m): np.zeros((widths[k], widths[m])) for k, m in pairs}
    for rows in _apply(factors, blocks):
        for k, m in pairs:
            products[k, m] += rows[k].right.T @ rows[m].right

    shares: list[list[Array]] = []
    diagonals: list[list[Array]] = []
    offsets: list[list[Array]] = []
    for rows in _apply(factors, blocks):
        shares.append([rows[k].shares(rows[m], products[k, m]) for k, m in pairs])
        diagonals.append([layer.diagonal for layer in rows])
        offsets.append([layer.offsets for layer in rows])
    share: Array = np.concatenate(shares, axis=1).T
    diagonal: Array = np.concatenate(diagonals, axis=1)
    offset: Array = np.concatenate(offsets, axis=1)

    own, joint = share[:, :count], share[:, count:].reshape(-1, count_a, count - count_a)
    norms = own.sum(0)
    noise = ROUNDING * 2 * len(own) * (offset**2).sum(1)
    flaws = [
        factor.flaw or (NO_STRUCTURE if norm <= floor else None)
        for factor, norm, floor in zip(factors, norms, noise, strict=True)
    ]
    return Contributions(
        joint,
        own[:, :count_a],
        own[:, count_a:],
        degree=2,
        reasons=explain(flaws[:count_a], flaws[count_a:]),
        baseline=kernel_baseline(
            norms[:count_a], norms[count_a:], diagonal[:count_a], diagonal[count_a:]
        ),
    )


def _read_factors(blocks: RowBlocks, debiased: bool) -> tuple[list[_Factor], int]:
    """Read every block for its means; return a factor a layer and how many the first side has."""
    moments: list[_Moments] = []
    count_a = 0
    for first, second in blocks():
        layers = [np.asarray(layer) for layer in (*first, *second)]
        if not moments:
            count_a = len(first)
            moments = [_Moments(x[0].astype(np.float64), np.zeros(x.shape[1])) for x in layers]
        for layer, state in zip(layers, moments, strict=True):
            require_pairs(len(layers[0]), len(layer))
            state.add(layer)
    if not moments or moments[0].rows < FEWEST_ROWS:
        raise IsoglossError(f"A comparison needs at least {FEWEST_ROWS} rows; add sentences.")
    return [_factor(layer, debiased) for layer in moments], count_a


def _factor(layer: _Moments, debiased: bool) -> _Factor:
    require_finite(layer.raw_squares)
    mean = layer.total / layer.rows
    spread = layer.squares - layer.rows * float(mean @ mean)
    constant = spread <= CONSTANT**2 * layer.raw_squares
    scale = 0.0 if constant else float(np.sqrt(layer.rows / spread))
    return _Factor(layer.origin + mean, scale, layer.rows, debiased)


def _apply(factors: Sequence[_Factor], blocks: RowBlocks) -> Iterator[list[_Rows]]:
    for first, second in blocks():
        layers = (*first, *second)
        yield [factor.apply(layer) for factor, layer in zip(factors, layers, strict=True)]


def slices(rows: int, size: int = BLOCK_ROWS) -> list[slice]:
    """Cut rows into blocks."""
    return [slice(start, start + size) for start in range(0, rows, size)]
