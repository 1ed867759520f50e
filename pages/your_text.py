"""Bring your own text: upload, check, inspect, extract."""

import streamlit as st

from components.shared import frame
from components.shared.read_only import is_read_only, say_read_only
from components.shared.studies import study_picker as study
from components.your_text import extraction, own_vectors
from components.your_text import text_input as text_input
from components.your_text.preview import preview

frame.title(
    "Bring your own text",
    "Any parallel text becomes a study, which every page can show.",
)
study.sidebar()
if is_read_only():
    say_read_only()
    st.stop()
given = text_input.ask()
result = text_input.read(given) if given is not None else None
if result is None:
    st.stop()
preview(result)
if own_vectors.has_vectors():
    own_vectors.import_form(result.text)
    st.stop()
# What is said of the model comes below the button, so that the button keeps its place.
choice, action, facts = st.container(), st.container(), st.container()
with choice:
    extraction.show_readers(result.text, study.set_study)
    model = extraction.choose_model(facts=facts)
if model is not None:
    with action:
        extraction.extract_button(model, result.text, study.set_study)
    with facts:
        extraction.show_tokenisation(model, result.text)
