"""What a run has to show of a condition, finished or under way: its scores and its words' map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from isogloss.lab.emergence.pictures import (
    Picture,
    WordMap,
    add_picture,
    map_name,
    picture_name,
    words_name,
)
from isogloss.lab.emergence.plan import EmergencePlan, emergence_unit
from isogloss.lab.emergence.results import Fit, read_fit
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.runs.run import Run


@dataclass(frozen=True, eq=False)
class UnderWay:
    """What a unit has shown before it was finished; `looks` are as results have them."""

    looks: tuple[Mapping[str, Any], ...]
    map: WordMap

    @property
    def fit(self) -> Fit:
        """The scores so far."""
        return read_fit({"looks": self.looks, "chance": self.map.words.chance})


def plan_of(run: Run) -> EmergencePlan:
    """The plan of a run of this kind."""
    return cast(EmergencePlan, run.plan)


def shown_unit(plan: EmergencePlan, condition: str) -> str:
    """The unit of a condition that is kept for the map: that of the first seed."""
    return emergence_unit(condition, plan.seeds[0])


def finished_map(run: Run, condition: str) -> WordMap | None:
    """The map of a condition whose first seed is finished, if it kept one."""
    return run.kept_as(map_name(shown_unit(plan_of(run), condition)), WordMap.from_arrays)


def has_begun(run: Run, condition: str) -> bool:
    """Whether a condition's first seed, which is not finished, has shown something."""
    plan = plan_of(run)
    unit = shown_unit(plan, condition)
    return run.has_kept(words_name(unit)) and run.has_kept(picture_name(unit, 0))


def next_look(run: Run, condition: str, before: UnderWay | None) -> UnderWay | None:
    """What is known of a unit with the next look that it has kept; None if there is none yet."""
    plan = plan_of(run)
    unit = shown_unit(plan, condition)
    steps = plan.look_steps()
    number = len(before.looks) if before is not None else 0
    if number == len(steps):
        return None
    picture = run.kept_as(picture_name(unit, steps[number]), Picture.from_arrays)
    if before is None:
        words = run.kept_as(words_name(unit), ShownWords.from_arrays)
    else:
        words = before.map.words
    if picture is None or words is None:
        return None
    known = None if before is None else before.map
    grown = add_picture(known, words, steps[number], picture.states)
    return UnderWay((*(before.looks if before else ()), picture.look), grown)
