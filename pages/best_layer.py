"""At which layer do two languages align best, and is it better than the others?"""

import streamlit as st

from components.best_layer import details
from components.best_layer.panel import best_layer_panel
from components.best_layer.sentences import sentences_panel
from components.best_layer.small_panels import (
    PAIR_LANGUAGES,
    dictionary_panel,
    language_identity_panel,
    layer_geometry_panel,
    model_pair_panel,
)
from components.best_layer.word_alignment import word_alignment_panel
from components.shared import charts, frame
from components.shared.read_only import is_read_only
from components.shared.studies import study_picker

frame.title(
    "Which layer is best?",
    "Where do the two languages align best, and is that layer better than the others?",
)
shown = study_picker.on_show()

with st.sidebar:
    layer = charts.layer_slider(shown)
best_layer_panel(shown, layer)
details.show(details.SENTENCES, sentences_panel, shown, layer)
details.show(details.ALIGNMENT, word_alignment_panel, shown, layer)
details.show(details.LANGUAGE, language_identity_panel, shown, layer)
details.show(details.SPACE, layer_geometry_panel, shown, layer)
if set(shown.languages) == PAIR_LANGUAGES:
    details.show(details.TWO_MODELS, model_pair_panel)
if not is_read_only():  # the dictionary is uploaded
    details.show(details.DICTIONARY, dictionary_panel, shown, layer)
