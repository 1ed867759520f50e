"""What a run of re-initialised layers shows, in sentences that follow from its figures alone."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.bootstrap import LEVEL
from isogloss.intervals import wilson_interval
from isogloss.reinitialisation import FULL, block_name
from isogloss.reinitialisation_results import (
    Estimate,
    Halves,
    LayerSimilarities,
    ReinitialisationResults,
)
from isogloss.sweep_results import CHANCE

Naming = Callable[[str], str]


def verdict(found: ReinitialisationResults, language: str, name: Naming) -> str:
    """Does this run show a lower part that transfer needs and an upper part that it does not?"""
    halves = found.halves(language)
    if halves is None:
        return "Not enough is finished to compare the lower half of the model with the upper."
    if not is_above_chance(found, language):
        return (
            f"This run cannot tell which layers transfer to {name(language)} needs: even the full "
            "model is not clearly above chance there, so there is little to lose."
        )
    if not halves.difference.has_interval:
        return (
            "With one seed this run cannot tell the two halves apart: a difference needs several, "
            "so that chance can be seen."
        )
    if halves.difference.above_zero:
        return f"This run shows that {name(language)} needs the lower half more. {_upper(halves)}"
    if halves.difference.below_zero:
        return (
            f"This run shows the opposite of an aligned lower and a replaceable upper part: "
            f"{name(language)} loses more with the upper half."
        )
    return (
        "This run does not show an aligned lower part and a replaceable upper part: what the two "
        f"halves cost in {name(language)} is too close to tell apart."
    )


def _upper(halves: Halves) -> str:
    if halves.upper.above_zero:
        return "The upper half is not simply replaceable: it costs something, too."
    if halves.upper.below_zero:
        return "The upper half is replaceable: re-initialised, it is even better."
    # Not to find a cost is no proof that there is none, so the interval goes with it.
    return (
        "What the upper half costs cannot be told from nothing: it lies between "
        f"{points(halves.upper.low)} and {points(halves.upper.high)} points."
    )


def is_above_chance(found: ReinitialisationResults, language: str) -> bool:
    """Whether the full model's accuracy exceeds chance by more than a test sample can deceive."""
    return sampling_interval(found, language)[0] > CHANCE


def sampling_interval(found: ReinitialisationResults, language: str) -> tuple[float, float]:
    """Where the full model's accuracy may lie, so many test pairs being all there are (Wilson)."""
    n = found.test_pairs[language]
    low, high = wilson_interval(n * found.accuracy(FULL, language).mean, n)
    return float(low), float(high)


def evidence(found: ReinitialisationResults, language: str, name: Naming) -> dict[str, str]:
    """The figures that stand beside the costs, each with what it is of."""
    said = {"Right answers of the full model": _accuracies(found, name)}
    halves = found.halves(language)
    similar = found.similarities.get(FULL)
    if similar is not None and similar.kept and halves is not None:
        said["Kept in fine-tuning"] = _kept(similar, halves, name)
    if similar is not None and language in similar.before:
        before, after = similar.before[language][1:].mean(), similar.after[language][1:].mean()
        said[f"{name(found.source)} and {name(language)} are alike"] = (
            f"{before:.2f} before and {after:.2f} after fine-tuning, over layers 1 and up."
        )
    return said


def _accuracies(found: ReinitialisationResults, name: Naming) -> str:
    right = [
        f"{percent(found.accuracy(FULL, code).mean)} in {name(code)}" for code in found.languages
    ]
    to_lose = [points(max(found.accuracy(FULL, code).mean - CHANCE, 0)) for code in found.languages]
    return (
        f"{_listed(right)}. Guessing gives {percent(CHANCE)}, so about {_listed(to_lose)} points "
        "are there to be lost."
    )


def compared_costs(found: ReinitialisationResults, language: str, name: Naming) -> str:
    """What both halves cost on average, the figures of the verdict; empty while there are none."""
    halves = found.halves(language)
    if halves is None:
        return ""
    sentence = (
        f"In {name(language)}, a block within {block_name(halves.lower_layers)} costs "
        f"{points(halves.lower.mean)} points on average and one within "
        f"{block_name(halves.upper_layers)} {points(halves.upper.mean)}"
    )
    if halves.difference.has_interval:
        sentence += f": a difference of {with_interval(halves.difference)}"
    own = found.halves(found.source) if found.source in found.languages else None
    if own is None or found.source == language:
        return f"{sentence}."
    return (
        f"{sentence}. In {name(found.source)} {points(own.lower.mean)} and "
        f"{points(own.upper.mean)}."
    )


def _kept(similar: LayerSimilarities, halves: Halves, name: Naming) -> str:
    """How alike each half is before and after, layers averaged."""
    below, above = list(halves.lower_layers), list(halves.upper_layers)
    parts = [
        f"{values[below].mean():.2f} and {values[above].mean():.2f} in {name(code)}"
        for code, values in similar.kept.items()
    ]
    return (
        f"in {block_name(halves.lower_layers)} and {block_name(halves.upper_layers)}, "
        f"{_listed(parts)}; 1 is unchanged."
    )


def percent(share: float) -> str:
    """A share in per cent: 45.1 %."""
    return f"{100 * share:.1f} %"


def points(share: float) -> str:
    """A difference of accuracies in percentage points: 3.1, −0.4."""
    return f"{100 * share:.1f}".replace("-0.0", "0.0").replace("-", "−")


def with_interval(value: Estimate) -> str:
    """A difference in points with its interval and what it rests on."""
    if not value.has_interval:
        return f"{points(value.mean)} points (one seed, no interval)"
    ends = f"{points(value.low)} to {points(value.high)}"
    return f"{points(value.mean)} points ({100 * LEVEL:.0f}\u00a0%: {ends}, {value.n} seeds)"


def _listed(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"
