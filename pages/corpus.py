"""Bring your own text: upload, check, inspect, extract."""

import streamlit as st

from components import corpus_input, extraction, frame, study
from components.corpus_preview import preview

frame.title(
    "Bring your own text",
    "Any parallel text in two languages becomes a study: its activations are extracted once, "
    "and every page can show it.",
)
study.sidebar()
given = corpus_input.ask()
result = corpus_input.read(given) if given is not None else None
if result is None:
    st.stop()
preview(result)
model = extraction.choose_model()
if model is not None:
    extraction.outlook(model, result.corpus)
    extraction.extract_button(model, result.corpus)
