"""What the page shows, chosen by widgets and by the address: the model, the part, the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import streamlit as st

from components.shared import loading, query
from isogloss.inner_language.bands import READINGS, Reading
from isogloss.inner_language.questions import ModelQuestion, kept_questions
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import Steered, Switch
from isogloss.models.presets import PRESETS, display_name, find_preset
from isogloss.options import Choice, Option, option, options_of, titled

PAGE = "inner_language"
Asked = TypeVar("Asked", bound=ModelQuestion[Any])
Part = Literal["river", "read-along", "switch", "swap"]
PARTS: dict[Part, str] = {
    "river": "River",
    "read-along": "Read along",
    "switch": "Switch",
    "swap": "Swap",
}
Means = Literal["bundled", "study"]
MEANS: dict[Means, Choice] = {
    "bundled": Choice("Bundled", "the bundled sentences"),
    "study": Choice("A study", "the text of the study at the left"),
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
_PART, _MODEL = f"{PAGE}-part", f"{PAGE}-model"


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
_IN_ADDRESS: dict[Part, tuple[str, ...]] = {
    "river": (*_addresses(River), "reading", "word"),
    "read-along": ("prompt", "place"),
    "switch": (*_addresses(Switch), *_addresses(Steered), "means", "steered"),
    "swap": _addresses(Swap),
}
"""What the address says of each part."""


def begin_address(model: str, part: Part) -> None:
    """Have the address say which part is on show, and nothing that only another part asks."""
    same = query.read(SETTINGS["part"]) == part
    others = {name: "" for names in _IN_ADDRESS.values() for name in ("layer", *names)}
    own = query.kept(*_IN_ADDRESS[part], *(("layer",) if same else ()))
    query.write(**others | own | SETTINGS["model"].written(model) | SETTINGS["part"].written(part))


def choose_model() -> str:
    """The model: one of those that come by name, or any that is written."""
    setting = SETTINGS["model"]
    key = _MODEL
    if key not in st.session_state:
        st.session_state[key] = query.read(setting)
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


def begin_text(model: str, name: str, examples: Mapping[str, str]) -> tuple[str, str]:
    """The key of a text's field, which begins with the address or the example, and the example.

    Models that fill gaps and models that go on have a field each.
    """
    preset = find_preset(model.removeprefix("random:"))
    kind = preset.kind if preset else "decoder"
    key = f"{PAGE}-{name}-{kind}"
    if key not in st.session_state:
        st.session_state[key] = query.text(name) or examples[kind]
    return key, examples[kind]


def _layer_key() -> str:
    """Each part and each model has a layer that is best looked at first, and one that is marked."""
    return f"{PAGE}-layer-{st.session_state[_PART]}-{st.session_state[_MODEL]}"


def marked_layer(highest: int, default: int) -> int:
    """The layer that is marked, before its slider is drawn, for the chart above it."""
    there = st.session_state.get(_layer_key())
    return min(there, highest) if there is not None else query.number("layer", highest, default)


def choose_layer(highest: int, default: int) -> None:
    """The slider of that layer, and its place in the address."""
    key = _layer_key()
    st.session_state[key] = layer = marked_layer(highest, default)
    st.slider("Layer", 0, highest, key=key, help="The layer that is marked in the charts.")
    query.add(layer=query.blank_if_default(str(layer), str(default)))


def mark_layer(layer: float) -> None:
    """Move the slider, from a click on a chart."""
    st.session_state[_layer_key()] = round(layer)


def first_kept(kind: type[Asked], model: str) -> Asked:
    """The question whose answer a model's part opens on: the usual one, or one that is kept."""
    usual = kind(model)
    if loading.kept_answer(usual) is not None:
        return usual
    return next(iter(kept_questions(kind, model, loading.the_store())), usual)


def opening(kind: type[ModelQuestion[Any]], model: str) -> dict[str, Option]:
    """The settings of a question, each beginning where the part opens."""
    first = first_kept(kind, model)
    return {
        name: setting.but(default=getattr(first, name))
        for name, setting in options_of(kind).items()
    }
