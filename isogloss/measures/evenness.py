r"""How evenly a layer uses its dimensions, and how evenly its rows are found from the other side.

**IsoScore** (Rudman et al. 2022). With $\lambda$ (d,) the variances along the principal components
scaled to length $\sqrt d$, the defect $\delta = \lVert \lambda - \mathbf 1 \rVert /
\sqrt{2 (d - \sqrt d)}$, and the share of dimensions in use
$\phi = (d - \delta^2 (d - \sqrt d))^2 / d^2$, the score is $(d \phi - 1) / (d - 1)$: 0 where one
direction holds all variance, 1 where all hold the same.

**Hubness**: are a few rows everybody's nearest neighbour? $N_k(y)$ counts how often row y of one
side is among the k nearest, by cosine, of the rows of the other. Its skewness
$E[(N_k - k)^3] / \sigma^3$ is near 0 where all rows are found alike and large where some are found
by everyone (Radovanović et al. 2010). CSLS and the margin correct for that.
"""

from __future__ import annotations

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.nearest_neighbours import make_space, nearest
from isogloss.measures.stacks import Array, centre

NEIGHBOURS = 10


def iso_score(X: Array) -> float:
    """Return the IsoScore of rows X (n, d), in [0, 1]; 0 where all rows are the same.

    With fewer rows than features some directions hold nothing, so that few rows read low.
    """
    n, d = X.shape
    if d < 2:
        raise IsoglossError("One dimension has nothing to be even with; IsoScore needs two.")
    layer = centre(X)
    if layer.flaw is not None:
        return 0.0
    features = layer.features.astype(np.float64)
    variances = np.zeros(d)
    held = np.linalg.eigvalsh(features.T @ features if d <= n else features @ features.T)
    variances[: len(held)] = np.maximum(held, 0)
    scaled = variances * np.sqrt(d) / np.linalg.norm(variances)
    room = d - np.sqrt(d)
    defect = np.sum((scaled - 1) ** 2) / (2 * room)
    used = ((d - defect * room) / d) ** 2
    return float((d * used - 1) / (d - 1))


def occurrences(X: Array, Y: Array) -> Array:
    """Return how often each row of Y (m, d) is among the nearest of a row of X (n, d), (m,)."""
    found, _ = nearest(make_space(X, Y, "cosine"), NEIGHBOURS)
    return np.bincount(found.ravel(), minlength=len(Y))


def hubness(X: Array, Y: Array) -> float:
    """Return the skewness of how often rows of Y are found from X; 0 where all are found alike."""
    counts = occurrences(X, Y).astype(np.float64)
    apart = counts - counts.mean()
    variance = np.mean(apart**2)
    return float(np.mean(apart**3) / variance**1.5) if variance > 0 else 0.0
