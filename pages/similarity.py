"""Which layers say the same thing? Heatmaps of similarity between layers."""

import streamlit as st

from components import charts, frame, study
from components.similarity_panel import similarity_panel

shown = study.sidebar()
frame.title(
    "Which layers say the same thing?",
    "Each cell compares one layer's picture of the text with another's: do the same sentences look "
    "alike on both sides? Click a cell to see which pairs agree and which do not.",
)
if shown is None:
    st.stop()

with st.sidebar:
    charts.layer_slider(shown)
similarity_panel(shown)
