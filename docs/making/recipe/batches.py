"""Masked-language batches of the training mix; any step can be rebuilt from the seed alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# In one sequence a word can be guessed from its translation (TLM, Conneau & Lample 2019); apart,
# each language stays readable on its own and the two can be contrasted (Chi et al. 2021).
SHARE_IN_ONE_SEQUENCE = 0.60
BATCH_TOKENS = 1_024
MAX_TOKENS = 128
MASKED_SHARE = 0.20
_POOL_PAIRS = 2_048  # sorted by length together, so that padding stays small

Framed = tuple[list[int], list[int]]
"""Ids and positions of a sequence; positions restart at the second sentence of a pair."""


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the tokens that frame, pad and mask."""

    pad: int
    cls: int
    sep: int
    mask: int


@dataclass(frozen=True)
class MaskedBatch:
    """One training step's input: arrays (rows, length); `labels` is -100 where nothing is asked.

    `apart` is True where the first half of the rows are English sentences and the second half
    their Chinese translations, in the same order.
    """

    input_ids: np.ndarray
    attention_mask: np.ndarray
    position_ids: np.ndarray
    labels: np.ndarray
    apart: bool

    @property
    def tokens(self) -> int:
        return int(self.attention_mask.sum())

    def inputs(self) -> dict[str, Any]:
        """What the network takes, as tensors."""
        import torch

        names = ("input_ids", "attention_mask", "position_ids")
        return {name: torch.from_numpy(getattr(self, name)) for name in names}


def masked_batches(
    english: Sequence[Sequence[int]],
    chinese: Sequence[Sequence[int]],
    special: SpecialTokens,
    vocabulary_size: int,
    seed: int,
    masked_share: float = MASKED_SHARE,
) -> Iterator[MaskedBatch]:
    """Endless batches over the pairs, reshuffled each epoch."""
    for epoch in range(10**9):
        order = np.random.default_rng((seed, epoch)).permutation(len(english))
        for pool, start in enumerate(range(0, len(order), _POOL_PAIRS)):
            rng = np.random.default_rng((seed, epoch, pool))
            together, apart = [], []
            for i in order[start : start + _POOL_PAIRS]:
                sides = [english[i], chinese[i]]
                if rng.random() < SHARE_IN_ONE_SEQUENCE:
                    together.append([_frame(sides[:: rng.choice((-1, 1))], special)])
                else:
                    apart.append([_frame([side], special) for side in sides])
            groups = [(group, False) for group in _length_groups(together)]
            groups += [(group, True) for group in _length_groups(apart)]
            for choice in rng.permutation(len(groups)):
                group, is_apart = groups[choice]
                rows = [row for column in zip(*group, strict=True) for row in column]
                yield _mask(rows, is_apart, special, vocabulary_size, masked_share, rng)


def evaluation_batches(
    english: Sequence[Sequence[int]],
    chinese: Sequence[Sequence[int]],
    special: SpecialTokens,
    vocabulary_size: int,
    seed: int,
    masked_share: float,
) -> dict[str, list[MaskedBatch]]:
    """Every pair once in each way it is read, always with the same masks."""
    rng = np.random.default_rng(seed)
    ways = {
        "translation pairs": [
            [_frame([e, c], special)] for e, c in zip(english, chinese, strict=True)
        ],
        "english alone": [[_frame([e], special)] for e in english],
        "chinese alone": [[_frame([c], special)] for c in chinese],
    }
    return {
        way: [
            _mask([item[0] for item in group], False, special, vocabulary_size, masked_share, rng)
            for group in _length_groups(items)
        ]
        for way, items in ways.items()
    }


def _frame(parts: Sequence[Sequence[int]], special: SpecialTokens) -> Framed:
    room = (MAX_TOKENS - 1) // len(parts) - 1
    ids, positions = [special.cls], [0]
    for part in parts:
        kept = [*part[:room], special.sep]
        ids += kept
        positions += range(1, len(kept) + 1)
    return ids, positions


def _length_groups(items: list[list[Framed]]) -> list[list[list[Framed]]]:
    """Items of like length together; an item is one or two sequences."""

    def length(item: list[Framed]) -> int:
        return max(len(ids) for ids, _ in item)

    groups: list[list[list[Framed]]] = [[]]
    for item in sorted(items, key=length):
        if groups[-1] and (len(groups[-1]) + 1) * len(item) * length(item) > BATCH_TOKENS:
            groups.append([])
        groups[-1].append(item)
    return groups


def _mask(
    rows: list[Framed],
    apart: bool,
    special: SpecialTokens,
    vocabulary_size: int,
    masked_share: float,
    rng: Any,
) -> MaskedBatch:
    """Ask for a share of the tokens: 80 % hidden, 10 % replaced, 10 % left (Devlin et al. 2019)."""
    shape = len(rows), max(len(ids) for ids, _ in rows)
    input_ids = np.full(shape, special.pad, np.int64)
    position_ids = np.zeros(shape, np.int64)
    attention_mask = np.zeros(shape, np.int64)
    for row, (ids, positions) in enumerate(rows):
        input_ids[row, : len(ids)] = ids
        position_ids[row, : len(ids)] = positions
        attention_mask[row, : len(ids)] = 1
    ordinary = (attention_mask == 1) & (input_ids != special.cls) & (input_ids != special.sep)
    asked = ordinary & (rng.random(shape) < masked_share)
    labels = np.where(asked, input_ids, -100)
    fate = rng.random(shape)
    input_ids = np.where(asked & (fate < 0.8), special.mask, input_ids)
    random_ids = rng.integers(vocabulary_size, size=shape)
    input_ids = np.where(asked & (fate >= 0.9), random_ids, input_ids)
    return MaskedBatch(input_ids, attention_mask, position_ids, labels, apart)
