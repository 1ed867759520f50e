"""Intervals of a share that was counted: how far it may lie from what the same model would get."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from isogloss.bootstrap import LEVEL
from isogloss.errors import IsoglossError
from isogloss.stacks import Array


def wilson_interval(
    correct: Array | float, n: Array | float, level: float = LEVEL
) -> tuple[Array, Array]:
    """Return the lower and upper end of Wilson's interval for `correct` of `n`, both in 0…1.

    With z the normal quantile of the level,
    (k + z²/2 ± z √(k (n − k) / n + z²/4)) / (n + z²). NaN where a count is NaN. Wilson (1927).
    """
    if not 0 < level < 1:
        raise IsoglossError(f"An interval's level must lie between 0 and 1, not at {level}.")
    k, total = np.asarray(correct, np.float64), np.asarray(n, np.float64)
    if np.any(total <= 0) or np.any(k < 0) or np.any(k > total):
        raise IsoglossError("A share needs a count between 0 and n, and an n of at least 1.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = k + z**2 / 2
    half = z * np.sqrt(k * (total - k) / total + z**2 / 4)
    low, high = (centre - half) / (total + z**2), (centre + half) / (total + z**2)
    # At the ends the formula is exact, but its rounding need not be.
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
