"""What a run of re-initialised layers shows, in sentences that follow from its figures alone."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.experiments.reinitialisation.plan import FULL, group_name
from isogloss.experiments.reinitialisation.results import (
    Halves,
    LayerSimilarities,
    ReinitialisationResults,
    in_points,
)
from isogloss.formatting import percent, points
from isogloss.text.nli import CHANCE

Naming = Callable[[str], str]


def verdict(found: ReinitialisationResults, language: str, name: Naming) -> str:
    """Does this run show a lower part that transfer needs and an upper part that it does not?"""
    halves = found.halves(language)
    if halves is None:
        return "Not enough is finished to compare the lower half of the model with the upper."
    if not found.is_above_chance(language):
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
        f"In {name(language)}, a block within {group_name(halves.lower_layers)} costs "
        f"{points(halves.lower.mean)} points on average and one within "
        f"{group_name(halves.upper_layers)} {points(halves.upper.mean)}"
    )
    if halves.difference.has_interval:
        sentence += f": a difference of {in_points(halves.difference)}"
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
        f"in {group_name(halves.lower_layers)} and {group_name(halves.upper_layers)}, "
        f"{_listed(parts)}; 1 is unchanged."
    )


def _listed(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"
