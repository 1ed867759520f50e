"""Where do translations meet? The layer scrubber."""

from functools import partial

import streamlit as st

from components import frame, loading, map_controls, study, takeaway
from components.layer_scrubber import layer_scrubber
from components.map_data import scrubber_data
from isogloss.token_maps import make_map

frame.title(
    "Where do translations meet?",
    "Every mark is a word, every line joins it to its translation. "
    "Drag through the layers and watch two languages find each other.",
)
shown = study.sidebar()
if shown is None:
    st.stop()

options = map_controls.options(shown)
token_map = loading.stored_map(shown.key, options)
if token_map is None:
    loading.in_background(
        ("map", shown.key, options),
        "Laying out the map",
        partial(make_map, shown, loading.the_store(), options),
    )
    st.stop()

view = map_controls.view(shown)
data = scrubber_data(shown, token_map)
state = layer_scrubber(
    data,
    layer=view.layer,
    pins=view.pins,
    color_by=view.color_by,
    links=view.links,
    labels=view.labels,
    talk=view.talk,
    height=640,
    key=f"scrubber-{shown.key}",
)
map_controls.remember(shown, state, options)
map_controls.explain(token_map, round(state.layer))
takeaway.offer(shown, token_map, data, state, st.context.theme.type or "light")
