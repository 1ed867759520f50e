"""Training a language model on sentences, some layers of it at a time, one step after another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.lab.adaptation.regimes import Regime, set_dropout, unfreeze
from isogloss.lab.training.steps import finite_loss
from isogloss.models.masking import Batch, Sentence, Vocabulary, ask, losses, make_batch

WEIGHT_DECAY = 0.01
LARGEST_GRADIENT = 1.0
POOL_BATCHES = 16
"""Batches whose sentences are sorted by length together, so that padding stays small."""


@dataclass(frozen=True)
class Schedule:
    """How long and how fast: AdamW whose rate falls linearly from `learning_rate` to 0."""

    epochs: int
    batch_size: int
    learning_rate: float
    train_embeddings: bool = False
    dropout: bool = True


@dataclass(frozen=True)
class Phase:
    """From `step` on, the blocks from `first_learning` up learn."""

    step: int
    first_learning: int


@dataclass(frozen=True)
class LanguageTraining:
    """One training of a network; what is random in it comes from the seed."""

    network: Any
    n_layers: int
    sentences: Sequence[Sentence]
    vocabulary: Vocabulary
    regime: Regime
    schedule: Schedule
    seed: int

    @property
    def steps_an_epoch(self) -> int:
        return math.ceil(len(self.sentences) / self.schedule.batch_size)

    @property
    def total_steps(self) -> int:
        return self.steps_an_epoch * self.schedule.epochs

    def phases(self) -> tuple[Phase, ...]:
        """The phases that this training reaches."""
        lowest = self.regime.first_learning(self.n_layers)
        reached = min(len(lowest), self.schedule.epochs)
        return tuple(
            Phase(number * self.steps_an_epoch, first)
            for number, first in enumerate(lowest[:reached])
        )

    def steps(self) -> Iterator[int]:
        """Yield 0, 1, … total_steps; between one and the next the network takes that step."""
        import torch

        embeddings = self.schedule.train_embeddings
        phases = {phase.step: phase.first_learning for phase in self.phases()}
        # What a phase freezes gets no gradient, and the optimiser leaves that alone.
        unfreeze(self.network, min(phases.values()), embeddings=embeddings)
        learning = [weight for weight in self.network.parameters() if weight.requires_grad]
        rate = self.schedule.learning_rate
        optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=WEIGHT_DECAY)
        step = 0
        for epoch in range(self.schedule.epochs):
            for batch in self._batches(epoch):
                if step in phases:
                    unfreeze(self.network, phases[step], embeddings=embeddings)
                yield step
                set_dropout(
                    self.network,
                    phases[max(begun for begun in phases if begun <= step)],
                    embeddings=embeddings,
                    on=self.schedule.dropout,
                )
                for group in optimizer.param_groups:
                    group["lr"] = rate * (1 - step / self.total_steps)
                loss = losses(self.network, batch).mean()
                finite_loss(loss, step + 1)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(learning, LARGEST_GRADIENT)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                step += 1
        self.network.eval()
        yield step

    def _batches(self, epoch: int) -> Iterator[Batch]:
        """Every sentence once, masked anew, sentences of like length together."""
        rng = np.random.default_rng((self.seed, epoch))
        size = self.schedule.batch_size
        order = rng.permutation(len(self.sentences))
        batches: list[np.ndarray] = []
        for start in range(0, len(order), POOL_BATCHES * size):
            pool = order[start : start + POOL_BATCHES * size]
            lengths = [len(self.sentences[index].ids) for index in pool]
            pool = pool[np.argsort(lengths, kind="stable")]
            batches += [pool[first : first + size] for first in range(0, len(pool), size)]
        for place in rng.permutation(len(batches)):
            questions = [ask(self.sentences[i], self.vocabulary, rng) for i in batches[place]]
            yield make_batch(questions, self.vocabulary.padding)
