"""Intervals: how far a number would move with other sentences, and a counted share with its n."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import Array

SAMPLES = 1_000
LEVEL = 0.95


def resample_counts(
    rows: int, samples: int = SAMPLES, seed: int = 0, groups: Array | None = None
) -> Array:
    """Return how often each row is drawn in each of `samples` draws with replacement.

    Shape (samples, rows), float64. Rows are drawn one by one, so every line sums to `rows`
    (Efron 1979). Given `groups` (rows,), whole groups are drawn, since rows of one group, such as
    the words of one sentence, are not independent (Davison & Hinkley 1997, section 3.8).
    """
    generator = np.random.default_rng(seed)
    member = None if groups is None else np.unique(groups, return_inverse=True)[1]
    count = rows if member is None else int(member.max()) + 1
    drawn = generator.multinomial(count, np.full(count, 1 / count), size=samples)
    counts = drawn.astype(np.float64)
    return counts if member is None else counts[:, member]


def percentile_interval(resampled: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Return the lower and upper percentile over the first axis that enclose `level` of it."""
    if not 0 < level < 1:
        raise IsoglossError(f"An interval's level must lie between 0 and 1, not at {level}.")
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def share_interval(
    hits: Array,
    groups: Array | None = None,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> tuple[Array, Array]:
    """Return the interval of the mean over rows of `hits` (rows, ...), each in 0…1.

    Rows, or whole `groups` of them, are resampled. Where every row is a hit, or none is, resampling
    can show no doubt, and Wilson's interval for as many trials as there are rows or groups stands.
    """
    rows = len(hits)
    flat = hits.reshape(rows, -1).astype(np.float64)
    counts = resample_counts(rows, samples, seed, groups)
    low, high = percentile_interval(counts @ flat / counts.sum(axis=1, keepdims=True), level)
    trials = rows if groups is None else len(np.unique(groups))
    means = flat.mean(axis=0)
    for share in (0.0, 1.0):
        same = means == share
        low[same], high[same] = wilson_interval(share * trials, trials, level)
    return low.reshape(hits.shape[1:]), high.reshape(hits.shape[1:])


def mean_normal_interval(
    values: Array, level: float = LEVEL, deviation: float | None = None
) -> tuple[float, float]:
    """Return the ends of the interval of the mean of `values` (n,), mean ± z s / √n, for large n.

    `s` is the sample's own standard deviation unless `deviation` is given.
    """
    if not 0 < level < 1:
        raise IsoglossError(f"An interval's level must lie between 0 and 1, not at {level}.")
    s = float(np.std(values, ddof=1)) if deviation is None else deviation
    half = NormalDist().inv_cdf((1 + level) / 2) * s / np.sqrt(len(values))
    centre = float(np.mean(values))
    return centre - half, centre + half


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


@dataclass(frozen=True)
class Estimate:
    """A mean over n seeds with the ends of its interval, NaN where n is below 2."""

    mean: float
    low: float
    high: float
    n: int

    @property
    def has_interval(self) -> bool:
        return self.n > 1

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.has_interval and self.low > 0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval lies below 0."""
        return self.has_interval and self.high < 0


def estimate(values: Array, level: float = LEVEL) -> Estimate:
    r"""The mean of values (n,), one a seed, and its t interval; missing ones are left out.

    $\bar x \pm t_{n-1} s / \sqrt n$: how far the mean would move with other seeds. Of differences
    between runs with the same seed this is the paired t interval.
    """
    from scipy.special import stdtrit

    known = values[~np.isnan(values)]
    if not len(known):
        return Estimate(np.nan, np.nan, np.nan, 0)
    mean = float(known.mean())
    if len(known) == 1:
        return Estimate(mean, np.nan, np.nan, 1)
    error = known.std(ddof=1) / np.sqrt(len(known))
    reach = float(stdtrit(len(known) - 1, (1 + level) / 2) * error)
    return Estimate(mean, mean - reach, mean + reach, len(known))
