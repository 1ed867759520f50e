"""Can English alone bring translations together? Sentence embeddings, before and after."""

import streamlit as st

from components.sentences.form import sentences_form
from components.sentences.panel import layer_panel, sentences_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.sentences.plan import SentencesPlan

frame.title(
    "Can English alone bring translations together?",
    "Train a model to compare English sentences and nothing else: do sentences of another language "
    "find their translations more often?",
)
run = run_panel.open_runs(SentencesPlan.KIND, "sentences", sentences_form)
if run is not None:
    with st.sidebar:
        layer_panel(run)
    sentences_panel(run)
    run_panel.more(run, "sentences", sentences_form)
