"""The state of one prompt put into another: is the concept settled first, or the language?

Two prompts translate different words into different languages. At layer l, the state of the second
where its word is asked for becomes that of the first (Dumas et al. 2025). What is said then may be
either concept in either language: four probabilities by layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.inner_language.prompts import word_prompts
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.river import LANGUAGES
from isogloss.inner_language.word_tokens import FirstTokens
from isogloss.models.guessing import Guesser
from isogloss.options import option
from isogloss.store import Store
from isogloss.studies.questions import Steps
from isogloss.text.concepts import bundled_concepts, digest_of_concepts
from isogloss.text.language_names import language_name

AT_ONCE = 5
"""Prompts that are read together."""
CASES = ("both put in", "concept put in", "language put in", "neither")
"""Whose concept and whose language is said: of the state that was put in, or of the prompt."""

Array = np.ndarray


@dataclass(frozen=True)
class SwapAnswer:
    """`mass` (L + 1, n, 4) is the probability of each of CASES for n pairs of words.

    `first` and `second` are the English words of the state that is put in and of the prompt.
    """

    first: Array
    second: Array
    mass: Array
    dropped: int

    @property
    def n_layers(self) -> int:
        return len(self.mass) - 1


@dataclass(frozen=True)
class Swap(ModelQuestion[SwapAnswer]):
    """Put the state of one translation into another, layer by layer."""

    given: str = option(
        "de",
        "the language that both prompts translate from",
        title="Both from",
        choices=LANGUAGES,
        address="given",
    )
    into: str = option(
        "fr",
        "the language into which the prompt translates whose state is put in",
        title="State from a prompt into",
        choices=LANGUAGES,
        address="into",
    )
    other: str = option(
        "zh",
        "the language into which the prompt translates that it is put into",
        title="Put into a prompt into",
        choices=LANGUAGES,
        address="other",
    )
    pairs: int = option(20, "how many pairs of words", title="Pairs of words", least=8, most=100)
    seed: int = 0

    KIND: ClassVar[str] = "inner language, swap"
    ANSWER: ClassVar[type] = SwapAnswer

    def record(self, store: Store) -> dict[str, Any]:
        return super().record(store) | {"concepts": digest_of_concepts()}

    def compute(self, guesser: Guesser, store: Store, steps: Steps, parts: Path) -> SwapAnswer:
        import torch

        if len({self.given, self.into, self.other}) < 3:
            raise IsoglossError("A swap takes three languages: choose three different ones.")
        concepts = bundled_concepts()
        tokens = FirstTokens(guesser)

        def ask(language: str, seed: int) -> dict[int, str]:
            found = word_prompts(
                "translate", self.given, language, concepts, 2 * self.pairs, seed,
                masked=guesser.masked,
            )  # fmt: skip
            return {each.concept: each.text for each in found}

        sources, targets = ask(self.into, self.seed), ask(self.other, self.seed)
        order = list(sources)
        chosen, dropped = [], 0
        for first, second in zip(order[::2], order[1::2], strict=False):
            # Four words whose tokens have to be told apart.
            own = tokens.by_language(
                {
                    f"{concept} {language}": concepts.of(language)[concept]
                    for concept in (first, second)
                    for language in (self.into, self.other)
                }
            )
            if all(len(each) for each in own.values()):  # in the order of CASES
                chosen.append((first, second, list(own.values())))
            else:
                dropped += 1
        if not chosen:
            raise IsoglossError("No pair of words is left whose tokens can be told apart.")
        layers = guesser.n_layers + 1
        mass = np.zeros((layers, len(chosen), len(CASES)), np.float32)
        for begin in range(0, len(chosen), AT_ONCE):
            group = chosen[begin : begin + AT_ONCE]
            put_in = guesser.read([guesser.prompt(sources[first]) for first, _, _ in group])
            prompts = [guesser.prompt(targets[second]) for _, second, _ in group]
            whole = guesser.read_whole(prompts)
            rows = torch.arange(len(group))
            columns = torch.tensor([each.position for each in prompts])
            for layer in range(layers):
                steps.reach(begin * layers + layer * len(group), len(chosen) * layers, "Swapping")
                states = whole[layer].clone()
                states[rows, columns] = put_in[layer].to(states.dtype)
                found = torch.softmax(guesser.answer_from(layer, states, prompts), -1)
                for row, (_, _, cases) in enumerate(group):
                    mass[layer, begin + row] = [float(found[row, each].sum()) for each in cases]
        english = concepts.of("en")
        return SwapAnswer(
            first=np.array([english[first] for first, _, _ in chosen], np.str_),
            second=np.array([english[second] for _, second, _ in chosen], np.str_),
            mass=mass,
            dropped=dropped,
        )


def case_names(question: Swap) -> list[str]:
    """Return what a chart calls CASES."""
    into, other = map(language_name, (question.into, question.other))
    return [
        f"word put in, in {into}",
        f"word put in, in {other}",
        f"the prompt's word, in {into}",
        f"the prompt's word, in {other}",
    ]


def settled(answer: SwapAnswer) -> dict[str, int | None]:
    """The first layer from which the state put in decides the language, and the concept.

    That is where it has more than half of what the four cases have together.
    """
    mean = answer.mass.astype(np.float64).mean(1)
    total = np.maximum(mean.sum(1), 1e-12)
    shares = {
        "language": (mean[:, 0] + mean[:, 2]) / total,
        "concept": (mean[:, 0] + mean[:, 1]) / total,
    }
    return {name: _first_for_good(share > 0.5) for name, share in shares.items()}


def _first_for_good(holds: Array) -> int | None:
    """The first place from which on it always holds; None if it does not at the end."""
    if not holds[-1]:
        return None
    wrong = np.flatnonzero(~holds)
    return int(wrong[-1]) + 1 if len(wrong) else 0


def finding(answer: SwapAnswer) -> str:
    """What the swap comes to, in one sentence."""
    found = settled(answer)
    said = [
        f"the {what} of what is said from layer {layer}"
        if layer is not None
        else f"the {what} at no layer for good"
        for what, layer in found.items()
    ]
    both = answer.mass.astype(np.float64).mean(1)[-1, 0]
    return (
        f"The state that is put in decides {' and '.join(said)}. {len(answer.first)} pairs of "
        f"words; at the top both have {both:.2f}."
    )
