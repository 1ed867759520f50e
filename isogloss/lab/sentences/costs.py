"""How long a run on sentence embeddings will take, told before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.lab.sentences.encoder import find_layer
from isogloss.lab.sentences.plan import SentenceData, SentencesPlan
from isogloss.lab.sentences.training import OBJECTIVES, draw_examples, make_examples
from isogloss.lab.training.costs import Speed, token_counter
from isogloss.models.preview import ModelSize

PADDING = 1.25
"""How many tokens batches of like length have for each that is not padding."""


@dataclass(frozen=True)
class SentenceTokens:
    """How much there is to read: for each objective the examples and their tokens in an epoch.

    `measured` are the tokens that every measurement reads.
    """

    examples: Mapping[str, int]
    trained: Mapping[str, float]
    measured: float


def count_sentence_tokens(plan: SentencesPlan, data: SentenceData) -> SentenceTokens:
    """The tokens of a run, from a sample of each kind of text."""
    count = token_counter(plan.model, plan.max_tokens)

    def total(texts: Sequence[str]) -> float:
        return PADDING * count(texts)

    examples = {
        name: draw_examples(make_examples(name, data.nli), plan.examples, plan.seeds[0])
        for name in plan.objectives
    }
    return SentenceTokens(
        examples={name: len(found) for name, found in examples.items()},
        trained={
            name: total([text for example in found for text in example.sentences])
            for name, found in examples.items()
        },
        measured=total((*data.text.source, *data.text.target))
        + sum(total((*pairs.first, *pairs.second)) for pairs in data.sts),
    )


def estimate_sentence_seconds(
    plan: SentencesPlan, size: ModelSize, tokens: SentenceTokens, speed: Speed
) -> float:
    """The time of all units: reading forward, learning backward through what is not frozen."""
    read = find_layer(plan.layer, size.n_layers)
    learning = read - max(plan.frozen, 0)
    trained = plan.epochs * len(plan.seeds) * sum(tokens.trained.values())
    operations = 2 * size.block * trained * (read + 2 * learning)
    operations += 2 * size.block * tokens.measured * size.n_layers * len(plan.units())
    steps = sum(
        plan.epochs * -(-count // OBJECTIVES[name].batch_size)
        for name, count in tokens.examples.items()
    )
    optimised = size.block * learning + (size.embeddings if plan.frozen < 0 else 0.0)
    return speed.seconds(operations, len(plan.seeds) * steps * optimised)
