"""Where do translations meet? The layer scrubber."""

import streamlit as st

from components.layer_scrubber import layer_scrubber
from components.shared import background, frame
from components.shared.studies import study_picker
from components.shared.studies.rogue_note import rogue_note
from components.token_map import beside, chips, downloads, finding, so_far, tour_editor
from components.token_map import controls as map_controls
from isogloss.map.data import scrubber_data

frame.title("Where do translations meet?")
found = st.empty()
shown = study_picker.on_show()

with st.container(key="chips", horizontal=True, vertical_alignment="center", gap="small"):
    chips.show(shown)
    st.space("stretch")
    other = beside.choose(shown)
    options = map_controls.options(shown)
token_map = background.map_of(shown, options)
if token_map is None:
    found.markdown(finding.LEAD)
    so_far.show(shown, options)
    st.stop()

random = finding.kept_random(shown, options)
finding.show(found, shown, token_map, random)
so_far.remember(shown, options)
data = scrubber_data(shown, token_map, random)
view = map_controls.view(shown, data)
key = map_controls.scrubber_key(shown)
comparison = None
if other is None:
    state = layer_scrubber(data, view, key=key)
else:
    left, right = st.columns(2)
    with left:
        name = beside.name(shown, options)
        state = layer_scrubber(data, view, pane="first", name=name, key=key)
    with right:
        comparison = beside.show(shown, options, other)
map_controls.remember(shown, data, state.view, options, other)
tour_editor.show(shown, data, state.view)
rogue_note(shown)
map_controls.explain(shown, token_map, round(state.layer))
if random is None:
    finding.offer_random(shown, options)
downloads.show(shown, token_map, data, state, comparison, st.context.theme.type or "light")
