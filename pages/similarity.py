"""Which layers say the same thing? Heatmaps of similarity between layers."""

import streamlit as st

from components.shared import charts, frame
from components.shared.studies import study_picker
from components.similarity.panel import similarity_panel

frame.title(
    "Which layers say the same thing?",
    "Each cell compares one layer's picture of the text with another's: do the same sentences look "
    "alike on both sides? Click a cell to see which pairs agree and which do not.",
)
shown = study_picker.on_show()

with st.sidebar:
    charts.layer_slider(shown)
similarity_panel(shown)
