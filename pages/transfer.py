"""What does freezing buy? Accuracy in a language never trained on, against frozen layers."""

import streamlit as st

from components.shared import frame, loading
from components.shared.runs import run_panel
from components.shared.studies import study_picker as study
from components.transfer.form import transfer_form
from components.transfer.panel import layer_slider, transfer_panel
from isogloss.lab.transfer.alignment import study_beside
from isogloss.lab.transfer.plan import TransferPlan

frame.title(
    "What does freezing buy?",
    "Freeze the first N layers, train the rest on English inferences, test in other languages.",
)
study.sidebar()
run = run_panel.open_runs(TransferPlan.KIND, "transfer", transfer_form)
if run is None:
    st.stop()

aligned = study_beside(run, loading.studies())
with st.sidebar:
    layer = layer_slider(run, aligned)
transfer_panel(run, aligned, layer)
run_panel.more(run, "transfer", transfer_form)
