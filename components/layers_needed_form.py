"""What to re-initialise, on which data: the form that starts a run of re-initialised layers."""

from __future__ import annotations

from typing import cast

import streamlit as st

from components.layout import control_row
from components.nli_form import nli_form, show_data, time_needed
from components.panels import panel
from components.run_panel import start_button
from isogloss.costs import Part
from isogloss.reinitialisation import BLOCK_SETS, ReinitialisationPlan

_KEY = "layers-needed"
FIRST_BLOCKS = "thirds"
"""Few enough fine-tunings for a first look."""


@panel
def layers_needed_form() -> None:
    """Which layers to re-initialise, on which data; and the button that starts it."""
    with control_row():
        blocks = cast(
            str,
            st.segmented_control(
                "Re-initialise",
                list(BLOCK_SETS),
                format_func=lambda name: BLOCK_SETS[name].title,
                default=FIRST_BLOCKS,
                required=True,
                key=f"{_KEY}-blocks",
                help="\n\n".join(
                    f"**{each.title}**: {each.help}, each compared with the full model."
                    for each in BLOCK_SETS.values()
                ),
            ),
        )
        train_embeddings = st.toggle(
            "Train the embeddings, too",
            value=ReinitialisationPlan.train_embeddings,
            key=f"{_KEY}-embeddings",
            help="As Muller et al. do. They are most of a multilingual model's parameters, so on a "
            "CPU it takes longer.",
        )
    choice = nli_form(_KEY)
    if choice is None:
        return
    plan = ReinitialisationPlan(
        **choice.fields,
        blocks=blocks,
        n_layers=choice.n_layers,
        train_embeddings=train_embeddings,
    )
    show_data(plan)
    part = Part(plan.frozen, len(plan.units()))
    start_button(plan, lambda: time_needed(plan, lambda size, tokens: [part]), f"start-{_KEY}")
