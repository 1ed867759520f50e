"""How long an adaptation will take, told before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.regimes import find_regime
from isogloss.lab.adaptation.training_map import MOMENTS
from isogloss.lab.training.costs import REACHED, SAMPLE, START_SECONDS, Speed, length_measure
from isogloss.models.masking import MASKED_SHARE
from isogloss.models.preview import ModelSize, local_directory
from isogloss.text.monolingual import AdaptationText

SPECIAL_TOKENS = 2
PICTURE_SECONDS = 0.5
"""What laying out the words of one layer at one step takes, on most machines."""


@dataclass(frozen=True)
class AdaptationTokens:
    """Tokens of the text to learn from, of what each measurement reads, and of the final test."""

    train: float
    measured: float
    test: float
    train_sentences: int


def count_adaptation_tokens(plan: AdaptationPlan, text: AdaptationText) -> AdaptationTokens:
    """The tokens of a run, from a sample of each part."""
    measure = length_measure(local_directory(plan.model))

    def total(texts: Sequence[str]) -> float:
        some = texts[:: max(len(texts) // SAMPLE, 1)]
        lengths = [min(measure(each) + SPECIAL_TOKENS, plan.longest) for each in some]
        return sum(lengths) * len(texts) / max(len(lengths), 1)

    return AdaptationTokens(
        train=total(text.train),
        measured=total(text.validation) + sum(map(total, text.multilingual.values())),
        test=total(text.test),
        train_sentences=len(text.train),
    )


def adaptation_steps(plan: AdaptationPlan, train_sentences: int) -> int:
    """How many steps each training takes, unless it stops early."""
    return plan.epochs * -(-train_sentences // plan.batch_size)


def estimate_adaptation_seconds(
    plan: AdaptationPlan,
    size: ModelSize,
    tokens: AdaptationTokens,
    speed: Speed,
    *,
    is_decoder: bool = False,
) -> float:
    """The time of all units: learning, measuring every few steps, and the maps of first seeds."""
    asked = 1.0 if is_decoder else MASKED_SHARE
    steps = adaptation_steps(plan, tokens.train_sentences)
    looks = -(-steps // plan.evaluate_every) + 1
    read = looks * tokens.measured + tokens.test
    trained = tokens.train * plan.epochs
    seconds = START_SECONDS
    for name in plan.regimes:
        lowest = find_regime(name).first_learning(size.n_layers)
        learning = size.n_layers + 1 - sum(lowest) / len(lowest)
        blocks = 2 * size.block * ((trained + read) * size.n_layers + 2 * trained * learning)
        # Asked tokens are compared with the whole vocabulary, forward and, to learn, back.
        words = 2 * size.embeddings * asked * (2 * trained + read)
        optimised = steps * size.block * learning
        seconds += len(plan.seeds) * (
            (blocks + words) / (REACHED * speed.operations) + optimised / speed.parameters
        )
        seconds += PICTURE_SECONDS * min(looks, MOMENTS) * learning
    return seconds
