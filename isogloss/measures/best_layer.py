r"""Which layer scores best, and which layers cannot be told from it.

The best of many layers is chosen by the very numbers that are then compared, so an interval for one
difference fixed beforehand would be too narrow. Here all differences $D_{lm} = s_l - s_m$ hold
together: one bootstrap over sentence pairs, shared by all layers, gives each its error
$\sigma_{lm}$, and with c the 95 % quantile, over resamples, of
$\max_{l<m} |D^*_{lm} - D_{lm}| / \sigma_{lm}$, the intervals $D_{lm} \pm c\,\sigma_{lm}$ cover
every pair of layers at once (Westfall & Young 1993; Romano & Wolf 2005). Whichever layer is
chosen, its comparisons are among them. A layer whose interval against the best reaches 0 cannot be
told from it.

Two corrections for few sentences: resampling knows neither Student's quantile nor the last factor
n/(n − 1), so c is taken as far out as a Student's quantile would be (Hesterberg 2015); and of
shares two more rows are added to each error, of which one layer alone finds the first and the other
layer alone the second (Bonett & Price 2012), because two layers that found the same by luck would
else have an error of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import FEWEST_RESAMPLED, LEVEL, normal_reach

RESAMPLES = 2_000
# Differences smaller than the rounding of single precision are none.
ROUNDING = 1e-7


@dataclass(frozen=True)
class LayerDifferences:
    """How much better each layer is than each other, with intervals that hold together.

    `values`, `low` and `high` are (L, L): layer of the row less layer of the column, above 0 where
    the row's is better, also of scores of which less is better. NaN where a layer has no score; the
    ends are NaN, too, where there are fewer than `FEWEST_RESAMPLED` pairs. `best` is the layer with
    the best score, the lowest of equals, -1 where none has one. `critical` is c, `units` how many
    pairs of sentences were drawn.
    """

    values: Array
    low: Array
    high: Array
    best: int
    critical: float
    level: float
    units: int

    @property
    def told_apart(self) -> bool:
        """Whether there were enough pairs for intervals."""
        return self.units >= FEWEST_RESAMPLED

    @property
    def tied(self) -> Array:
        """The layers that cannot be told from the best, itself included, (L,) of bool."""
        if self.best < 0:
            return np.zeros(len(self.values), bool)
        if not self.told_apart:
            return ~np.isnan(self.values[self.best])
        with np.errstate(invalid="ignore"):
            return np.asarray(self.low[self.best] <= 0)

    @property
    def worse(self) -> Array:
        """The layers that the best is better than, (L,) of bool."""
        if self.best < 0 or not self.told_apart:
            return np.zeros(len(self.values), bool)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.low[self.best] > 0)


def differences_of_layers(
    scores: Array,
    resampled: Array,
    units: int,
    *,
    rows: int | None = None,
    lower_is_better: bool = False,
) -> LayerDifferences:
    """Compare all layers by their scores (L,) and the same of resamples (samples, L).

    `units` pairs of sentences were drawn. Give `rows` where scores are shares of so many rows.
    NaN marks a layer that has no score.
    """
    better = -scores if lower_is_better else scores
    deviations = (-resampled if lower_is_better else resampled) - better
    values = better[:, None] - better
    errors, critical = _errors_and_critical(deviations, rows)
    known = ~np.isnan(better)
    best = int(np.where(known, better, -np.inf).argmax()) if known.any() else -1
    if units < FEWEST_RESAMPLED:
        unknown = np.full(values.shape, np.nan)
        return LayerDifferences(values, unknown, unknown, best, np.nan, LEVEL, units)
    reach = student_reach(critical, units) * errors
    np.fill_diagonal(reach, 0)
    return LayerDifferences(values, values - reach, values + reach, best, critical, LEVEL, units)


def _errors_and_critical(deviations: Array, rows: int | None) -> tuple[Array, float]:
    """The error of each difference, (L, L), and the quantile of the largest in units of it."""
    samples, layers = deviations.shape
    errors = np.full((layers, layers), np.nan)
    largest = np.zeros(samples)
    more = 0.0 if rows is None else 2 / (rows + 2) ** 2
    for layer in range(layers):
        apart = np.abs(deviations - deviations[:, layer, None])
        error = np.sqrt((apart**2).mean(axis=0) + more)
        errors[layer] = error
        with np.errstate(invalid="ignore"):
            told = error > ROUNDING
        if told.any():
            np.maximum(largest, (apart[:, told] / error[told]).max(axis=1), out=largest)
    # No fewer than for one pair alone, also where hardly any sentence tells layers apart.
    return errors, max(float(np.quantile(largest, LEVEL)), normal_reach(LEVEL))


def student_reach(critical: float, units: int) -> float:
    """Student's quantile of `units` - 1 degrees that leaves as much in its tail as the normal one.

    Times what a bootstrap's error lacks, the root of n / (n - 1).
    """
    from scipy.special import stdtrit

    tail = NormalDist().cdf(-critical)
    return float(-stdtrit(units - 1, tail) * np.sqrt(units / (units - 1)))


def resampled_ratios(parts: Array, wholes: Array, counts: Array) -> Array:
    """Scores Σ parts / Σ wholes of resamples, (samples, L).

    `parts` and `wholes` are (units, L), summed by sentence pair; `counts` (samples, units) says how
    often each pair is drawn. 0 where nothing was drawn that counts.
    """
    whole = counts @ wholes
    return np.divide(counts @ parts, whole, where=whole > 0, out=np.zeros_like(whole))
