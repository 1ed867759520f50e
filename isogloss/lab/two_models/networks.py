"""The network on top of a frozen layer: up to four transformer layers, then a tagger or a parser.

It reads one vector a word. Without transformer layers a tagger is linear, so that what it finds
was in the layer already. A parser scores every word as the head of every other by a biaffine form
(Dozat & Manning 2017, https://openreview.net/forum?id=Hk95PK9le) and by how far off it is (after Qi
et al. 2018, https://aclanthology.org/K18-2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.lab.training.steps import finite_loss, share_of_rate
from isogloss.lab.two_models.tasks import Predicted, Task, gold_labels
from isogloss.measures.stacks import Array
from isogloss.models.pair_examples import shuffled_token_batches, token_batches
from isogloss.tasks import OnShare
from isogloss.text.readers.tagged_words import TaggedSentence

ARC_WIDTH, RELATION_WIDTH = 192, 64
FARTHEST = 20
DROPOUT = 0.2
WEIGHT_DECAY = 0.01
WARM_UP = 0.1
WORDS_AT_ONCE = 4_096
IGNORED = -100


@dataclass(frozen=True)
class Settings:
    """How a network is built and trained; `batch_words` is how many words a step sees."""

    depth: int
    epochs: int
    learning_rate: float
    batch_words: int


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vectors of all words of some sentences, (words, width), and where each begins."""

    values: Array
    starts: Array

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Array:
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class TaskNetwork:
    """A trained network and the labels it knows."""

    task: Task
    labels: tuple[str, ...]
    modules: Any
    losses: tuple[float, ...]

    def predict(self, vectors: Vectors) -> list[Predicted]:
        """What the network says of each sentence."""
        import torch

        found: list[Predicted] = [Predicted(())] * len(vectors)
        self.modules.eval()
        with torch.inference_mode():
            for rows in token_batches(vectors.lengths, WORDS_AT_ONCE):
                states, real = _padded(vectors, rows)
                encoded = _encode(self.modules, states, real)
                if self.task.trees:
                    heads = _arcs(self.modules, encoded, real).argmax(-1)
                    picked = _relations(self.modules, encoded, heads).argmax(-1)
                else:
                    heads, picked = None, self.modules["tags"](encoded).argmax(-1)
                for place, row in enumerate(rows):
                    words = int(vectors.lengths[row])
                    found[row] = Predicted(
                        tuple(self.labels[i] for i in picked[place, :words].tolist()),
                        () if heads is None else tuple(heads[place, :words].tolist()),
                    )
        return found


def train_network(
    task: Task,
    vectors: Vectors,
    sentences: Sequence[TaggedSentence],
    settings: Settings,
    seed: int,
    on_progress: OnShare = lambda share: None,
) -> TaskNetwork:
    """Train on the vectors of tagged sentences; the same seed gives the same network."""
    import torch

    labels = tuple(sorted({label for each in sentences for label in gold_labels(task, each)}))
    number = {label: i for i, label in enumerate(labels)}
    targets = [np.array([number[x] for x in gold_labels(task, each)]) for each in sentences]
    heads = [np.array(each.heads, np.int64) for each in sentences]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        modules = _build(task, vectors.values.shape[1], len(labels), settings.depth)
        if not task.trees:
            # Where nearly every word has one label, as with entities, steps would go into that.
            often = np.bincount(np.concatenate(targets), minlength=len(labels))
            modules["tags"].bias.data = torch.from_numpy(np.log(often / often.sum())).float()
        optimiser = torch.optim.AdamW(
            modules.parameters(), lr=settings.learning_rate, weight_decay=WEIGHT_DECAY
        )
        epochs = [
            shuffled_token_batches(vectors.lengths, settings.batch_words, 1_000 * seed + epoch)
            for epoch in range(settings.epochs)
        ]
        total = sum(map(len, epochs))
        step, losses = 0, []
        modules.train()
        for batches in epochs:
            running = 0.0
            for rows in batches:
                for group in optimiser.param_groups:
                    group["lr"] = settings.learning_rate * share_of_rate(step, total, WARM_UP)
                loss = _loss(modules, task, vectors, rows, targets, heads)
                running += finite_loss(loss, step)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
                step += 1
                on_progress(step / total)
            losses.append(running / len(batches))
    return TaskNetwork(task, labels, modules, tuple(losses))


def _build(task: Task, width: int, labels: int, depth: int) -> Any:
    from torch import nn

    parts: dict[str, Any] = {"dropout": nn.Dropout(DROPOUT)}
    if depth:
        layer = nn.TransformerEncoderLayer(
            width, _heads_of(width), 4 * width, DROPOUT, "gelu", batch_first=True, norm_first=True
        )
        parts["layers"] = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
    if not task.trees:
        parts["tags"] = nn.Linear(width, labels)
        return nn.ModuleDict(parts)
    for name, size in (("arc", ARC_WIDTH), ("relation", RELATION_WIDTH)):
        for end in ("word", "head"):
            parts[f"{name} {end}"] = nn.Sequential(
                nn.Linear(width, size), nn.GELU(), nn.Dropout(DROPOUT)
            )
    parts["root"] = nn.Embedding(1, width)
    parts["distance"] = nn.Embedding(2 * FARTHEST + 1, 1)
    # A column of ones on the word's side lets some words be likely heads whatever looks for one.
    parts["arcs"] = nn.Linear(ARC_WIDTH + 1, ARC_WIDTH, bias=False)
    parts["relations"] = nn.Linear(RELATION_WIDTH + 1, labels * (RELATION_WIDTH + 1), bias=False)
    return nn.ModuleDict(parts)


def _heads_of(width: int) -> int:
    """As many attention heads as there are whole 64s in the width, as BERT has."""
    return next(heads for heads in range(max(width // 64, 1), 0, -1) if width % heads == 0)


def _padded(vectors: Vectors, rows: Array) -> tuple[Any, Any]:
    """The vectors of some sentences (rows, longest, width), and which of them are words."""
    import torch

    lengths = vectors.lengths[rows]
    real = np.arange(lengths.max()) < lengths[:, None]
    states = np.zeros((*real.shape, vectors.values.shape[1]), np.float32)
    states[real] = np.concatenate(
        [vectors.values[vectors.starts[row] : vectors.starts[row + 1]] for row in rows]
    )
    return torch.from_numpy(states), torch.from_numpy(real)


def _encode(modules: Any, states: Any, real: Any) -> Any:
    """Vectors after the transformer layers, which are told where each word stands."""
    states = modules["dropout"](states)
    if "layers" not in modules:
        return states
    return modules["layers"](states + _places(*states.shape[1:]), src_key_padding_mask=~real)


def _places(words: int, width: int) -> Any:
    """Sines and cosines of each place (words, width), as in Vaswani et al. (2017)."""
    import torch

    speeds = 10_000.0 ** (-np.arange(0, width, 2) / width)
    angles = np.arange(words)[:, None] * speeds
    both = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(words, -1)
    return torch.from_numpy(both[:, :width].astype(np.float32))


def _with_root(modules: Any, encoded: Any) -> Any:
    """The vectors of all that can be a head, the root first: (rows, 1 + words, width)."""
    import torch

    return torch.cat([modules["root"].weight.expand(len(encoded), 1, -1), encoded], 1)


def _with_one(values: Any) -> Any:
    import torch

    return torch.cat([values, values.new_ones(*values.shape[:-1], 1)], -1)


def _arcs(modules: Any, encoded: Any, real: Any) -> Any:
    """Scores of every head for every word, (rows, words, 1 + words); head 0 is the root."""
    import torch

    rows, words, _ = encoded.shape
    looking = modules["arcs"](_with_one(modules["arc word"](encoded)))
    arcs = looking @ modules["arc head"](_with_root(modules, encoded)).transpose(1, 2)
    # States need not say where a word stands; how far a head is off, and on which side, is told.
    place = torch.arange(1, words + 1)
    distance = (place[None, :] - place[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST
    arcs = arcs + torch.cat(
        [arcs.new_zeros(words, 1), modules["distance"](distance).squeeze(-1)], 1
    )
    there = torch.cat([real.new_ones(rows, 1), real], 1)
    itself = torch.eye(words, words + 1, dtype=torch.bool).roll(1, 1)
    return arcs.masked_fill(~there[:, None, :] | itself, -1e9)


def _relations(modules: Any, encoded: Any, heads: Any) -> Any:
    """Scores of the relations of every word to its head in `heads`, (rows, words, labels)."""
    import torch

    rows, words, width = encoded.shape
    above = _with_root(modules, encoded).gather(1, heads[..., None].expand(rows, words, width))
    forms = modules["relations"](_with_one(modules["relation word"](encoded)))
    forms = forms.view(rows, words, -1, RELATION_WIDTH + 1)
    return torch.einsum("bwlr,bwr->bwl", forms, _with_one(modules["relation head"](above)))


def _loss(
    modules: Any,
    task: Task,
    vectors: Vectors,
    rows: Array,
    targets: Sequence[Array],
    heads: Sequence[Array],
) -> Any:
    import torch
    from torch.nn.functional import cross_entropy

    states, real = _padded(vectors, rows)
    encoded = _encode(modules, states, real)
    wanted = torch.full(real.shape, IGNORED)
    wanted[real] = torch.from_numpy(np.concatenate([targets[row] for row in rows]))
    if not task.trees:
        return cross_entropy(modules["tags"](encoded).flatten(0, 1), wanted.flatten())
    above = torch.full(real.shape, IGNORED)
    above[real] = torch.from_numpy(np.concatenate([heads[row] for row in rows]))
    arcs = _arcs(modules, encoded, real)
    labelled = _relations(modules, encoded, above.clamp(min=0))
    return cross_entropy(arcs.flatten(0, 1), above.flatten()) + cross_entropy(
        labelled.flatten(0, 1), wanted.flatten()
    )
