"""What the adaptation page shows, chosen by widgets, clicks and the URL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import streamlit as st

from components.layer_scrubber import MapView, reported_state
from components.shared import map_view as map_address
from components.shared import query
from components.shared.layout import control_row
from components.shared.runs.run_panel import run_address
from isogloss.lab.adaptation.results import ANCHORS, DRIFT_MEASURES, AdaptationResults
from isogloss.lab.runs.run import Run

SCRUBBER = "adaptation-scrubber"
_REGIME, _STEP, _VIEW = (
    "adaptation-regime",
    "adaptation-step",
    "adaptation-map-view",
)
_MEASURE = query.Choice("measure", list(DRIFT_MEASURES), "distance")


@dataclass(frozen=True)
class Drift:
    """How drift is measured, and against what."""

    anchor: str
    measure: str


def choose_regime(found: AdaptationResults) -> str:
    """Show the regimes that have results; returns the one on show."""
    known = list(found.regimes)
    if st.session_state.get(_REGIME) not in known:
        st.session_state[_REGIME] = query.choice("regime", known, known[0])
    return cast(
        str,
        st.segmented_control(
            "Layers that learn",
            known,
            format_func=lambda name: found.regimes[name].regime.title,
            required=True,
            key=_REGIME,
            help="\n\n".join(
                f"**{each.regime.title}**: {each.regime.explanation}"
                for each in found.regimes.values()
            )
            + "\n\nThe embeddings stay as they are and what guesses tokens always learns, as in "
            "the paper, unless a run says otherwise.",
        ),
    )


def show_regime(name: str) -> None:
    """Turn to another regime, from a callback."""
    st.session_state[_REGIME] = name


def choose_drift(found: AdaptationResults) -> Drift:
    """Show how drift can be measured; a native model only where the run has one."""
    with control_row():
        measure = cast(
            str,
            st.segmented_control(
                "Measured by",
                list(DRIFT_MEASURES),
                format_func=lambda name: DRIFT_MEASURES[name].short,
                default=_MEASURE.read(),
                required=True,
                key="adaptation-measure",
                help="\n\n".join(
                    f"**{m.title}.** {m.explanation}" for m in DRIFT_MEASURES.values()
                ),
            ),
        )
        anchor = "before"
        if len(found.anchors) > 1:
            anchor = cast(
                str,
                st.segmented_control(
                    "Against",
                    found.anchors,
                    format_func=lambda name: ANCHORS[name].capitalize(),
                    default=query.choice("against", found.anchors, "before"),
                    required=True,
                    key="adaptation-anchor",
                ),
            )
    return Drift(anchor, measure)


def step_on_map(steps: tuple[int, ...]) -> int:
    """The step on the map: as left, else as the URL says, else the last; as a place in `steps`."""
    if _STEP not in st.session_state:
        st.session_state[_STEP] = int(
            query.choice("step", [str(step) for step in steps], str(steps[-1]))
        )
    return int(np.abs(np.array(steps) - st.session_state[_STEP]).argmin())


def go_to_step(step: float) -> None:
    """Move the map, from a callback, to the kept step nearest to this one."""
    st.session_state[_STEP] = round(step)


def map_view(stop: int, points: int) -> MapView:
    """How the map is looked at, as left in this session, else as the URL says; at a stop."""
    kept = cast(MapView, st.session_state.setdefault(_VIEW, map_address.asked(points)))
    return replace(kept, layer=float(stop))


def follow_scrubber(steps: tuple[int, ...]) -> None:
    """Take over what was done on the map, before the page is drawn again."""
    state = reported_state(SCRUBBER)
    if state is not None:
        st.session_state[_VIEW] = state.view
        go_to_step(steps[min(round(state.layer), len(steps) - 1)])


def write_address(
    run: Run, found: AdaptationResults, regime: str, drift: Drift, layer: int, step: int
) -> None:
    """Put all that is in view into the address bar."""
    kept: MapView | None = st.session_state.get(_VIEW)
    view = query.kept("color", "pins", "talk") if kept is None else map_address.written(kept)
    query.write(
        run=run_address(run),
        regime=query.blank_if_default(regime, next(iter(found.regimes))),
        **_MEASURE.written(drift.measure),
        against=query.blank_if_default(drift.anchor, "before"),
        layer=str(layer),
        step=str(step),
        **view,
    )
