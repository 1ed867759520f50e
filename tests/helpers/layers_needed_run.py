"""A run of re-initialised layers with results written by hand, for tests of its page."""

from __future__ import annotations

from typing import Any

from isogloss.lab.layers_needed.plan import (
    LayerGroup,
    LayersNeededPlan,
)
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run

LAYERS = 4
COSTS: dict[LayerGroup, int] = {(): 0, (1,): 100, (2,): 80, (3,): 2, (4,): -2}
"""What each block costs of 1,000 Chinese pairs; half as much in English."""


PLAN = LayersNeededPlan(n_layers=LAYERS, seeds=(0, 1, 2))


def written_run(
    runs: Runs, units: int | None = None, plan: LayersNeededPlan = PLAN, **similarity: Any
) -> Run:
    """A run with results as if it had been carried out, or its first units."""
    run = runs.create(plan)
    for unit, (group, seed) in list(plan.parts().items())[:units]:
        run.append(unit, _result(group, seed, plan.languages[1], similarity))
    return run


def _result(
    group: LayerGroup, seed: int, target: str, similarity: dict[str, Any]
) -> dict[str, Any]:
    """Layer i keeps 0.9 to the power of i of what it was, 0.5 to it if it was re-initialised."""
    lost = COSTS[group] + seed

    def outcome(correct: int) -> dict[str, list[int]]:
        return {"selected": [correct, 1_000], "oracle": [correct, 1_000]}

    kept = [(0.5 if layer in group else 0.9) ** layer for layer in range(LAYERS + 1)]
    return {
        "block": list(group),
        "seed": seed,
        "test": {"en": outcome(700 - lost // 2), target: outcome(600 - lost)},
        "similarity": similarity
        or {
            "kept": {"en": kept, target: [1.0] * (LAYERS + 1)},
            "across": {target: {"before": [0.5] * 5, "after": [0.4] * 5}},
        },
    }
