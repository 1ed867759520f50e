"""Intervals: how far a number would move with other sentences, and a counted share with its n."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import Array

SAMPLES = 1_000
LEVEL = 0.95
# Fewer rows have so few different resamples that their spread tells nothing.
FEWEST_RESAMPLED = 8
# One group alone says nothing about others: an interval of so few trials is all of 0…1.
FEWEST_TRIALS = 1e-9


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
    _require_share(level)
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def expanded_level(rows: int, level: float = LEVEL) -> float:
    r"""Return the level at which a percentile interval of few rows holds what `level` promises.

    Resampling knows a standard deviation $\sqrt{(n - 1)/n}$ too small and no Student's quantile:
    $2 \Phi(t_{n-1} \sqrt{n / (n - 1)}) - 1$ (Hesterberg 2015, the expanded percentile interval).
    """
    from scipy.special import stdtrit

    _require_share(level)
    reach = stdtrit(rows - 1, (1 + level) / 2) * np.sqrt(rows / (rows - 1))
    return 2 * NormalDist().cdf(float(reach)) - 1


def _require_share(level: float) -> None:
    if not 0 < level < 1:
        raise IsoglossError(f"An interval's level must lie between 0 and 1, not at {level}.")


def normal_reach(level: float) -> float:
    """The normal quantile z that encloses `level` of all cases with its negative."""
    _require_share(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def sums_by_unit(values: Array, units: Array) -> Array:
    """Sum rows of `values` (n, ...) that are of one unit, as the sentence pair a word stands in."""
    member = np.unique(units, return_inverse=True)[1]
    sums = np.zeros((int(member.max()) + 1, *values.shape[1:]))
    np.add.at(sums, member, values)
    return sums


def share_interval(
    hits: Array, groups: Array | None = None, level: float = LEVEL
) -> tuple[Array, Array]:
    r"""Return the interval of the mean over rows of `hits` (rows, ...), each in 0…1.

    Wilson's, for as many independent trials as tell as much as the rows do: the effective number
    $p (1 - p) / v$ with v the variance of the mean, so that rows of one of `groups`, the words of
    one sentence, say, count for less than as many alone (Korn & Graubard 1998, who also give the
    correction for few groups). Of hits and misses without groups it is Wilson's own.
    """
    flat = hits.reshape(len(hits), -1).astype(np.float64)
    means = flat.mean(axis=0)
    alone = ((flat - means) ** 2).sum(axis=0) / len(flat) ** 2
    if groups is None:
        low, high = _effective_wilson(means, alone, len(flat), level)
    else:
        sums = sums_by_unit(flat - means, groups)
        # Groups may look more alike than chance would have them, but tell no more than their rows.
        variance = np.maximum(_variance_of_sum(sums, level) / len(flat) ** 2, alone)
        low, high = _effective_wilson(means, variance, len(sums), level)
    return low.reshape(hits.shape[1:]), high.reshape(hits.shape[1:])


def reach_of_the_best(choices: int) -> float:
    """How many times as far an interval reaches that is to hold for the best of so many scores.

    The best was chosen because it is high, so its own interval lies too high. Bonferroni's
    correction: one of `LEVEL` for all scores together, in units of one that is fixed beforehand.

    >>> round(reach_of_the_best(13), 2)
    1.48
    """
    normal = NormalDist()
    one, all_of_them = (1 - (1 - LEVEL) / (2 * many) for many in (1, max(choices, 1)))
    return normal.inv_cdf(all_of_them) / normal.inv_cdf(one)


def ratio_interval(parts: Array, wholes: Array, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of the share Σ parts / Σ wholes, both (groups,), by the same rule."""
    share = np.array([parts.sum() / wholes.sum()])
    sums = (parts - share * wholes)[:, None]
    variance = _variance_of_sum(sums, level) / wholes.sum() ** 2
    low, high = _effective_wilson(share, variance, len(parts), level)
    return float(low[0]), float(high[0])


def _variance_of_sum(sums: Array, level: float) -> Array:
    """The variance of the total of deviations summed by group, (groups, m), for few groups, too.

    Few groups tell their own variance badly: it is raised as Student's quantile is above z.
    """
    from scipy.special import stdtrit

    freedom = len(sums) - 1
    if not freedom:
        return np.full(sums.shape[1], np.inf)
    correction = stdtrit(freedom, (1 + level) / 2) / normal_reach(level)
    total: Array = (sums**2).sum(axis=0) * len(sums) / freedom * correction**2
    return total


def _effective_wilson(
    means: Array, variance: Array, groups: int, level: float
) -> tuple[Array, Array]:
    """Wilson's interval of shares (m,) with p (1 - p) / variance trials, `groups` at 0 and 1."""
    spread = means * (1 - means)
    certain = (spread > 0) & (variance == 0)  # every row is the same part of a hit
    trials = np.divide(
        spread, variance, where=(spread > 0) & ~certain, out=np.full(len(means), float(groups))
    )
    trials = np.where(certain, 1, np.maximum(trials, FEWEST_TRIALS))
    low, high = wilson_interval(means * trials, trials, level)
    return np.where(certain, means, low), np.where(certain, means, high)


def wilson_interval(
    correct: Array | float, n: Array | float, level: float = LEVEL
) -> tuple[Array, Array]:
    """Return the lower and upper end of Wilson's interval for `correct` of `n`, both in 0…1.

    With z the normal quantile of the level,
    (k + z²/2 ± z √(k (n − k) / n + z²/4)) / (n + z²). NaN where a count is NaN. Wilson (1927).
    """
    z = normal_reach(level)
    k, total = np.asarray(correct, np.float64), np.asarray(n, np.float64)
    if np.any(total <= 0) or np.any(k < 0) or np.any(k > total):
        raise IsoglossError("A share needs a count between 0 and n, and an n of at least 1.")
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


def estimate(values: Array) -> Estimate:
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
    reach = float(stdtrit(len(known) - 1, (1 + LEVEL) / 2) * error)
    return Estimate(mean, mean - reach, mean + reach, len(known))
