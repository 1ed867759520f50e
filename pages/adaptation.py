"""What does one language cost the others? Train on one; see what moves and is forgotten."""

from components import frame, run_panel
from components.adaptation_form import adaptation_form
from components.adaptation_panel import adaptation_panel
from isogloss.adaptation import AdaptationPlan

frame.title(
    "What does one language cost the others?",
    "Train a multilingual model further on text in one language, with all of its layers or with "
    "some, and watch it learn that language, forget the others, and move.",
)
run = run_panel.open_runs(AdaptationPlan.KIND, "adaptation", adaptation_form)
if run is not None:
    adaptation_panel(run)
    run_panel.run_facts(run)
