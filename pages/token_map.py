"""Where do translations meet? The layer scrubber."""

from functools import partial

import streamlit as st

from components.shared import background, frame, map_view
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
key, name = map_controls.scrubber_key(shown), beside.name(shown, options)
second = partial(beside.show, shown, options, other) if other else None
state, comparison = map_view.draw(data, view, key, name, second)
map_controls.remember(shown, data, state.view, options, other)
tour_editor.show(shown, data, state.view)
rogue_note(shown)
map_controls.explain(shown, token_map, round(state.layer))
if random is None:
    finding.offer_random(shown, options)
downloads.show(shown, token_map, data, state, comparison, st.context.theme.type or "light")
