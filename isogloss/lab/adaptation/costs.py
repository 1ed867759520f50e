"""How long an adaptation will take, told before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.regimes import find_regime
from isogloss.lab.adaptation.training_map import MOMENTS
from isogloss.lab.training.costs import Speed, token_counter
from isogloss.models.masking import MASKED_SHARE
from isogloss.models.presets import find_preset
from isogloss.models.preview import ModelSize
from isogloss.text.monolingual import AdaptationText

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
    total = token_counter(plan.model, plan.longest)
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
    plan: AdaptationPlan, size: ModelSize, tokens: AdaptationTokens, speed: Speed
) -> float:
    """The time of all units: learning, measuring every few steps, and the maps of first seeds."""
    preset = find_preset(plan.model)
    asked = 1.0 if preset is not None and preset.kind == "decoder" else MASKED_SHARE
    steps = adaptation_steps(plan, tokens.train_sentences)
    looks = -(-steps // plan.evaluate_every) + 1
    read = looks * tokens.measured + tokens.test
    trained = tokens.train * plan.epochs
    operations = optimised = pictures = 0.0
    for name in plan.regimes:
        lowest = find_regime(name).first_learning(size.n_layers)
        learning = size.n_layers + 1 - sum(lowest) / len(lowest)
        blocks = 2 * size.block * ((trained + read) * size.n_layers + 2 * trained * learning)
        # Asked tokens are compared with the whole vocabulary, forward and, to learn, back.
        words = 2 * size.embeddings * asked * (2 * trained + read)
        operations += len(plan.seeds) * (blocks + words)
        optimised += len(plan.seeds) * steps * size.block * learning
        pictures += PICTURE_SECONDS * min(looks, MOMENTS) * learning
    return speed.seconds(operations, optimised) + pictures
