"""What does freezing buy? Accuracy in a language never trained on, against frozen layers."""

import streamlit as st

from components import charts, frame, run_panel, study
from components.sweep_form import sweep_form
from components.transfer_alignment import study_of
from components.transfer_panel import transfer_panel
from isogloss.transfer import SweepPlan

shown = study.sidebar()
frame.title(
    "What does freezing buy?",
    "Freeze the first N layers, teach the rest in English whether one sentence follows from "
    "another, and test in other languages.",
)
run = run_panel.open_runs(SweepPlan.KIND, "sweep", sweep_form)
if run is None:
    st.stop()

aligned = study_of(run, shown)
with st.sidebar:
    layer = charts.layer_slider(aligned) if aligned else None
transfer_panel(run, aligned, layer)
run_panel.run_facts(run)
