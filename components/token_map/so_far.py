"""A map while it is laid out: the layers that are there, else the picture from before, greyed."""

from __future__ import annotations

import streamlit as st

from components.layer_scrubber import MapView, layer_scrubber, reported_state
from components.shared import background, loading
from components.token_map import controls
from isogloss.map.data import data_so_far, scrubber_data
from isogloss.map.maps import MapOptions
from isogloss.studies.study import Study

_LAYER = "layer-so-far"
_BEFORE = "map-before"
_GREYED = """<style>
.st-key-map-before { opacity: .35; filter: grayscale(1); pointer-events: none; }
</style>"""


def remember(study: Study, options: MapOptions) -> None:
    """Keep which map of a study is on show, for the time in which the next one is laid out."""
    st.session_state[f"{_BEFORE}-{study.key}"] = options


def show(study: Study, options: MapOptions) -> None:
    """Show the fitted layers of the map under way, if there are any; the layer on show stays.

    Until there are, the map that was on show before stays in its place, greyed.
    """
    so_far = background.map_so_far(study, options)
    if so_far is None:
        _show_before(study)
        return
    first, count = so_far.fitted.first, len(so_far.fitted.positions)
    key = f"so-far-{study.key}-{count}"
    seen = reported_state(key)
    wanted = (
        st.session_state.get(_LAYER, study.n_states // 2) if seen is None else first + seen.layer
    )
    st.session_state[_LAYER] = wanted
    stop = min(max(wanted - first, 0), count - 1)
    layer_scrubber(data_so_far(study, so_far), MapView(layer=float(stop)), key=key)
    st.caption(f"{count} of {study.n_states} layers so far; scores come with the last.")


def _show_before(study: Study) -> None:
    before: MapOptions | None = st.session_state.get(f"{_BEFORE}-{study.key}")
    token_map = None if before is None else loading.stored_map(study.key, before)
    if token_map is None:
        return
    data = scrubber_data(study, token_map)
    st.html(_GREYED)
    with st.container(key=_BEFORE):
        layer_scrubber(data, controls.view(study, data), key=f"{_BEFORE}-{study.key}-scrubber")
