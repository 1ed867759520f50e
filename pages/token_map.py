"""Where do translations meet? The layer scrubber."""

import streamlit as st

from components.layer_scrubber import Pane, layer_scrubber
from components.shared import background, frame
from components.shared.layout import control_row
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study
from components.shared.studies.rogue_note import rogue_note
from components.token_map import beside, downloads, so_far, tour_editor
from components.token_map import controls as map_controls
from isogloss.map.data import scrubber_data

heading, settings = st.columns([3, 1.7], vertical_alignment="bottom")
with heading:
    frame.title(
        "Where do translations meet?",
        "Every mark is a word; lines join words to their translations or, where none are known, to "
        "their nearest. Drag through the layers and watch two languages find each other.",
    )
shown = study.sidebar()
if shown is None:
    st.stop()
coordinates.sidebar()

with settings, control_row():
    other = beside.choose(shown)
    options = map_controls.options(shown)
token_map = background.map_of(shown, options)
if token_map is None:
    so_far.show(shown, options)
    st.stop()

data = scrubber_data(shown, token_map)
view = map_controls.view(shown, data)
with beside.pane(shown, options, other):
    pane: Pane = "first" if other else ""
    state = layer_scrubber(data, view, pane=pane, key=map_controls.scrubber_key(shown))
map_controls.remember(shown, data, state.view, options, other)
tour_editor.show(shown, data, state.view)
rogue_note(shown)
map_controls.explain(shown, token_map, round(state.layer))
downloads.show(shown, token_map, data, state, st.context.theme.type or "light")
