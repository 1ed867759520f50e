"""Which layers carry the transfer? Forget some, fine-tune on English, test elsewhere."""

from components.layers_needed.form import layers_needed_form
from components.layers_needed.panel import layers_needed_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.layers_needed.plan import LayersNeededPlan

frame.title(
    "Which layers carry the transfer?",
    "Let some layers forget, fine-tune on one language, test on others: what is lost was in those "
    "layers.",
)
run = run_panel.open_runs(LayersNeededPlan.KIND, "layers-needed", layers_needed_form)
if run is not None:
    layers_needed_panel(run)
    run_panel.more(run, "layers-needed", layers_needed_form)
