"""What a run of emergence shows, in sentences that follow from its figures alone."""

from __future__ import annotations

import numpy as np

from isogloss.formatting import percent
from isogloss.lab.emergence.conditions import AS_IT_IS, condition_explanation, condition_title
from isogloss.lab.emergence.published_effects import PUBLISHED_EFFECTS, disagreements
from isogloss.lab.emergence.results import EmergenceResults, Fit, What

GROUPS: dict[What, str] = {"words": "words", "sentences": "sentences"}
NEAR_CHANCE = 3.0
"""A score below so many times chance is called none."""


def finding(condition: str, fit: Fit, what: What, beside: Fit | None) -> str:
    """Where a training has come, in one sentence, against the one with nothing taken away."""
    step = int(fit.steps[-1])
    when = f"after {step:,} steps" if step else "before the first step"
    scores = fit.scores(what)[-1]
    layer = int(scores.argmax())
    said = (
        f"**{condition_title(condition)}**: {when}, {percent(float(scores[layer]), 0)} of the "
        f"{GROUPS[what]} find their counterpart at layer {layer}"
    )
    chance = fit.chance[what]
    if chance is not None:
        said += f" (chance {percent(chance, 2 if chance < 0.01 else 1)})"
    if beside is None:
        return f"{said}; held-out loss {fit.losses[-1].mean():.2f}."
    look = int(np.abs(beside.steps - step).argmin())
    other = beside.scores(what)[look]
    return (
        f"{said}; as it is, {percent(float(other.max()), 0)}. "
        f"Held-out loss {fit.losses[-1].mean():.2f} and {beside.losses[look].mean():.2f}."
    )


def needed(found: EmergenceResults, what: What) -> str:
    """What it takes, from the order of the bars; empty where there is nothing to compare."""
    best = {name: found.best(name, what).mean for name in found.in_order(what)}
    if AS_IT_IS not in best or len(best) < 2:
        return ""
    whole, chance = best[AS_IT_IS], found.chance(what)
    others = {name: mean for name, mean in best.items() if name != AS_IT_IS}
    gone = [name for name, mean in others.items() if mean < NEAR_CHANCE * chance]
    half = [name for name, mean in others.items() if name not in gone and mean < whole / 2]
    rest = [name for name in others if name not in gone and name not in half]
    parts = [
        f"{what_happens}: {_names(names)}"
        for names, what_happens in (
            (gone, "at chance"),
            (half, "less than half"),
            (rest, "half or more"),
        )
        if names
    ]
    return f"Of the {percent(whole, 0)} as it is, what is left: {'; '.join(parts)}."


def against_published(found: EmergenceResults, what: What) -> str:
    """Where the order of the bars differs from what others found."""
    differing = disagreements(found.in_order(what))
    compared = [name for name in found.in_order(what) if _is_published(name)]
    if len(compared) < 2:
        return ""
    if not differing:
        return "The order agrees with what was published."
    said = [
        f"{condition_title(little)} was found to matter little, and stands below "
        f"{condition_title(harmful).lower()}, which was found to harm"
        for little, harmful in differing
    ]
    return f"Here the order differs: {'; '.join(said)}."


def sources() -> str:
    """The papers, and how far they compare."""
    known = {effect.source.short: effect.source for effect in PUBLISHED_EFFECTS.values()}
    papers = "; ".join(source.full for source in known.values())
    return (
        "Bars are the best layer at the end of training, dots seeds, lines 95 % intervals over "
        "seeds. What was published is of other, mostly larger, models and other scores: only the "
        f"direction compares. {papers}."
    )


def about_condition(condition: str) -> str:
    """What is taken away, in plain words."""
    return condition_explanation(condition)


def _is_published(name: str) -> bool:
    from isogloss.lab.emergence.published_effects import published_effect

    return published_effect(name) is not None


def _names(names: list[str]) -> str:
    titles = [condition_title(name).lower() for name in names]
    return ", ".join(titles)
