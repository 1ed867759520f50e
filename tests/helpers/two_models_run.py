"""A run of two models with results written by hand, for tests of its page."""

from __future__ import annotations

from typing import Any

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.two_models.data import shown_sentences
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.tasks import TASKS

LAYERS = 2
MAPPED = (50, 70, 40)
"""How many of 100 words are right through the map at each layer."""


def written_run(
    runs: Runs,
    tasks: tuple[str, ...] = ("upos", "parsing"),
    seeds: tuple[int, ...] = (0, 1, 2),
    random: int = 30,
    entities_lost: tuple[int, ...] = (0, 0, 0),
    **fields: Any,
) -> Run:
    """A run with results as if carried out; `random` of 100 words right by a random encoder.

    `entities_lost` is by how many entities of 100 each seed reads fewer through the map, `fields`
    are others of the plan.
    """
    plan = TwoModelsPlan(tasks=tasks, seeds=seeds, n_layers=LAYERS, **fields)
    run = runs.create(plan)
    for unit, (task, layer, seed) in plan.parts().items():
        lost = entities_lost[seed] if task == "entities" else 0
        run.append(unit, unit_result(task, layer, seed, random, lost))
    return run


def unit_result(task: str, layer: int, seed: int, random: int, lost: int) -> dict[str, Any]:
    """Parsing is ten words worse than tagging; a seed moves every score by a word."""

    def right(words: int) -> dict[str, list[int]]:
        counts = [words + seed - (10 if task == "parsing" else 0), 100]
        return (
            {"uas": counts, "las": [counts[0] - 5, 100]}
            if task == "parsing"
            else {next(iter(TASKS[task].measures)): counts}
        )

    mapped = MAPPED[layer] - lost
    pairs = shown_sentences(("en", "zh"))
    assert pairs is not None
    return {
        "task": task,
        "layer": layer,
        "seed": seed,
        "scores": {
            "source": right(90),
            "mapped": right(mapped),
            "shuffled": right(20),
            "random": right(random),
            "bilingual": right(60),
            "bilingual mapped": right(65),
            "target": right(85),
        },
        "curve": {"50": right(mapped - 20), "200": right(mapped - 5), "900": right(mapped)},
        "confusion": {"labels": ["NOUN", "VERB"], "counts": [[3, 1], [0, 4]]},
        "shown": {
            "source": [_said(each.tags, task) for each in pairs[0].sentences],
            "mapped": [_said(each.tags, task) for each in pairs[1].sentences],
            "shuffled": [_said(["NOUN"] * len(each), task) for each in pairs[1].sentences],
        },
        "rank": 384,
        "losses": [1.0, 0.5],
        "seconds": 1.0,
    }


def _said(labels: Any, task: str) -> dict[str, Any]:
    heads = [0, *range(1, len(labels))] if task == "parsing" else []
    return {"labels": list(labels), "heads": heads}
