"""The direction from one language to another: the mean states of sentences, one less the other.

Sentences are those of a study's text, or the bundled ones where no study is named. What makes the
direction is never what prompts are made of: those are the text's further sentences.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.texts import sentence_pairs
from isogloss.models.guessing import Guesser, Prompt
from isogloss.models.tokens import tokenise
from isogloss.store import Store
from isogloss.studies.questions import Steps
from isogloss.studies.study import Study, list_means, list_studies
from isogloss.text.language_names import language_name

BUNDLED_SENTENCES, MOST_SENTENCES = 24, 100
"""So many pairs make a direction: of the bundled ones, and of a study's text at most."""
FEWEST_PAIRS = 16
AT_ONCE = 8

Pairs = tuple[tuple[str, str], ...]
Array = np.ndarray


def pairs_of(text: str, away: str, toward: str, store: Store) -> tuple[Pairs, Pairs]:
    """The sentences that make the direction, and those that are left to ask about.

    `text` is the key of a study, "" for the bundled sentences.
    """
    if not text:
        pairs = sentence_pairs(away, toward)
        return pairs[:BUNDLED_SENTENCES], pairs[BUNDLED_SENTENCES:]
    study = _study(text, store)
    for code in (away, toward):
        if code not in study.all_languages:
            raise IsoglossError(
                f"{study.text_title} has no {language_name(code)}: choose another study, or "
                f"languages among {', '.join(map(language_name, study.all_languages))}."
            )
    parallel = study.pair(away, toward).bitext
    pairs = tuple(dict.fromkeys(zip(parallel.source, parallel.target, strict=True)))
    if len(pairs) < FEWEST_PAIRS:
        raise IsoglossError(
            f"{study.text_title} has {len(pairs)} pairs, and a direction takes {FEWEST_PAIRS}: "
            "choose another study, or the bundled sentences."
        )
    half = min(MOST_SENTENCES, len(pairs) // 2)
    return pairs[:half], pairs[half:]


def _study(start: str, store: Store) -> Study:
    every = (*list_studies(store), *list_means(store))
    found = [study for study in every if study.key.startswith(start)]
    if len(found) != 1:
        many = f"{len(found)} studies begin" if found else "No study begins"
        raise IsoglossError(f"{many} with {start}: `isogloss studies` lists those that are kept.")
    return found[0]


def digest_of_pairs(text: str, away: str, toward: str, store: Store) -> str:
    """What identifies the sentences, in the key of an answer about them."""
    pairs = pairs_of(text, away, toward, store)
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:16]


def in_record(
    record: dict[str, Any], text: str, away: str, toward: str, store: Store
) -> dict[str, Any]:
    """The key of an answer with the sentences of a text, whichever study they are in."""
    rest = {name: value for name, value in record.items() if name != "text"}
    return rest | ({"sentences": digest_of_pairs(text, away, toward, store)} if text else {})


@dataclass(frozen=True)
class DirectionAnswer:
    """`vectors` (L + 1, width) by layer, of so many pairs of `sentences`.

    They are kept in half precision, as shares of each layer's `largest` (L + 1,) number.
    """

    shares: Array
    largest: Array
    sentences: int

    @property
    def vectors(self) -> Array:
        found: Array = self.shares.astype(np.float32) * self.largest[:, None]
        return found


@dataclass(frozen=True)
class Direction(ModelQuestion[DirectionAnswer]):
    """The mean state of one language less that of another, of sentences that translate each other.

    Special tokens are left out: a decoder's first one is hundreds of times longer than the rest.
    """

    away: str = "en"
    toward: str = "zh"
    text: str = ""

    KIND: ClassVar[str] = "inner language, direction"
    ANSWER: ClassVar[type] = DirectionAnswer

    def record(self, store: Store) -> dict[str, Any]:
        return in_record(super().record(store), self.text, self.away, self.toward, store)

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> DirectionAnswer:
        import torch

        pairs, _ = pairs_of(self.text, self.away, self.toward, store)
        special = set(guesser.model.tokenizer.all_special_ids)
        means = []
        for side in (0, 1):
            total, count = torch.zeros(()), 0
            for first in range(0, len(pairs), AT_ONCE):
                steps.reach(side * len(pairs) + first, 2 * len(pairs), "Taking means of languages")
                prompts = [_whole(guesser, pair[side]) for pair in pairs[first : first + AT_ONCE]]
                states = guesser.read(prompts, everywhere=True)
                ordinary = torch.tensor([i not in special for each in prompts for i in each.ids])
                total = total + states[:, ordinary].sum(1)
                count += int(ordinary.sum())
            means.append(total / count)
        vectors = (means[1] - means[0]).numpy(force=True)
        largest = np.maximum(np.abs(vectors).max(1), np.finfo(np.float32).tiny)
        shares = (vectors / largest[:, None]).astype(np.float16)
        return DirectionAnswer(shares, largest, len(pairs))


def _whole(guesser: Guesser, text: str) -> Prompt:
    """A sentence as it is, without a gap."""
    (found,) = tokenise(guesser.model, [text])
    return Prompt(found.ids, len(found.ids) - 1)


def direction(
    guesser: Guesser, store: Store, steps: Steps, away: str, toward: str, text: str
) -> Any:
    """The direction (L + 1, width) as it is kept, or computed and kept now."""
    import torch

    question = Direction(guesser.name, away, toward, text)
    return torch.from_numpy(question.answer_of(guesser, store, steps).vectors)
