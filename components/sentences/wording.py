"""What a run on sentence embeddings shows, in sentences that follow from its figures alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.formatting import change, percent
from isogloss.lab.sentences.encoder import ENCODER_POOLINGS
from isogloss.lab.sentences.results import (
    BOTH,
    COEFFICIENTS,
    Errors,
    Reduction,
    SentencesResults,
)
from isogloss.lab.sentences.training import OBJECTIVES
from isogloss.measures.stacks import Array
from isogloss.text.sts import SIMILARITIES


def verdict(found: SentencesResults, objective: str) -> tuple[str, str]:
    """Did training with one objective bring translations closer? The answer, and its figures."""
    pooling = found.plan.pooling
    place = list(ENCODER_POOLINGS).index(pooling)
    before = found.before.values[place, found.layer, BOTH]
    after = found.after[objective].values[place, found.layer, BOTH]
    reduction = found.reduction(objective, baseline=pooling)
    with np.errstate(divide="ignore", invalid="ignore"):
        seeds = 1 - found.after[objective].by_seed[:, place, found.layer, BOTH] / before
    answer = f"Trained to {OBJECTIVES[objective].title.lower()}, {_answer(reduction, seeds)}"
    return answer, (
        f"{percent(before)} of searches missed the translation before, {percent(after)} after"
        f"{_spread(reduction, seeds)}."
    )


def headline(found: SentencesResults) -> str:
    """The answers for every objective in one sentence."""
    first, *others = (verdict(found, each)[0].removesuffix(".") for each in found.after)
    return f"{'; '.join([first, *(each[:1].lower() + each[1:] for each in others)])}."


def _answer(reduction: Reduction, seeds: Array) -> str:
    """A change counts if neither other sentences nor another seed would turn it round."""
    value, low, high = reduction.values[BOTH], reduction.low[BOTH], reduction.high[BOTH]
    if np.isnan(value):
        return "there was no error to reduce."
    if low > 0 and (seeds > 0).all():
        return f"English alone took away {percent(value, 0)} of the error."
    if high < 0 and (seeds < 0).all():
        return f"the error grew by {percent(-value, 0)}."
    return "nothing changed that chance could not explain."


def _spread(reduction: Reduction, seeds: Array) -> str:
    """How far the change moves with other sentences, and with another seed."""
    if np.isnan(reduction.values[BOTH]):
        return ""
    sentences = f"{change(reduction.high[BOTH])} to {change(reduction.low[BOTH])}"
    single = f"; single seeds {change(seeds.max())} to {change(seeds.min())}"
    return (
        f": {change(reduction.values[BOTH])} (95\u00a0% interval {sentences}"
        f"{single if len(seeds) > 1 else ''})"
    )


def best_layers(found: SentencesResults, pooling: str) -> str:
    """Where a pooling errs least, before and after each objective."""
    place = list(ENCODER_POOLINGS).index(pooling)

    def best(errors: Errors) -> str:
        layer = int(np.argmin(errors.values[place, :, BOTH]))
        return f"{layer} ({percent(errors.values[place, layer, BOTH])})"

    after = [
        f", {best(errors)} when trained to {OBJECTIVES[name].title.lower()}"
        for name, errors in found.after.items()
    ]
    return f"The best layer was {best(found.before)} before{''.join(after)}."


def sts_table(
    found: SentencesResults, objective: str, titles: Sequence[str]
) -> dict[str, list[str]]:
    """Correlations before → after, one column per similarity, two rows for each of the STS sets."""
    after = found.sts_after[objective].mean(0)
    cells = [(place, column) for place in range(len(titles)) for column in range(len(COEFFICIENTS))]
    table = {"Pairs": [f"{titles[place]}, {COEFFICIENTS[column]}" for place, column in cells]}
    for number, title in enumerate(SIMILARITIES.values()):
        table[title] = [
            f"{_coefficient(found.sts_before[place, number, column])} → "
            f"{_coefficient(after[place, number, column])}"
            for place, column in cells
        ]
    return table


def _coefficient(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
