"""Sentence embeddings from English alone: siamese fine-tuning on English inference pairs.

The embeddings stay frozen, since otherwise only those of English words would move. As in
https://blog.ceshine.net/post/zero-shot-bert-sent-emb/, with the two usual objectives of
sentence-transformers (Reimers & Gurevych 2019, https://aclanthology.org/D19-1410).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import ModelError, NliError
from isogloss.lab.sentences.encoder import build_encoder, find_layer
from isogloss.lab.training.steps import finite_loss, share_of_rate
from isogloss.models.blocks import freeze, set_training
from isogloss.models.loading import LoadedModel
from isogloss.models.pair_examples import shuffled_batches
from isogloss.tasks import OnProgress
from isogloss.text.nli import LABELS, NliSet


@dataclass(frozen=True)
class Objective:
    """What training asks of the vectors, and the learning rate and batch that suit it.

    The rates were chosen on everyday sentences that no shipped figure is measured on.
    """

    name: str
    title: str
    explanation: str
    paper: str
    learning_rate: float
    batch_size: int


OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        Objective(
            name="softmax",
            title="Classify the pair",
            explanation="A linear classifier of u, v and |u − v| tells entailment, neutral and "
            "contradiction apart.",
            paper="Reimers & Gurevych 2019, Sentence-BERT; the post's objective",
            learning_rate=5e-5,
            batch_size=16,
        ),
        Objective(
            name="ranking",
            title="Rank the entailed",
            explanation="A premise must be closer to the sentence it entails than to all others "
            "in the batch and to one that contradicts it.",
            paper="Henderson et al. 2017, Efficient Natural Language Response Suggestion",
            learning_rate=1e-4,
            batch_size=32,
        ),
    )
}


def find_objective(name: str) -> Objective:
    """Return the objective of that name."""
    if name not in OBJECTIVES:
        raise ModelError(f"There is no objective {name!r}; choose one of {', '.join(OBJECTIVES)}.")
    return OBJECTIVES[name]


@dataclass(frozen=True)
class SiameseOptions:
    """How to fine-tune; a learning rate of None is the objective's own.

    The classifier that is thrown away afterwards has its own rate: starting from nothing, it would
    learn too little from some thousand pairs to teach the vectors anything.
    """

    pooling: str = "mean"
    layer: int = -1
    frozen: int = 0
    epochs: int = 1
    learning_rate: float | None = None
    head_learning_rate: float = 1e-3
    max_tokens: int = 128
    weight_decay: float = 0.01
    warm_up: float = 0.1
    largest_gradient: float = 1.0


@dataclass(frozen=True)
class Example:
    """Sentences that are encoded side by side; `label` is a place in `LABELS`."""

    sentences: tuple[str, ...]
    label: int = 0


def make_examples(objective: str, pairs: NliSet) -> tuple[Example, ...]:
    """The set as an objective takes it.

    To classify, every pair with its label. To rank, each premise once with a sentence it entails
    and, if the set has one, a sentence that contradicts it as a hard negative.
    """
    if find_objective(objective).name == "softmax":
        rows = zip(pairs.premises, pairs.hypotheses, pairs.labels, strict=True)
        return tuple(Example((premise, hypothesis), label) for premise, hypothesis, label in rows)
    entailed, contradicted = (
        _first_by_premise(pairs, "entailment"),
        _first_by_premise(pairs, "contradiction"),
    )
    if not entailed:
        raise NliError(f"{pairs.name} has no entailment, so there is nothing to rank: add some.")
    return tuple(
        Example((premise, hypothesis, *contradicted.get(premise, ())))
        for premise, (hypothesis,) in entailed.items()
    )


def _first_by_premise(pairs: NliSet, label: str) -> dict[str, tuple[str]]:
    found: dict[str, tuple[str]] = {}
    for premise, hypothesis, place in zip(
        pairs.premises, pairs.hypotheses, pairs.labels, strict=True
    ):
        if LABELS[place] == label:
            found.setdefault(premise, (hypothesis,))
    return found


def draw_examples(examples: Sequence[Example], size: int | None, seed: int) -> tuple[Example, ...]:
    """`size` examples drawn without replacement by `seed`, in their order; all of them for None."""
    if size is None or size >= len(examples):
        return tuple(examples)
    rows = np.random.default_rng(seed).permutation(len(examples))[:size]
    return tuple(examples[row] for row in np.sort(rows))


def batches_of(examples: Sequence[Example], size: int, seed: int) -> list[tuple[Example, ...]]:
    """All examples once, in random batches of like length.

    Those with a hard negative and those without do not share a batch.
    """
    batches: list[tuple[Example, ...]] = []
    for count in sorted({len(example.sentences) for example in examples}):
        alike = [example for example in examples if len(example.sentences) == count]
        lengths = np.array([max(map(len, example.sentences)) for example in alike])
        for rows in shuffled_batches(lengths, size, seed):
            batches.append(tuple(alike[row] for row in rows))
    order = np.random.default_rng(seed).permutation(len(batches))
    return [batches[place] for place in order]


def fine_tune_siamese(
    model: LoadedModel,
    examples: Sequence[Example],
    objective: str,
    *,
    seed: int,
    options: SiameseOptions,
    report: OnProgress = lambda share, message: None,
) -> list[float]:
    """Train what is not frozen of `model`, in place; returns the loss of every step.

    AdamW with a warm-up and a linear decay, dropout on in what learns, as in the library's script.
    """
    import torch

    chosen = find_objective(objective)
    layer = find_layer(options.layer, model.n_layers)
    if layer <= options.frozen:
        raise ModelError(
            f"Layer {layer} is read and the first {options.frozen} are frozen, so nothing would "
            "learn: read a higher layer or freeze fewer."
        )
    devices = [model.device] if model.device.startswith("cuda") else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        encoder = build_encoder(model, layer, options.pooling, options.max_tokens)
        loss_of = _loss(chosen, encoder, model.width)
        learning = freeze(model.network, options.frozen)
        set_training(model.network, options.frozen, dropout=True)
        head = [each for name, each in loss_of.named_parameters() if name.startswith("classifier")]
        full = (options.learning_rate or chosen.learning_rate, options.head_learning_rate)
        optimiser = torch.optim.AdamW(
            [{"params": learning}, {"params": head}], weight_decay=options.weight_decay
        )
        steps = [
            batch
            for epoch in range(options.epochs)
            for batch in batches_of(examples, chosen.batch_size, seed * 1_000 + epoch)
        ]
        losses: list[float] = []
        for step, batch in enumerate(steps):
            share = share_of_rate(step, len(steps), options.warm_up)
            for group, rate in zip(optimiser.param_groups, full, strict=True):
                group["lr"] = rate * share
            labels = torch.tensor([example.label for example in batch], device=model.device)
            loss = loss_of(_columns(encoder, batch, model.device), labels)
            losses.append(finite_loss(loss, step + 1))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*learning, *head], options.largest_gradient)
            optimiser.step()
            report((step + 1) / len(steps), f"step {step + 1:,} of {len(steps):,}")
        model.network.eval()
    return losses


def _loss(objective: Objective, encoder: Any, width: int) -> Any:
    from sentence_transformers.sentence_transformer import losses

    if objective.name == "softmax":
        return losses.SoftmaxLoss(encoder, embedding_dimension=width, num_labels=len(LABELS))
    return losses.MultipleNegativesRankingLoss(encoder)


def _columns(encoder: Any, batch: Sequence[Example], device: str) -> list[dict[str, Any]]:
    """One set of features for all first sentences, one for all second ones, and so on."""
    texts = zip(*(example.sentences for example in batch), strict=True)
    return [
        {name: values.to(device) for name, values in encoder.preprocess(list(column)).items()}
        for column in texts
    ]
