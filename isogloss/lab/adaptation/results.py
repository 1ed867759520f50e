"""What an adaptation has found so far, as arrays: perplexity, drift, crossings, tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isogloss.errors import RunError
from isogloss.formatting import number
from isogloss.lab.adaptation.language_training import Phase
from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.regimes import Regime, find_regime
from isogloss.lab.adaptation.training import map_name
from isogloss.lab.adaptation.training_map import TrainingMap
from isogloss.lab.runs.run import Run
from isogloss.measures.stacks import Array
from isogloss.models.presets import display_name


@dataclass(frozen=True)
class DriftMeasure:
    """A way to say how far a layer has moved, as switches, axes and captions name it."""

    short: str
    title: str
    explanation: str
    still: float


DRIFT_MEASURES = {
    "distance": DriftMeasure(
        "Distance",
        "Mean L2 distance",
        "The length of the difference of a token's two states, averaged over the tokens of a fixed "
        "batch of sentences. It grows with the length of a layer's states, so layers compare with "
        "themselves over steps better than with each other.",
        0.0,
    ),
    "similarity": DriftMeasure(
        "CKA",
        "Debiased linear CKA",
        "How alike the tokens of a fixed batch of sentences lie to one another, whatever the "
        "rotation and size of the space: 1 is the same, 0 is what chance gives.",
        1.0,
    ),
}

ANCHORS = {"before": "the model before training", "reference": "the native model"}


@dataclass(frozen=True)
class Crossing:
    """Where the perplexity of one language falls for good below that of several, per seed.

    `steps` and `perplexities` (seeds,) are interpolated between two measurements on the logarithm
    of perplexity, NaN for a seed whose curves do not cross.
    """

    steps: Array
    perplexities: Array

    @property
    def count(self) -> int:
        """How many seeds cross."""
        return int(np.isfinite(self.steps).sum())

    @property
    def mean_step(self) -> float:
        return float(np.nanmean(self.steps))

    @property
    def mean_perplexity(self) -> float:
        return float(np.exp(np.nanmean(np.log(self.perplexities))))

    @property
    def spread(self) -> tuple[float, float]:
        """The earliest and the latest step over the seeds that cross."""
        return float(np.nanmin(self.steps)), float(np.nanmax(self.steps))


@dataclass(frozen=True, eq=False)
class RegimeResults:
    """One regime's finished seeds. With s steps measured and L + 1 layers:

    `target` and `multilingual` (seeds, s); `drift[anchor, measure]` (seeds, s, L + 1); `test` and
    `best_steps` (seeds,). A seed that stopped early has NaN after its last step.
    """

    regime: Regime
    seeds: tuple[int, ...]
    steps: Array
    target: Array
    multilingual: Array
    drift: Mapping[tuple[str, str], Array]
    phases: tuple[Phase, ...]
    trains_embeddings: bool
    best_steps: Array
    test: Array
    test_before: float
    seconds: float

    @cached_property
    def crossing(self) -> Crossing:
        """Where the two curves cross."""
        found = [
            _last_crossing(self.steps, target, multilingual)
            for target, multilingual in zip(self.target, self.multilingual, strict=True)
        ]
        steps, perplexities = np.array(found).T
        return Crossing(steps, perplexities)

    def mean(self, values: Array) -> Array:
        """The geometric mean of perplexities over the seeds that reach a step, (s,)."""
        return np.asarray(np.exp(np.nanmean(np.log(values), axis=0)))

    def frozen_until(self, layer: int) -> float:
        """Up to which step nothing at or below a layer learned; the last step if it never did."""
        for phase in self.phases:
            # Embeddings, if they learn at all, do so with the lowest block.
            lowest = phase.first_learning - (self.trains_embeddings and phase.first_learning == 1)
            if lowest <= layer:
                return float(phase.step)
        return float(self.steps[-1])

    def frozen_distances(self) -> Array:
        """Every measured distance of a layer, before anything at or below it learned, (k,)."""
        distance = self.drift["before", "distance"]
        found = np.concatenate(
            [
                distance[:, self.steps <= self.frozen_until(layer), layer].ravel()
                for layer in range(distance.shape[2])
            ]
        )
        return np.asarray(found[np.isfinite(found)])

    def final(self, values: Array) -> float:
        """The geometric mean of every seed's last perplexity, wherever it stopped."""
        return float(np.exp(np.mean([np.log(row[np.isfinite(row)][-1]) for row in values])))


@dataclass(frozen=True)
class NativeModel:
    """A model of the language alone, as it is: its name and, if it can guess tokens, how well.

    `test` is its perplexity on the test text, None if it has no head for it. Characters per token
    are those of the adapted model and its own: a perplexity counts tokens, and a longer token is
    harder to guess.
    """

    name: str
    test: float | None
    characters_per_token: tuple[float, float]


@dataclass(frozen=True, eq=False)
class AdaptationResults:
    """All regimes of a run that have a finished seed, in the order of the plan."""

    model: str
    language: str
    languages: tuple[str, ...]
    n_layers: int
    is_decoder: bool
    sentences: Mapping[str, int]
    regimes: Mapping[str, RegimeResults]
    wanted: int
    done: int
    native: NativeModel | None

    @property
    def anchors(self) -> tuple[str, ...]:
        """What drift was measured against."""
        return tuple(ANCHORS) if self.native else ("before",)

    @property
    def best(self) -> RegimeResults:
        """The regime with the lowest test perplexity."""
        return min(self.regimes.values(), key=lambda each: float(each.test.mean()))

    def rows(self) -> list[dict[str, Any]]:
        """One row for each regime, seed and step, for a spreadsheet."""
        return [
            self._row(each, seed, step)
            for each in self.regimes.values()
            for seed in range(len(each.seeds))
            for step in range(len(each.steps))
            if np.isfinite(each.target[seed, step])
        ]

    def _row(self, each: RegimeResults, seed: int, step: int) -> dict[str, Any]:
        row: dict[str, Any] = {
            "regime": each.regime.name,
            "seed": each.seeds[seed],
            "step": int(each.steps[step]),
            f"perplexity_{self.language}": round(float(each.target[seed, step]), 4),
            "perplexity_multilingual": round(float(each.multilingual[seed, step]), 4),
            "chosen": int(each.steps[step]) == int(each.best_steps[seed]),
            "test_perplexity_of_chosen": round(float(each.test[seed]), 4),
        }
        for (anchor, measure), values in each.drift.items():
            for layer, value in enumerate(values[seed, step]):
                row[f"{measure}_to_{anchor}_layer_{layer}"] = number(value)
        return row


def read_adaptation(run: Run) -> AdaptationResults:
    """Read what an adaptation has finished so far."""
    plan, found = run.plan, run.results()
    if not isinstance(plan, AdaptationPlan):
        raise RunError(f"Run {run.id} is no adaptation: choose one that is.")
    if not found:
        raise RunError(f"Run {run.id} has finished nothing yet: wait for its first part.")
    units: dict[str, list[Mapping[str, Any]]] = {}
    for result in found.values():
        units.setdefault(result["regime"], []).append(result)
    sentences = dict(run.facts.get("sentences", {}))
    start = "multilingual "
    return AdaptationResults(
        model=plan.model,
        language=plan.language,
        languages=tuple(name.removeprefix(start) for name in sentences if name.startswith(start)),
        n_layers=len(next(iter(found.values()))["distance"][0]) - 1,
        is_decoder=bool(run.facts.get("is_decoder")),
        sentences=sentences,
        regimes={
            name: _regime(name, units[name], plan.train_embeddings)
            for name in plan.regimes
            if name in units
        },
        wanted=len(run.units),
        done=len(found),
        native=_native(plan.reference, run.facts.get("native", {})) if plan.reference else None,
    )


def _native(name: str, facts: Mapping[str, Any]) -> NativeModel:
    """What is known of the native model; runs of old did not measure it."""
    own, other = facts.get("characters_per_token", (np.nan, np.nan))
    return NativeModel(display_name(name), facts.get("test"), (own, other))


def read_map(run: Run, regime: str) -> TrainingMap | None:
    """The words that a regime's first seed moved, once it has been finished."""
    return run.kept_as(map_name(regime), TrainingMap.from_arrays)


def _regime(
    name: str, results: Sequence[Mapping[str, Any]], trains_embeddings: bool
) -> RegimeResults:
    longest = max(results, key=lambda result: len(result["steps"]))
    length = len(longest["steps"])

    def stacked(field: str) -> Array:
        shape = (len(results), length, *np.shape(longest[field])[1:])
        values = np.full(shape, np.nan)
        for seed, result in enumerate(results):
            values[seed, : len(result[field])] = np.array(result[field], np.float64)
        return values

    fields = {
        ("before", "distance"): "distance",
        ("before", "similarity"): "similarity",
        ("reference", "distance"): "reference_distance",
        ("reference", "similarity"): "reference_similarity",
    }
    return RegimeResults(
        regime=find_regime(name),
        seeds=tuple(int(result["seed"]) for result in results),
        steps=np.array(longest["steps"]),
        target=stacked("target"),
        multilingual=stacked("multilingual"),
        drift={key: stacked(field) for key, field in fields.items() if field in longest},
        phases=tuple(Phase(*phase) for phase in longest["phases"]),
        trains_embeddings=trains_embeddings,
        best_steps=np.array([result["best_step"] for result in results]),
        test=np.array([result["test"] for result in results]),
        test_before=float(longest["test_before"]),
        seconds=float(sum(result["seconds"] for result in results)),
    )


def _last_crossing(steps: Array, target: Array, multilingual: Array) -> tuple[float, float]:
    """The step and perplexity from which on `target` stays below `multilingual`, or NaN.

    Curves that touch and part again, as noisy ones do, have not crossed yet.
    """
    gap = np.log(target) - np.log(multilingual)
    above = np.flatnonzero(gap > 0)
    measured = np.flatnonzero(np.isfinite(gap))
    if not len(above) or above[-1] == measured[-1]:
        return np.nan, np.nan
    before, after = above[-1], above[-1] + 1
    share = gap[before] / (gap[before] - gap[after])
    step = steps[before] + share * (steps[after] - steps[before])
    return float(step), float(target[before] * (target[after] / target[before]) ** share)
