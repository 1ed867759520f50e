r"""A tree of languages, and how well it agrees with where they come from.

Average linkage (UPGMA, Sokal & Michener 1958) joins the two nearest groups again and again, the
distance of two groups being the mean over their members. Two leaves are as far apart in the tree as
the height at which they are joined: their cophenetic distance. Its correlation with distances that
are known (Sokal & Rohlf 1962) says how well the tree agrees with them; the languages are then
dealt out anew over the leaves to see how often chance does as well (Mantel 1967).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import Array

PERMUTATIONS = 1_999


@dataclass(frozen=True)
class Agreement:
    """How well a tree agrees with known distances: Pearson's r, and the share of dealings of the
    languages over its leaves that agree at least as well, with the one that was dealt."""

    correlation: float
    p_value: float
    languages: int


def average_linkage(distances: Array) -> Array:
    """Return the merges of the tree over a distance matrix (K, K), as scipy has them, (K - 1, 4).

    Each row has the two groups that are joined (leaves are 0 … K - 1, the i-th merge is K + i), the
    height at which, and the number of leaves below. Of equal distances the first is joined first.
    """
    count = len(distances)
    if distances.shape != (count, count) or count < 2:
        raise IsoglossError("A tree needs the distances between two languages or more.")
    between = np.array(distances, np.float64)
    np.fill_diagonal(between, np.inf)
    if not np.isfinite(between[~np.eye(count, dtype=bool)]).all():
        raise IsoglossError("A tree needs the distance between every two languages.")
    names, sizes = np.arange(count), np.ones(count)
    merges = np.zeros((count - 1, 4))
    for step in range(count - 1):
        one, other = sorted(np.unravel_index(np.argmin(between), between.shape))
        low, high = sorted((names[one], names[other]))
        merges[step] = low, high, between[one, other], sizes[one] + sizes[other]
        mean = (sizes[one] * between[one] + sizes[other] * between[other]) / merges[step, 3]
        between[one], between[:, one] = mean, mean
        between[one, one] = between[other] = between[:, other] = np.inf
        names[one], sizes[one] = count + step, merges[step, 3]
    return merges


def members(merges: Array) -> list[list[int]]:
    """The leaves below every leaf and merge, in the order in which the tree is drawn."""
    below = [[leaf] for leaf in range(len(merges) + 1)]
    for one, other, _, _ in merges:
        pair = sorted((below[int(one)], below[int(other)]), key=lambda side: (len(side), min(side)))
        below.append(pair[0] + pair[1])
    return below


def leaf_order(merges: Array) -> list[int]:
    """The leaves from one end of the drawn tree to the other."""
    return members(merges)[-1]


def cophenetic_distances(merges: Array) -> Array:
    """Return the height at which every two leaves are joined, (K, K)."""
    count = len(merges) + 1
    below, heights = members(merges), np.zeros((count, count))
    for one, other, height, _ in merges:
        here = np.ix_(below[int(one)], below[int(other)])
        heights[here] = height
        heights.T[here] = height
    return heights


def agreement(
    merges: Array, known: Array, permutations: int = PERMUTATIONS, seed: int = 0
) -> Agreement:
    """Return how well a tree agrees with known distances (K, K).

    NaN where either has nothing but equal distances.
    """
    count = len(known)
    above = np.triu_indices(count, 1)
    heights = cophenetic_distances(merges)
    tree, truth = heights[above] - heights[above].mean(), known[above] - known[above].mean()
    length = float(np.linalg.norm(tree) * np.linalg.norm(truth))
    if not length > 0:
        return Agreement(float("nan"), float("nan"), count)
    generator = np.random.default_rng(seed)
    orders = generator.permuted(np.tile(np.arange(count), (permutations, 1)), axis=1)
    dealt = heights[orders[:, above[0]], orders[:, above[1]]] @ truth
    reached = np.count_nonzero(dealt >= tree @ truth * (1 - 1e-12))
    p_value = (reached + 1) / (permutations + 1)
    return Agreement(float(tree @ truth) / length, p_value, count)
