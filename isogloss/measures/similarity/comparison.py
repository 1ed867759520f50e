"""How alike two sets of representations of the same texts are, layer by layer.

Use `compare` for two arrays, `compare_layers` for all pairs of layers of two stacks, and
`stream_layers` for texts larger than memory. Each answer carries an interval over sentences and
what the measure reads on shuffled pairs; without these a similarity means little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import percent
from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.similarity.streaming import RowBlocks, feature_contributions
from isogloss.measures.similarity.table import (
    DEFAULT_MEASURE,
    LINEAR_MEASURES,
    SIMILARITY_MEASURES,
)
from isogloss.measures.stacks import (
    FEWEST_ROWS,
    Array,
    Layer,
    Stack,
    read_layer,
    require_layers,
    require_pairs,
)
from isogloss.measures.uncertainty import FEWEST_RESAMPLED, LEVEL, SAMPLES

# Where shuffled pairs come this close to the most there can be, nothing is left to calibrate.
NO_ROOM = 1e-6
NO_INTERVAL = f"no interval: fewer than {FEWEST_RESAMPLED} sentences"


@dataclass(frozen=True)
class BestCell:
    """The largest of many values, against the largest that shuffled pairs reach among as many.

    `threshold`, `calibrated` and `p_value` allow for the search (Gröger et al. 2026, algorithm 2).
    """

    layer_a: int
    layer_b: int
    value: float
    threshold: float
    calibrated: float
    p_value: float


def calibrate(values: Array, thresholds: Array, highest: float) -> Array:
    r"""Return $\max(0, (s - \tau) / (s_{max} - \tau))$ (Gröger et al. 2026), in 0…1.

    $\tau$ is what shuffled pairs exceed in 5 % of cases; 0 where that is all there can be.
    """
    room = highest - thresholds
    above = np.maximum(values - thresholds, 0)
    return np.divide(above, room, where=room > NO_ROOM, out=np.zeros_like(above))


@dataclass(frozen=True)
class LayerSimilarity:
    """A measure between every layer of one stack and every layer of another.

    All arrays are (L_a, L_b). `reasons` says, in a sentence, why a cell is undefined and is ""
    where it is not; undefined cells hold 0 in every other array and a p of 1, never NaN. `low` and
    `high` are NaN where there are too few rows for an interval. `baseline` and
    `baseline_deviation` are the mean and the standard deviation under shuffled pairs, `threshold`
    what those exceed in 5 % of cases, `p_values` how likely they read as much as the value.
    `best_cell` is the largest value, `best_layer` the largest of layers with their like, None where
    all are undefined.
    """

    measure: str
    rows: int
    values: Array
    low: Array
    high: Array
    level: float
    baseline: Array
    baseline_deviation: Array
    threshold: Array
    p_values: Array
    reasons: Array
    best_cell: BestCell | None
    best_layer: BestCell | None

    @property
    def undefined(self) -> Array:
        """Where there is no value, (L_a, L_b) of bool."""
        return self.reasons != ""

    @property
    def calibrated(self) -> Array:
        """The values on a scale from what chance reaches, 0, to the most there can be, 1."""
        known = np.where(self.undefined, 0, self.values)
        return calibrate(known, self.threshold, SIMILARITY_MEASURES[self.measure].highest)

    def describe_interval(self, layer_a: int, layer_b: int) -> str:
        """Say where the interval of a pair of layers reaches, or that there is none."""
        low, high = self.low[layer_a, layer_b], self.high[layer_a, layer_b]
        return (
            NO_INTERVAL if np.isnan(low) else f"{percent(self.level, 0)}: {low:.3f} to {high:.3f}"
        )

    def cell(self, layer_a: int, layer_b: int) -> Similarity:
        """Return one pair of layers, None standing for what is undefined."""
        reason = str(self.reasons[layer_a, layer_b])

        def at(array: Array) -> float | None:
            value = float(array[layer_a, layer_b])
            return None if reason or np.isnan(value) else value

        return Similarity(
            measure=self.measure,
            rows=self.rows,
            value=at(self.values),
            low=at(self.low),
            high=at(self.high),
            baseline=at(self.baseline),
            baseline_deviation=at(self.baseline_deviation),
            threshold=at(self.threshold),
            calibrated=at(self.calibrated),
            p_value=at(self.p_values),
            reason=reason,
        )


@dataclass(frozen=True)
class Similarity:
    """A measure between two arrays; `value` is None, and `reason` says why, where undefined.

    `low` and `high` alone are None where there are too few rows for an interval.
    """

    measure: str
    rows: int
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    baseline_deviation: float | None
    threshold: float | None
    calibrated: float | None
    p_value: float | None
    reason: str


def compare(
    X: Layer,
    Y: Layer,
    measure: str = DEFAULT_MEASURE,
    *,
    samples: int = SAMPLES,
) -> Similarity:
    """Compare two arrays (n, d1) and (n, d2) with paired rows.

    See `SIMILARITY_MEASURES` for the formulas.
    """
    return compare_layers([X], [Y], measure, samples=samples).cell(0, 0)


def compare_layers(
    stack_a: Stack,
    stack_b: Stack,
    measure: str = DEFAULT_MEASURE,
    *,
    samples: int = SAMPLES,
    groups: Array | None = None,
) -> LayerSimilarity:
    """Compare every layer of one stack with every layer of another.

    Layers are (n, d) arrays, memory maps, or functions returning one, with paired rows; widths may
    differ, unless the measure says `same_width`. Each is read once. Intervals draw rows of one of
    `groups` (n,), the words of one sentence, say, together.
    """
    return _summarise(contributions(stack_a, stack_b, measure), measure, samples, groups)


def stream_layers(blocks: RowBlocks, measure: str = DEFAULT_MEASURE) -> LayerSimilarity:
    """Compare two stacks of any number of rows by linear CKA, exactly, in bounded memory.

    `blocks()` starts a fresh reading of blocks of rows (it is called three times); a block holds
    the same rows of all layers, as two sequences of (b, d) arrays.
    """
    if measure not in LINEAR_MEASURES:
        raise IsoglossError(
            f"Only {' and '.join(LINEAR_MEASURES)} can be streamed, not {measure!r}; "
            "compare a sample of the rows with compare_layers instead."
        )
    return _summarise(feature_contributions(blocks, LINEAR_MEASURES[measure]), measure)


def agreements(X: Layer, Y: Layer, measure: str = DEFAULT_MEASURE) -> Array:
    """Return how far each row agrees across the two sides, shape (n,): what stands behind a value.

    For measures of pairs of rows, such as CKA, RSA or common neighbours: does text i relate to
    other texts alike on both sides, a cosine. For Procrustes, the cosine of the rotated row and its
    partner. For MEXA, 1 where the two find each other. For neuron-wise correlation and SVCCA, the
    row's share in the average, which is not bounded. Zeros where the measure is undefined.
    """
    return contributions([X], [Y], measure).agreements()[:, 0, 0]


def contributions(stack_a: Stack, stack_b: Stack, measure: str = DEFAULT_MEASURE) -> Contributions:
    """Return what each row contributes to each pair of layers; everything else follows from it."""
    if measure not in SIMILARITY_MEASURES:
        raise IsoglossError(
            f"There is no measure {measure!r}; choose one of {', '.join(SIMILARITY_MEASURES)}."
        )
    require_layers(stack_a, stack_b)
    a, b = [read_layer(layer) for layer in stack_a], [read_layer(layer) for layer in stack_b]
    for layer in (*a, *b):
        require_pairs(len(a[0]), len(layer))
    if len(a[0]) < FEWEST_ROWS:
        raise IsoglossError(
            f"A comparison needs at least {FEWEST_ROWS} rows, not {len(a[0])}; add sentences."
        )
    known = SIMILARITY_MEASURES[measure]
    widths = sorted({layer.shape[1] for layer in (*a, *b)})
    if known.same_width and len(widths) > 1:
        raise IsoglossError(
            f"{known.title} compares the features of both sides one by one, so they must have the "
            f"same width, not {widths}; choose CKA or Procrustes similarity."
        )
    return known.compute(a, b)


def _summarise(
    shares: Contributions,
    measure: str,
    samples: int = SAMPLES,
    groups: Array | None = None,
) -> LayerSimilarity:
    values = shares.values()
    low, high = shares.intervals(samples, groups)
    defined = shares.reasons == ""
    return LayerSimilarity(
        measure=measure,
        rows=len(shares.joint),
        values=values,
        low=low,
        high=high,
        level=LEVEL,
        baseline=np.where(defined, shares.baseline.mean, 0),
        baseline_deviation=np.where(defined, shares.baseline.deviation, 0),
        threshold=np.where(defined, shares.baseline.thresholds(), 0),
        p_values=np.where(defined, shares.baseline.p_values(values), 1),
        reasons=shares.reasons,
        best_cell=_search(shares, measure, defined),
        best_layer=_search(shares, measure, defined & (np.eye(*defined.shape) > 0)),
    )


def _search(shares: Contributions, measure: str, cells: Array) -> BestCell | None:
    """Return the largest value among some cells, (L_a, L_b) of bool, and what it is worth."""
    if not cells.any():
        return None
    values = shares.values()
    row, column = np.unravel_index(np.where(cells, values, -np.inf).argmax(), cells.shape)
    best = values[row, column]
    threshold, p_value = shares.baseline.search(values, cells)
    highest = SIMILARITY_MEASURES[measure].highest
    calibrated = calibrate(best, np.asarray(threshold), highest)
    return BestCell(int(row), int(column), float(best), threshold, float(calibrated), p_value)
