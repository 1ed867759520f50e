"""The switch: one vector added at one layer, what is said then, and where it works."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.inner_language.computing import kept_or_computed
from components.inner_language.controls import PAGE, choose_layer, marked_layer
from components.inner_language.read_along import EXAMPLES
from components.shared import charts, query
from components.shared.layout import control_row, finding
from components.shared.markdown import in_markdown
from components.shared.settings import setting_widget
from isogloss.figures.inner_language import switch_figure
from isogloss.inner_language import switch
from isogloss.inner_language.switch import Steered, Switch, SwitchAnswer
from isogloss.models.presets import find_preset
from isogloss.options import options_of, to_query
from isogloss.text.language_names import language_name

_ASKED, _SAID = options_of(Switch), options_of(Steered)
_EXAMPLES = {**EXAMPLES, "decoder": "The weather today is very"}


def switch_part(model: str) -> None:
    """The map of layers and strengths, and a prompt to try it on."""
    with control_row():
        settings = {name: setting_widget(setting, PAGE) for name, setting in _ASKED.items()}
    question = Switch(model, **settings)
    query.add(**to_query(question))
    answer = kept_or_computed(
        question, "The switch", "Seconds for mini-en-zh; up to an hour for Gemma at every layer."
    )
    if answer is not None:
        finding(switch.finding(answer, question.toward))
        charts.show(
            partial(switch_figure, answer, charts.mode()),
            "switch",
            "Share answered in the other language by layer and strength",
            picture="switch",
        )
        st.caption(
            f"Share of prompts in {language_name(question.away)} at which a token of "
            f"{language_name(question.toward)} leads; the top row is the mean of "
            f"{answer.random.shape[1]} random directions at each layer's best strength."
        )
    _try(model, question, answer)


def _try(model: str, question: Switch, answer: SwitchAnswer | None) -> None:
    """What the model says without and with it, side by side."""
    preset = find_preset(model.removeprefix("random:"))
    example = _EXAMPLES[preset.kind if preset else "decoder"]
    key = f"{PAGE}-steered"
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get("steered") or example
    text = st.text_input("Try it on", key=key, max_chars=300)
    query.add(steered="" if text == example else text)
    left, right = st.columns(2)
    highest = int(answer.layers[-1]) if answer else (preset.n_layers if preset else 12)
    opening, strength = (answer.best[0], answer.best[1]) if answer else (highest // 2, 2.0)
    with left:
        choose_layer(highest, opening)
    with right:
        setting = _SAID["strength"].but(default=strength)
        strength = setting_widget(setting, PAGE)
    query.add(**setting.written(strength))
    layer = marked_layer(highest, opening)
    said = kept_or_computed(
        Steered(model, text, question.away, question.toward, layer, strength),
        "What it says",
        "A few seconds for small models.",
    )
    if said is not None:
        left.markdown(f"**Without:** {in_markdown(text)} **{in_markdown(said.plain)}**")
        right.markdown(f"**With:** {in_markdown(text)} **{in_markdown(said.steered)}**")
