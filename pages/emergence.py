"""Why do two languages meet? Learned from nothing, one thing taken away, and watched."""

import streamlit as st

from components.emergence.controls import BEGINNING_TITLES, choose_beginning
from components.emergence.form import emergence_form
from components.emergence.live import is_to_show
from components.emergence.panel import emergence_panel
from components.emergence.recorded.panel import training_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.emergence.plan import EmergencePlan

heading, switch = st.columns([3, 1.5], vertical_alignment="bottom")
with switch:
    begins = choose_beginning()
with heading:
    frame.title(*BEGINNING_TITLES[begins])
if begins == "encoder":
    training_panel()
elif run := run_panel.open_runs(EmergencePlan.KIND, "emergence", emergence_form, is_to_show):
    emergence_panel(run)
    run_panel.more(run, "emergence", emergence_form)
