r"""Whether cases that have more of something also have more of something else, layer by layer.

Cases are few and each stands for itself, as languages do. Intervals come from cases drawn with
replacement, each with an outcome drawn anew as far as it is uncertain itself; the percentiles are
expanded for so few (`expanded_level`). How likely a coefficient as far from 0 is without any
association is told by dealing the outcomes to the cases at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.measures.correlation import orders_of
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import expanded_level

DRAWS = 2_000


@dataclass(frozen=True)
class Association:
    """A coefficient by layer, with its interval and two p-values, (L,) each.

    `p_value` is of one layer by itself; `p_of_all` allows for having looked at every layer.
    All NaN where either side does not vary.
    """

    value: Array
    low: Array
    high: Array
    p_value: Array
    p_of_all: Array


@dataclass(frozen=True)
class DrawnCases:
    """Cases drawn with replacement, (draws, K), and the outcomes that they have there."""

    places: Array
    outcomes: Array


def draw_cases(outcomes: Array) -> DrawnCases:
    """Draw K cases with replacement for each line of `outcomes` (draws, K)."""
    draws, count = outcomes.shape
    places = np.random.default_rng(0).integers(count, size=(draws, count))
    return DrawnCases(places, np.take_along_axis(outcomes, places, axis=1))


def associate(x: Array, y: Array, drawn: DrawnCases, *, ranks: bool = False) -> Association:
    """Correlate each layer of x (L, K) with y (K,): Pearson's r, or with `ranks` Spearman's rho."""
    see: Callable[[Array], Array] = tied_ranks if ranks else np.asarray
    value = correlations(see(x), see(y))
    resampled = resample(x, drawn, ranks=ranks)
    low, high = percentiles(resampled, len(y))
    p_value, p_of_all = _dealt(see(x), see(y))
    undefined = ~np.isfinite(value)
    for each in (low, high, p_value, p_of_all):
        each[undefined] = np.nan
    return Association(value, low, high, p_value, p_of_all)


def resample(x: Array, drawn: DrawnCases, *, ranks: bool = False) -> Array:
    """The coefficient of every layer of x (L, K) in every draw, (L, draws)."""
    found = []
    outcomes = tied_ranks(drawn.outcomes) if ranks else drawn.outcomes
    for layer in x:
        cases = layer[drawn.places]
        found.append(correlations(tied_ranks(cases) if ranks else cases, outcomes))
    return np.stack(found)


def percentiles(resampled: Array, cases: int) -> tuple[Array, Array]:
    """The interval over draws (L, draws), those left out in which nothing varies."""
    tail = (1 - expanded_level(cases)) / 2
    kept = [line[np.isfinite(line)] for line in resampled]
    ends = [
        np.quantile(line, [tail, 1 - tail]) if len(line) else np.full(2, np.nan) for line in kept
    ]
    low, high = np.array(ends).T
    return low, high


def correlations(x: Array, y: Array) -> Array:
    """Pearson's r along the last axis, of any shapes that fit; NaN where either does not vary."""
    x, y = (each - each.mean(axis=-1, keepdims=True) for each in (x, y))
    lengths = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    found = np.full(lengths.shape, np.nan)
    np.divide((x * y).sum(axis=-1), lengths, out=found, where=lengths > 1e-12)
    return np.clip(found, -1, 1)


def tied_ranks(values: Array) -> Array:
    """Ranks along the last axis, from 0; equal values share the mean of theirs."""
    below = (values[..., None, :] < values[..., None]).sum(axis=-1)
    equal = (values[..., None, :] == values[..., None]).sum(axis=-1)
    shared: Array = below + (equal - 1) / 2
    return shared


def _dealt(x: Array, y: Array) -> tuple[Array, Array]:
    """How many of the orders in which y can be dealt give as much, by layer and at any layer."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean()
    lengths = np.sqrt((x**2).sum(axis=1) * (y @ y))
    varies = lengths > 1e-12
    dealt = np.abs(x[varies] @ y[orders_of(len(y))].T) / lengths[varies, None]
    # The first order is the one that was found; rounding must not set apart what is equal.
    found = dealt[:, :1] - 1e-9
    one, any_of_all = np.full(len(x), np.nan), np.full(len(x), np.nan)
    if varies.any():
        one[varies] = (dealt >= found).mean(axis=1)
        any_of_all[varies] = (dealt.max(axis=0) >= found).mean(axis=1)
    return one, any_of_all
