"""Centred kernel alignment: linear, plain or debiased, and with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.similarity.kernels import (
    Kernel,
    debiased_linear_kernel,
    debiased_radial_kernel,
    kernel_contributions,
    linear_kernel,
)
from isogloss.measures.similarity.shuffling import (
    kernel_baseline,
    shuffle_matrices,
    shuffled_rows,
)
from isogloss.measures.similarity.streaming import (
    RowBlock,
    RowBlocks,
    feature_contributions,
    slices,
)
from isogloss.measures.stacks import Array, PreparedLayer, centre

MakeKernel = Callable[[PreparedLayer], Kernel]
# As a share of the median distance between two rows.
BANDWIDTH = 0.4


def linear_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the plain linear CKA of every pair of layers."""
    return _linear(linear_kernel, a, b, debiased=False)


def debiased_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the debiased linear CKA of every pair of layers."""
    return _linear(debiased_linear_kernel, a, b, debiased=True)


def radial_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the debiased CKA of every pair of layers, Gaussian kernels."""
    return _by_kernels(partial(debiased_radial_kernel, fraction=BANDWIDTH), a, b)


def _linear(
    kernel: MakeKernel, a: Sequence[Array], b: Sequence[Array], debiased: bool
) -> Contributions:
    if _kernels_are_cheaper(a, b):
        return _by_kernels(kernel, a, b)
    return _shuffled(feature_contributions(_in_blocks(a, b), debiased), kernel, a, b)


def _by_kernels(kernel: MakeKernel, a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    found = kernel_contributions([kernel(centre(x)) for x in a], [kernel(centre(y)) for y in b])
    return _shuffled(found, kernel, a, b)


def _shuffled(
    found: Contributions, kernel: MakeKernel, a: Sequence[Array], b: Sequence[Array]
) -> Contributions:
    """Add what shuffles read, of all rows or of a sample of them."""
    rows = shuffled_rows(len(a[0]))
    whole = slice(0, len(rows))
    few_a, few_b = (
        [kernel(centre(layer[rows])).tile(whole, whole) for layer in side] for side in (a, b)
    )
    few = kernel_baseline(
        *(np.array([np.vdot(K, K) for K in side], np.float64) for side in (few_a, few_b)),
        *(np.stack([K.diagonal() for K in side]) for side in (few_a, few_b)),
    )
    return replace(found, baseline=shuffle_matrices(found.baseline, few_a, few_b, few))


def _kernels_are_cheaper(a: Sequence[Array], b: Sequence[Array]) -> bool:
    """Compare the multiplications of both forms, those in double precision counting twice."""
    n = len(a[0])
    widths_a, widths_b = [x.shape[1] for x in a], [y.shape[1] for y in b]
    by_kernels = n / 2 * sum(widths_a + widths_b)
    by_features = sum(widths_a) * sum(widths_b) + sum(d**2 for d in widths_a + widths_b)
    return by_kernels <= 2 * 2 * by_features


def _in_blocks(a: Sequence[Array], b: Sequence[Array]) -> RowBlocks:
    def blocks() -> Iterator[RowBlock]:
        for part in slices(len(a[0])):
            yield [x[part] for x in a], [y[part] for y in b]

    return blocks
