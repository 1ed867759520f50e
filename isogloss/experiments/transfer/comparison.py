"""What freezing gained over training all, pair by pair, and two sweeps subtracted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from isogloss.experiments.transfer.results import SELECTIONS, SweepResults
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, mean_normal_interval, wilson_interval
from isogloss.runs.run import Run
from isogloss.text.nli import CHANCE

ALL_TRAINED = -1
Judgements = Mapping[tuple[int, int], Mapping[tuple[str, str], Array]]
"""For each (N, seed) and each (language, selection), which test pairs were judged right, (n,)."""


@dataclass(frozen=True)
class Gains:
    """Accuracy at each N minus that of training all, with an interval: each (N, languages).

    NaN where one of the two is missing. `paired` says that both judged the same pairs with the same
    seeds and that the interval is that of their differences; else it is the wider one of two
    separate samples. `level` is that of each interval.
    """

    values: Array
    low: Array
    high: Array
    paired: bool
    level: float


@dataclass(frozen=True)
class Finding:
    """What N does to one language: the highest mean, and what it gained over training all.

    `gain` is (value, low, high) with an interval that allows for having looked at every N; None
    where training all is the highest or was not run. `seeds` is how many both were run with: the
    interval does not know how other seeds would differ. `same_rate` says that the highest learned
    at the rate of training all, `above_chance` that Wilson's interval of its mean is above chance.
    """

    language: str
    highest_frozen: int
    highest: float
    above_chance: bool
    gain: tuple[float, float, float] | None
    seeds: int
    same_rate: bool
    spread: float


@dataclass(frozen=True)
class Difference:
    """The second of two sweeps minus the first, (N, languages), at the first sweep's N.

    `by_share` says that the models differ in depth and that equal shares of frozen layers were
    subtracted. `other_tests` are languages that both have, but with other test pairs.
    """

    frozen: tuple[int, ...]
    languages: tuple[str, ...]
    values: Array
    by_share: bool
    other_tests: tuple[str, ...]


def read_judgements(run: Run, results: SweepResults) -> Judgements:
    """Which pairs each finished fine-tuning judged right, as far as the run has kept it."""
    found: dict[tuple[int, int], dict[tuple[str, str], Array]] = {}
    for (n, seed), unit in results.units.items():
        kept = run.kept(unit)
        if kept is not None:
            found[n, seed] = {
                (language, selection): np.unpackbits(
                    kept[f"{language} {selection}"], count=int(results.tested[column])
                )
                for column, language in enumerate(results.languages)
                for selection in SELECTIONS
            }
    return found


def gains_of_freezing(
    results: SweepResults, judgements: Judgements, selection: str, level: float = LEVEL
) -> Gains:
    """Compare every N with training all, over the seeds that both have.

    Paired: $d_i$ is how much more often pair i was right over the seeds, and the interval is
    $\\bar d ± z s_d / \\sqrt n$ over the n test pairs, seeds taken as they are. Without judgements:
    $± z \\sqrt{p(1-p)/n + q(1-q)/n}$, as if each accuracy had a sample of its own.
    """
    shape = (len(results.frozen), len(results.languages))
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    paired = len(judgements) == results.done
    if ALL_TRAINED in results.frozen:
        for place, n in enumerate(results.frozen):
            for column, language in enumerate(results.languages):
                key = (language, selection)
                found = (
                    _paired(results, judgements, n, key, level)
                    if paired
                    else _unpaired(results, place, column, selection, level)
                )
                values[place, column], low[place, column], high[place, column] = found
    return Gains(values, low, high, paired, level)


_NOTHING = (np.nan, np.nan, np.nan)


def _paired(
    results: SweepResults, judgements: Judgements, n: int, key: tuple[str, str], level: float
) -> tuple[float, float, float]:
    seeds = _shared_seeds(results, n)
    if not seeds:
        return _NOTHING
    differences = np.mean(
        [
            judgements[n, seed][key].astype(float) - judgements[ALL_TRAINED, seed][key]
            for seed in seeds
        ],
        axis=0,
    )
    low, high = mean_normal_interval(differences, level)
    return float(differences.mean()), float(low), float(high)


def _shared_seeds(results: SweepResults, n: int) -> list[int]:
    """The seeds that N and training all were both finished with."""
    return [
        seed
        for seed in results.seeds
        if (n, seed) in results.units and (ALL_TRAINED, seed) in results.units
    ]


def _unpaired(
    results: SweepResults, place: int, column: int, selection: str, level: float
) -> tuple[float, float, float]:
    mean = results.mean(selection)[:, column]
    both = np.array([mean[place], mean[results.frozen.index(ALL_TRAINED)]])
    if not np.isfinite(both).all():
        return _NOTHING
    # A sample of zeros and ones with this mean has this spread.
    deviation = float(np.sqrt((both * (1 - both)).sum()))
    low, high = mean_normal_interval(
        np.full(int(results.tested[column]), both[0] - both[1]), level, deviation
    )
    return float(both[0] - both[1]), float(low), float(high)


def find_by_language(
    results: SweepResults, judgements: Judgements, selection: str, language: str
) -> Finding:
    """Say where a language's mean is highest, and whether that tells itself from training all."""
    column = results.languages.index(language)
    mean = results.mean(selection)[:, column]
    highest = int(np.nanargmax(mean))
    tried = max(1, int(np.isfinite(mean).sum()) - (ALL_TRAINED in results.frozen))
    # One of several N is looked at because it is the highest: Bonferroni's share for each.
    gains = gains_of_freezing(results, judgements, selection, 1 - (1 - LEVEL) / tried)
    gain = tuple(float(values[highest, column]) for values in (gains.values, gains.low, gains.high))
    compared = results.frozen[highest] != ALL_TRAINED and np.isfinite(gain[0])
    n = results.tested[column]
    low, _ = wilson_interval(mean[highest] * n, n)
    return Finding(
        language=language,
        highest_frozen=results.frozen[highest],
        highest=float(mean[highest]),
        above_chance=bool(low > CHANCE),
        gain=(gain[0], gain[1], gain[2]) if compared else None,
        seeds=len(_shared_seeds(results, results.frozen[highest])),
        same_rate=not compared
        or results.rates[highest] == results.rates[results.frozen.index(ALL_TRAINED)],
        spread=float(np.nanmax(mean) - np.nanmin(mean)),
    )


def compare(first: SweepResults, second: SweepResults, selection: str) -> Difference:
    """Return how much more accurate the second sweep's means are than the first's.

    Models of different depth are compared at equal shares of frozen layers; languages that were
    tested on other pairs are left out and named.
    """
    by_share = first.n_layers != second.n_layers
    partners = {_position(n, second.n_layers): n for n in second.frozen}
    pairs = [
        (n, partners[_position(n, first.n_layers)])
        for n in first.frozen
        if _position(n, first.n_layers) in partners
    ]
    shared = [code for code in first.languages if code in second.languages]
    same = [code for code in shared if first.tests.get(code) == second.tests.get(code)]

    def pick(results: SweepResults, frozen: list[int]) -> Array:
        rows = [results.frozen.index(n) for n in frozen]
        columns = [results.languages.index(code) for code in same]
        return results.mean(selection)[rows][:, columns]

    values = pick(second, [n for _, n in pairs]) - pick(first, [n for n, _ in pairs])
    return Difference(
        frozen=tuple(n for n, _ in pairs),
        languages=tuple(same),
        values=values,
        by_share=by_share,
        other_tests=tuple(code for code in shared if code not in same),
    )


def _position(n: int, n_layers: int) -> float:
    """The share of layers that are frozen, and -1 for none."""
    return round(n / n_layers, 6) if n >= 0 else float(ALL_TRAINED)
