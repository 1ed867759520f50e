"""What a run on sentence embeddings found: errors and correlations, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from isogloss.errors import RunError
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.encoder import ENCODER_POOLINGS
from isogloss.lab.sentences.plan import BEFORE, SentencesPlan, sentence_unit
from isogloss.lab.sentences.translation_hits import unpacked_hits
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import (
    LEVEL,
    percentile_interval,
    resample_counts,
    share_interval,
)
from isogloss.text.sts import SIMILARITIES

SAMPLES = 1_000
COEFFICIENTS = ("Pearson", "Spearman")
DIRECTIONS = ("source to target", "target to source", "both")
BOTH = DIRECTIONS.index("both")


@dataclass(frozen=True)
class Errors:
    """The share of sentences whose nearest is not their translation, and its interval.

    `values`, `low` and `high` are (poolings, layers, 3), in the order of `ENCODER_POOLINGS` and
    `DIRECTIONS`, the mean over seeds; `by_seed` is (seeds, poolings, layers, 3). Intervals
    are those of shares of sentences.
    """

    values: Array
    low: Array
    high: Array
    by_seed: Array


@dataclass(frozen=True)
class Reduction:
    r"""How much of an error went away: $1 - e_\text{after} / e_\text{before}$, at most 1.

    Negative where the error grew, NaN where there was none to reduce. `low` and `high` resample the
    sentences, before and after together; the arrays are (3,), in the order of `DIRECTIONS`.
    """

    values: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class SentencesResults:
    """A run's figures; `after` and `sts_after` have the objectives of which a seed is finished.

    Of `sts_before` the shape is (sets, similarities, 2), of `sts_after` (seeds, sets, similarities,
    2), Pearson's coefficient first and NaN where undefined. `layer` is the one that is trained.
    """

    plan: SentencesPlan
    languages: tuple[str, str]
    rows: int
    layer: int
    before: Errors
    after: Mapping[str, Errors]
    hits_before: Array
    hits_after: Mapping[str, Array]
    sts_names: tuple[str, ...]
    sts_before: Array
    sts_after: Mapping[str, Array]

    @property
    def n_layers(self) -> int:
        return int(self.before.values.shape[1]) - 1

    def reduction(
        self, objective: str, *, baseline: str, pooling: str | None = None, layer: int | None = None
    ) -> Reduction:
        """How much lower the error of `pooling` is after training than that of `baseline` before.

        As in the post, the pooling that was trained is compared with each baseline unless another
        is given.
        """
        place = self.layer if layer is None else layer
        poolings = list(ENCODER_POOLINGS)
        then = self.hits_before[poolings.index(baseline), place]
        now = self.hits_after[objective][poolings.index(pooling or self.plan.pooling), place]
        return relative_reduction(1 - then, 1 - now)


def relative_reduction(before: Array, after: Array) -> Reduction:
    """Of two errors given sentence by sentence, (directions, n) each: the reduction."""
    counts = _draws(before.shape[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = 1 - after.mean(-1) / before.mean(-1)
        resampled = 1 - (counts @ after.T) / (counts @ before.T)
        low, high = percentile_interval(resampled, LEVEL)
    there = before.any(-1)
    return Reduction(*(np.where(there, each, np.nan) for each in (values, low, high)))


@lru_cache(maxsize=4)
def _draws(rows: int) -> Array:
    """The same draws of sentences for every interval, so that they compare."""
    return resample_counts(rows, SAMPLES)


def read_sentence_results(run: Run) -> SentencesResults | None:
    """The figures of the units that are finished; None until the model before training is among.

    Seeds are averaged over those that are finished.
    """
    plan, results = run.plan, run.results()
    assert isinstance(plan, SentencesPlan)
    if BEFORE not in results:
        return None
    rows = int(results[BEFORE]["rows"])
    hits_before = _hits(run, BEFORE, rows)
    units_of = {
        objective: [
            unit for seed in plan.seeds if (unit := sentence_unit(objective, seed)) in results
        ]
        for objective in plan.objectives
    }
    finished = {objective: units for objective, units in units_of.items() if units}
    hits = {
        objective: np.stack([_hits(run, unit, rows) for unit in units])
        for objective, units in finished.items()
    }
    names = tuple(results[BEFORE]["sts"])
    facts = run.facts
    return SentencesResults(
        plan=plan,
        languages=tuple(facts["languages"]),
        rows=rows,
        layer=int(facts["layer"]),
        before=_errors(hits_before[None]),
        after={objective: _errors(found) for objective, found in hits.items()},
        hits_before=hits_before,
        hits_after={objective: found.mean(0) for objective, found in hits.items()},
        sts_names=names,
        sts_before=_correlations(results[BEFORE]["sts"], names),
        sts_after={
            objective: np.stack([_correlations(results[unit]["sts"], names) for unit in units])
            for objective, units in finished.items()
        },
    )


def _hits(run: Run, unit: str, rows: int) -> Array:
    """The chance of each sentence to find its translation, and the mean of both directions.

    Shape (poolings, layers, 3, n).
    """
    found = run.kept_as(unit, lambda kept: unpacked_hits(kept, rows))
    if found is None:
        raise RunError(f"Run {run.id} has lost what {unit} found: remove it and start it again.")
    return np.concatenate([found, found.mean(-2, keepdims=True)], axis=-2)


def _errors(hits: Array) -> Errors:
    """From (seeds, poolings, layers, 3, n) hits to errors with intervals."""
    wrong = 1 - hits
    by_sentence = wrong.mean(0)
    low, high = share_interval(np.moveaxis(by_sentence, -1, 0))
    return Errors(by_sentence.mean(-1), low, high, wrong.mean(-1))


def _correlations(
    found: Mapping[str, Mapping[str, tuple[float | None, float | None]]], names: tuple[str, ...]
) -> Array:
    return np.array(
        [
            [
                [np.nan if value is None else value for value in found[name][similarity]]
                for similarity in SIMILARITIES
            ]
            for name in names
        ],
        np.float64,
    )


def error_table(found: SentencesResults) -> list[Mapping[str, Any]]:
    """Every error of a run, a row each: for a spreadsheet."""
    source, target = found.languages
    names = (f"{source} to {target}", f"{target} to {source}", "both")
    kinds = {"before": found.before, **found.after}
    return [
        {
            "training": kind,
            "pooling": pooling,
            "layer": layer,
            "direction": names[direction],
            "error": float(errors.values[place, layer, direction]),
            "low": float(errors.low[place, layer, direction]),
            "high": float(errors.high[place, layer, direction]),
            "seeds": len(errors.by_seed),
        }
        for kind, errors in kinds.items()
        for place, pooling in enumerate(ENCODER_POOLINGS)
        for layer in range(found.n_layers + 1)
        for direction in range(len(DIRECTIONS))
    ]
