"""What a run of re-initialised layers found: costs with intervals, similarities, the two halves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.formatting import percent, points
from isogloss.lab.layers_needed.plan import (
    FULL,
    LayerGroup,
    LayersNeededPlan,
    layer_groups,
    layers_needed_unit,
)
from isogloss.measures.correlation import FEWEST_POINTS, rank_permutation_test
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, Estimate, estimate, wilson_interval
from isogloss.text.nli import CHANCE


def in_points(value: Estimate) -> str:
    """A difference in points with its interval and the number of seeds behind it."""
    if not value.has_interval:
        return f"{points(value.mean)} points (one seed, no interval)"
    ends = f"{points(value.low)} to {points(value.high)}"
    return f"{points(value.mean)} points ({percent(LEVEL, 0)}: {ends}, {value.n} seeds)"


@dataclass(frozen=True, eq=False)
class LayerSimilarities:
    """Debiased linear CKA by layer, means over seeds; each value of shape (L + 1,).

    `kept` is a layer after fine-tuning against itself before, by language; `before` and `after`
    are the source against each other language in the same layer.
    """

    kept: Mapping[str, Array]
    before: Mapping[str, Array]
    after: Mapping[str, Array]


@dataclass(frozen=True)
class Halves:
    """The mean cost of the blocks within the lower and within the upper half, and the difference.

    `difference` is lower less upper, seed by seed.
    """

    language: str
    lower_layers: LayerGroup
    upper_layers: LayerGroup
    lower: Estimate
    upper: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Trend:
    """Spearman's correlation of the blocks' depth and mean cost, and its permutation test."""

    correlation: float
    p: float
    blocks: int

    @property
    def falls(self) -> bool:
        """Whether deeper blocks cost less, more surely than chance would have it."""
        return self.correlation < 0 and self.p < 1 - LEVEL


@dataclass(frozen=True, eq=False)
class LayersNeededResults:
    """Accuracies (blocks, languages, seeds) in test, the full model first, NaN where unfinished."""

    source: str
    languages: tuple[str, ...]
    seeds: tuple[int, ...]
    n_layers: int
    groups: tuple[LayerGroup, ...]
    accuracies: Array
    test_pairs: Mapping[str, int]
    similarities: Mapping[LayerGroup, LayerSimilarities]

    @property
    def targets(self) -> tuple[str, ...]:
        """The languages that were tested but not learned from."""
        return tuple(code for code in self.languages if code != self.source)

    @property
    def costs(self) -> Array:
        """The full model's accuracy less each other block's, (blocks - 1, languages, seeds)."""
        return self.accuracies[:1] - self.accuracies[1:]

    def accuracy(self, group: LayerGroup, language: str) -> Estimate:
        place = self.groups.index(group), self.languages.index(language)
        return estimate(self.accuracies[place])

    def sampling_interval(self, language: str) -> tuple[float, float]:
        """Where the full model's accuracy may lie, given how many test pairs there are (Wilson)."""
        n = self.test_pairs[language]
        low, high = wilson_interval(n * self.accuracy(FULL, language).mean, n)
        return float(low), float(high)

    def is_above_chance(self, language: str) -> bool:
        """Whether the full model beats chance by more than a sample of test pairs can deceive."""
        return self.sampling_interval(language)[0] > CHANCE

    def cost(self, group: LayerGroup, language: str) -> Estimate:
        """What re-initialising `group` costs, paired by seed."""
        place = self.groups.index(group) - 1, self.languages.index(language)
        return estimate(self.costs[place])

    def measured(self) -> tuple[LayerGroup, ...]:
        """The re-initialised blocks that can be compared with the full model."""
        costs = self.costs
        return tuple(
            group for i, group in enumerate(self.groups[1:]) if not np.isnan(costs[i]).all()
        )

    def trend(self, language: str) -> Trend | None:
        """Whether cost falls with depth; None for too few blocks, or blocks that share layers.

        If depth made no difference, every order of the costs would be as likely: so this says
        something of one seed, too, where an interval over seeds needs several.
        """
        groups = self.measured()
        layers = [layer for group in groups for layer in group]
        if len(groups) < FEWEST_POINTS or len(layers) > len(set(layers)):
            return None
        depths = [sum(group) / len(group) for group in groups]
        # Rounding must not put equal costs into an order.
        costs = [round(self.cost(group, language).mean, 9) for group in groups]
        return Trend(*rank_permutation_test(depths, costs), len(groups))

    def halves(self, language: str) -> Halves | None:
        """Compare both halves of the model, by the seeds that have all their blocks; None if none.

        A layer in the very middle, and a block that reaches over it, belong to neither half.
        """
        lower_top, upper_bottom = self.n_layers // 2, -(-self.n_layers // 2) + 1
        lower = [i for i, group in enumerate(self.groups[1:]) if max(group) <= lower_top]
        upper = [i for i, group in enumerate(self.groups[1:]) if min(group) >= upper_bottom]
        if not lower or not upper:
            return None
        costs = self.costs[:, self.languages.index(language)]
        below, above = costs[lower].mean(axis=0), costs[upper].mean(axis=0)
        if np.isnan(below - above).all():
            return None
        both = ~np.isnan(below - above)
        return Halves(
            language,
            tuple(range(1, lower_top + 1)),
            tuple(range(upper_bottom, self.n_layers + 1)),
            estimate(below[both]),
            estimate(above[both]),
            estimate((below - above)[both]),
        )


def read_results(
    plan: LayersNeededPlan, results: Mapping[str, Mapping[str, Any]]
) -> LayersNeededResults:
    """The results of a run as arrays, as far as it has come."""
    groups = layer_groups(plan.blocks, plan.n_layers)
    languages = tuple(dict.fromkeys(plan.languages))
    accuracies = np.full((len(groups), len(languages), len(plan.seeds)), np.nan)
    pairs: dict[str, int] = {}
    similarities: dict[LayerGroup, LayerSimilarities] = {}
    for i, group in enumerate(groups):
        found = {
            k: results[unit]
            for k, unit in enumerate(layers_needed_unit(group, seed) for seed in plan.seeds)
            if unit in results
        }
        for k, result in found.items():
            for j, language in enumerate(languages):
                correct, pairs[language] = result["test"][language]["selected"]
                accuracies[i, j, k] = correct / pairs[language]
        if found:
            similarities[group] = _mean_similarities(
                [result["similarity"] for result in found.values()]
            )
    return LayersNeededResults(
        plan.source_language,
        languages,
        plan.seeds,
        plan.n_layers,
        groups,
        accuracies,
        pairs,
        similarities,
    )


def _mean_similarities(found: Sequence[Mapping[str, Any]]) -> LayerSimilarities:
    def mean(values: Sequence[Sequence[float | None]]) -> Array:
        return np.array(values, float).mean(axis=0)

    kept, across = found[0]["kept"], found[0]["across"]
    return LayerSimilarities(
        kept={code: mean([each["kept"][code] for each in found]) for code in kept},
        before={code: mean([each["across"][code]["before"] for each in found]) for code in across},
        after={code: mean([each["across"][code]["after"] for each in found]) for code in across},
    )


def cost_table(found: LayersNeededResults) -> list[dict[str, Any]]:
    """One row a block, language and seed, and what it costs; for a spreadsheet."""
    rows: list[dict[str, Any]] = []
    for i, group in enumerate(found.groups):
        for j, language in enumerate(found.languages):
            for k, seed in enumerate(found.seeds):
                accuracy = found.accuracies[i, j, k]
                if np.isnan(accuracy):
                    continue
                cost = found.accuracies[0, j, k] - accuracy
                rows.append(
                    {
                        "reinitialised": "+".join(map(str, group)) or "none",
                        "language": language,
                        "seed": seed,
                        "accuracy": round(accuracy, 5),
                        "cost": None if np.isnan(cost) or group == FULL else round(cost, 5),
                    }
                )
    return rows
