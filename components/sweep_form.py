"""The form that starts a sweep over the number of frozen layers."""

from __future__ import annotations

import streamlit as st

from components.figures.frozen_axis import signed
from components.nli_form import nli_form, show_data, time_needed
from components.panels import panel
from components.run_panel import start_button
from isogloss.costs import sweep_parts
from isogloss.transfer import SweepPlan

ALL_UP_TO = 8
SPREAD = 7


@panel
def sweep_form() -> None:
    """Which N, on which data; and the button that starts it."""
    choice = nli_form("sweep")
    if choice is None:
        return
    meanings = {-1: "train all", 0: "embeddings", choice.n_layers: "head only"}
    frozen = st.multiselect(
        "N, how many layers to freeze",
        range(-1, choice.n_layers + 1),
        default=first_frozen(choice.n_layers),
        format_func=lambda n: f"{signed(n)} {meanings[n]}" if n in meanings else str(n),
        key=f"sweep-frozen-{choice.n_layers}",
        help="−1 trains everything, 0 freezes the embeddings, N freezes the embeddings and blocks "
        "1 to N. With all blocks frozen only the head learns.",
    )
    if not frozen:
        st.info("Choose at least one N.", icon=":material/info:")
        return
    every = len(frozen) == choice.n_layers + 2
    plan = SweepPlan(
        **choice.fields,
        frozen=None if every else tuple(sorted(frozen)),
        n_layers=choice.n_layers,
    )
    show_data(plan)
    start_button(
        plan,
        lambda: time_needed(plan, lambda size, tokens: sweep_parts(plan, size, tokens)),
        "start-sweep",
    )


def first_frozen(n_layers: int) -> list[int]:
    """Every N of a small model; of a larger one the ends and some between them."""
    if n_layers <= ALL_UP_TO:
        return list(range(-1, n_layers + 1))
    between = [round(n_layers * i / (SPREAD - 2)) for i in range(SPREAD - 1)]
    return [-1, *between]
