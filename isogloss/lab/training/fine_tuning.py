"""Fine-tuning a classifier of sentence pairs with the first N layers frozen.

Frozen layers keep dropout off, so what they say is fixed: training upon their stored states and
training through them are the same computation (`tests/unit/test_fine_tuning.py` holds it to 1e-5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.lab.training.embedding_rows import only_rows
from isogloss.lab.training.frozen_states import FrozenStates, model_inputs, padding_id
from isogloss.lab.training.steps import finite_loss, share_of_rate
from isogloss.models.blocks import freeze, set_training, starting_above
from isogloss.models.heads import HEADS, choose_head, new_head, read_pairs
from isogloss.models.loading import LoadedModel
from isogloss.models.pair_examples import (
    PairExamples,
    share_of_padding,
    shuffled_token_batches,
    token_batches,
)
from isogloss.tasks import OnProgress
from isogloss.text.nli import LABELS

EVALUATION_TOKENS = 2_048


@dataclass(frozen=True)
class TrainingOptions:
    """How to fine-tune; `checks` is how often, evenly over the training, dev sets are looked at."""

    epochs: int = 1
    learning_rate: float = 1e-4
    head_learning_rate: float = 1e-3
    batch_size: int = 16
    max_tokens: int = 96
    checks: int = 3
    dropout: bool = False
    head: str = "auto"
    weight_decay: float = 0.01
    warm_up: float = 0.06
    largest_gradient: float = 1.0


@dataclass(frozen=True)
class Source:
    """Examples, and where frozen work is shared the states that training starts from."""

    examples: PairExamples
    states: FrozenStates | None = None


@dataclass(frozen=True)
class Count:
    """How many of n pairs were judged right, and which: `right` is (n,), True or False."""

    correct: int
    n: int
    right: np.ndarray = field(compare=False, repr=False)

    @property
    def accuracy(self) -> float:
        return self.correct / self.n


@dataclass(frozen=True)
class Check:
    """A look at the dev sets: after how many steps, the mean loss since the last, the counts."""

    step: int
    loss: float
    dev: Mapping[str, Count]


@dataclass(frozen=True)
class Outcome:
    """The test of one language: with the model the source's dev set chose, and with the oracle's.

    The oracle chooses by the dev set of the language itself, which zero-shot transfer may not see.
    """

    selected_step: int
    selected: Count
    oracle_step: int
    oracle: Count


@dataclass(frozen=True)
class FineTuned:
    """What came of one fine-tuning; `padding` is the share of padding in training batches."""

    checks: tuple[Check, ...]
    test: Mapping[str, Outcome]
    padding: float
    losses: tuple[float, ...] = field(repr=False)


def fine_tune(
    model: LoadedModel,
    train: Source,
    dev: Mapping[str, Source],
    test: Mapping[str, Source],
    *,
    frozen: int,
    seed: int,
    options: TrainingOptions,
    report: OnProgress = lambda share, message: None,
) -> FineTuned:
    """Train what is not frozen on `train`, choose by `dev`, count on `test`.

    The network of `model` is trained in place and left as it was chosen; whoever needs it as it was
    at first restores it. The first language of `dev` is the source, whose dev set chooses.
    """
    import torch

    if len(train.examples) < 2:
        raise ModelError("There are fewer than two pairs to train on: give more.")
    with ExitStack() as within:
        devices = [model.device] if model.device.startswith("cuda") else []
        within.enter_context(torch.random.fork_rng(devices=devices))
        torch.manual_seed(seed)
        sources = (train, *dev.values(), *test.values())
        within.enter_context(only_rows(model.network, _ids_of(model, sources)))
        training = _Training(model, train, frozen, seed, options, within)
        checks, kept = training.run(dev, report)
        report(0.97, "testing")
        selected = _best(checks, next(iter(dev)))
        outcomes: dict[str, Outcome] = {}
        for language, sets in test.items():
            oracle = _best(checks, language) if language in dev else selected
            counts = {}
            for step in {selected, oracle}:
                training.restore(kept[step])
                counts[step] = training.count(sets)
                report(0.98, f"tested in {language}")
            outcomes[language] = Outcome(selected, counts[selected], oracle, counts[oracle])
        training.restore(kept[selected])
        return FineTuned(tuple(checks), outcomes, training.padding, tuple(training.losses))


def _ids_of(model: LoadedModel, sources: Iterable[Source]) -> np.ndarray:
    """Every token id that occurs in the sources, and what batches are filled up with."""
    filling = np.array([padding_id(model)])
    return np.unique(np.concatenate([filling, *(row for s in sources for row in s.examples.ids)]))


def _best(checks: list[Check], language: str) -> int:
    """The step at which a language's dev accuracy was highest, the first of equals."""
    return max(checks, key=lambda check: (check.dev[language].accuracy, -check.step)).step


def training_batches(lengths: np.ndarray, options: TrainingOptions, seed: int) -> list[np.ndarray]:
    """The batches of every epoch, each with about as many tokens as `batch_size` usual pairs."""
    budget = round(options.batch_size * float(lengths.mean()))
    return [
        rows
        for epoch in range(options.epochs)
        for rows in shuffled_token_batches(lengths, budget, seed * 1_000 + epoch)
    ]


class _Training:
    """A network, a head and an optimiser at work."""

    def __init__(
        self,
        model: LoadedModel,
        train: Source,
        frozen: int,
        seed: int,
        options: TrainingOptions,
        within: ExitStack,
    ) -> None:
        import torch

        self.model, self.train, self.frozen = model, train, frozen
        self.seed, self.options = seed, options
        self.kind = choose_head(options.head, is_decoder=model.is_decoder)
        self.losses: list[float] = []
        self.batches = training_batches(train.examples.lengths, options, seed)
        self.padding = share_of_padding(train.examples.lengths, self.batches)
        self.give: Callable[[Any], None] | None = None
        if train.states is not None:
            self.give = within.enter_context(starting_above(model.network, train.states.layer))
        self.learning = freeze(model.network, frozen)
        width = HEADS[self.kind].vectors * model.width
        self.head = new_head(width, len(LABELS)).to(model.device)
        self.optimiser = torch.optim.AdamW(self._groups(), fused=True)
        # Half precision holds no small gradients, so the loss is scaled up for it, on CUDA only.
        self.scaler = torch.amp.GradScaler("cuda", enabled=self.precision == torch.float16)

    def _groups(self) -> list[dict[str, Any]]:
        """Head, blocks and word embeddings; decay spares these, or rows without text would move."""
        words = self.model.network.get_input_embeddings().weight
        decay = self.options.weight_decay
        groups = [
            (list(self.head.parameters()), "head_learning_rate", decay),
            ([each for each in self.learning if each is not words], "learning_rate", decay),
            ([each for each in self.learning if each is words], "learning_rate", 0.0),
        ]
        names = ("params", "rate", "weight_decay")
        return [dict(zip(names, group, strict=True)) for group in groups if group[0]]

    @property
    def precision(self) -> Any:
        """bfloat16 or float16 on a GPU; None, for full precision, on a CPU."""
        import torch

        if not self.model.device.startswith("cuda"):
            return None
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16

    def mixed(self) -> AbstractContextManager[Any]:
        import torch

        return torch.autocast("cuda", dtype=self.precision) if self.precision else nullcontext()

    def features(self, source: Source, rows: np.ndarray) -> Any:
        """What the head reads of some pairs."""
        if self.give is not None and source.states is not None:
            self.give(source.states.batch(rows).to(self.model.device))
        inputs = model_inputs(self.model, source.examples, rows)
        with self.mixed():
            states = self.model.network(**inputs).last_hidden_state
        return read_pairs(self.kind, states.float(), source.examples, rows)

    def run(
        self, dev: Mapping[str, Source], report: OnProgress
    ) -> tuple[list[Check], dict[int, list[Any]]]:
        """Train to the end; returns the checks, and the parameters at those that may be chosen."""
        total = len(self.batches)
        wanted = self.options.checks
        check_at = {round(total * (i + 1) / wanted) for i in range(wanted)}
        checks: list[Check] = []
        kept: dict[int, list[Any]] = {}
        for step, rows in enumerate(self.batches, start=1):
            self.step(rows, share_of_rate(step - 1, total, self.options.warm_up))
            if step % 5 == 0:
                report(0.95 * step / total, f"step {step} of {total}")
            if step in check_at or step == total:
                last = checks[-1].step if checks else 0
                counts = {language: self.count(source) for language, source in dev.items()}
                checks.append(Check(step, float(np.mean(self.losses[last:])), counts))
                best = {_best(checks, language) for language in dev}
                if step in best:
                    kept[step] = self.snapshot()
                kept = {at: kept[at] for at in best}
                report(0.95 * step / total, f"checked at step {step} of {total}")
        return checks, kept

    def step(self, rows: np.ndarray, rate: float) -> None:
        import torch

        for group in self.optimiser.param_groups:
            group["lr"] = getattr(self.options, group["rate"]) * rate
        set_training(self.model.network, self.frozen, dropout=self.options.dropout)
        self.head.train()
        labels = torch.from_numpy(self.train.examples.labels[rows]).to(self.model.device)
        loss = torch.nn.functional.cross_entropy(self.head(self.features(self.train, rows)), labels)
        self.losses.append(finite_loss(loss, len(self.losses) + 1))
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimiser)
        torch.nn.utils.clip_grad_norm_(
            [*self.learning, *self.head.parameters()], self.options.largest_gradient
        )
        self.scaler.step(self.optimiser)
        self.scaler.update()

    def count(self, source: Source) -> Count:
        """Which pairs are judged right, dropout off."""
        import torch

        set_training(self.model.network, self.frozen, dropout=False)
        self.head.eval()
        right = np.zeros(len(source.examples), bool)
        with torch.inference_mode():
            for rows in token_batches(source.examples.lengths, EVALUATION_TOKENS):
                judged = self.head(self.features(source, rows)).argmax(1).cpu().numpy()
                right[rows] = judged == source.examples.labels[rows]
        return Count(int(right.sum()), len(right), right)

    def everything(self) -> list[Any]:
        """What training changes: the parameters that learn, and all of the head."""
        return [*self.learning, *self.head.state_dict().values()]

    def snapshot(self) -> list[Any]:
        return [each.detach().clone() for each in self.everything()]

    def restore(self, kept: list[Any]) -> None:
        import torch

        with torch.no_grad():
            for now, then in zip(self.everything(), kept, strict=True):
                now.copy_(then)
