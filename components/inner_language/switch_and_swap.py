"""Within a model: the switch adds a vector at a layer, the swap puts in another prompt's state."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from components.inner_language.computing import kept_or_computed, so_far
from components.inner_language.controls import (
    PAGE,
    SETTINGS,
    begin_text,
    choose_layer,
    mark_layer,
    marked_layer,
    opening,
)
from components.shared import charts, query
from components.shared.layout import control_row, finding
from components.shared.markdown import in_markdown
from components.shared.settings import kept_setting, setting_widget
from components.shared.studies import study_picker
from isogloss.errors import IsoglossError
from isogloss.figures.inner_language import swap_figure, switch_figure
from isogloss.inner_language import swap, switch
from isogloss.inner_language.river import LANGUAGES
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import SAID_TO, Steered, Switch, SwitchAnswer
from isogloss.models.packaged.gguf import what_is_missing
from isogloss.models.presets import find_preset
from isogloss.options import options_of, to_query
from isogloss.published import DUMAS_2025
from isogloss.text.language_names import language_name

_SAID = options_of(Steered)


def switch_part(model: str) -> None:
    """The map of layers and strengths, and a prompt to try it on."""
    with control_row():
        means = setting_widget(SETTINGS["means"], PAGE)
        text, offered = _text() if means == "study" else ("", {})
        settings = {
            name: setting_widget(setting.but(**offered.get(name, {})), PAGE)
            for name, setting in opening(Switch, model).items()
            if name != "text"
        }
    question = Switch(model, **settings, text=text)
    query.add(**SETTINGS["means"].written(means) | to_query(question))
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
    if answer is not None or not what_is_missing(model):
        _try(model, question, answer)


def _text() -> tuple[str, dict[str, dict[str, Any]]]:
    """The key of the study chosen in the sidebar, and its languages that can be told apart."""
    study = study_picker.sidebar(whole=True)
    if study is None:
        raise IsoglossError("There is no study yet: open Your text to make one.")
    known = {code: LANGUAGES[code] for code in study.all_languages if code in LANGUAGES}
    if len(known) < 2:
        raise IsoglossError(
            f"{study.text_title} has fewer than two of the languages that can be told apart here: "
            f"choose another study, or the bundled sentences."
        )
    first, second, *_ = sorted(known, key=lambda code: (code != "en", code != "zh"))
    offered: dict[str, dict[str, Any]] = {
        "away": {"choices": known, "default": first},
        "toward": {"choices": known, "default": second},
    }
    return study.entry.key, offered


def _try(model: str, question: Switch, answer: SwitchAnswer | None) -> None:
    """What the model says without and with it, side by side."""
    key, example = begin_text(model, "steered", SAID_TO)
    text = st.text_input("Try it on", key=key, max_chars=300)
    query.add(steered="" if text == example else text)
    left, right = st.columns(2)
    preset = find_preset(model.removeprefix("random:"))
    highest = int(answer.layers[-1]) if answer else (preset.n_layers if preset else 12)
    first, strength = (answer.best[0], answer.best[1]) if answer else (highest // 2, 2.0)
    with left:
        choose_layer(highest, first)
    with right:
        setting = _SAID["strength"].but(default=strength)
        strength = kept_setting(setting, PAGE)
    layer = marked_layer(highest, first)
    asked = Steered(
        model, text, question.away, question.toward, layer, strength, text=question.text
    )
    said = so_far(asked) or kept_or_computed(
        asked, "What it says", "A few seconds for small models."
    )
    if said is not None:
        left.markdown(f"**Without:** {in_markdown(text)} **{in_markdown(said.plain)}**")
        right.markdown(f"**With:** {in_markdown(text)} **{in_markdown(said.steered)}**")


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
