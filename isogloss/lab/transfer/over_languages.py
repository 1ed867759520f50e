"""Is a language that lies closer to the source transferred to better? One point a language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.lab.transfer.closeness import Closeness
from isogloss.lab.transfer.gains import Judgements
from isogloss.lab.transfer.results import TransferResults
from isogloss.measures.association import (
    DRAWS,
    Association,
    DrawnCases,
    associate,
    correlations,
    draw_cases,
    percentiles,
    resample,
)
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL


@dataclass(frozen=True)
class RandomTwin:
    """The same accuracies against closeness in a model of that shape with random weights.

    `pearson` is by layer; `ahead_low` and `ahead_high` (L + 1,) enclose by how much the trained
    model's r is above it, in the same draws.
    """

    closeness: Array
    pearson: Association
    ahead_low: Array
    ahead_high: Array


@dataclass(frozen=True)
class OverLanguages:
    """Closeness before training (L + 1, K) and accuracy after it (K,): do they go together?

    `low` and `high` (K,) are of other test pairs and, with several seeds, of other seeds.
    `source_accuracy` is that of the language trained on, None where that was not tested.
    """

    frozen: int
    measure: str
    languages: tuple[str, ...]
    sentences: int
    seeds: int
    closeness: Array
    accuracy: Array
    low: Array
    high: Array
    source_accuracy: float | None
    pearson: Association
    spearman: Association
    random: RandomTwin | None


def over_languages(
    results: TransferResults,
    judgements: Judgements,
    selection: str,
    frozen: int,
    closeness: Closeness,
    measure: str,
) -> OverLanguages | None:
    """Set the accuracies at one N against closeness; None where that N is not finished."""
    place = results.frozen.index(frozen)
    seeds = [seed for seed in results.seeds if (frozen, seed) in results.units]
    if not seeds:
        return None
    columns = [results.languages.index(code) for code in results.others]
    mean = results.mean(selection)[place]
    outcomes = _drawn_accuracies(results, judgements, selection, frozen, columns)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(outcomes, [tail, 1 - tail], axis=0)
    drawn, accuracy = draw_cases(outcomes), mean[columns]
    x = closeness.as_trained[measure]
    source = results.source_language
    return OverLanguages(
        frozen=frozen,
        measure=measure,
        languages=results.others,
        sentences=closeness.sentences,
        seeds=len(seeds),
        closeness=x,
        accuracy=accuracy,
        low=low,
        high=high,
        source_accuracy=(
            float(mean[results.languages.index(source)]) if source in results.languages else None
        ),
        pearson=associate(x, accuracy, drawn),
        spearman=associate(x, accuracy, drawn, ranks=True),
        random=_random_twin(x, closeness.random.get(measure), accuracy, drawn),
    )


def _random_twin(
    x: Array, random: Array | None, accuracy: Array, drawn: DrawnCases
) -> RandomTwin | None:
    if random is None:
        return None
    ahead = percentiles(resample(x, drawn) - resample(random, drawn), len(accuracy))
    return RandomTwin(random, associate(random, accuracy, drawn), *ahead)


def _drawn_accuracies(
    results: TransferResults,
    judgements: Judgements,
    selection: str,
    frozen: int,
    columns: list[int],
) -> Array:
    """Accuracies (draws, K) as other test pairs and other seeds would have given them.

    The same rows are drawn in every language: what makes a pair hard makes it hard in all. Of a run
    that has not kept which pairs were right, each language's count is drawn by itself.
    """
    generator = np.random.default_rng(1)
    seeds = [seed for seed in results.seeds if (frozen, seed) in results.units]
    weights = generator.multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), size=DRAWS)
    counts: dict[int, Array] = {}
    drawn = np.zeros((DRAWS, len(columns)))
    for at, column in enumerate(columns):
        tested, code = int(results.tested[column]), results.languages[column]
        if all((frozen, seed) in judgements for seed in seeds):
            if tested not in counts:
                shares = np.full(tested, 1 / tested)
                counts[tested] = generator.multinomial(tested, shares, size=DRAWS) / tested
            right = [judgements[frozen, seed][code, selection] for seed in seeds]
            by_seed = counts[tested] @ np.stack(right, axis=1).astype(np.float64)
        else:
            place = results.frozen.index(frozen)
            known = [results.seeds.index(seed) for seed in seeds]
            share = results.accuracy(selection)[place, column][known]
            by_seed = generator.binomial(tested, share, size=(DRAWS, len(seeds))) / tested
        drawn[:, at] = (by_seed * weights).sum(axis=1) / len(seeds)
    return drawn


def other_models(found: OverLanguages, accuracy: dict[str, float]) -> tuple[Array, int]:
    """Pearson's r by layer of others' accuracies with this model's closeness, and of how many."""
    known = [i for i, code in enumerate(found.languages) if code in accuracy]
    theirs = np.array([accuracy[found.languages[i]] for i in known])
    return correlations(found.closeness[:, known], theirs), len(known)
