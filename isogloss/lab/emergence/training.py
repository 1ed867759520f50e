"""Learning two languages at once by guessing hidden words, with scores and pictures on the way.

What a step reads and hides depends on the seed and the step's number alone, so a training that was
killed goes on from its last checkpoint to the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.lab.emergence.batches import Numbering, hide, make_batch
from isogloss.lab.emergence.conditions import Setup
from isogloss.lab.emergence.network import Shape, TwoLanguageBert
from isogloss.lab.emergence.scores import HeldOut, Scores
from isogloss.lab.emergence.text import TwoLanguages
from isogloss.lab.training.steps import finite_loss
from isogloss.lab.training.word_maps import as_bytes, from_bytes
from isogloss.measures.stacks import Array
from isogloss.tasks import OnProgress

LEAST_RATE = 0.05


@dataclass(frozen=True)
class Recipe:
    """How to learn: updates, sentences of each language in one, and AdamW's settings."""

    steps: int
    sentences: int
    rate: float
    warm_up: int
    looks: int
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0

    def rate_at(self, step: int) -> float:
        """A rise, then a linear fall by the share of the steps that is done."""
        rising = min(1.0, step / max(self.warm_up, 1))
        return self.rate * rising * max(LEAST_RATE, 1 - step / self.steps)

    def is_look(self, step: int) -> bool:
        """Whether to score before this step; the last comes when all are done."""
        every = self.steps / self.looks
        return step == self.steps or math.floor((step - 1) / every) != math.floor(step / every)


@dataclass(frozen=True)
class Look:
    """What was seen at a step: mean training loss since the last look, and the scores."""

    step: int
    words_seen: int
    loss: float | None
    scores: Scores


class Training:
    """One model that learns two languages under a setup."""

    def __init__(
        self,
        text: TwoLanguages,
        setup: Setup,
        shape: Shape,
        recipe: Recipe,
        seed: int,
    ) -> None:
        import torch

        torch.manual_seed(seed)
        self._text, self._setup, self._recipe, self._seed = text, setup, recipe, seed
        self.numbering = Numbering.of(text, setup)
        self.model = TwoLanguageBert(self.numbering, shape, setup)
        self._parameters = list(self.model.parameters.values())
        self._optimiser = torch.optim.AdamW(
            self._parameters,
            lr=recipe.rate,
            betas=recipe.betas,
            weight_decay=recipe.weight_decay,
            fused=True,
        )
        self._held_out = HeldOut(text, self.numbering)
        self._step = 0
        self._words_seen = 0
        self._losses: list[float] = []
        self.looks: list[Look] = []

    def go(self, report: OnProgress) -> Iterator[Look]:
        """Learn to the end; yields each look as it is taken, before learning goes on."""
        total = self._recipe.steps
        while True:
            taken = self.looks and self.looks[-1].step == self._step
            if self._recipe.is_look(self._step) and not taken:
                yield self._look()
            if self._step == total:
                return
            self.learn()
            report(self._step / total, f"step {self._step} of {total}")

    def _look(self) -> Look:
        loss = float(np.mean(self._losses)) if self._losses else None
        self._losses = []
        scores = self._held_out.score(self.model, self._setup.random_words)
        self.looks.append(Look(self._step, self._words_seen, loss, scores))
        return self.looks[-1]

    @property
    def step(self) -> int:
        """How many updates were made."""
        return self._step

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return sum(each.numel() for each in self._parameters)

    def learn(self) -> None:
        """Make one update."""
        import torch
        from torch.nn import functional

        rng = np.random.default_rng((self._seed, 1, self._step))
        count = self._recipe.sentences
        batch = make_batch(
            self.numbering,
            [_draw(side, count, rng) for side in (self._text.first, self._text.second)],
        )
        tokens, hidden = hide(batch, self.numbering, rng, random_words=self._setup.random_words)
        for group in self._optimiser.param_groups:
            group["lr"] = self._recipe.rate_at(self._step)
        top = self.model.states(tokens, batch)[-1]
        asked = torch.from_numpy(hidden)
        loss = functional.cross_entropy(
            self.model.guess(top.index_select(0, asked)),
            torch.from_numpy(batch.tokens[hidden]),
        )
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, self._recipe.clip)
        self._optimiser.step()
        self._losses.append(finite_loss(loss, self._step))
        self._words_seen += int(batch.is_word.sum())
        self._step += 1

    def checkpoint(self) -> dict[str, Array]:
        """Everything that going on needs, as arrays."""
        learned = self.model.parameters.items()
        found = {f"model/{name}": value.detach().numpy() for name, value in learned}
        for number, state in self._optimiser.state_dict()["state"].items():
            for name, value in state.items():
                found[f"optimiser/{number}/{name}"] = value.numpy()
        rest = {
            "step": self._step,
            "words_seen": self._words_seen,
            "looks": list(map(asdict, self.looks)),
        }
        return found | {"rest": as_bytes(rest)}

    def resume(self, kept: Mapping[str, Array]) -> None:
        """Go on from a checkpoint."""
        import torch

        rest = from_bytes(kept["rest"])
        arrays = {name: torch.from_numpy(np.array(value)) for name, value in kept.items()}
        self.model.load(
            {name[6:]: value for name, value in arrays.items() if name.startswith("model/")}
        )
        states: dict[int, dict[str, Any]] = {}
        for name, value in arrays.items():
            if name.startswith("optimiser/"):
                _, number, part = name.split("/")
                states.setdefault(int(number), {})[part] = value
        known = self._optimiser.state_dict()
        self._optimiser.load_state_dict({"state": states, "param_groups": known["param_groups"]})
        self._step, self._words_seen = rest["step"], rest["words_seen"]
        self.looks = [read_look(look) for look in rest["looks"]]


def _draw(side: Any, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    rows = rng.integers(0, len(side.train), count)
    return side.train[rows], side.train_lengths[rows]


def read_look(plain: Mapping[str, Any]) -> Look:
    """The look of which JSON keeps the fields."""
    return Look(**{**plain, "scores": Scores(**plain["scores"])})
