"""What the page shows, chosen by widgets and by the address: the model, the part, the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.shared import query
from isogloss.inner_language.bands import READINGS, Reading
from isogloss.inner_language.river import River
from isogloss.models.presets import PRESETS, display_name
from isogloss.options import option, options_of, titled

PAGE = "inner_language"
Part = Literal["river", "read-along", "switch", "swap"]
PARTS: dict[Part, str] = {
    "river": "River",
    "read-along": "Read along",
    "switch": "Switch",
    "swap": "Swap",
}
DEFAULT_MODEL = "qwen2.5-coder-1.5b"
MODELS = [
    DEFAULT_MODEL,
    *(
        preset.name
        for preset in PRESETS
        if preset.where != "hub" and preset.language_head and preset.name != DEFAULT_MODEL
    ),
    "random:gemma-3-270m",
]
_LAYER = f"{PAGE}-layer"


@dataclass(frozen=True)
class InnerLanguageView:
    """What is on show of the answers."""

    model: str = option(
        DEFAULT_MODEL,
        "A causal or masked model. Write a hub id, a directory, or random:NAME for one that is "
        "not listed.",
        title="Model",
    )
    part: Part = option("river", "what is asked of the model", title="Part", choices=titled(PARTS))
    reading: Reading = option("share", "what is drawn by layer", title="Reading", choices=READINGS)
    word: str = option("", "the word whose own curve is shown", title="Word")


SETTINGS = options_of(InnerLanguageView)
ASKED = options_of(River)


def choose_model() -> str:
    """The model: one of those that come by name, or any that is written."""
    setting = SETTINGS["model"]
    key = f"{PAGE}-model"
    if key not in st.session_state:
        st.session_state[key] = setting.read(st.query_params)
    now = st.session_state[key]
    found = st.selectbox(
        setting.title,
        list(dict.fromkeys([*MODELS, *([now] if now else [])])),
        format_func=display_name,
        accept_new_options=True,
        key=key,
        help=setting.explained,
    )
    return (found or DEFAULT_MODEL).strip()


def marked_layer(highest: int, default: int) -> int:
    """The layer that is marked, before its slider is drawn, for the chart above it."""
    there = st.session_state.get(_LAYER)
    return min(there, highest) if there is not None else query.number("layer", highest, default)


def choose_layer(highest: int, default: int) -> None:
    """The slider of that layer, and its place in the address."""
    st.session_state[_LAYER] = layer = marked_layer(highest, default)
    st.slider("Layer", 0, highest, key=_LAYER, help="The layer that is marked in the charts.")
    query.add(layer=query.blank_if_default(str(layer), str(default)))


def mark_layer(layer: float) -> None:
    """Move the slider, from a click on a chart."""
    st.session_state[_LAYER] = round(layer)
