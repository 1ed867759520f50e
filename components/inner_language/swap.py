"""The swap: one prompt's state in another, and whose concept and language is said then."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.inner_language.computing import kept_or_computed
from components.inner_language.controls import PAGE, choose_layer, mark_layer, marked_layer, opening
from components.shared import charts, query
from components.shared.layout import control_row, finding
from components.shared.settings import setting_widget
from isogloss.figures.inner_language import swap_figure
from isogloss.inner_language import swap
from isogloss.inner_language.swap import Swap
from isogloss.options import to_query
from isogloss.published import DUMAS_2025
from isogloss.text.language_names import language_name


def swap_part(model: str) -> None:
    """The chosen swap, or the button that computes it."""
    with control_row():
        settings = {
            name: setting_widget(setting, PAGE) for name, setting in opening(Swap, model).items()
        }
    question = Swap(model, **settings)
    query.add(**to_query(question))
    answer = kept_or_computed(question, "The swap", "About two minutes for Gemma on a laptop.")
    if answer is None:
        return
    finding(swap.finding(answer))
    into, other = map(language_name, (question.into, question.other))
    layer = marked_layer(answer.n_layers, answer.n_layers)
    charts.show_clickable(
        partial(swap_figure, answer, swap.case_names(question), layer, charts.mode()),
        "swap",
        "Four probabilities by the layer of the swap",
        lambda x, y: mark_layer(x),
        picture="swap",
    )
    choose_layer(answer.n_layers, answer.n_layers)
    st.caption(
        f"Two prompts translate different words from {language_name(question.given)}, one into "
        f"{into}, one into {other}; at one layer the first's last state replaces the second's. "
        f"Bands are 95 % intervals over pairs; {answer.dropped} pairs were left out. "
        f"{DUMAS_2025.short} found the language settled at earlier layers than the concept."
    )
