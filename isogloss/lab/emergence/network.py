"""The small BERT that two languages are learned with.

Both languages go through shared blocks together, and each through its own where a condition asks
for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.lab.emergence.batches import Batch, Numbering
from isogloss.lab.emergence.conditions import Setup
from isogloss.measures.stacks import Array

EMBEDDING_SCALE, LINEAR_SCALE = 0.55, 0.4
"""Standard deviations of fresh weights, times the root of the width."""

Groups = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Shape:
    """How large the model is; `heads` divides `width`."""

    n_layers: int
    width: int
    heads: int


class TwoLanguageBert:
    """A BERT whose output is its word embeddings; blocks can be a language's own.

    `parameters` are the tensors that are learned, by name: `block 2.1.wide.weight` is of block 2
    of the second language, which shared blocks do not have.
    """

    def __init__(self, numbering: Numbering, shape: Shape, setup: Setup) -> None:
        """Draw fresh weights from torch's generator."""
        self.shape = shape
        blocks = range(1, shape.n_layers + 1)
        self._own = {block: setup.is_own(block, shape.n_layers) for block in blocks}
        width = shape.width
        self.parameters: dict[str, Any] = {}
        self._add_embedding("word", numbering.vocabulary)
        self._add_embedding("position", numbering.positions)
        self._add_norm("norm")
        for block, own in self._own.items():
            for side in range(1 + own):
                self._add_block(f"block {block}.{side}")
        self._add_linear("output", width, width)
        self._add_norm("output_norm")
        self._add("bias", numbering.vocabulary, 0.0)

    def _add(self, name: str, size: int, value: float) -> None:
        import torch

        self.parameters[name] = torch.full((size,), value, requires_grad=True)

    def _add_drawn(self, name: str, shape: tuple[int, int], scale: float) -> None:
        import torch

        drawn = scale / self.shape.width**0.5 * torch.randn(shape)
        self.parameters[name] = drawn.requires_grad_()

    def _add_embedding(self, name: str, rows: int) -> None:
        self._add_drawn(f"{name}.weight", (rows, self.shape.width), EMBEDDING_SCALE)

    def _add_linear(self, name: str, wide_in: int, wide_out: int) -> None:
        self._add_drawn(f"{name}.weight", (wide_out, wide_in), LINEAR_SCALE)
        self._add(f"{name}.bias", wide_out, 0.0)

    def _add_norm(self, name: str) -> None:
        self._add(f"{name}.weight", self.shape.width, 1.0)
        self._add(f"{name}.bias", self.shape.width, 0.0)

    def _add_block(self, name: str) -> None:
        width = self.shape.width
        self._add_linear(f"{name}.attention_in", width, 3 * width)
        self._add_linear(f"{name}.attention_out", width, width)
        self._add_norm(f"{name}.attention_norm")
        self._add_linear(f"{name}.wide", width, 4 * width)
        self._add_linear(f"{name}.narrow", 4 * width, width)
        self._add_norm(f"{name}.norm")

    def load(self, values: Mapping[str, Any]) -> None:
        """Put other values, by name, in the place of its own."""
        import torch

        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(values[name])

    def states(self, tokens: Array, batch: Batch) -> list[Any]:
        """The states of every layer, the embeddings first, (tokens, width) each."""
        import torch
        from torch.nn import functional

        def rows(name: str, numbers: Array) -> Any:
            chosen = torch.from_numpy(np.ascontiguousarray(numbers))
            return functional.embedding(chosen, self.parameters[f"{name}.weight"])

        states = self._norm("norm", rows("word", tokens) + rows("position", batch.positions))
        found = [states]
        split = _Split.of(batch) if any(self._own.values()) else None
        for block, own in self._own.items():
            if own and split is not None:
                parts = [
                    self._block(f"block {block}.{side}", states.index_select(0, place), groups)
                    for side, (place, groups) in enumerate(split.sides)
                ]
                states = torch.cat(parts).index_select(0, split.back)
            else:
                states = self._block(f"block {block}.0", states, batch.groups)
            found.append(states)
        return found

    def guess(self, states: Any) -> Any:
        """The logits of all words at some states of the top layer."""
        from torch.nn import functional

        hidden = self._norm("output_norm", functional.gelu(self._linear("output", states)))
        return functional.linear(hidden, self.parameters["word.weight"], self.parameters["bias"])

    def _block(self, name: str, states: Any, groups: Groups) -> Any:
        """Attention, then a wide layer, each added and normed."""
        from torch.nn import functional

        seen = self._attend(self._linear(f"{name}.attention_in", states), groups)
        states = states + self._linear(f"{name}.attention_out", seen)
        states = self._norm(f"{name}.attention_norm", states)
        wide = functional.gelu(self._linear(f"{name}.wide", states))
        return self._norm(f"{name}.norm", states + self._linear(f"{name}.narrow", wide))

    def _attend(self, projected: Any, groups: Groups) -> Any:
        """What every token sees of its own sentence; sentences of a group are equally long."""
        import torch
        from torch.nn import functional

        width, heads = self.shape.width, self.shape.heads
        found = []
        parts = projected.split([length * count for length, count in groups])
        for (length, count), part in zip(groups, parts, strict=True):
            split = part.view(count, length, 3, heads, width // heads)
            query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
            seen = functional.scaled_dot_product_attention(query, key, value)
            found.append(seen.transpose(1, 2).reshape(count * length, width))
        return torch.cat(found)

    def _linear(self, name: str, states: Any) -> Any:
        from torch.nn import functional

        weight, bias = (self.parameters[f"{name}.{part}"] for part in ("weight", "bias"))
        return functional.linear(states, weight, bias)

    def _norm(self, name: str, states: Any) -> Any:
        from torch.nn import functional

        weight, bias = (self.parameters[f"{name}.{part}"] for part in ("weight", "bias"))
        return functional.layer_norm(states, (self.shape.width,), weight, bias)


@dataclass(frozen=True, eq=False)
class _Split:
    """Where the tokens of each language are in a batch, the groups they make, and the way back."""

    sides: tuple[tuple[Any, Groups], ...]
    back: Any

    @classmethod
    def of(cls, batch: Batch) -> _Split:
        import torch

        places = [np.flatnonzero(batch.side == side) for side in (0, 1)]
        back = np.empty(len(batch.side), np.int64)
        back[np.concatenate(places)] = np.arange(len(back))
        sides = tuple(
            (torch.from_numpy(place), _groups_of(batch, side)) for side, place in enumerate(places)
        )
        return cls(sides, torch.from_numpy(back))


def _groups_of(batch: Batch, side: int) -> Groups:
    """The groups of a batch with one language's sentences alone."""
    found = []
    start = 0
    for length, count in batch.groups:
        end = start + length * count
        own = int((batch.side[start:end] == side).sum()) // length
        if own:
            found.append((length, own))
        start = end
    return found
