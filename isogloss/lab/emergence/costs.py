"""How long a training from nothing will take, told before it starts: a few of its steps, timed."""

from __future__ import annotations

import time

import numpy as np

from isogloss.lab.emergence.conditions import AS_IT_IS, read_condition
from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.emergence.text import Side, TwoLanguages
from isogloss.measures.stacks import Array

TIMED, FIRST = 6, 3
"""Steps that are timed, and those before them, which take longer."""
SENTENCES = 500
READING_SECONDS = 25.0
"""What starting and reading the text take, on most machines."""
AFTERWARDS_SECONDS = 35.0
"""What laying out the words at the end takes for each condition's first seed."""


def estimate_emergence_seconds(plan: EmergencePlan, step_seconds: float) -> float:
    """The seconds of a whole run, given those of a step with nothing taken away."""
    sizes = [_relative_size(plan, condition) for condition in plan.conditions]
    training = plan.steps * step_seconds * sum(sizes) * len(plan.seeds)
    pictured = AFTERWARDS_SECONDS * len(plan.conditions) if plan.pictured else 0.0
    return READING_SECONDS + training + pictured


def measure_step_seconds(plan: EmergencePlan) -> float:
    """Seconds of an update on this machine, on drawn sentences of the plan's sizes.

    They are those of the processor, whatever else is running.
    """
    import torch

    training = plan.training_of(AS_IT_IS, 0, _drawn_text(plan))
    seconds = []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as the training does
    try:
        for _ in range(FIRST + TIMED):
            began = time.thread_time()
            training.learn()
            seconds.append(time.thread_time() - began)
    finally:
        torch.set_num_threads(threads)
    return float(np.median(seconds[FIRST:]))


def _drawn_text(plan: EmergencePlan) -> TwoLanguages:
    """Random sentences as long and of as many words as the plan's."""
    rng = np.random.default_rng(0)

    def draw(count: int) -> tuple[Array, Array]:
        lengths = rng.integers(plan.shortest, plan.longest + 1, count).astype(np.int32)
        return rng.integers(0, plan.words, (count, plan.longest)).astype(np.int32), lengths

    sides = [
        Side(tuple(f"{side}{word}" for word in range(plan.words)), *draw(SENTENCES), *draw(20))
        for side in "ab"
    ]
    return TwoLanguages(sides[0], sides[1], np.arange(plan.words), frozenset())


def _relative_size(plan: EmergencePlan, condition: str) -> float:
    """The products of a condition's model for each of the plan's own."""
    blocks, width = plan.shape_of(read_condition(condition))
    return _products(blocks, width, plan.words) / _products(plan.blocks, plan.width, plan.words)


def _products(blocks: int, width: int, words: int) -> float:
    """Products for each token, up to a factor: 12 width² a block, and a fifth of the output."""
    return width * (12 * blocks * width + 0.2 * 2 * words)
