"""Whether two curves over the layers rise and fall together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, normal_reach

FEWEST_POINTS = 3
ALL_ORDERS_UP_TO = 8
SOME_ORDERS = 20_000


@dataclass(frozen=True)
class Correlation:
    """Pearson's r and Spearman's rho over n points; None, with a reason, where undefined.

    Layers are few and each resembles the next, so the coefficients describe and prove nothing;
    always show n beside them.
    """

    pearson: float | None
    spearman: float | None
    n: int
    reason: str
    interval: tuple[float, float] | None = None
    """Of Pearson's r, by Fisher's z, as if points were independent; None for fewer than four."""


def correlate(first: Sequence[float] | Array, second: Sequence[float] | Array) -> Correlation:
    """Correlate two curves of equal length, such as CKA and retrieval by layer."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise IsoglossError(
            f"Curves of shapes {x.shape} and {y.shape} do not pair up; give one value per layer."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise IsoglossError("A curve holds NaN or infinite values; leave undefined layers out.")
    if len(x) < FEWEST_POINTS:
        return Correlation(None, None, len(x), f"Fewer than {FEWEST_POINTS} layers to correlate.")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(None, None, len(x), "One of the curves is flat.")
    # scipy.stats has both, but looks into torch while another thread may still be importing it.
    r = _pearson(x, y)
    return Correlation(r, _pearson(_ranks(x), _ranks(y)), len(x), "", fisher_interval(r, len(x)))


def fisher_interval(r: float, n: int) -> tuple[float, float] | None:
    """Return the interval of a Pearson correlation of n points: tanh(artanh r ± z / √(n − 3)).

    Fisher (1921). None for fewer than four points.
    """
    if n < 4:
        return None
    half = normal_reach(LEVEL) / np.sqrt(n - 3)
    centre = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def rank_permutation_test(
    first: Sequence[float] | Array, second: Sequence[float] | Array
) -> tuple[float, float]:
    """Return Spearman's rho and how likely one as far from 0 is if no order is favoured.

    Exact for up to eight points: the share of all orders of `second`; of 20,000 random ones and
    the one that was found for more.
    """
    x, y = _ranks(np.asarray(first, np.float64)), _ranks(np.asarray(second, np.float64))
    x, y = x - x.mean(), y - y.mean()
    # Rounding must not set apart what is equal.
    found = abs(x @ y) - 1e-9
    rho = float(x @ y / np.sqrt((x @ x) * (y @ y))) if np.ptp(x) and np.ptp(y) else 0.0
    return rho, float(np.mean(np.abs(y[orders_of(len(y))] @ x) >= found))


@cache
def orders_of(n: int) -> Array:
    """All orders of n points, or as found and many random ones: (orders, n)."""
    if n <= ALL_ORDERS_UP_TO:
        return np.array(list(permutations(range(n))))
    drawn = np.random.default_rng(0).random((SOME_ORDERS, n)).argsort(axis=1)
    return np.vstack([np.arange(n), drawn])


def _pearson(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def _ranks(x: Array) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks
