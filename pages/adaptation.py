"""What does one language cost the others? Train on one; see what moves and is forgotten."""

import streamlit as st

from components.adaptation.form import adaptation_form
from components.adaptation.panel import adaptation_panel, layer_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.adaptation.plan import AdaptationPlan

frame.title(
    "What does one language cost the others?",
    "Train a multilingual model further on one language, with all of its layers or some: it learns "
    "that one, forgets others, and moves.",
)
run = run_panel.open_runs(AdaptationPlan.KIND, "adaptation", adaptation_form)
if run is not None:
    with st.sidebar:
        layer_panel(run)
    adaptation_panel(run)
    run_panel.more(run, "adaptation", adaptation_form)
