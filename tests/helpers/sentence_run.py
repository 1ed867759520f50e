"""A run on sentence embeddings written by hand, for tests of what shows one: nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.plan import BEFORE, SentencesPlan
from isogloss.store import Store
from isogloss.text.sts import SIMILARITIES

ROWS, LAYERS = 200, 4


def written_run(runs: Runs, store: Store, shares: Mapping[str, float], **fields: Any) -> Run:
    """A run whose units find the share of translations that is said, by a fixed draw.

    `shares` has them by objective and for "before"; what is missing is not finished.
    """
    plan = SentencesPlan(seeds=(0, 1), **fields)
    run = runs.create(plan)
    context = RunContext(store, run.path, len(run.units), 0)
    context.note(languages=["en", "zh"], layer=LAYERS - 1, n_layers=LAYERS - 1)
    generator = np.random.default_rng(3)
    for unit in plan.units():
        share = shares.get(unit if unit == BEFORE else unit.split("-")[0])
        if share is None:
            continue
        hits = generator.random((3, LAYERS, 2, ROWS)) < share
        context.keep(unit, {"found": np.packbits(hits, axis=-1)})
        similar = dict.fromkeys(SIMILARITIES, (share, share - 0.1))
        run.append(
            unit,
            {
                "error": (1 - hits.mean(-1)).tolist(),
                "rows": ROWS,
                "sts": dict.fromkeys(("en", "zh", "en–zh"), similar),
            },
        )
    return run
