"""Two models that never met: does a rotation between them carry what one has learned?"""

import streamlit as st

from components.shared import frame
from components.shared.runs import run_panel
from components.two_models.form import two_models_form
from components.two_models.panel import layer_panel, two_models_panel
from isogloss.lab.two_models.plan import TwoModelsPlan

frame.title(
    "Can one map join two models?",
    "Rotate a Chinese model into an English one's space: what learned English there reads on.",
)
run = run_panel.open_runs(TwoModelsPlan.KIND, "two-models", two_models_form)
if run is not None:
    with st.sidebar:
        layer_panel(run)
    two_models_panel(run)
    run_panel.more(run, "two-models", two_models_form)
