"""A large map while it is laid out: the layers that are there, to be looked at meanwhile."""

from __future__ import annotations

import streamlit as st

from components.layer_scrubber import MapView, layer_scrubber, reported_state
from components.shared import background
from isogloss.map.data import data_so_far
from isogloss.map.maps import MapOptions
from isogloss.studies.study import Study

_LAYER = "layer-so-far"


def show(study: Study, options: MapOptions) -> None:
    """Show the fitted layers of the map under way, if there are any; the layer on show stays."""
    so_far = background.map_so_far(study, options)
    if so_far is None:
        return
    first, count = so_far.fitted.first, len(so_far.fitted.coordinates)
    key = f"so-far-{study.key}-{count}"
    seen = reported_state(key)
    wanted = (
        st.session_state.get(_LAYER, study.n_states // 2) if seen is None else first + seen.layer
    )
    st.session_state[_LAYER] = wanted
    stop = min(max(wanted - first, 0), count - 1)
    layer_scrubber(data_so_far(study, so_far), MapView(layer=float(stop)), key=key)
    st.caption(f"{count} of {study.n_states} layers so far; scores come with the last.")
