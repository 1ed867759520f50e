"""What every similarity measure cannot do without: the least that its value must cost.

For each, the large operations of linear algebra (or sorting) that its formula asks for, run as
numpy and scipy have them and with nothing around: no centring, no intervals, no baseline. Products
of a layer with itself are symmetric, and numpy computes half of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

Stack = Sequence[Array]


@dataclass(frozen=True)
class Limit:
    """The operations below which a measure cannot go, in words and as code."""

    what: str
    run: Callable[[Stack, Stack], None]


def grams(a: Stack, b: Stack) -> None:
    for layer in (*a, *b):
        layer @ layer.T


def cross_products(a: Stack, b: Stack) -> None:
    for x in a:
        for y in b:
            x @ y.T


def ranked_grams(a: Stack, b: Stack) -> None:
    above = np.triu_indices(len(a[0]), 1)
    for layer in (*a, *b):
        np.argsort((layer @ layer.T)[above])


def feature_products(a: Stack, b: Stack) -> None:
    for x in a:
        for y in b:
            np.einsum("ij,ij->j", x, y)


def canonical(a: Stack, b: Stack) -> None:
    from scipy.linalg import svdvals

    bases = [[np.linalg.svd(layer, full_matrices=False)[0] for layer in side] for side in (a, b)]
    for x in bases[0]:
        for y in bases[1]:
            svdvals(x.T @ y)


def rotations(a: Stack, b: Stack) -> None:
    from scipy.linalg import svdvals

    for x in a:
        for y in b:
            svdvals(x.T @ y)


_GRAMS = Limit("a product n x n x d a layer", grams)
LIMITS: dict[str, Limit] = {
    "debiased_cka": _GRAMS,
    "cka": _GRAMS,
    "rbf_cka": _GRAMS,
    "mexa": Limit("a product n x n x d a pair of layers", cross_products),
    "mutual_neighbours": _GRAMS,
    "cknna": _GRAMS,
    "neuron_correlation": Limit("n x d products a pair of layers", feature_products),
    "rsa": Limit("a product n x n x d and a sort of n²/2 a layer", ranked_grams),
    "svcca": Limit("an SVD a layer, another a pair of layers", canonical),
    "procrustes": Limit("a product d x d x n and its SVD a pair of layers", rotations),
}
"""By the name of the measure."""
