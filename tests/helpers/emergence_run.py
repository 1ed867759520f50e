"""A run of emergence written by hand, for tests of what shows one: nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from isogloss.lab.emergence.pictures import (
    Picture,
    WordMap,
    map_name,
    picture_name,
    words_name,
)
from isogloss.lab.emergence.plan import EmergencePlan, emergence_unit
from isogloss.lab.emergence.scores import Scores
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.emergence.training import Look
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store

PAIRS, LAYERS, WIDTH = 12, 3, 6
CHANCE: Mapping[str, float | None] = {"words": 0.02, "sentences": 0.025}
SECOND = "<b>fur</b>"
"""A word that is to be read as it is."""


def shown_words() -> ShownWords:
    first = [f"word{k}" for k in range(PAIRS)]
    second = [SECOND, *(f"fert{k}" for k in range(1, PAIRS))]
    half = PAIRS // 2
    sentences = tuple(
        (" ".join(first[start : start + half]), " ".join(second[start : start + half]))
        for start in (0, half)
    )
    return ShownWords(
        texts=(*first, *second),
        sides=(0,) * PAIRS + (1,) * PAIRS,
        sentence_of=tuple(k // half for k in range(PAIRS)) * 2,
        sentences=sentences,
        links=tuple((k, PAIRS + k) for k in range(PAIRS)),
        chance=CHANCE,
    )


def a_look(step: int, last: int, top: float) -> Look:
    """Scores that rise with the steps to `top` at the highest layer; sentences reach half of it."""

    def by_layer(most: float) -> tuple[tuple[float, float], ...]:
        return tuple(
            (share,) * 2 for share in most * step / last * np.arange(1, LAYERS + 1) / LAYERS
        )

    loss = 5.0 - 2 * step / last
    return Look(
        step,
        100 * step,
        None,
        Scores(by_layer(top), by_layer(top / 2), (0.5,) * LAYERS, (loss,) * 2),
    )


def states(step: int) -> np.ndarray:
    """States of the words that come closer to their counterparts with every step."""
    rng = np.random.default_rng(4)
    own = rng.normal(size=(LAYERS, 2 * PAIRS, WIDTH))
    shared = np.tile(rng.normal(size=(LAYERS, PAIRS, WIDTH)), (1, 2, 1))
    return (own / (1 + step) + shared).astype(np.float16)


def emergence_plan(**fields: Any) -> EmergencePlan:
    given = {"conditions": ("as-it-is", "positions"), "seeds": (0, 1), "steps": 40}
    return EmergencePlan(**given | fields)  # type: ignore[arg-type]


def begin(runs: Runs, **fields: Any) -> Run:
    """A run that has no results yet."""
    return runs.create(emergence_plan(**fields))


def finish(run: Run, store: Store, tops: Mapping[str, tuple[float, ...]]) -> None:
    """Write results: of each condition, what its seeds reach for words."""
    context = RunContext(store, run.path, len(run.units), 0)
    context.note(data={"languages": ["en"], "source": "docstrings"})
    steps, seeds = run.plan.look_steps(), run.plan.seeds  # type: ignore[attr-defined]
    rng = np.random.default_rng(5)
    for condition, by_seed in tops.items():
        for seed, top in zip(seeds, by_seed, strict=False):
            unit = emergence_unit(condition, seed)
            if seed == seeds[0]:
                places = rng.uniform(-1, 1, (len(steps), LAYERS, 2 * PAIRS, 2)).astype(np.float32)
                kept = np.full((len(steps), LAYERS), 0.5, np.float32)
                found = WordMap(shown_words(), steps, places, kept, whole=True)
                context.keep(map_name(unit), found.as_arrays())
            looks = [a_look(step, steps[-1], top) for step in steps]
            run.append(unit, a_result(looks))


def a_result(looks: list[Look]) -> dict[str, Any]:
    return {
        "looks": [asdict(look) for look in looks],
        "chance": dict(CHANCE),
        "shuffled": asdict(looks[0].scores),
    }


def show_look(run: Run, store: Store, condition: str, number: int) -> None:
    """Keep a picture of a unit under way, as its training would."""
    context = RunContext(store, run.path, len(run.units), 0)
    steps = run.plan.look_steps()  # type: ignore[attr-defined]
    unit, step = emergence_unit(condition, 0), steps[number]
    if number == 0:
        context.keep(words_name(unit), shown_words().as_arrays())
    picture = Picture(states(step), asdict(a_look(step, steps[-1], 0.8)))
    context.keep(picture_name(unit, step), picture.as_arrays())
