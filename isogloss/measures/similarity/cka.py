"""Centred kernel alignment: linear, plain or debiased, and with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.similarity.kernels import (
    debiased_linear_kernel,
    debiased_radial_kernel,
    kernel_contributions,
    linear_kernel,
)
from isogloss.measures.similarity.streaming import (
    RowBlock,
    RowBlocks,
    feature_contributions,
    slices,
)
from isogloss.measures.stacks import Array, centre

# As a share of the median distance between two rows.
BANDWIDTH = 0.4


def linear_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the plain linear CKA of every pair of layers."""
    if not _kernels_are_cheaper(a, b):
        return feature_contributions(_in_blocks(a, b), debiased=False)
    return kernel_contributions(
        [linear_kernel(centre(x)) for x in a], [linear_kernel(centre(y)) for y in b]
    )


def debiased_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the debiased linear CKA of every pair of layers."""
    if not _kernels_are_cheaper(a, b):
        return feature_contributions(_in_blocks(a, b), debiased=True)
    return kernel_contributions(
        [debiased_linear_kernel(centre(x)) for x in a],
        [debiased_linear_kernel(centre(y)) for y in b],
    )


def radial_cka(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return each row's share in the debiased CKA of every pair of layers, Gaussian kernels."""
    return kernel_contributions(
        [debiased_radial_kernel(centre(x), BANDWIDTH) for x in a],
        [debiased_radial_kernel(centre(y), BANDWIDTH) for y in b],
    )


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
