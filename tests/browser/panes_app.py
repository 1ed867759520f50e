"""A throw-away Streamlit page with two scrubbers on one text, of 12 and of 18 layers."""

from __future__ import annotations

import streamlit as st
from synthetic_map import synthetic_map

from components.layer_scrubber import MapView, layer_scrubber

st.set_page_config(layout="wide")
alone = st.checkbox("No second map")
left, right = st.columns(2)
with left:
    view = MapView(layer=8, pins=(1,))
    state = layer_scrubber(
        synthetic_map(300), view, height=620, pane="first", name="One", key="left"
    )
if not alone:
    other = synthetic_map(300, stops=19, seed=5)
    with right:
        layer_scrubber(other, MapView(), height=620, pane="second", name="Other", key="right")
st.text(f"layer={state.layer:g} pins={list(state.view.pins)} selected={len(state.selection)}")
st.text(f"talk={state.view.talk}")
