"""Intervals by resampling rows: how far a number would move with other sentences."""

from __future__ import annotations

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.stacks import Array

SAMPLES = 200
LEVEL = 0.95


def resample_counts(rows: int, samples: int = SAMPLES, seed: int = 0) -> Array:
    """Return how often each row is drawn in each of `samples` draws of `rows` with replacement.

    Shape (samples, rows), float64; every line sums to `rows`. Efron (1979).
    """
    generator = np.random.default_rng(seed)
    return generator.multinomial(rows, np.full(rows, 1 / rows), size=samples).astype(np.float64)


def percentile_interval(resampled: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Return the lower and upper percentile over the first axis that enclose `level` of it."""
    if not 0 < level < 1:
        raise IsoglossError(f"An interval's level must lie between 0 and 1, not at {level}.")
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def mean_interval(
    values: Array, samples: int = SAMPLES, level: float = LEVEL, seed: int = 0
) -> tuple[Array, Array]:
    """Return the percentile interval of the mean over rows of `values`, shape (rows, ...)."""
    rows = len(values)
    means = resample_counts(rows, samples, seed) @ values.reshape(rows, -1) / rows
    low, high = percentile_interval(means, level)
    return low.reshape(values.shape[1:]), high.reshape(values.shape[1:])
