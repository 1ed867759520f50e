"""What the adaptation page shows, chosen by widgets, clicks and the URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import streamlit as st

from components.shared import query
from components.shared.layout import control_row
from components.shared.map_view import KeptView
from components.shared.runs.run_panel import run_address
from components.shared.settings import setting_widget
from isogloss.lab.adaptation.results import ANCHORS, DRIFT_MEASURES, AdaptationResults
from isogloss.lab.runs.run import Run
from isogloss.options import Option, option, options_of, titled, to_query

MAP = KeptView("adaptation")
_REGIME, _STEP = "adaptation-regime", "adaptation-step"


_ANCHORS = {name: title.capitalize() for name, title in ANCHORS.items()}


@dataclass(frozen=True)
class AdaptationView:
    """Which regime is on show, and how the drift of its layers is measured, and against what."""

    regime: str = option(
        "",
        "The embeddings stay as they are and what guesses tokens always learns, as in the paper, "
        "unless a run says otherwise.",
        title="Layers that learn",
    )
    measure: str = option("distance", "", title="Measured by", choices=DRIFT_MEASURES)
    anchor: str = option("before", "", title="Against", address="against", choices=titled(_ANCHORS))


_SETTINGS = options_of(AdaptationView)


def choose_regime(found: AdaptationResults) -> str:
    """Show the regimes that have results; returns the one on show."""
    return cast(str, setting_widget(_regime(found), "adaptation", buttons=True))


def _regime(found: AdaptationResults) -> Option:
    """The regimes of a run, the first by default."""
    regimes = {name: each.regime for name, each in found.regimes.items()}
    return _SETTINGS["regime"].but(choices=regimes, default=next(iter(regimes)))


def show_regime(name: str) -> None:
    """Turn to another regime, from a callback."""
    st.session_state[_REGIME] = name


def choose_drift(found: AdaptationResults, regime: str) -> AdaptationView:
    """Show how drift can be measured; a native model only where the run has one."""
    with control_row():
        measure = setting_widget(_SETTINGS["measure"], "adaptation", buttons=True)
        anchor = _SETTINGS["anchor"].default
        if len(found.anchors) > 1:
            anchor = setting_widget(_SETTINGS["anchor"], "adaptation", buttons=True)
    return AdaptationView(regime, measure, anchor)


def step_on_map(steps: tuple[int, ...]) -> int:
    """The step on the map: as left, else as the URL says, else the last; as a place in `steps`."""
    if _STEP not in st.session_state:
        st.session_state[_STEP] = query.choice("step", steps, steps[-1])
    return int(np.abs(np.array(steps) - st.session_state[_STEP]).argmin())


def go_to_step(step: float) -> None:
    """Move the map, from a callback, to the kept step nearest to this one."""
    st.session_state[_STEP] = round(step)


def follow_scrubber(steps: tuple[int, ...]) -> None:
    """Take over what was done on the map, before the page is drawn again."""
    stop = MAP.follow()
    if stop is not None:
        go_to_step(steps[min(stop, len(steps) - 1)])


def write_address(
    run: Run, found: AdaptationResults, shown: AdaptationView, layer: int, step: int
) -> None:
    """Put all that is in view into the address bar."""
    cursors = {"layer": str(layer), "step": str(step)}
    query.write(
        run=run_address(run),
        **cursors | to_query(shown) | _regime(found).written(shown.regime) | MAP.written(),
    )
