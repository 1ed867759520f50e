"""What a run of re-initialised layers found: costs with intervals, similarities, the two halves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from isogloss.bootstrap import LEVEL
from isogloss.reinitialisation import FULL, Block, ReinitialisationPlan, blocks_of, unit_name
from isogloss.stacks import Array


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
    known = values[~np.isnan(values)]
    if not len(known):
        return Estimate(np.nan, np.nan, np.nan, 0)
    mean = float(known.mean())
    if len(known) == 1:
        return Estimate(mean, np.nan, np.nan, 1)
    error = known.std(ddof=1) / np.sqrt(len(known))
    reach = float(stdtrit(len(known) - 1, (1 + level) / 2) * error)
    return Estimate(mean, mean - reach, mean + reach, len(known))


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
    lower_layers: Block
    upper_layers: Block
    lower: Estimate
    upper: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False)
class ReinitialisationResults:
    """Accuracies (blocks, languages, seeds) in test, the full model first, NaN where unfinished."""

    source: str
    languages: tuple[str, ...]
    seeds: tuple[int, ...]
    n_layers: int
    blocks: tuple[Block, ...]
    accuracies: Array
    test_pairs: Mapping[str, int]
    similarities: Mapping[Block, LayerSimilarities]

    @property
    def targets(self) -> tuple[str, ...]:
        """The languages that were tested but not learned from."""
        return tuple(code for code in self.languages if code != self.source)

    @property
    def costs(self) -> Array:
        """The full model's accuracy less each other block's, (blocks - 1, languages, seeds)."""
        return self.accuracies[:1] - self.accuracies[1:]

    def accuracy(self, block: Block, language: str) -> Estimate:
        place = self.blocks.index(block), self.languages.index(language)
        return estimate(self.accuracies[place])

    def cost(self, block: Block, language: str) -> Estimate:
        """What re-initialising `block` costs, paired by seed."""
        place = self.blocks.index(block) - 1, self.languages.index(language)
        return estimate(self.costs[place])

    def measured(self) -> tuple[Block, ...]:
        """The re-initialised blocks that can be compared with the full model."""
        costs = self.costs
        return tuple(
            block for i, block in enumerate(self.blocks[1:]) if not np.isnan(costs[i]).all()
        )

    def halves(self, language: str) -> Halves | None:
        """Compare both halves of the model, by the seeds that have all their blocks; None if none.

        A layer in the very middle, and a block that reaches over it, belong to neither half.
        """
        lower_top, upper_bottom = self.n_layers // 2, -(-self.n_layers // 2) + 1
        lower = [i for i, block in enumerate(self.blocks[1:]) if max(block) <= lower_top]
        upper = [i for i, block in enumerate(self.blocks[1:]) if min(block) >= upper_bottom]
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
    plan: ReinitialisationPlan, results: Mapping[str, Mapping[str, Any]]
) -> ReinitialisationResults:
    """The results of a run as arrays, as far as it has come."""
    blocks = blocks_of(plan.blocks, plan.n_layers)
    languages = tuple(dict.fromkeys(plan.languages))
    accuracies = np.full((len(blocks), len(languages), len(plan.seeds)), np.nan)
    pairs: dict[str, int] = {}
    similarities: dict[Block, LayerSimilarities] = {}
    for i, block in enumerate(blocks):
        found = {
            k: results[unit]
            for k, unit in enumerate(unit_name(block, seed) for seed in plan.seeds)
            if unit in results
        }
        for k, result in found.items():
            for j, language in enumerate(languages):
                correct, pairs[language] = result["test"][language]["selected"]
                accuracies[i, j, k] = correct / pairs[language]
        if found:
            similarities[block] = _mean_similarities(
                [result["similarity"] for result in found.values()]
            )
    return ReinitialisationResults(
        plan.source_language,
        languages,
        plan.seeds,
        plan.n_layers,
        blocks,
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


def cost_table(found: ReinitialisationResults) -> list[dict[str, Any]]:
    """One row a block, language and seed, and what it costs; for a spreadsheet."""
    rows: list[dict[str, Any]] = []
    for i, block in enumerate(found.blocks):
        for j, language in enumerate(found.languages):
            for k, seed in enumerate(found.seeds):
                accuracy = found.accuracies[i, j, k]
                if np.isnan(accuracy):
                    continue
                cost = found.accuracies[0, j, k] - accuracy
                rows.append(
                    {
                        "reinitialised": "+".join(map(str, block)) or "none",
                        "language": language,
                        "seed": seed,
                        "accuracy": round(accuracy, 5),
                        "cost": None if np.isnan(cost) or block == FULL else round(cost, 5),
                    }
                )
    return rows
