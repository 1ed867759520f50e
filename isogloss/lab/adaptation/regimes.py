"""Which layers learn and when: the unfreezing regimes, in one table.

As in "Evolution of Representations in Cross-Lingual Fine-tuning" (Hussain & Dudev): the embeddings
stay as they are unless asked otherwise, what comes after the last block (the head that guesses
tokens, a decoder's final normalisation) always learns, and gradual unfreezing adds one group of
blocks an epoch, from the top (Howard & Ruder 2018, ULMFiT).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isogloss.errors import RunError
from isogloss.models.blocks import find_blocks, parameters_by_layer


@dataclass(frozen=True)
class Regime:
    """A way to unfreeze: the `last` blocks learn (None: all), in `groups` from the top.

    With more than one group, each epoch adds one.
    """

    name: str
    title: str
    explanation: str
    last: int | None = None
    groups: int = 1

    def first_learning(self, n_layers: int) -> tuple[int, ...]:
        """For each phase the lowest block that learns; all blocks above it do, too."""
        learning = n_layers if self.last is None else min(self.last, n_layers)
        return tuple(
            n_layers + 1 - -(-learning * (phase + 1) // self.groups) for phase in range(self.groups)
        )


REGIMES: dict[str, Regime] = {
    regime.name: regime
    for regime in (
        Regime("all", "All layers", "Every block learns from the first step."),
        Regime("last-6", "Last 6", "The six highest blocks learn.", last=6),
        Regime("last-3", "Last 3", "The three highest blocks learn.", last=3),
        Regime("last-1", "Last 1", "The highest block alone learns.", last=1),
        Regime(
            "gradual",
            "Gradual",
            "A third of the blocks learns in the first epoch, from the top; each epoch adds one "
            "more third.",
            groups=3,
        ),
    )
}


def regimes_for(n_layers: int) -> tuple[Regime, ...]:
    """The regimes that differ in a model of this depth: the last 6 of 6 are all."""
    return tuple(
        regime for regime in REGIMES.values() if regime.last is None or regime.last < n_layers
    )


def find_regime(name: str) -> Regime:
    """A regime of the table, or the last k blocks for `last-k`."""
    if name in REGIMES:
        return REGIMES[name]
    start, _, count = name.partition("-")
    if start == "last" and count.isdecimal() and int(count) > 0:
        return Regime(name, f"Last {int(count)}", f"The {count} highest blocks learn.", int(count))
    raise RunError(
        f"There is no regime {name!r}: choose among {', '.join(REGIMES)}, or last-k for another k."
    )


def unfreeze(network: Any, first_learning: int, *, embeddings: bool) -> list[str]:
    """Let blocks from `first_learning` up and what follows them learn; returns what learns.

    The embeddings, and a decoding matrix tied to them, learn with `embeddings` as soon as the
    first block does: below frozen blocks they would have nothing to learn for.
    """
    layers = parameters_by_layer(network)
    lowest = 0 if embeddings and first_learning == 1 else first_learning
    learning = []
    for name, parameter in network.named_parameters():
        learns = layers[name] >= lowest
        parameter.requires_grad_(learns)
        parameter.grad = None
        if learns:
            learning.append(name)
    return learning


def set_dropout(network: Any, first_learning: int, *, embeddings: bool, on: bool) -> None:
    """Dropout in what learns, if it is on; what is frozen computes as ever."""
    network.train(on and embeddings and first_learning == 1)
    for block in find_blocks(network)[first_learning - 1 :]:
        block.train(on)
