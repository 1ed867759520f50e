"""What a run of two models shows, in sentences that follow from its figures alone."""

from __future__ import annotations

from dataclasses import dataclass

from components.shared.markdown import language_name
from isogloss.formatting import percent, points
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.results import TwoModelsResults
from isogloss.lab.two_models.tasks import TASKS
from isogloss.measures.uncertainty import LEVEL, Estimate

SHOWN = ("shuffled", "random", "mapped", "bilingual", "target")


def verdict(found: TwoModelsResults, task: str, measure: str) -> str:
    """Does a map join the two models, and at which layer best?"""
    target = language_name(found.plan.target_language)
    gain = found.difference(task, measure, "mapped", "shuffled")
    best = found.best_layer(task, measure)
    if gain.n < 2:
        return (
            f"With one seed there is no interval; through the map {target} is read best at layer "
            f"{best}."
        )
    if not gain.above_zero:
        return f"This run does not show that a map helps to read {target}."
    if not found.difference(task, measure, "mapped", "random").above_zero:
        return (
            f"Through the map {target} is read better than by chance, but no better than by a "
            "random encoder: what the map carries may be which word is which, and no more."
        )
    return (
        f"Two models that never met can be joined by a rotation: {target} is read above the floor "
        f"and above a random encoder, best at layer {best}, {_where(best, found.plan.n_layers)}."
    )


def _where(layer: int, n_layers: int) -> str:
    share = layer / n_layers
    if share < 0.25:
        return "at the bottom"
    return "at the top" if share > 0.8 else "in the middle"


def figures(found: TwoModelsResults, task: str, measure: str) -> str:
    """The figures behind the verdict, of the set-ups that it compares, each at its best layer."""
    parts = []
    for setup in (name for name in SHOWN if name in found.setups(task)):
        layer = found.best_layer(task, measure, setup)
        line = found.line(task, measure, setup)
        value = float(line.mean[list(line.places).index(layer)])
        parts.append(f"{SETUPS[setup].title.lower()} {percent(value)} (layer {layer})")
    said = f"{TASKS[task].measures[measure]}, each at its best layer: {'; '.join(parts)}."
    recovered = found.recovered(task, measure)
    if recovered is None:
        return said
    return f"{said} The map goes {_share(recovered)} of the way from the floor to the ceiling."


def _share(value: Estimate) -> str:
    said = percent(value.mean, 0)
    if not value.has_interval:
        return said
    return f"{said} ({percent(LEVEL, 0)}: {percent(value.low, 0)} to {percent(value.high, 0)})"


@dataclass(frozen=True)
class Claim:
    """One finding of the paper beside what a run has for it."""

    about: str
    paper: str
    here: str


IN_PAPER = ("parsing", "entities")
_UNTOLD = "not measured"


def against_paper(found: TwoModelsResults) -> list[Claim]:
    """What the paper found and what this run has, claim by claim."""
    said = []
    for task in found.tasks:
        measure = next(iter(TASKS[task].measures))
        best, title = found.best_layer(task, measure), TASKS[task].title
        said.append(
            Claim(
                f"{title}: the best layer to map",
                "in the middle, not the last" if task in IN_PAPER else _UNTOLD,
                f"layer {best} of {found.plan.n_layers}, {_where(best, found.plan.n_layers)}",
            )
        )
    for task in (task for task in found.tasks if "bilingual" in found.setups(task)):
        gap = found.difference(task, next(iter(TASKS[task].measures)), "bilingual", "mapped")
        said.append(
            Claim(
                f"{TASKS[task].title}: one bilingual model against two that are mapped",
                "ahead, but for one pair of languages" if task in IN_PAPER else _UNTOLD,
                _told(gap, f"{points(abs(gap.mean))} points {_side(gap)}"),
            )
        )
    if all("bilingual" in found.setups(task) for task in IN_PAPER):
        said.append(_easier(found))
    return said


def _easier(found: TwoModelsResults) -> Claim:
    """Which of the paper's two tasks loses less to the bilingual model by being mapped."""
    parsing, entities = IN_PAPER
    wider = found.wider_gap(entities, parsing)
    names = {task: TASKS[task].title.lower() for task in IN_PAPER}
    easier = names[parsing if wider.mean > 0 else entities]
    here = _told(wider, f"{easier}, by {points(abs(wider.mean))} points")
    return Claim(
        "Which is easier to map: by how much less it lags behind the bilingual model",
        names[parsing],
        here,
    )


def _side(gap: Estimate) -> str:
    return "ahead" if gap.mean > 0 else "behind"


def _told(value: Estimate, said: str) -> str:
    """What is said of a difference, with its interval, and whether that leaves it open."""
    if not value.has_interval:
        return f"{said} (one seed)"
    if not (value.above_zero or value.below_zero):
        return f"seeds do not tell: {points(value.mean)} points ({_ends(value.low, value.high)})"
    return f"{said} ({_ends(*sorted((abs(value.low), abs(value.high))))})"


def _ends(low: float, high: float) -> str:
    return f"{percent(LEVEL, 0)}: {points(low)} to {points(high)}"
