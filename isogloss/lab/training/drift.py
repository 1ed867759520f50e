r"""How far training has moved each layer: distance and similarity of states of the same sentences.

The distance of two states of a layer is $\frac1n \sum_i \lVert x_i - y_i \rVert_2$ over the n
tokens of a probe batch, as Hussain & Dudev measure it, but with dropout off: a layer stays at
exactly 0 as long as neither it nor one below learns. The similarity is debiased linear CKA
(Nguyen et al. 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.stacks import FEWEST_ROWS, Array
from isogloss.models.loading import LoadedModel
from isogloss.models.masking import Batch, Cloze, Sentence, make_batch, measuring

PROBE_SENTENCES = 16


@dataclass(frozen=True)
class Probe:
    """A fixed batch of sentences whose states are watched, padded (b, t)."""

    batch: Batch
    ordinary: np.ndarray

    @classmethod
    def of(cls, sentences: Sequence[Sentence], padding: int) -> Probe:
        """The first sentences as a probe."""
        chosen = sentences[:PROBE_SENTENCES]
        nothing = np.zeros(0, np.int64)
        batch = make_batch([Cloze(s.ids, nothing, nothing) for s in chosen], padding)
        ordinary = np.zeros(batch.ids.shape, bool)
        for row, sentence in enumerate(chosen):
            ordinary[row, : len(sentence.ordinary)] = sentence.ordinary
        return cls(batch, ordinary)

    def states(self, network: Any) -> Array:
        """Every layer's states of the real tokens: (L + 1, tokens, width), dropout off.

        They are those that transformers gives: with a final norm, the top layer is what it gives.
        """
        with measuring(network):
            layers = network.base_model(
                **self.batch.inputs(network.device), output_hidden_states=True
            ).hidden_states
        return np.stack([layer.float().cpu().numpy()[self.batch.real] for layer in layers])

    def sentence_means(self, states: Array) -> Array:
        """Each sentence's mean over its ordinary tokens: (L + 1, b, width)."""
        rows = np.nonzero(self.batch.real)[0]
        ordinary = self.ordinary[self.batch.real]
        return np.stack(
            [states[:, ordinary & (rows == row)].mean(axis=1) for row in range(len(self.ordinary))],
            axis=1,
        )


def mean_distances(states: Array, others: Array) -> Array:
    """The mean distance of paired rows at each layer: two (L, n, d) give (L,)."""
    return np.linalg.norm(states.astype(np.float64) - others, axis=2).mean(axis=1)


def similarities(states: Array, others: Array) -> Array:
    """Debiased linear CKA at each layer: (L, n, d) and (L, n, e) give (L,), NaN if too few rows."""
    if states.shape[1] < FEWEST_ROWS:
        return np.full(len(states), np.nan)
    return np.array(
        [
            contributions([first], [second], "debiased_cka").values()[0, 0]
            for first, second in zip(states, others, strict=True)
        ]
    )


@dataclass(frozen=True)
class Anchor:
    """States of another model that drift is measured against.

    `states` (L + 1, n, e) has one row per token of the probe, or per sentence if `by_sentence`.
    """

    states: Array
    by_sentence: bool

    def measure(self, probe: Probe, states: Array) -> tuple[Array, Array]:
        """Distance and similarity of each layer, (L + 1,) each; NaN where there is none.

        Only models of one width have a distance.
        """
        own = probe.sentence_means(states) if self.by_sentence else states
        if own.shape[2] != self.states.shape[2]:
            return np.full(len(own), np.nan), similarities(own, self.states)
        return mean_distances(own, self.states), similarities(own, self.states)


def anchor_at(
    reference: LoadedModel, sentences: Sequence[Sentence], probe: Probe, n_layers: int
) -> Anchor:
    """A reference model's states of the probe's `sentences`, as it reads them, for n_layers blocks.

    Where both models cut the sentences into the same tokens, rows are tokens, else sentences.
    Layers of models of different depth meet at the same share of their depth.
    """
    own = Probe.of(sentences, padding=0)
    same = np.array_equal(own.batch.real, probe.batch.real) and np.array_equal(
        own.batch.ids[own.batch.real], probe.batch.ids[probe.batch.real]
    )
    states = own.states(reference.network)
    meeting = [round(layer * reference.n_layers / n_layers) for layer in range(n_layers + 1)]
    chosen = states[meeting]
    return Anchor(chosen if same else own.sentence_means(chosen), by_sentence=not same)
