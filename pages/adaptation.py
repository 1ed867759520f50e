"""What does one language cost the others? Train on one; see what moves and is forgotten."""

from components.adaptation.form import adaptation_form
from components.adaptation.panel import adaptation_panel
from components.shared import frame
from components.shared.runs import run_panel
from isogloss.lab.adaptation.plan import AdaptationPlan

frame.title(
    "What does one language cost the others?",
    "Train a multilingual model further on text in one language, with all of its layers or with "
    "some, and watch it learn that language, forget the others, and move.",
)
run = run_panel.open_runs(AdaptationPlan.KIND, "adaptation", adaptation_form)
if run is not None:
    adaptation_panel(run)
    run_panel.run_facts(run)
