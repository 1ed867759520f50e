"""Two models that never met: does a rotation between them carry what one has learned?"""

from components.shared import frame
from components.shared.runs import run_panel
from components.two_models.form import two_models_form
from components.two_models.panel import two_models_panel
from isogloss.lab.two_models.plan import TwoModelsPlan

frame.title(
    "Can one map join two models?",
    "A network learns to tag English on top of an English model. A Chinese model, trained apart "
    "from it, is turned by one rotation into the English model's space, and the network reads on.",
)
run = run_panel.open_runs(TwoModelsPlan.KIND, "two-models", two_models_form)
if run is not None:
    two_models_panel(run)
    run_panel.run_facts(run)
