"""What a model is asked about words: translate, repeat, fill in (Wendler et al. 2024).

translate   中文: "书" - Français: "livre"   four times with other words, then
            中文: "花" - Français: "
repeat      the same with one language on both sides
fill in     a sentence of a text in which a word of the list is hidden; a causal model sees what
            stands before it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.inner_language.texts import sentences_in
from isogloss.models.guessing import MASK
from isogloss.text.concepts import NAMES, Concepts
from isogloss.text.words import segment

Task = Literal["translate", "repeat", "fill in"]
TASKS: dict[Task, str] = {
    "translate": "Translate",
    "repeat": "Repeat",
    "fill in": "Fill in",
}
SHOTS = 4
WORDS_WITH_SAME_SHOTS = 10
"""Examples are drawn anew after so many words, which are read together."""
WORDS_BEFORE_A_GAP = 2
"""A causal model that is to fill a gap sees at least so many words, or characters, of it."""


@dataclass(frozen=True)
class WordPrompt:
    """A prompt, and which concept it asks for."""

    concept: int
    text: str


def word_prompts(
    task: Task, source: str, target: str, concepts: Concepts, count: int, seed: int, *, masked: bool
) -> list[WordPrompt]:
    """The prompts of a task, at most `count`, in groups that begin alike."""
    if task == "fill in":
        return _gaps(target, concepts, count, masked=masked)
    given, wanted = concepts.of(target if task == "repeat" else source), concepts.of(target)
    names = NAMES[target if task == "repeat" else source], NAMES[target]
    rng = np.random.default_rng(seed)
    order = [int(each) for each in rng.permutation(len(concepts))]
    chosen, prompts = order[: min(count, len(order))], []
    for first in range(0, len(chosen), WORDS_WITH_SAME_SHOTS):
        group = chosen[first : first + WORDS_WITH_SAME_SHOTS]
        others = [each for each in order if each not in group]
        shots = [others[int(each)] for each in rng.permutation(len(others))[:SHOTS]]
        lines = [f'{names[0]}: "{given[i]}" - {names[1]}: "{wanted[i]}"\n' for i in shots]
        for concept in group:
            asked = f'{names[0]}: "{given[concept]}" - {names[1]}: "'
            gap = f'{MASK}"' if masked else ""
            prompts.append(WordPrompt(concept, "".join(lines) + asked + gap))
    return prompts


def _gaps(language: str, concepts: Concepts, count: int, *, masked: bool) -> list[WordPrompt]:
    """Sentences of the bundled texts in which a word of the list stands, that word hidden."""
    prompts: list[WordPrompt] = []
    used: set[int] = set()
    for text in sentences_in(language):
        for concept, word in enumerate(concepts.of(language)):
            place = find_word(word, text, language)
            if place < 0 or concept in used or len(prompts) == count:
                continue
            before, after = text[:place], text[place + len(word) :]
            if not masked and _length(before, language) < WORDS_BEFORE_A_GAP:
                continue
            used.add(concept)
            prompts.append(
                WordPrompt(concept, before + MASK + after if masked else before.rstrip())
            )
            break
    return prompts


def find_word(word: str, text: str, language: str) -> int:
    """Where a word begins in a text, -1 if it is not there as a whole word."""
    if language in ("zh", "ja"):
        words = segment(text, language)
        return next((each.start for each in words if each.text == word), -1)
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found else -1


def _length(text: str, language: str) -> int:
    return len(text.strip()) if language in ("zh", "ja") else len(text.split())
