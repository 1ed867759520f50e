"""An adaptation that was never trained: results by hand, so that what is shown can be foreseen."""

from __future__ import annotations

from typing import Any

import numpy as np

from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.regimes import find_regime
from isogloss.lab.adaptation.training import map_name
from isogloss.lab.adaptation.training_map import TrainingMap
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store

STEPS = (0, 10, 20, 30)
N_LAYERS = 3
WORDS = ("green", "tea", "cat", "绿", "茶", "猫")


def made_up_run(
    store: Store, *, seeds: int = 2, crossing: bool = True, units: int = 99, **fields: Any
) -> Run:
    """A finished run, or one broken off after some units, with three regimes.

    In every regime Chinese falls 40, 30, 20, 10, each seed 1 higher than the one before; the other
    curve stays at 25, or at 5 where nothing is to cross. `fields` are others of the plan.
    """
    regimes = ("all", "last-1", "gradual")
    plan = AdaptationPlan(regimes=regimes, seeds=tuple(range(seeds)), **fields)
    run = Runs(store, shipped=None).create(plan)
    context = RunContext(store, run.path, len(run.units), 0)
    context.note(
        sentences={"train": 80, "validation": 20, "test": 20, "multilingual en": 10,
                   "multilingual zh": 10},
        is_decoder=False,
        n_layers=N_LAYERS,
    )  # fmt: skip
    for unit in run.units[:units]:
        regime, _, seed = unit.partition(" seed ")
        run.append(unit, _result(regime, int(seed), crossing))
        if seed == "0":
            context.keep(map_name(regime), _words().as_arrays())
    return run


def _result(regime: str, seed: int, crossing: bool) -> dict[str, Any]:
    lowest = find_regime(regime).first_learning(N_LAYERS)
    phases = [[10 * number, first] for number, first in enumerate(lowest)]
    distance = [[_distance(step, layer, phases) for layer in range(N_LAYERS + 1)] for step in STEPS]
    return {
        "regime": regime,
        "seed": seed,
        "steps": list(STEPS),
        "target": [value + seed for value in (40.0, 30.0, 20.0, 10.0)],
        "multilingual": [25.0 if crossing else 5.0] * len(STEPS),
        "distance": distance,
        "similarity": [[1 - value / 100 for value in row] for row in distance],
        "phases": phases,
        "steps_an_epoch": 10,
        "best_step": 30,
        "stopped_early": False,
        "test": {"all": 11.0, "last-1": 31.0, "gradual": 21.0}[regime] + seed,
        "test_before": 44.0,
        "seconds": 1.5,
    }


def _distance(step: int, layer: int, phases: list[list[int]]) -> float:
    """Layer i moves by i a step, from the first phase on in which it or one below it learns."""
    begun = [start for start, first in phases if first <= layer]
    return float(max(0, step - begun[0]) * layer) if begun else 0.0


def _words() -> TrainingMap:
    moments, layers, words = len(STEPS), N_LAYERS + 1, len(WORDS)
    places = np.random.default_rng(0).uniform(-1, 1, (moments, layers, words, 2))
    return TrainingMap(
        steps=STEPS,
        positions=places.astype(np.float32),
        preservation=np.full((moments, layers), 0.5, np.float32),
        nearest_share=np.linspace(0, 1, moments * layers).reshape(moments, layers),
        links=np.array([[0, 3], [1, 4], [2, 5]], np.int32),
        texts=WORDS,
        sides=(0, 0, 0, 1, 1, 1),
        sentence_of=(0, 0, 1, 0, 0, 1),
        sentences=(("Green tea.", "绿茶。"), ("A cat.", "猫。")),
        languages=("en", "zh"),
    )
