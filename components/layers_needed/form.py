"""What to re-initialise, on which data: the form that starts a run of re-initialised layers."""

from __future__ import annotations

from components.shared.layout import control_row
from components.shared.panels import panel
from components.shared.runs.nli_form import nli_form, offer
from components.shared.runs.option_widgets import option_buttons, option_widget
from isogloss.lab.layers_needed.plan import LayersNeededPlan

_KEY = "layers-needed"


@panel
def layers_needed_form() -> None:
    """Which layers to re-initialise, on which data; and the button that starts it."""
    with control_row():
        blocks = option_buttons(LayersNeededPlan, "blocks", _KEY)
        train_embeddings = option_widget(LayersNeededPlan, "train_embeddings", _KEY)
    choice = nli_form(_KEY)
    if choice is None:
        return
    plan = LayersNeededPlan.suited(
        choice.n_layers, blocks=blocks, train_embeddings=train_embeddings, **choice.fields
    )
    offer(plan, _KEY)
