"""Can a sentence find its translation? Retrieval, mapping, word alignment."""

import streamlit as st

from components.retrieval.language_panels import dictionary_panel, language_identity_panel
from components.retrieval.layer_geometry import layer_geometry_panel
from components.retrieval.model_pair import PAIR_LANGUAGES, model_pair_panel
from components.retrieval.panel import retrieval_panel
from components.retrieval.word_alignment import word_alignment_panel
from components.shared import charts, frame
from components.shared.read_only import is_read_only
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study
from components.shared.studies.rogue_note import rogue_note

frame.title(
    "Can a sentence find its translation?",
    "At every layer, each sentence looks for the nearest one in the other language. Where that is "
    "its translation, the two languages share a space.",
)
shown = study.sidebar()
if shown is None:
    st.stop()
coordinates.sidebar()

with st.sidebar:
    layer = charts.layer_slider(shown)
retrieval_panel(shown, layer)
rogue_note(shown)
st.divider()
word_alignment_panel(shown, layer)
st.divider()
language_identity_panel(shown, layer)
st.divider()
layer_geometry_panel(shown, layer)
if set(shown.languages) == PAIR_LANGUAGES:
    st.divider()
    model_pair_panel()
if not is_read_only():  # the dictionary is uploaded
    st.divider()
    dictionary_panel(shown, layer)
