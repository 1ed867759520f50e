"""The river of a model of the same shape with random weights: what the tokens alone would give."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.inner_language.prompts import Task
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.river import River
from isogloss.models.guessing import Guesser
from isogloss.models.presets import RANDOM_PREFIX
from isogloss.store import Store
from isogloss.studies.questions import Steps
from isogloss.text.concepts import digest_of_concepts

ENOUGH_WORDS = 20
"""A model that has learnt nothing hardly tells one word from another."""

Array = np.ndarray


@dataclass(frozen=True)
class RandomRiverAnswer:
    """`mass` (L + 1, languages) is the mean probability of a word's tokens over `words` words."""

    mass: Array
    words: int


@dataclass(frozen=True)
class RandomRiver(ModelQuestion[RandomRiverAnswer]):
    """What a river reads where nothing was learnt; `model` is one with random weights."""

    source: str = River.source
    target: str = River.target
    task: Task = River.task
    seed: int = 0

    KIND: ClassVar[str] = "inner language, river of random weights"
    ANSWER: ClassVar[type] = RandomRiverAnswer

    def record(self, store: Store) -> dict[str, Any]:
        return super().record(store) | {"concepts": digest_of_concepts()}

    def compute(
        self, guesser: Guesser, store: Store, steps: Steps, parts: Path
    ) -> RandomRiverAnswer:
        asked = {each.name: getattr(self, each.name) for each in fields(self)}
        found = River(**asked, words=ENOUGH_WORDS).compute(guesser, store, steps, parts)
        return RandomRiverAnswer(found.mass.astype(np.float32).mean(1), len(found.words))


def with_random_weights(river: River) -> RandomRiver | None:
    """What to hold a river against; None where its own model's weights are random."""
    if river.model.startswith(RANDOM_PREFIX):
        return None
    return RandomRiver(
        f"{RANDOM_PREFIX}{river.model}", river.source, river.target, river.task, river.seed
    )
