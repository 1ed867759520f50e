r"""What a picture can be trusted for: the share of true neighbours that it keeps.

$$ p = \frac{1}{mk} \sum_{i=1}^{m} \bigl|\{ j \in N_k^{\text{low}}(i) :
       \lVert x_i - x_j \rVert \le r_k(i) \}\bigr| $$

with $N_k^{\text{low}}(i)$ the k nearest neighbours of point i in the picture and $r_k(i)$ the
distance of its k-th nearest in the full space (Venna & Kaski 2006 count the same errors by rank).
Reading by radius makes ties harmless: the same word many times over, as in an embedding layer, has
more than k neighbours at distance zero, and any of them will do.
"""

from __future__ import annotations

import numpy as np

from isogloss.measures.stacks import Array, require_pairs

NEIGHBOURS = 10
# Enough points for a standard error below 0.005; every one is compared with all points.
MOST_ANCHORS = 2000
# Enough to tell whether two layers share half of their neighbourhoods or a third.
FEW_ANCHORS = 400
BLOCK_ROWS = 256
MOST_DISTANCES = 2**23  # at once
# Squared distances between equal rows differ from zero by about this share of the squared norm.
ROUNDING = 1e-12


def count_neighbours(points: int, k: int = NEIGHBOURS) -> int:
    """Return how many neighbours are compared: k, but fewer than half of the other points."""
    return max(1, min(k, (points - 1) // 2))


def chance_preservation(points: int, k: int = NEIGHBOURS) -> float:
    """Return the preservation that a random picture has: k / (n - 1)."""
    return count_neighbours(points, k) / (points - 1)


def neighbourhood_preservation(
    high: Array, low: Array, k: int = NEIGHBOURS, most_anchors: int = MOST_ANCHORS
) -> float:
    """Return the share of each point's k nearest neighbours in `high` kept among those in `low`.

    high is (n, d), low (n, 2), rows paired, n at least 2; in [0, 1], `chance_preservation` for a
    random picture. k is lowered to fewer than half of the points; beyond `most_anchors` points,
    so many of them, evenly spaced, are asked for their neighbours among all.
    """
    require_pairs(len(high), len(low))
    points = len(high)
    k = count_neighbours(points, k)
    high, low = high.astype(np.float64), low.astype(np.float64)
    high_squares, low_squares = _squares(high), _squares(low)
    anchors = np.unique(np.linspace(0, points - 1, min(points, most_anchors)).astype(int))
    kept = 0
    block = max(1, min(BLOCK_ROWS, MOST_DISTANCES // points))
    for start in range(0, len(anchors), block):
        rows = anchors[start : start + block]
        true_distances = _distances(high, high_squares, rows)
        radius = np.partition(true_distances, k - 1, axis=1)[:, k - 1 : k]
        radius += ROUNDING * high_squares[rows, None]
        seen = np.argpartition(_distances(low, low_squares, rows), k - 1, axis=1)[:, :k]
        kept += int((np.take_along_axis(true_distances, seen, axis=1) <= radius).sum())
    return kept / (len(anchors) * k)


def _squares(points: Array) -> Array:
    return np.einsum("ij,ij->i", points, points)


def _distances(points: Array, squares: Array, rows: Array) -> Array:
    """Squared distances (rows, n) from some points to all, infinite to themselves."""
    distances = squares[rows, None] + squares - 2 * (points[rows] @ points.T)
    distances[np.arange(len(rows)), rows] = np.inf
    return distances
