"""What the page shows, chosen by widgets and by the address: the model, the part, the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.shared import query
from isogloss.inner_language.bands import READINGS, Reading
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import Steered, Switch
from isogloss.models.presets import PRESETS, display_name
from isogloss.options import Choice, option, options_of, titled

PAGE = "inner_language"
Part = Literal["river", "read-along", "switch", "swap"]
PARTS: dict[Part, str] = {
    "river": "River",
    "read-along": "Read along",
    "switch": "Switch",
    "swap": "Swap",
}
Means = Literal["bundled", "study"]
MEANS: dict[Means, Choice] = {
    "bundled": Choice("Bundled sentences"),
    "study": Choice("The study at the left"),
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
_LAYER, _OPENED = f"{PAGE}-layer", f"{PAGE}-layer-opened"


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
    means: Means = option(
        "bundled", "the sentences whose means make the vector", title="Means of", choices=MEANS
    )


def _addresses(question: type) -> tuple[str, ...]:
    return tuple(each.address for each in options_of(question).values())


SETTINGS = options_of(InnerLanguageView)
ASKED = options_of(River)
_IN_ADDRESS: dict[Part, tuple[str, ...]] = {
    "river": (*_addresses(River), "reading", "word"),
    "read-along": ("prompt", "place"),
    "switch": (*_addresses(Switch), *_addresses(Steered), "means", "steered"),
    "swap": _addresses(Swap),
}
"""What the address says of each part."""


def begin_address(model: str, part: Part) -> None:
    """Have the address say which part is on show, and nothing that only another part asks."""
    own = query.kept("layer", *_IN_ADDRESS[part])
    query.write(**own | SETTINGS["model"].written(model) | SETTINGS["part"].written(part))


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
    if there is None:
        return query.number("layer", highest, default)
    # Where nobody moved it, it opens where each answer is best looked at.
    return default if there == st.session_state.get(_OPENED) else min(there, highest)


def choose_layer(highest: int, default: int) -> None:
    """The slider of that layer, and its place in the address."""
    st.session_state[_LAYER] = layer = marked_layer(highest, default)
    st.session_state[_OPENED] = default
    st.slider("Layer", 0, highest, key=_LAYER, help="The layer that is marked in the charts.")
    query.add(layer=query.blank_if_default(str(layer), str(default)))


def mark_layer(layer: float) -> None:
    """Move the slider, from a click on a chart."""
    st.session_state[_LAYER] = round(layer)
