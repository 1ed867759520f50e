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
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.languages.sides import Sides
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
    heights: Array, known: Array, permutations: int = PERMUTATIONS, seed: int = 0
) -> Agreement:
    """Return how well the cophenetic distances of a tree agree with known ones, (K, K) each.

    NaN where either has nothing but equal distances.
    """
    count = len(known)
    above = np.triu_indices(count, 1)
    if count < 3:
        return Agreement(float("nan"), float("nan"), count)
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


def distances_of_means(sides: Sides, coordinates: Coordinates = DEFAULT_COORDINATES) -> Array:
    """Return how far apart the means of every two languages lie, (K, K), per dimension.

    In coordinates common to all, over the rows that both have: |mᵢ - mⱼ| / √d.
    """
    rows = np.zeros(sides.vectors.shape)
    rows[sides.there] = sides.in_common_coordinates(coordinates)
    both = sides.there.astype(np.float64)
    counts = both @ both.T
    count, width = len(rows), int(sides.vectors.shape[2])
    distances = np.zeros((count, count))
    for one in range(count):
        # The sum of each language over the rows that this one has, and of this one over theirs.
        theirs = np.einsum("kn,n,knd->kd", both, both[one], rows)
        own = both @ rows[one]
        shared = np.maximum(counts[one], 1)[:, None]
        apart = np.linalg.norm((own - theirs) / shared, axis=1) / np.sqrt(width)
        distances[one] = np.where(counts[one] > 0, apart, np.nan)
    np.fill_diagonal(distances, 0)
    return distances
