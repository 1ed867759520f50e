"""What a run has found, as arrays: accuracy for every N, language and seed, finished or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from isogloss.errors import RunError
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan, transfer_unit
from isogloss.measures.correlation import Correlation, correlate
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, wilson_interval


@dataclass(frozen=True)
class Selection:
    """How the tested model is chosen among those at the checks of one fine-tuning."""

    title: str
    explanation: str


SELECTIONS = {
    "selected": Selection(
        "Source dev",
        "The model that did best on the dev set of the language it was trained on: zero-shot "
        "transfer, which sees nothing of the other language.",
    ),
    "oracle": Selection(
        "Oracle",
        "The model that did best on the dev set of the tested language itself. Zero-shot transfer "
        "may not see that, but some published results do (Keung et al. 2020).",
    ),
}


@dataclass(frozen=True)
class DevCurve:
    """One fine-tuning's checks: steps and losses (c,), dev accuracy (c,) by language."""

    steps: Array
    losses: Array
    accuracy: Mapping[str, Array]


@dataclass(frozen=True)
class TransferResults:
    """Counts of a run; what is not finished is NaN.

    `correct` is (selections, N, languages, seeds), selections in the order of `SELECTIONS`;
    `tested` (languages,) is of how many pairs; `steps` is like `correct`: after which step the
    chosen model was. `seconds` is (N, seeds). `passes` (2, N, seeds) are millions of passes of a
    token through a block: those made, and those of the way that shares nothing. `padding`
    (N, seeds) is the share of padding in training batches, NaN where it was not measured. `tests`
    has the hash of each language's test pairs, `units` the name of each finished (N, seed),
    `rates` (N,) the learning rates. One that is `shipped` stays as it is, though an N may have
    fewer seeds than another.
    """

    model: str
    n_layers: int
    frozen: tuple[int, ...]
    languages: tuple[str, ...]
    source_language: str
    seeds: tuple[int, ...]
    small: bool
    correct: Array
    steps: Array
    tested: Array
    seconds: Array
    passes: Array
    padding: Array
    dev: Mapping[tuple[int, int], DevCurve]
    data: str
    tests: Mapping[str, str]
    units: Mapping[tuple[int, int], str]
    rates: tuple[float, ...]
    shipped: bool

    @property
    def others(self) -> tuple[str, ...]:
        """The languages that were not trained on."""
        return tuple(code for code in self.languages if code != self.source_language)

    @property
    def done(self) -> int:
        """How many fine-tunings are finished."""
        return int(np.isfinite(self.seconds).sum())

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return self.shipped or self.done == self.seconds.size

    @property
    def on_xnli(self) -> bool:
        """Whether the test pairs are those of XNLI, on which others have published."""
        return "xnli" in self.data.lower() or self.data == "hub"

    @property
    def missing(self) -> tuple[tuple[int, int], ...]:
        """Every (N, seed) that is not finished."""
        places = np.argwhere(~np.isfinite(self.seconds))
        return tuple((self.frozen[n], self.seeds[seed]) for n, seed in places)

    def accuracy(self, selection: str) -> Array:
        """Return the accuracy of every run, (N, languages, seeds)."""
        return self.correct[_place(selection)] / self.tested[:, None]

    def mean(self, selection: str) -> Array:
        """Return the mean over the seeds that are finished, (N, languages); NaN if none is."""
        found = np.isfinite(self.seconds).sum(1)[:, None]
        total = np.nansum(self.accuracy(selection), axis=2)
        return np.where(found > 0, total / np.maximum(found, 1), np.nan)

    def band(self, selection: str) -> tuple[Array, Array]:
        """Return the lowest and the highest accuracy over the seeds, each (N, languages)."""
        accuracy = self.accuracy(selection)
        low = np.where(np.isnan(accuracy), np.inf, accuracy).min(2)
        high = np.where(np.isnan(accuracy), -np.inf, accuracy).max(2)
        return np.where(np.isfinite(low), low, np.nan), np.where(np.isfinite(high), high, np.nan)

    def intervals(self, selection: str, level: float = LEVEL) -> tuple[Array, Array]:
        """Return the ends of each single run's Wilson interval, each (N, languages, seeds)."""
        correct = self.correct[_place(selection)]
        return wilson_interval(correct, np.broadcast_to(self.tested[:, None], correct.shape), level)

    @property
    def saving(self) -> float | None:
        """How many times fewer passes through blocks were made than without sharing."""
        made, plain = np.nansum(self.passes, axis=(1, 2))
        return float(plain / made) if made > 0 else None

    def correlation(self, selection: str, language: str, by_layer: Array) -> Correlation:
        """Correlate accuracy at N with `by_layer`, (L + 1,), at layer N; N = −1 has no layer."""
        accuracy = self.mean(selection)[:, self.languages.index(language)]
        places = [i for i, n in enumerate(self.frozen) if n >= 0 and np.isfinite(accuracy[i])]
        return correlate([by_layer[self.frozen[i]] for i in places], accuracy[places])

    def margin(self, selection: str, language: str) -> float:
        """Return half the width of the widest Wilson interval of a language's single runs."""
        low, high = self.intervals(selection)
        return float(np.nanmax(high - low, axis=(0, 2))[self.languages.index(language)] / 2)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each finished N, seed and language, for a spreadsheet."""
        return [
            self._row(place, seed, language)
            for place in range(len(self.frozen))
            for seed in range(len(self.seeds))
            if np.isfinite(self.seconds[place, seed])
            for language in range(len(self.languages))
        ]

    def _row(self, place: int, seed: int, language: int) -> dict[str, Any]:
        at = (place, language, seed)
        row: dict[str, Any] = {
            "frozen_layers": self.frozen[place],
            "seed": self.seeds[seed],
            "language": self.languages[language],
            "tested": int(self.tested[language]),
        }
        for selection in SELECTIONS:
            low, high = self.intervals(selection)
            row |= {
                f"{selection}_correct": int(self.correct[_place(selection)][at]),
                f"{selection}_accuracy": round(float(self.accuracy(selection)[at]), 5),
                f"{selection}_low_{LEVEL:.0%}": round(float(low[at]), 5),
                f"{selection}_high_{LEVEL:.0%}": round(float(high[at]), 5),
                f"{selection}_step": int(self.steps[_place(selection)][at]),
            }
        return row | {"seconds": float(self.seconds[place, seed])}


def read_transfer(run: Run) -> TransferResults:
    """Read what a run has finished so far."""
    if not isinstance(run.plan, TransferPlan):
        raise RunError(f"Run {run.id} is no run of Transfer: choose one that is.")
    plan, found = run.plan, run.results()
    data = cast(dict[str, Any], run.facts.get("data", {}))
    if not found:
        raise RunError(f"Run {run.id} has finished nothing yet: wait for its first part.")
    languages = tuple(next(iter(found.values()))["test"])
    shape = (len(plan.layers), len(languages), len(plan.seeds))
    correct, steps = (np.full((len(SELECTIONS), *shape), np.nan) for _ in range(2))
    seconds = np.full((shape[0], shape[2]), np.nan)
    passes = np.full((2, *seconds.shape), np.nan)
    padding = np.full(seconds.shape, np.nan)
    tested = np.ones(len(languages))
    dev: dict[tuple[int, int], DevCurve] = {}
    units: dict[tuple[int, int], str] = {}
    for i, n in enumerate(plan.layers):
        for j, seed in enumerate(plan.seeds):
            unit = found.get(transfer_unit(n, seed))
            if unit is None:
                continue
            units[n, seed] = transfer_unit(n, seed)
            seconds[i, j] = unit["seconds"]
            padding[i, j] = unit.get("padding", np.nan)
            passes[:, i, j] = unit["passes"]["made"], unit["passes"]["plain"]
            dev[n, seed] = _dev_curve(unit["checks"])
            for k, language in enumerate(languages):
                outcome = unit["test"][language]
                for place, selection in enumerate(SELECTIONS):
                    correct[place, i, k, j], tested[k] = outcome[selection]
                    steps[place, i, k, j] = outcome[f"{selection}_step"]
    return TransferResults(
        model=plan.model,
        n_layers=plan.n_layers,
        frozen=plan.layers,
        languages=languages,
        source_language=plan.source_language,
        seeds=plan.seeds,
        small=bool(data.get("small")),
        correct=correct,
        steps=steps,
        tested=tested,
        seconds=seconds,
        passes=passes,
        padding=padding,
        dev=dev,
        data=str(data.get("name", plan.data)),
        tests={code: str(each["sha256"]) for code, each in data.get("test", {}).items()},
        units=units,
        rates=tuple(map(plan.learning_rate_at, plan.layers)),
        shipped=run.shipped,
    )


def _dev_curve(checks: list[dict[str, Any]]) -> DevCurve:
    languages = checks[0]["dev"]
    return DevCurve(
        steps=np.array([check["step"] for check in checks]),
        losses=np.array([check["loss"] for check in checks]),
        accuracy={
            code: np.array([check["dev"][code][0] / check["dev"][code][1] for check in checks])
            for code in languages
        },
    )


def _place(selection: str) -> int:
    return list(SELECTIONS).index(selection)
