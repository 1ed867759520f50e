"""Can a sentence find its translation? Retrieval, mapping, word alignment."""

import streamlit as st

from components import charts, frame, study
from components.language_panels import dictionary_panel, language_identity_panel
from components.retrieval_panel import retrieval_panel
from components.word_alignment_panel import word_alignment_panel

shown = study.sidebar()
frame.title(
    "Can a sentence find its translation?",
    "At every layer, each sentence looks for the nearest one in the other language. Where that is "
    "its translation, the two languages share a space.",
)
if shown is None:
    st.stop()

with st.sidebar:
    layer = charts.layer_slider(shown)
retrieval_panel(shown, layer)
st.divider()
word_alignment_panel(shown, layer)
st.divider()
language_identity_panel(shown, layer)
st.divider()
dictionary_panel(shown, layer)
