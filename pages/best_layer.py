"""At which layer do two languages align best, and is it better than the others?"""

import streamlit as st

from components.best_layer import details
from components.best_layer.details import detail
from components.best_layer.language_panels import dictionary_panel, language_identity_panel
from components.best_layer.layer_geometry import layer_geometry_panel
from components.best_layer.model_pair import PAIR_LANGUAGES, model_pair_panel
from components.best_layer.panel import best_layer_panel
from components.best_layer.sentences import sentences_panel
from components.best_layer.word_alignment import word_alignment_panel
from components.shared import charts, frame
from components.shared.read_only import is_read_only
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study

frame.title(
    "Which layer is best?",
    "Where do the two languages align best, and is that layer better than the others?",
)
shown = study.sidebar()
if shown is None:
    st.stop()
coordinates.sidebar()

with st.sidebar:
    layer = charts.layer_slider(shown)
best_layer_panel(shown, layer)
with detail(details.SENTENCES) as opened:
    if opened:
        sentences_panel(shown, layer)
with detail(details.ALIGNMENT) as opened:
    if opened:
        word_alignment_panel(shown, layer)
with detail(details.LANGUAGE) as opened:
    if opened:
        language_identity_panel(shown, layer)
with detail(details.SPACE) as opened:
    if opened:
        layer_geometry_panel(shown, layer)
if set(shown.languages) == PAIR_LANGUAGES:
    with detail(details.TWO_MODELS) as opened:
        if opened:
            model_pair_panel()
if not is_read_only():  # the dictionary is uploaded
    with detail(details.DICTIONARY) as opened:
        if opened:
            dictionary_panel(shown, layer)
