"""A run of Transfer written by hand, for tests of what reads and shows one: no model is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.closeness import CLOSENESS
from isogloss.lab.transfer.gains import Judgements
from isogloss.lab.transfer.plan import TransferPlan, transfer_unit
from isogloss.lab.transfer.results import SELECTIONS, TransferResults
from isogloss.store import Store

TESTED = 100
PLAN = TransferPlan(model="mini-en-zh", n_layers=3, seeds=(0, 1))
# Of 100 pairs, those judged right with seed 0; the oracle gets 3 more and seed 1 gets 4 more.
CORRECT = {
    "en": {-1: 70, 0: 71, 1: 69, 2: 70, 3: 60},
    "zh": {-1: 50, 0: 52, 1: 56, 2: 62, 3: 58},
}


def unit_result(
    n: int,
    seed: int,
    languages: Sequence[str] = ("en", "zh"),
    correct: Mapping[str, Mapping[int, int]] = CORRECT,
) -> dict[str, Any]:
    """What one fine-tuning leaves."""
    right = {code: correct[code][n] + 4 * seed for code in languages}
    test: dict[str, Mapping[str, Any]] = {
        code: {
            "selected_step": 20,
            "selected": [right[code], TESTED],
            "oracle_step": 10 if code != "en" else 20,
            "oracle": [right[code] + 3, TESTED],
        }
        for code in languages
    }
    dev = {code: [right[code] // 2, 50] for code in languages}
    return {
        "frozen": n,
        "seed": seed,
        "checks": [
            {"step": 10, "loss": 1.0, "dev": dev},
            {"step": 20, "loss": 0.5, "dev": dev},
        ],
        "test": test,
        "seconds": 10.0 - n,
        "passes": {"made": 4.0, "plain": 4.0 + 2 * max(n, 0)},
        "shared_states": n >= 0,
    }


def write_transfer(
    runs: Runs,
    plan: TransferPlan = PLAN,
    *,
    but: Sequence[tuple[int, int]] = (),
    small: bool = True,
    judged: bool = True,
    data: Mapping[str, Any] | None = None,
    correct: Mapping[str, Mapping[int, int]] = CORRECT,
) -> Run:
    """A run of `plan` in which everything is finished except the (N, seed) in `but`.

    The first pairs of a test set are those judged right; `judged` says whether the run kept that.
    """
    run = runs.create(plan)
    context = RunContext(Store(runs.root, demo=None), run.path, len(run.units), 0)
    for n in plan.layers:
        for seed in plan.seeds:
            if (n, seed) not in but:
                result = unit_result(n, seed, plan.languages, correct)
                if judged:
                    context.keep(transfer_unit(n, seed), _judgements(result))
                run.append(transfer_unit(n, seed), result)
    context.note(data={"name": "bundled", "small": small, **(data or {})})
    return run


FIFTEEN = (
    "en", "ar", "bg", "de", "el", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh",
)  # fmt: skip
FIFTEEN_PLAN = TransferPlan(
    model="mini-en-zh", n_layers=3, frozen=(-1, 2), seeds=(0,), languages=FIFTEEN
)
CLOSER_IS_BETTER_AT = 2
"""The layer at which closeness in the run below follows accuracy; it follows nothing elsewhere."""


def write_fifteen(runs: Runs, plan: TransferPlan = FIFTEEN_PLAN, **given: Any) -> Run:
    """A run in fifteen languages: at one layer, closer languages are those transferred to better.

    From the last to the first of the others accuracy rises by two points each; English is highest.
    """
    others = [code for code in plan.languages if code != plan.source_language]
    right = {code: 40 + 2 * place for place, code in enumerate(reversed(others))}
    right[plan.source_language] = 75
    run = write_transfer(
        runs, plan, correct={code: dict.fromkeys(plan.layers, n) for code, n in right.items()},
        small=False, **given,
    )  # fmt: skip
    generator = np.random.default_rng(5)
    shape = (plan.n_layers + 1, len(others))
    closeness = generator.uniform(0.2, 0.9, shape)
    closeness[CLOSER_IS_BETTER_AT] = [right[code] / 100 for code in others]
    keep(run, {
        "sentences": np.array([60]),
        "as trained debiased_cka": closeness,
        "as trained retrieval": closeness[::-1].copy(),
        "random retrieval": generator.uniform(0.0, 0.2, shape),
        "random debiased_cka": generator.uniform(0.0, 0.2, shape),
    })  # fmt: skip
    return run


def keep(run: Run, closeness: Mapping[str, Any]) -> None:
    """Have a run keep how close its languages lay before training."""
    context = RunContext(Store(run.path.parent, demo=None), run.path, len(run.units), 0)
    context.keep(CLOSENESS, closeness)


def _judgements(result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{language} {selection}": np.packbits(np.arange(TESTED) < outcome[selection][0])
        for language, outcome in result["test"].items()
        for selection in ("selected", "oracle")
    }


def planted_run(
    rng: np.random.Generator,
    seed_noise: float,
    gain: float = 0.0,
    n_seeds: int = 3,
    languages: Sequence[str] = ("en", "de", "fr", "zh"),
    tested: int = 400,
) -> tuple[TransferResults, Judgements]:
    """A run whose N = 2 is `gain` more accurate in zh, and nothing else differs but by chance.

    Every fine-tuning is better or worse by a share of deviation `seed_noise`, alike for no two.
    """
    frozen, seeds = (-1, 0, 2, 4, 6), tuple(range(n_seeds))
    ease = rng.uniform(-0.3, 0.3, tested)
    correct = np.zeros((len(SELECTIONS), len(frozen), len(languages), len(seeds)))
    judged: dict[tuple[int, int], dict[tuple[str, str], Any]] = {}
    for place, n in enumerate(frozen):
        for seed in seeds:
            judged[n, seed] = {}
            for column, language in enumerate(languages):
                share = 0.6 + gain * (n == 2 and language == "zh") + rng.normal(0, seed_noise)
                right = rng.random(tested) < np.clip(share + ease, 0, 1)
                correct[:, place, column, seed] = right.sum()
                judged[n, seed] |= {(language, selection): right for selection in SELECTIONS}
    cells = (len(frozen), len(seeds))
    results = TransferResults(
        model="planted",
        n_layers=6,
        frozen=frozen,
        languages=tuple(languages),
        source_language="en",
        seeds=seeds,
        small=False,
        correct=correct,
        steps=np.ones_like(correct),
        tested=np.full(len(languages), float(tested)),
        seconds=np.ones(cells),
        passes=np.ones((2, *cells)),
        padding=np.full(cells, np.nan),
        dev={},
        data="planted",
        tests={},
        units={(n, seed): transfer_unit(n, seed) for n in frozen for seed in seeds},
        rates=(1e-4,) * len(frozen),
        shipped=False,
    )
    return results, judged
