r"""IsoScore: how evenly a layer uses its dimensions (Rudman et al. 2022).

With $\lambda$ (d,) the variances along the principal components scaled to length $\sqrt d$, the
defect $\delta = \lVert \lambda - \mathbf 1 \rVert / \sqrt{2 (d - \sqrt d)}$, and the share of
dimensions in use $\phi = (d - \delta^2 (d - \sqrt d))^2 / d^2$, the score is
$(d \phi - 1) / (d - 1)$: 0 where one direction holds all variance, 1 where all hold the same.
"""

from __future__ import annotations

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import Array, centre


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
