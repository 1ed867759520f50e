"""What a condition of a run has to show: finished, or as far as its training has come."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import streamlit as st

from components.shared import loading
from components.shared.task_list import ACTIVE
from isogloss.lab.emergence.pictures import WordMap
from isogloss.lab.emergence.results import EmergenceResults, Fit, read_emergence
from isogloss.lab.emergence.watching import (
    UnderWay,
    finished_map,
    has_begun,
    next_look,
    plan_of,
)
from isogloss.lab.runs.run import Run


@dataclass(frozen=True, eq=False)
class Shown:
    """A condition on show: its first seed's scores and map; a run of old may have kept no map."""

    condition: str
    fit: Fit
    map: WordMap | None
    finished: bool


@dataclass(eq=False)
class _Growing:
    """What has been read of a unit under way, shared by all who look at it."""

    known: UnderWay | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def is_to_show(run: Run) -> bool:
    """Whether a run has something to show, or will have soon: one at work is shown at once."""
    return bool(run.results()) or run.state in ACTIVE


def results_of(run: Run) -> EmergenceResults:
    """What the run has finished so far."""
    return loading.findings(run, read_emergence)


def conditions_to_show(run: Run) -> tuple[str, ...]:
    """The conditions whose first seed is finished or has begun, in the order of the plan."""
    plan, found = plan_of(run), results_of(run)
    return tuple(
        name
        for name in plan.conditions
        if (name, plan.seeds[0]) in found.fits or has_begun(run, name)
    )


def show_condition(run: Run, condition: str) -> Shown | None:
    """Scores and map of a condition; only what is new since the last time is read."""
    plan = plan_of(run)
    fit = results_of(run).fits.get((condition, plan.seeds[0]))
    if fit is not None:
        return Shown(condition, fit, _map_of(str(run.path), condition, run), finished=True)
    growing = _growing(str(run.path), condition)
    with growing.lock:
        while (more := next_look(run, condition, growing.known)) is not None:
            growing.known = more
        known = growing.known
    return None if known is None else Shown(condition, known.fit, known.map, finished=False)


@st.cache_resource(show_spinner=False, max_entries=32)
def _map_of(path: str, condition: str, _run: Run) -> WordMap | None:
    return finished_map(_run, condition)


@st.cache_resource(show_spinner=False, max_entries=32)
def _growing(path: str, condition: str) -> _Growing:
    return _Growing()
