"""What freezing gained over training all, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from isogloss.lab.runs.run import Run
from isogloss.lab.training.nli_task import Judged
from isogloss.lab.transfer.results import SELECTIONS, TransferResults
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, wilson_interval
from isogloss.text.nli import CHANCE

ALL_TRAINED = -1
Judgements = Mapping[tuple[int, int], Mapping[tuple[str, str], Array]]
"""For each (N, seed) and each (language, selection), which test pairs were judged right, (n,)."""


@dataclass(frozen=True)
class Gains:
    """Accuracy at each N minus that of training all, with an interval: each (N, languages).

    NaN where one of the two is missing. The interval, of one comparison at `level`, is of other
    test pairs and, where both have several seeds, of other seeds. `paired` says that both judged
    the same pairs, so that only the differences count; else two separate samples are assumed.
    """

    values: Array
    low: Array
    high: Array
    paired: bool
    level: float

    def clearly_below(self, column: int) -> list[int]:
        """The places of N at which a language has less than with training all."""
        return [int(place) for place in np.flatnonzero(self.high[:, column] < 0)]


@dataclass(frozen=True)
class Gain:
    """One gain over training all: its interval as the only comparison, and as the best of many.

    `widened` is the interval at Bonferroni's share of the error for each of the `compared`
    languages and N, since the highest of them is looked at because it is the highest. `seeds` is
    how many both were run with; with one, neither interval knows how other seeds would differ.
    """

    value: float
    alone: tuple[float, float]
    widened: tuple[float, float]
    compared: int
    seeds: int

    @property
    def is_clear(self) -> bool:
        """Whether it stays above nothing after allowing for every comparison."""
        return self.widened[0] > 0


@dataclass(frozen=True)
class Finding:
    """What N does to one language: the highest mean, and what it gained over training all.

    `gain` is None where training all is the highest or was not run. `same_rate` says that the
    highest learned at the rate of training all, `above_chance` that Wilson's interval of its mean
    is above chance.
    """

    language: str
    highest_frozen: int
    highest: float
    above_chance: bool
    gain: Gain | None
    same_rate: bool
    spread: float


def read_judgements(run: Run, results: TransferResults) -> Judgements:
    """Which pairs each finished fine-tuning judged right, as far as the run has kept it."""
    found: dict[tuple[int, int], dict[tuple[str, str], Array]] = {}
    for (n, seed), unit in results.units.items():
        judged = run.kept_as(unit, Judged.from_arrays)
        if judged is not None:
            found[n, seed] = {
                (language, selection): judged.right[language, selection][: int(tested)]
                for language, tested in zip(results.languages, results.tested, strict=True)
                for selection in SELECTIONS
            }
    return found


def gains_of_freezing(
    results: TransferResults, judgements: Judgements, selection: str, level: float = LEVEL
) -> Gains:
    """Compare every N with training all, over the seeds that both have.

    With $v_p$ the variance of the mean over n test pairs and $v_s$ that over S seeds, the interval
    is $± \\sqrt{z^2 v_p + t_{S-1}^2 v_s}$: whatever the two are, it holds at least the level
    (Banerjee 1960), also with three seeds. Paired, $v_p = s_d^2 / n$ where $d_i$ is how much more
    often pair i was right; without judgements $v_p = p(1-p)/n + q(1-q)/n$, as if each accuracy had
    a sample of its own.
    """
    shape = (len(results.frozen), len(results.languages))
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    for place, n in enumerate(results.frozen):
        for column, language in enumerate(results.languages):
            found = _compared(results, judgements, n, language, selection)
            if found is not None:
                values[place, column] = found.value
                low[place, column], high[place, column] = found.interval(level)
    return Gains(values, low, high, _is_paired(results, judgements), level)


def _is_paired(results: TransferResults, judgements: Judgements) -> bool:
    return len(judgements) == results.done


@dataclass(frozen=True)
class _Compared:
    """How much more accurate one N is, by seed (seeds,), and how far test pairs move the mean."""

    by_seed: Array
    over_pairs: float

    @property
    def value(self) -> float:
        return float(self.by_seed.mean())

    def interval(self, level: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        tail = (1 + level) / 2
        squared = NormalDist().inv_cdf(tail) ** 2 * self.over_pairs
        seeds = len(self.by_seed)
        if seeds > 1:
            over_seeds = float(self.by_seed.var(ddof=1)) / seeds
            squared += float(stdtrit(seeds - 1, tail)) ** 2 * over_seeds
        half = float(np.sqrt(squared))
        return self.value - half, self.value + half


def _compared(
    results: TransferResults, judgements: Judgements, n: int, language: str, selection: str
) -> _Compared | None:
    """One language at one N against training all; None where no seed has both."""
    seeds = _shared_seeds(results, n)
    if not seeds:
        return None
    column = results.languages.index(language)
    accuracy = results.accuracy(selection)[:, column][:, [results.seeds.index(s) for s in seeds]]
    ours, all_trained = (accuracy[results.frozen.index(each)] for each in (n, ALL_TRAINED))
    over_pairs = (
        _variance_of_pairs(judgements, n, (language, selection), seeds)
        if _is_paired(results, judgements)
        # A sample of zeros and ones with this mean has this spread.
        else sum(p * (1 - p) for p in (ours.mean(), all_trained.mean())) / results.tested[column]
    )
    return _Compared(ours - all_trained, float(over_pairs))


def _shared_seeds(results: TransferResults, n: int) -> list[int]:
    """The seeds that N and training all were both finished with."""
    return [
        seed
        for seed in results.seeds
        if (n, seed) in results.units and (ALL_TRAINED, seed) in results.units
    ]


def _variance_of_pairs(
    judgements: Judgements, n: int, key: tuple[str, str], seeds: list[int]
) -> float:
    differences = np.mean(
        [
            judgements[n, seed][key].astype(float) - judgements[ALL_TRAINED, seed][key]
            for seed in seeds
        ],
        axis=0,
    )
    return float(differences.var(ddof=1) / len(differences))


def _count_compared(results: TransferResults) -> int:
    """How many gains were looked at: every language at every N but training all."""
    tried = [n for n in results.frozen if n != ALL_TRAINED and _shared_seeds(results, n)]
    return max(1, len(tried) * len(results.languages))


def find_by_language(
    results: TransferResults, judgements: Judgements, selection: str, language: str
) -> Finding:
    """Say where a language's mean is highest, and whether that tells itself from training all."""
    column = results.languages.index(language)
    mean = results.mean(selection)[:, column]
    highest = int(np.nanargmax(mean))
    n = results.frozen[highest]
    gain = gain_at(results, judgements, selection, n, language, _count_compared(results))
    total = results.tested[column]
    low, _ = wilson_interval(mean[highest] * total, total)
    return Finding(
        language=language,
        highest_frozen=n,
        highest=float(mean[highest]),
        above_chance=bool(low > CHANCE),
        gain=gain,
        same_rate=gain is None or has_rate_of_all(results, n),
        spread=float(np.nanmax(mean) - np.nanmin(mean)),
    )


def gain_at(
    results: TransferResults,
    judgements: Judgements,
    selection: str,
    n: int,
    language: str,
    compared: int,
) -> Gain | None:
    """One gain as the best of those compared; None where there is nothing to compare with."""
    found = _compared(results, judgements, n, language, selection)
    if n == ALL_TRAINED or found is None:
        return None
    return Gain(
        value=found.value,
        alone=found.interval(LEVEL),
        widened=found.interval(1 - (1 - LEVEL) / compared),
        compared=compared,
        seeds=len(found.by_seed),
    )


def has_rate_of_all(results: TransferResults, n: int) -> bool:
    """Whether an N learned at the rate of training all."""
    rates = dict(zip(results.frozen, results.rates, strict=True))
    return rates[n] == rates.get(ALL_TRAINED)
