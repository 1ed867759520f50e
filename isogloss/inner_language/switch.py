"""Turning a model from one language to another by adding one vector at one layer.

The vector is the direction from one language to the other at that layer (`directions`); what is
added is a multiple of it, at every token but the first special one. What leads where a word is
asked for is then of the other language, or not; beside it stand random directions of the same
length. Whether the meaning stays is asked of words: among all words of the list in the other
language, does the right one have the most?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import percent
from isogloss.inner_language.directions import AT_ONCE, direction, in_record, pairs_of
from isogloss.inner_language.prompts import word_prompts
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.river import LANGUAGES
from isogloss.inner_language.token_languages import LANGUAGES as TOLD_APART
from isogloss.inner_language.token_languages import languages_of
from isogloss.inner_language.word_tokens import FirstTokens
from isogloss.measures.uncertainty import wilson_interval
from isogloss.models.guessing import MASK, Guesser, Prompt
from isogloss.options import DIGITS, option
from isogloss.store import Store
from isogloss.studies.questions import Steps
from isogloss.text.concepts import bundled_concepts, digest_of_concepts
from isogloss.text.language_names import language_name
from isogloss.text.words import segment

_TEXT: Any = option(
    "",
    "the study whose text the means are of, by the beginning of its key; the bundled sentences "
    "if none is named",
    title="Study",
    address="study",
    digits=DIGITS,
)
SAID_TO = {
    "encoder": "I would like a cup of [MASK], please.",
    "decoder": "The weather today is very",
}
"""What a vector is first tried on."""
STRENGTHS = (0.5, 1.0, 2.0, 4.0)

Array = np.ndarray


@dataclass(frozen=True)
class SwitchAnswer:
    """What share of n prompts is answered in the other language, after each change.

    `layers` (k,) are those that were tried, `flipped` (k, strengths) the share for the vector,
    `plain` that without. At each layer's best strength `random` (k, directions) is the share for
    random directions of the same length, `kept` (k,) the share of `words` words where the right
    one still leads among those of the other language; `chance` is what a guess would reach.
    """

    layers: Array
    strengths: Array
    flipped: Array
    plain: float
    random: Array
    kept: Array
    prompts: int
    words: int
    chance: float
    example: str

    @property
    def best(self) -> tuple[int, float, float]:
        """Layer, strength and share where most is answered in the other language.

        Of layers that tie, the one where most words keep their meaning.
        """
        most = self.flipped.max(1)
        row = int(np.lexsort((self.kept, most))[-1])
        column = int(self.flipped[row].argmax())
        return int(self.layers[row]), float(self.strengths[column]), float(most[row])


def add_vector(states: Any, vector: Any) -> Any:
    """States (batch, tokens, width) with a vector at every token but the first.

    The first is special in nearly all models, and what a decoder makes of it all tokens look at.
    """
    changed = states.clone()
    changed[:, 1:] += vector.to(states.dtype)
    return changed


@dataclass(frozen=True)
class Switch(ModelQuestion[SwitchAnswer]):
    """At which layer, and how strongly, does one vector turn a model to another language?"""

    away: str = option(
        "en", "the language that prompts are in", title="Away from", choices=LANGUAGES,
        address="away",
    )  # fmt: skip
    toward: str = option(
        "zh", "the language whose mean is added", title="Toward", choices=LANGUAGES,
        address="toward",
    )  # fmt: skip
    prompts: int = option(24, "how many prompts are answered", title="Prompts", least=8, most=60)
    directions: int = option(
        20, "random directions at each layer", title="Random directions", least=20, most=100
    )
    every: int = option(
        1, "every so manieth layer is tried", title="Step of layers", least=1, most=8
    )
    seed: int = 0
    text: str = _TEXT

    KIND: ClassVar[str] = "inner language, switch"
    ANSWER: ClassVar[type] = SwitchAnswer

    def record(self, store: Store) -> dict[str, Any]:
        found = super().record(store) | {"concepts": digest_of_concepts()}
        return in_record(found, self.text, self.away, self.toward, store)

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> SwitchAnswer:
        if self.away == self.toward:
            raise IsoglossError("The switch takes two languages: choose another.")
        rng = np.random.default_rng(self.seed)
        vectors = direction(guesser, store, steps, self.away, self.toward, self.text)
        _, rest = pairs_of(self.text, self.away, self.toward, store)
        asked = _sentence_prompts(guesser, self.away, [pair[0] for pair in rest], self.prompts, rng)
        told = languages_of(guesser.vocabulary)
        wanted = TOLD_APART.index(self.toward)

        def share(logits: Any) -> float:
            return float((told[logits.argmax(-1).numpy(force=True)] == wanted).mean())

        whole = guesser.read_whole(asked)
        words = _Words(guesser, self.away, self.toward, self.prompts, self.seed)
        layers = list(range(0, guesser.n_layers + 1, self.every))
        flipped = np.zeros((len(layers), len(STRENGTHS)))
        random, kept = np.zeros((len(layers), self.directions)), np.zeros(len(layers))
        total = len(layers) * (len(STRENGTHS) + self.directions + 1)
        done = 0
        for row, layer in enumerate(layers):

            def after(vector: Any, layer: int = layer) -> float:
                changed = add_vector(whole[layer], vector)
                return share(guesser.answer_from(layer, changed, asked))

            for column, strength in enumerate(STRENGTHS):
                steps.reach(done, total, f"Layer {layer}, {strength:g} times the vector")
                flipped[row, column] = after(strength * vectors[layer])
                done += 1
            best = STRENGTHS[int(flipped[row].argmax())] * vectors[layer]
            kept[row] = words.kept(layer, best)
            done += 1
            for number in range(self.directions):
                steps.reach(done, total, f"Layer {layer}, random direction {number + 1}")
                random[row, number] = after(_direction(rng, best))
                done += 1
        return SwitchAnswer(
            layers=np.array(layers),
            strengths=np.array(STRENGTHS),
            flipped=flipped,
            plain=share(guesser.answer(asked)),
            random=random,
            kept=kept,
            prompts=len(asked),
            words=len(words),
            chance=1 / len(bundled_concepts()),
            example=guesser.text(asked[0].ids),
        )


def _direction(rng: np.random.Generator, like: Any) -> Any:
    """A random direction as long as a vector."""
    import torch

    drawn = torch.from_numpy(rng.standard_normal(len(like))).to(like)
    return drawn * (like.norm() / drawn.norm())


def _sentence_prompts(
    guesser: Guesser, away: str, texts: Sequence[str], count: int, rng: np.random.Generator
) -> list[Prompt]:
    """Sentences that no mean was made of: one word hidden, or cut in the middle."""
    prompts: list[Prompt] = []
    for text in texts:
        words = [word for word in segment(text, away) if word.text[:1].isalpha()]
        if len(words) < 4 or len(prompts) == count:
            continue
        if guesser.masked:
            word = words[int(rng.integers(1, len(words)))]
            prompts.append(guesser.prompt(text[: word.start] + MASK + text[word.end :]))
        else:
            prompts.append(guesser.prompt(text[: words[len(words) // 2].start].rstrip()))
    if not prompts:
        raise IsoglossError("No sentence is left to ask about: choose other languages.")
    return prompts


class _Words:
    """Words whose meaning is to stay: repeated by a causal model, filled in by a masked one."""

    def __init__(self, guesser: Guesser, away: str, toward: str, count: int, seed: int) -> None:
        concepts = bundled_concepts()
        task: Any = "fill in" if guesser.masked else "repeat"
        found = word_prompts(task, away, away, concepts, count, seed, masked=guesser.masked)
        first = FirstTokens(guesser)
        self._guesser = guesser
        self._concepts = np.array([each.concept for each in found])
        self._tokens = [np.array(sorted(first.of(w)), np.int64) for w in concepts.of(toward)]
        self._groups = [
            [guesser.prompt(each.text) for each in found[begin : begin + AT_ONCE]]
            for begin in range(0, len(found), AT_ONCE)
        ]

    def __len__(self) -> int:
        return len(self._concepts)

    def kept(self, layer: int, vector: Any) -> float:
        """The share of words where the right one leads among those of the other language."""
        right: list[int] = []
        for prompts in self._groups:
            with self._guesser.changed(layer, lambda states: add_vector(states, vector)):
                right += self._best(self._guesser.answer(prompts))
        return float((np.array(right) == self._concepts).mean())

    def _best(self, logits: Any) -> Sequence[int]:
        """Which concept's word has most, for each row."""
        import torch

        shares = torch.softmax(logits, -1)
        sums = torch.stack([shares[:, each].sum(-1) for each in self._tokens], -1)
        return list(map(int, sums.argmax(-1)))


def finding(answer: SwitchAnswer, toward: str) -> str:
    """What the map comes to, in one sentence."""
    layer, strength, share = answer.best
    low, high = map(float, wilson_interval(round(share * answer.prompts), answer.prompts))
    row = int(np.flatnonzero(answer.layers == layer)[0])
    return (
        f"{strength:g} times the vector at layer {layer} has {language_name(toward)} lead at "
        f"{percent(share, 0)} of {answer.prompts} prompts ({percent(low, 0)} to "
        f"{percent(high, 0)}; {percent(answer.plain, 0)} without); {answer.random.shape[1]} random "
        f"directions of that length at {percent(answer.random[row].mean(), 0)} on average, "
        f"{percent(answer.random[row].max(), 0)} at most. "
        f"The right word leads for {percent(answer.kept[row], 0)} of {answer.words} words "
        f"(chance {percent(answer.chance, 0)})."
    )


@dataclass(frozen=True)
class SteeredAnswer:
    """What a model says to a prompt as it is, and with a vector added."""

    plain: str
    steered: str


@dataclass(frozen=True)
class Steered(ModelQuestion[SteeredAnswer]):
    """What a model says with one vector added at one layer."""

    prompt: str = option("", "what the model goes on from, or fills in", title="Prompt")
    away: str = "en"
    toward: str = "zh"
    layer: int = 5
    strength: float = option(
        2.0,
        "how many times the vector is added",
        title="Strength",
        values=(0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0),
    )
    tokens: int = 12
    text: str = _TEXT

    KIND: ClassVar[str] = "inner language, steered"
    ANSWER: ClassVar[type] = SteeredAnswer

    def record(self, store: Store) -> dict[str, Any]:
        return in_record(super().record(store), self.text, self.away, self.toward, store)

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> SteeredAnswer:
        if not 0 <= self.layer <= guesser.n_layers:
            raise IsoglossError(f"{guesser.name} has layers 0 to {guesser.n_layers}.")
        prompt = guesser.prompt(self.prompt)
        found = direction(guesser, store, steps, self.away, self.toward, self.text)
        vector = self.strength * found[self.layer]
        first = True

        def change(states: Any) -> Any:
            nonlocal first
            # Tokens that are said later come one by one, and none of them is special.
            changed = add_vector(states, vector) if first else states + vector.to(states.dtype)
            first = False
            return changed

        # They take turns, so that both can be read as they come.
        plain, steered = guesser.speak(prompt, self.tokens), guesser.speak(prompt, self.tokens)
        said: tuple[list[int], list[int]] = ([], [])
        answer = SteeredAnswer("", "")
        for turn in range(self.tokens):
            steps.reach(turn, self.tokens, "Saying it without and with")
            with guesser.changed(self.layer, change):
                said[1].extend(islice(steered, 1))
            steps.show(SteeredAnswer(answer.plain, guesser.text(said[1])))
            said[0].extend(islice(plain, 1))
            answer = SteeredAnswer(guesser.text(said[0]), guesser.text(said[1]))
            steps.show(answer)
        return answer
