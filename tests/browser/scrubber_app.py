"""A throw-away Streamlit page with one scrubber; the environment chooses the map."""

from __future__ import annotations

import os

import streamlit as st
from hostile_map import hostile_map
from synthetic_map import synthetic_map

from components.layer_scrubber import MapView, layer_scrubber, reported_state

st.set_page_config(layout="wide")
hostile = "hostile" in st.query_params
data = hostile_map() if hostile else synthetic_map(int(os.environ.get("POINTS", "600")))


def remember() -> None:
    state = reported_state("map")
    assert state
    st.query_params["layer"] = f"{state.layer:g}"
    st.query_params["pin"] = [str(pin) for pin in state.view.pins]
    st.query_params["talk"] = str(int(state.view.talk))


if st.sidebar.button("Go to layer 3"):
    st.query_params["layer"] = "3"
state = layer_scrubber(
    data,
    MapView(
        layer=float(st.query_params.get("layer", 0)),
        pins=tuple(int(pin) for pin in st.query_params.get_all("pin")),
        talk=st.query_params.get("talk") == "1",
    ),
    height=640,
    key="map",
    on_change=remember,
)
st.text(
    f"layer={state.layer:g} pins={list(state.view.pins)} talk={state.view.talk} "
    f"selected={len(state.selection)} color={state.view.color_by} links={state.view.links}"
)
