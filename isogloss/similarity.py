"""How alike two sets of representations of the same texts are, layer by layer.

Use `compare` for two arrays, `compare_layers` for all pairs of layers of two stacks, and
`stream_layers` for texts larger than memory. Each answer carries an interval over sentences and
what the measure reads on shuffled pairs; without these a similarity means little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from isogloss.bootstrap import LEVEL, SAMPLES
from isogloss.contributions import Contributions
from isogloss.errors import IsoglossError
from isogloss.kernels import (
    Kernel,
    debiased_linear_kernel,
    debiased_radial_kernel,
    kernel_contributions,
    linear_kernel,
)
from isogloss.measures import BANDWIDTH, DEFAULT_MEASURE, LINEAR_MEASURES, MEASURES, Measure
from isogloss.neurons import neuron_contributions, procrustes_contributions
from isogloss.stacks import (
    FEWEST_ROWS,
    Array,
    CentredLayer,
    Layer,
    Stack,
    centre,
    read_layer,
    require_layers,
    require_pairs,
)
from isogloss.streaming import Block, Blocks, feature_contributions, slices

__all__ = [
    "BANDWIDTH",
    "DEFAULT_MEASURE",
    "MEASURES",
    "LayerSimilarity",
    "Measure",
    "Similarity",
    "agreements",
    "compare",
    "compare_layers",
    "contributions",
    "stream_layers",
]


@dataclass(frozen=True)
class LayerSimilarity:
    """A measure between every layer of one stack and every layer of another.

    All arrays are (L_a, L_b). `reasons` says, in a sentence, why a cell is undefined and is ""
    where it is not; undefined cells hold 0 in every other array, never NaN. `baseline` and
    `baseline_deviation` are the mean and the standard deviation under shuffled pairs.
    """

    measure: str
    rows: int
    values: Array
    low: Array
    high: Array
    level: float
    baseline: Array
    baseline_deviation: Array
    reasons: Array

    @property
    def undefined(self) -> Array:
        """Where there is no value, (L_a, L_b) of bool."""
        return self.reasons != ""

    def cell(self, layer_a: int, layer_b: int) -> Similarity:
        """Return one pair of layers, None standing for what is undefined."""
        reason = str(self.reasons[layer_a, layer_b])

        def at(array: Array) -> float | None:
            return None if reason else float(array[layer_a, layer_b])

        return Similarity(
            measure=self.measure,
            rows=self.rows,
            value=at(self.values),
            low=at(self.low),
            high=at(self.high),
            baseline=at(self.baseline),
            baseline_deviation=at(self.baseline_deviation),
            reason=reason,
        )


@dataclass(frozen=True)
class Similarity:
    """A measure between two arrays; `value` is None, and `reason` says why, where undefined."""

    measure: str
    rows: int
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    baseline_deviation: float | None
    reason: str


def compare(
    X: Layer,
    Y: Layer,
    measure: str = DEFAULT_MEASURE,
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    bandwidth: float = BANDWIDTH,
) -> Similarity:
    """Compare two arrays (n, d1) and (n, d2) with paired rows; see `MEASURES` for the formulas."""
    similarity = compare_layers(
        [X], [Y], measure, samples=samples, level=level, seed=seed, bandwidth=bandwidth
    )
    return similarity.cell(0, 0)


def compare_layers(
    stack_a: Stack,
    stack_b: Stack,
    measure: str = DEFAULT_MEASURE,
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    bandwidth: float = BANDWIDTH,
) -> LayerSimilarity:
    """Compare every layer of one stack with every layer of another.

    Layers are (n, d) arrays, memory maps, or functions returning one, with paired rows; widths may
    differ (not for `neuron_correlation`). Each is read once, into single precision, except where
    linear CKA of very many rows is cheaper in feature form, which reads three times in blocks.
    """
    shares = contributions(stack_a, stack_b, measure, seed=seed, bandwidth=bandwidth)
    return _summarise(shares, measure, samples, level, seed)


def stream_layers(
    blocks: Blocks,
    measure: str = DEFAULT_MEASURE,
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> LayerSimilarity:
    """Compare two stacks of any number of rows by linear CKA, exactly, in bounded memory.

    `blocks()` starts a fresh reading of blocks of rows (it is called three times); a block holds
    the same rows of all layers, as two sequences of (b, d) arrays.
    """
    if measure not in LINEAR_MEASURES:
        raise IsoglossError(
            f"Only {' and '.join(LINEAR_MEASURES)} can be streamed, not {measure!r}; "
            "compare a sample of the rows with compare_layers instead."
        )
    shares = feature_contributions(blocks, LINEAR_MEASURES[measure])
    return _summarise(shares, measure, samples, level, seed)


def agreements(
    X: Layer, Y: Layer, measure: str = DEFAULT_MEASURE, *, bandwidth: float = BANDWIDTH
) -> Array:
    """Return how far each row agrees across the two sides, shape (n,): what stands behind a value.

    For the kernel measures, the cosine of row i of both kernels: does text i relate to all other
    texts alike on both sides? For Procrustes, the cosine of the rotated row and its partner.
    For neuron-wise correlation, the row's share in the average, which is not bounded.
    Zeros where the measure is undefined.
    """
    return contributions([X], [Y], measure, bandwidth=bandwidth).agreements()[:, 0, 0]


def contributions(
    stack_a: Stack,
    stack_b: Stack,
    measure: str = DEFAULT_MEASURE,
    *,
    seed: int = 0,
    bandwidth: float = BANDWIDTH,
) -> Contributions:
    """Return what each row contributes to each pair of layers; everything else follows from it."""
    if measure not in MEASURES:
        raise IsoglossError(
            f"There is no measure {measure!r}; choose one of {', '.join(MEASURES)}."
        )
    if bandwidth <= 0:
        raise IsoglossError(f"The bandwidth must be above 0, not {bandwidth}.")
    require_layers(stack_a, stack_b)
    a, b = [read_layer(layer) for layer in stack_a], [read_layer(layer) for layer in stack_b]
    for layer in (*a, *b):
        require_pairs(len(a[0]), len(layer))
    if len(a[0]) < FEWEST_ROWS:
        raise IsoglossError(
            f"A comparison needs at least {FEWEST_ROWS} rows, not {len(a[0])}; add sentences."
        )
    if measure in LINEAR_MEASURES and not _kernels_are_cheaper(a, b):
        return feature_contributions(_in_blocks(a, b), LINEAR_MEASURES[measure])
    layers_a, layers_b = [centre(layer) for layer in a], [centre(layer) for layer in b]
    if measure == "neuron_correlation":
        return neuron_contributions(layers_a, layers_b)
    if measure == "procrustes":
        return procrustes_contributions(layers_a, layers_b, seed)
    kernels: dict[str, Callable[[CentredLayer], Kernel]] = {
        "cka": linear_kernel,
        "debiased_cka": debiased_linear_kernel,
        "rbf_cka": partial(debiased_radial_kernel, fraction=bandwidth),
    }
    kernel = kernels[measure]
    return kernel_contributions([kernel(x) for x in layers_a], [kernel(y) for y in layers_b])


def _kernels_are_cheaper(a: list[Array], b: list[Array]) -> bool:
    """Compare the multiplications of both forms, those in double precision counting twice."""
    n = len(a[0])
    widths_a, widths_b = [x.shape[1] for x in a], [y.shape[1] for y in b]
    by_kernels = n / 2 * sum(widths_a + widths_b)
    by_features = sum(widths_a) * sum(widths_b) + sum(d**2 for d in widths_a + widths_b)
    return by_kernels <= 2 * 2 * by_features


def _in_blocks(a: list[Array], b: list[Array]) -> Blocks:
    def blocks() -> Iterator[Block]:
        for part in slices(len(a[0])):
            yield [x[part] for x in a], [y[part] for y in b]

    return blocks


def _summarise(
    shares: Contributions, measure: str, samples: int, level: float, seed: int
) -> LayerSimilarity:
    low, high = shares.intervals(samples, level, seed)
    defined = shares.reasons == ""
    return LayerSimilarity(
        measure=measure,
        rows=len(shares.joint),
        values=shares.values(),
        low=low,
        high=high,
        level=level,
        baseline=np.where(defined, shares.baseline.mean, 0),
        baseline_deviation=np.where(defined, shares.baseline.deviation, 0),
        reasons=shares.reasons,
    )
