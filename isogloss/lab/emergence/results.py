"""What a run of emergence found: scores by step and layer, and what each condition reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.runs.run import Run
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import Estimate, estimate

What = Literal["words", "sentences"]


@dataclass(frozen=True, eq=False)
class Fit:
    """One model's way from random weights; arrays are (looks, layers), means of both directions.

    `steps` and `words_seen` (looks,); `losses` (looks, 2) of guessing held-out words of either
    language. `words` is empty where the second language is no copy. `shuffled` is what the model
    reads at the end with wrong counterparts, by the same names as `chance`.
    """

    steps: Array
    words_seen: Array
    losses: Array
    words: Array
    sentences: Array
    cka: Array
    chance: Mapping[str, float | None]
    shuffled: Mapping[str, Array]

    def scores(self, what: What) -> Array:
        """The scores of words or of sentences, (looks, layers)."""
        return self.words if what == "words" else self.sentences

    def has(self, what: What) -> bool:
        """Whether it was scored; words are not where the second language is no copy."""
        return bool(self.scores(what).size)

    def at(self, what: What, layer: int) -> Array:
        """The scores of a layer, or of the top one if it is not so deep; (looks,)."""
        scores = self.scores(what)
        return np.asarray(scores[:, min(layer, scores.shape[1] - 1)])

    def best(self, what: What) -> float:
        """The highest layer's score at the end; NaN where there is none."""
        found = self.scores(what)
        return float(found[-1].max()) if found.size else float("nan")


@dataclass(frozen=True, eq=False)
class EmergenceResults:
    """The finished fits of a run, by condition and seed."""

    conditions: tuple[str, ...]
    seeds: tuple[int, ...]
    fits: Mapping[tuple[str, int], Fit]

    def measured(self) -> tuple[str, ...]:
        """The conditions that have a fit at least."""
        return tuple(name for name in self.conditions if any(name == c for c, _ in self.fits))

    def in_order(self, what: What) -> tuple[str, ...]:
        """The conditions that were scored so, the best first."""
        means = {name: self.best(name, what).mean for name in self.measured()}
        known = [name for name, mean in means.items() if not np.isnan(mean)]
        return tuple(sorted(known, key=lambda name: -means[name]))

    def chance(self, what: What) -> float:
        """What a nearest neighbour drawn at random would find; the mean over fits."""
        known = [fit.chance[what] for fit in self.fits.values()]
        return float(np.mean([value for value in known if value is not None] or [0.0]))

    def best_by_seed(self, condition: str, what: What) -> Array:
        """The best layer's score at the end, (seeds,), NaN where a fit is not finished."""
        fits = [self.fits.get((condition, seed)) for seed in self.seeds]
        return np.array([np.nan if fit is None else fit.best(what) for fit in fits])

    def best(self, condition: str, what: What) -> Estimate:
        """Its mean over seeds, with the interval that seeds give."""
        return estimate(self.best_by_seed(condition, what))


def read_emergence(run: Run) -> EmergenceResults:
    """What a run has finished so far."""
    return read_results(cast(EmergencePlan, run.plan), run.results())


def read_results(plan: EmergencePlan, results: Mapping[str, Mapping[str, Any]]) -> EmergenceResults:
    """The results of a run as arrays, as far as it has come."""
    fits = {part: read_fit(results[unit]) for unit, part in plan.parts().items() if unit in results}
    return EmergenceResults(plan.conditions, plan.seeds, fits)


def read_fit(result: Mapping[str, Any]) -> Fit:
    """A unit's result as arrays; of one under way there are only looks and chance."""
    looks = result["looks"]
    scores = [look["scores"] for look in looks]
    return Fit(
        steps=np.array([look["step"] for look in looks]),
        words_seen=np.array([look["words_seen"] for look in looks]),
        losses=np.array([each["loss"] for each in scores]),
        words=_both_ways(scores, "words"),
        sentences=_both_ways(scores, "sentences"),
        cka=np.array([each["cka"] for each in scores]),
        chance=result["chance"],
        shuffled={
            name: _both_ways([result["shuffled"]], name)
            for name in ("words", "sentences")
            if "shuffled" in result
        },
    )


def _both_ways(scores: list[Mapping[str, Any]], name: str) -> Array:
    """The mean of both directions, (looks, layers); no layers where nothing was scored."""
    found = np.array([each[name] for each in scores], float)
    return found.mean(-1) if found.size else np.empty((len(scores), 0))


def score_table(found: EmergenceResults) -> list[dict[str, Any]]:
    """One row a condition, seed, look and layer; for a spreadsheet."""
    rows = []
    for (condition, seed), fit in found.fits.items():
        for look, step in enumerate(fit.steps):
            for layer in range(fit.sentences.shape[1]):
                rows.append(
                    {
                        "condition": condition,
                        "seed": seed,
                        "step": int(step),
                        "words_seen": int(fit.words_seen[look]),
                        "layer": layer,
                        "words": float(fit.words[look, layer]) if fit.words.size else None,
                        "sentences": float(fit.sentences[look, layer]),
                        "cka": float(fit.cka[look, layer]),
                    }
                )
    return rows
