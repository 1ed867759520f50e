"""What a model would say after each token of a prompt, at every layer: the lens on a whole text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.river import BEST, narrow
from isogloss.inner_language.token_languages import LANGUAGES, language_of, languages_of
from isogloss.inner_language.word_tokens import members
from isogloss.models.guessing import Guesser
from isogloss.options import option
from isogloss.store import Store
from isogloss.studies.questions import Steps

MOST_TOKENS = 48

Array = np.ndarray


@dataclass(frozen=True)
class ReadAlongAnswer:
    """What was read at L + 1 layers and t tokens.

    `pieces` (t,) are the prompt's tokens, `numbers` and `shares` (L + 1, t, BEST) what leads after
    each (in its place, of a masked model), by number in `said`, and `mass` (L + 1, t, 7) the
    probability of all tokens known to be of each language.
    """

    pieces: Array
    numbers: Array
    said: Array
    shares: Array
    mass: Array
    position: int

    @cached_property
    def tokens(self) -> Array:
        """What leads, as text (L + 1, t, BEST)."""
        found: Array = self.said[self.numbers]
        return found

    @cached_property
    def languages(self) -> Array:
        """The code of the first one's language (L + 1, t), "" if that is not known."""
        codes = np.array([language_of(str(each)) for each in self.said], np.str_)
        found: Array = codes[self.numbers[:, :, 0]]
        return found

    @property
    def n_layers(self) -> int:
        return len(self.numbers) - 1


@dataclass(frozen=True)
class ReadAlong(ModelQuestion[ReadAlongAnswer]):
    """What a model would say at each place of a prompt."""

    prompt: str = option("", "any text; [MASK] is a gap for a masked model", title="Prompt")

    KIND: ClassVar[str] = "inner language, read along"
    VERSION: ClassVar[int] = 2
    ANSWER: ClassVar[type] = ReadAlongAnswer

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> ReadAlongAnswer:
        import torch

        if not self.prompt.strip():
            raise IsoglossError("There is no prompt: write a few words.")
        prompt = guesser.prompt(self.prompt)
        count = len(prompt.ids)
        if count > MOST_TOKENS:
            raise IsoglossError(
                f"The prompt has {count} tokens and {MOST_TOKENS} can be shown: shorten it."
            )
        states = guesser.read([prompt], everywhere=True)
        rows = states.shape[0] * count
        told = languages_of(guesser.vocabulary)
        belongs = torch.from_numpy(members(told, len(LANGUAGES), guesser.width_of_vocabulary))
        leading, shares = np.zeros((rows, BEST), np.int64), np.zeros((rows, BEST), np.float32)
        mass = np.zeros((rows, len(LANGUAGES)), np.float32)
        for first, part in guesser.probabilities(states.flatten(0, 1)):
            steps.reach(first, rows, "Reading all layers")
            best, rest = part.topk(BEST, -1), slice(first, first + len(part))
            leading[rest] = best.indices.numpy(force=True)
            shares[rest] = best.values.numpy(force=True)
            mass[rest] = (part @ belongs.to(part)).numpy(force=True)
        shape = (states.shape[0], count)
        said, numbers = np.unique(
            np.array([guesser.vocabulary[each] for each in leading.ravel()], np.str_),
            return_inverse=True,
        )
        vocabulary = guesser.vocabulary
        pieces = [vocabulary[i] or p for i, p in zip(prompt.ids, prompt.pieces, strict=True)]
        return ReadAlongAnswer(
            pieces=np.array(pieces, np.str_),
            numbers=narrow(numbers.reshape(*shape, BEST)),
            said=said,
            shares=shares.reshape(*shape, BEST).astype(np.float16),
            mass=mass.reshape(*shape, len(LANGUAGES)).astype(np.float16),
            position=prompt.position,
        )
