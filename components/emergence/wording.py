"""What a run of emergence shows, in sentences that follow from its figures alone."""

from __future__ import annotations

import numpy as np

from isogloss.formatting import percent
from isogloss.lab.emergence.conditions import AS_IT_IS, condition_title
from isogloss.lab.emergence.published_effects import PUBLISHED_EFFECTS, disagreements
from isogloss.lab.emergence.results import EmergenceResults, Fit, What

GROUPS: dict[What, str] = {"words": "words", "sentences": "sentences"}
NAMED = 1
"""So many conditions are named of a group; the bars show all."""
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
        return f"{said}."
    look = int(np.abs(beside.steps - step).argmin())
    other = beside.scores(what)[look]
    return (
        f"{said}; as it is, {percent(float(other.max()), 0)}. "
        f"Held-out loss {fit.losses[-1].mean():.2f} and {beside.losses[look].mean():.2f}."
    )


def other_seeds(found: EmergenceResults, condition: str, what: What) -> str:
    """What the condition's other seeds reach at their best layers, which the map does not show."""
    reached = found.best_by_seed(condition, what)[1:]
    shares = [percent(float(share), 0) for share in reached if np.isfinite(share)]
    if not shares:
        return "One seed."
    return f"Other seeds: {', '.join(shares)}."


def needed(found: EmergenceResults, what: What) -> str:
    """What it takes, from the order of the bars; empty where there is nothing to compare."""
    best = {name: found.best(name, what).mean for name in found.in_order(what)}
    if AS_IT_IS not in best or len(best) < 2:
        return ""
    whole, chance = best[AS_IT_IS], found.chance(what)
    others = {name: mean for name, mean in best.items() if name != AS_IT_IS}
    gone = [name for name, mean in others.items() if mean < NEAR_CHANCE * chance]
    half = [name for name, mean in others.items() if name not in gone and mean < whole / 2]
    rest = [name for name in others if name not in (*gone, *half)]
    seeds = np.isfinite(found.best_by_seed(AS_IT_IS, what)).sum()
    kept = [
        ("Below three times chance", gone),
        (f"Below half of {percent(whole, 0)}", half),
        ("Above", rest),
    ]
    parts = [f"{left}: {_names(names)}." for left, names in kept if names]
    mean = f", mean of {seeds} seeds" if seeds > 1 else ""
    return f"As it is, {percent(whole, 0)}{mean}. {' '.join(parts)}"


def against_published(found: EmergenceResults, what: What) -> str:
    """Where the order of the bars differs from what others found; empty where it does not."""
    differing = disagreements(found.in_order(what))
    said = [
        f"{condition_title(little).lower()} below {condition_title(harmful).lower()}"
        for little, harmful in differing
    ]
    return f"Not as published: {', '.join(said)}." if said else ""


def sources() -> str:
    """The papers, and how far they compare."""
    known = {effect.source.short: effect.source for effect in PUBLISHED_EFFECTS.values()}
    papers = "; ".join(source.full for source in known.values())
    return (
        "Bars are the best layer at the end of training, dots seeds, lines 95 % intervals over "
        "seeds. What was published is of other, mostly larger, models and other scores: only the "
        f"direction compares; unless said, the order agrees with it. {papers}."
    )


def _names(names: list[str]) -> str:
    """Conditions in a list, single ones first, and how many more there are."""
    ordered = sorted(names, key=lambda name: name.count("+"))
    titles = ", ".join(condition_title(name).lower() for name in ordered[:NAMED])
    return f"{titles} and {len(names) - NAMED} more" if len(names) > NAMED else titles
