"""The layer that a page of runs marks, and its slider, which stands where all pages have theirs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.shared import charts, query
from isogloss.lab.runs.run import Run


def current(run: Run, known: Sequence[int], first: int) -> int:
    """The layer on show: as left in this session, else as the link says, else `first`."""
    key = _key(run)
    if st.session_state.get(key) not in known:
        st.session_state[key] = query.choice("layer", known, first)
    return int(st.session_state[key])


def move(run: Run, layer: int) -> None:
    """Show another layer, from a callback; the slider, outside of the panel, follows at once."""
    st.session_state[_key(run)] = layer
    charts.redraw_page()


def slider(run: Run, known: Sequence[int], first: int, about: str = "") -> None:
    """The slider, for the sidebar; a model of which one layer was measured needs none."""
    layer = current(run, known, first)
    if len(known) < 2:
        return
    key = f"{_key(run)}-slider"
    st.session_state[key] = layer
    st.select_slider(
        "Layer",
        known,
        key=key,
        on_change=lambda: move(run, st.session_state[key]),
        help="0 is the embedding output, a higher number the output of that block. "
        f"{about} Clicking on a chart of layers moves it, too.".replace("  ", " "),
    )


def _key(run: Run) -> str:
    return f"layer-{run.id}"
