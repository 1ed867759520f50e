r"""How much of what a model would say is which language, layer by layer (Wendler et al. 2024).

At the place where a word is asked for, the state $h_\ell$ of every layer is read with the model's
own final norm and head, $p_\ell = \mathrm{softmax}(W\,\mathrm{norm}(h_\ell))$ (nostalgebraist 2020,
interpreting GPT: the logit lens). A language's share is the probability of the first tokens of its
word for the concept; see `word_tokens`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.inner_language.prompts import (
    TASKS,
    WORDS_WITH_SAME_SHOTS,
    Task,
    WordPrompt,
    word_prompts,
)
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.word_tokens import SCRIPTS, FirstTokens, members, scripts_of
from isogloss.models.guessing import Guesser
from isogloss.options import option, titled
from isogloss.store import Store
from isogloss.studies.questions import Steps
from isogloss.text.concepts import NAMES, Concepts, bundled_concepts, digest_of_concepts
from isogloss.text.language_names import language_name

BEST = 5
OTHERS = "others"
ENGLISH = "en"
FEWEST_WORDS = 3

LANGUAGES = titled({code: language_name(code) for code in NAMES})

Array = np.ndarray


@dataclass(frozen=True)
class RiverAnswer:
    """What was read at L + 1 layers for n words.

    `mass` (L + 1, n, languages) is the probability of the word in each of `languages`, of which
    the last, others, is all further languages of the list; `null` (L + 1, languages) the mean of
    another concept's words, the list being shifted. `scripts` (L + 1, n, 5) is the probability of
    all tokens of a script, `entropy` (L + 1, n) is in bits, `tokens` and `shares` (L + 1, n, BEST)
    are what leads, by number in `pieces`. `dropped` are words without a token of their own in one
    of the languages. Probabilities are kept in half precision.
    """

    languages: tuple[str, ...]
    words: Array
    given: Array
    wanted: Array
    mass: Array
    null: Array
    scripts: Array
    entropy: Array
    tokens: Array
    pieces: Array
    shares: Array
    dropped: tuple[str, ...]
    example: str

    @property
    def n_layers(self) -> int:
        return len(self.mass) - 1

    def leading(self, layer: int, word: int) -> list[str]:
        """The tokens that lead at a layer where a word is asked for, the best first."""
        return [str(self.pieces[number]) for number in self.tokens[layer, word]]


@dataclass(frozen=True)
class River(ModelQuestion[RiverAnswer]):
    """Which language a model would say a word in, at every layer."""

    source: str = option("zh", "the language a word is given in", title="From", choices=LANGUAGES)
    target: str = option("fr", "the language it is asked for in", title="To", choices=LANGUAGES)
    task: Task = option(
        "translate",
        "what the model is asked, as in Wendler et al. 2024, with four examples before each word "
        "but for sentences with a gap",
        title="Task",
        choices=titled(TASKS),
    )
    words: int = option(64, "how many words are asked for", title="Words", least=8, most=110)
    seed: int = 0

    KIND: ClassVar[str] = "inner language, river"
    ANSWER: ClassVar[type] = RiverAnswer

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> RiverAnswer:
        concepts = bundled_concepts()
        self._check(concepts)
        steps.reach(0, 1, "Looking up which tokens begin a word")
        reader = _Reader(guesser, concepts, self.languages)
        prompts, dropped = [], []
        for each in word_prompts(
            self.task, self.source, self.target, concepts, self.words, self.seed,
            masked=guesser.masked,
        ):  # fmt: skip
            own = reader.tokens(each.concept)
            if all(len(own[language]) for language in self.languages[:-1]):
                prompts.append(each)
            else:
                dropped.append(concepts.of(ENGLISH)[each.concept])
        if len(prompts) < FEWEST_WORDS:
            raise IsoglossError(
                f"{len(prompts)} words are left that {guesser.name} can be asked for: choose "
                "another task or pair of languages."
            )
        found = []
        for first in range(0, len(prompts), WORDS_WITH_SAME_SHOTS):
            steps.reach(first, len(prompts), f"Asking for word {first + 1} of {len(prompts)}")
            group = prompts[first : first + WORDS_WITH_SAME_SHOTS]
            others = [prompts[(first + i + len(prompts) // 2) % len(prompts)].concept
                      for i in range(len(group))]  # fmt: skip
            path = parts / f"part-{first}.npz"
            if not path.is_file():
                _save(path, reader.read(group, others))
            with np.load(path) as kept:
                found.append(dict(kept))
        joined = {name: np.concatenate([part[name] for part in found], 1) for name in found[0]}
        null = joined.pop("null").mean(1)
        joined["pieces"], numbers = np.unique(joined["tokens"], return_inverse=True)
        joined["tokens"] = narrow(numbers.reshape(joined["tokens"].shape))
        for name in ("mass", "scripts", "entropy", "shares"):
            joined[name] = joined[name].astype(np.float16)
        chosen = [each.concept for each in prompts]
        return RiverAnswer(
            languages=self.languages,
            words=_column(concepts, ENGLISH, chosen),
            given=_column(concepts, self.languages[0], chosen),
            wanted=_column(concepts, self.target, chosen),
            dropped=tuple(dropped),
            null=null,
            example=prompts[0].text,
            **joined,
        )

    def record(self, store: Store) -> dict[str, Any]:
        return super().record(store) | {"concepts": digest_of_concepts()}

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that are told apart, source first, then target, English, others."""
        first = self.target if self.task != "translate" else self.source
        return (*dict.fromkeys((first, self.target, ENGLISH)), OTHERS)

    def describe(self) -> str:
        """What is asked, in a few words: "Chinese → French"."""
        target = language_name(self.target)
        if self.task == "translate":
            return f"{language_name(self.source)} → {target}"
        return f"{target}, {'repeated' if self.task == 'repeat' else 'filled in'}"

    def _check(self, concepts: Concepts) -> None:
        """Refuse languages that the list does not have, and a translation into the same."""
        for language in (self.source, self.target):
            concepts.of(language)
        if self.task == "translate" and self.source == self.target:
            raise IsoglossError("To translate takes two languages: choose another, or repeat.")


class _Reader:
    """Reads prompts with a model's own head, and adds up what belongs to which language."""

    def __init__(self, guesser: Guesser, concepts: Concepts, languages: tuple[str, ...]) -> None:
        import torch

        self._guesser, self._concepts, self._languages = guesser, concepts, languages
        self._first = FirstTokens(guesser)
        self._known: dict[int, dict[str, Array]] = {}
        scripts = scripts_of(guesser.vocabulary)
        self._scripts = torch.from_numpy(
            members(scripts, len(SCRIPTS), guesser.width_of_vocabulary)
        )

    def tokens(self, concept: int) -> dict[str, Array]:
        """The tokens of a concept that belong to each language alone."""
        if concept not in self._known:
            core = self._languages[:-1]
            own = self._first.by_language({each: self._word(each, concept) for each in core})
            taken = frozenset().union(*(self._first.of(self._word(e, concept)) for e in core))
            others = [each for each in self._concepts.languages if each not in core]
            rest = frozenset().union(*(self._first.of(self._word(e, concept)) for e in others))
            own[OTHERS] = np.array(sorted(rest - taken), np.int64)
            self._known[concept] = own
        return self._known[concept]

    def _word(self, language: str, concept: int) -> str:
        return self._concepts.of(language)[concept]

    def read(self, prompts: Sequence[WordPrompt], others: Sequence[int]) -> dict[str, Array]:
        """Everything a part of the answer holds, (L + 1, prompts, …)."""
        guesser = self._guesser
        states = guesser.read([guesser.prompt(each.text) for each in prompts])
        layers, count = states.shape[:2]
        rows = layers * count
        found: dict[str, Any] = {
            "mass": np.zeros((rows, len(self._languages)), np.float32),
            "null": np.zeros((rows, len(self._languages)), np.float32),
            "scripts": np.zeros((rows, len(SCRIPTS)), np.float32),
            "entropy": np.zeros(rows, np.float32),
            "shares": np.zeros((rows, BEST), np.float32),
        }
        leading = np.zeros((rows, BEST), np.int64)
        for first, part in guesser.probabilities(states.flatten(0, 1)):
            last = first + len(part)
            best = part.topk(BEST, -1)
            found["shares"][first:last] = best.values.numpy(force=True)
            leading[first:last] = best.indices.numpy(force=True)
            found["scripts"][first:last] = (part @ self._scripts.to(part)).numpy(force=True)
            entropy = -part.clamp_min(1e-12).log2().mul_(part).sum(-1)
            found["entropy"][first:last] = entropy.numpy(force=True)
            for row in range(first, last):
                which = row % count
                for name, concept in (("mass", prompts[which].concept), ("null", others[which])):
                    own = self.tokens(concept)
                    found[name][row] = [
                        float(part[row - first, own[each]].sum()) for each in self._languages
                    ]
        found["tokens"] = np.array([guesser.vocabulary[i] for i in leading.ravel()], np.str_)
        found["tokens"] = found["tokens"].reshape(leading.shape)
        return {
            name: values.reshape(layers, count, *values.shape[1:]) for name, values in found.items()
        }


def narrow(numbers: Array) -> Array:
    """Numbers from 0 on in as few bytes as they need."""
    return numbers.astype(np.uint16 if numbers.max(initial=0) < 2**16 else np.int32)


def _column(concepts: Concepts, language: str, chosen: Sequence[int]) -> Array:
    return np.array([concepts.of(language)[each] for each in chosen], np.str_)


def _save(path: Path, arrays: dict[str, Array]) -> None:
    """Write all or nothing."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]
    unfinished.replace(path)
