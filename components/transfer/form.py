"""The form that starts a run of Transfer."""

from __future__ import annotations

import streamlit as st

from components.shared.panels import panel
from components.shared.runs.nli_form import nli_form, offer
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.lab.transfer.plan import TransferPlan, first_frozen
from isogloss.options import options_of


@panel
def transfer_form() -> None:
    """Which N, on which data; and the button that starts it."""
    choice = nli_form("transfer")
    if choice is None:
        return
    meanings = {-1: "train all", 0: "embeddings", choice.n_layers: "head only"}
    every = range(-1, choice.n_layers + 1)
    frozen = st.multiselect(
        options_of(TransferPlan)["frozen"].title,
        every,
        default=first_frozen(choice.n_layers) or every,
        format_func=lambda n: f"{signed(n)} {meanings[n]}" if n in meanings else str(n),
        key=f"transfer-frozen-{choice.n_layers}",
        help=TransferPlan.DESCRIPTION.replace("-1", signed(-1)),
    )
    if not frozen:
        st.info("Choose at least one N.", icon=":material/info:")
        return
    plan = TransferPlan.suited(
        choice.n_layers,
        frozen=None if len(frozen) == len(every) else tuple(sorted(frozen)),
        **choice.fields,
    )
    offer(plan, "transfer")
