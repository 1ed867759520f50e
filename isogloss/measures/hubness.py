r"""Hubness: are a few rows everybody's nearest neighbour?

$N_k(y)$ counts how often row y of one side is among the k nearest, by cosine, of the rows of the
other. Its skewness $E[(N_k - k)^3] / \sigma^3$ is near 0 where all rows are found alike and large
where some are found by everyone (Radovanović et al. 2010). CSLS and the margin correct for that.
"""

from __future__ import annotations

import numpy as np

from isogloss.measures.nearest_neighbours import make_space, nearest
from isogloss.measures.stacks import Array

NEIGHBOURS = 10


def occurrences(X: Array, Y: Array, neighbours: int = NEIGHBOURS) -> Array:
    """Return how often each row of Y (m, d) is among the nearest of a row of X (n, d), (m,)."""
    found, _ = nearest(make_space(X, Y, "cosine"), neighbours)
    return np.bincount(found.ravel(), minlength=len(Y))


def hubness(X: Array, Y: Array, neighbours: int = NEIGHBOURS) -> float:
    """Return the skewness of how often rows of Y are found from X; 0 where all are found alike."""
    counts = occurrences(X, Y, neighbours).astype(np.float64)
    apart = counts - counts.mean()
    variance = np.mean(apart**2)
    return float(np.mean(apart**3) / variance**1.5) if variance > 0 else 0.0
