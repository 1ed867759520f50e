"""Heads: what a classifier reads of a pair's states, and the linear layer that decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.models.pair_examples import PairExamples
from isogloss.models.presets import find_preset


@dataclass(frozen=True)
class HeadKind:
    """A way to read a pair: how many vectors of the model's width it puts side by side."""

    title: str
    explanation: str
    vectors: int


HEADS = {
    "first": HeadKind("First token", "The state of [CLS], as encoders are usually read.", 1),
    "last": HeadKind("Last token", "The state of the last token, as decoders are read.", 1),
    "pair": HeadKind(
        "Premise against hypothesis",
        "The mean states u of the premise and v of the hypothesis as u − v, |u − v| and u · v, for "
        "models whose first token was never trained to say anything; what all texts of a language "
        "have in common cancels out in the difference.",
        3,
    ),
}
AUTO = "auto"


def suited_head(model: str) -> str:
    """The head to start with for a model, given by its name: its preset's, or the usual one."""
    preset = find_preset(model.removeprefix("random:"))
    return preset.head if preset else AUTO


def choose_head(wish: str, *, is_decoder: bool) -> str:
    """The head to use: the first token of encoders and the last of decoders, or as told."""
    if wish == AUTO:
        return "last" if is_decoder else "first"
    if wish not in HEADS:
        raise ModelError(f"There is no head called {wish}: choose {', '.join((AUTO, *HEADS))}.")
    return wish


def read_pairs(kind: str, states: Any, examples: PairExamples, rows: np.ndarray) -> Any:
    """What a head reads of final states (rows, tokens, width): (rows, vectors · width)."""
    import torch

    if kind == "first":
        return states[:, 0]
    if kind == "last":
        last = torch.tensor([len(examples.ids[row]) - 1 for row in rows], device=states.device)
        return states[torch.arange(len(rows), device=states.device), last]
    means = []
    for segment in (0, 1):
        mask = np.zeros(states.shape[:2], np.float32)
        for place, row in zip(mask, rows, strict=True):
            inside = examples.segments[row] == segment
            place[: len(inside)] = inside
        weights = torch.from_numpy(mask / np.maximum(mask.sum(1, keepdims=True), 1))
        means.append((states * weights.to(states.device).unsqueeze(-1)).sum(1))
    u, v = means
    return torch.cat([u - v, (u - v).abs(), u * v], dim=1)


def new_head(features: int, labels: int) -> Any:
    """A linear layer on inputs (rows, features) that are standardised over the batch.

    A fresh head learns from what differs between pairs: without this, a feature that hardly varies,
    such as the first token's in a model that never used it, is lost beside its own mean, and what
    has just been learned moves as the layers below learn. In evaluation the mean and the spread are
    those seen in training (Ioffe & Szegedy 2015, Batch normalization).
    """
    import torch

    decide = torch.nn.Linear(features, labels)
    torch.nn.init.normal_(decide.weight, std=0.02)
    torch.nn.init.zeros_(decide.bias)
    return torch.nn.Sequential(torch.nn.BatchNorm1d(features, affine=False), decide)
