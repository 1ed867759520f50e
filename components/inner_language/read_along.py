"""Read along: any prompt, and what the model would say at every place and layer of it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.inner_language.computing import kept_or_computed
from components.inner_language.controls import (
    PAGE,
    begin_text,
    choose_layer,
    mark_layer,
    marked_layer,
)
from components.shared import charts, loading, query
from components.shared.layout import finding
from components.shared.markdown import in_markdown
from isogloss.figures.inner_language import position_figure, read_along_figure
from isogloss.inner_language.questions import kept_questions
from isogloss.inner_language.read_along import ReadAlong, ReadAlongAnswer
from isogloss.text.language_names import language_name

_PROMPT, _PLACE = "prompt", "place"
EXAMPLES = {
    "encoder": "I would like a cup of [MASK], please.",
    "decoder": 'Français: "fleur" - 中文: "花"\nFrançais: "montagne" - 中文: "',
}


def read_along_part(model: str) -> None:
    """The prompt's field, and the grid of what is read in it."""
    key, example = begin_text(model, _PROMPT, EXAMPLES)
    _offer_kept(model, key)
    text = st.text_area(
        "Prompt",
        key=key,
        height=80,
        max_chars=400,
        help="Up to 48 tokens. A masked model fills the gap [MASK]; a causal one goes on.",
    )
    query.add(**{_PROMPT: "" if text == example else text})
    answer = kept_or_computed(
        ReadAlong(model, text), "Reading along", "A few seconds for small models."
    )
    if answer is None:
        return
    last = len(answer.pieces) - 1
    place = st.session_state.get(f"{PAGE}-place", query.number(_PLACE, last, answer.position))
    place = min(place, last)
    layer = marked_layer(answer.n_layers, answer.n_layers)
    finding(_sentence(answer, place))
    charts.show_clickable(
        partial(read_along_figure, answer, place, charts.mode()),
        "read-along",
        "What leads at every place and layer",
        _take_place,
        picture="read-along",
    )
    st.caption(
        "Colours are languages, by script and, for Latin letters, by word lists; grey is not "
        "known. Hover for the five best; click a column to see its layers below."
    )
    charts.show(
        partial(position_figure, answer, place, layer, charts.mode()),
        "read-along-place",
        "Languages by layer at the chosen place",
    )
    choose_layer(answer.n_layers, answer.n_layers)
    query.add(**{_PLACE: "" if place == answer.position else str(place)})


def _offer_kept(model: str, key: str) -> None:
    """The prompts whose answers are there already, to be read without waiting."""
    kept = [each.prompt for each in kept_questions(ReadAlong, model, loading.the_store())]
    if len(kept) < 2:
        return
    chosen = f"{PAGE}-kept-prompt-{model}"

    def take() -> None:
        if st.session_state[chosen] is not None:
            st.session_state[key] = st.session_state[chosen]
        st.session_state.pop(f"{PAGE}-place", None)

    now = st.session_state[key]
    st.session_state[chosen] = now if now in kept else None
    st.pills(
        "Read already",
        kept,
        format_func=lambda prompt: in_markdown(prompt.rpartition("\n")[2]),
        key=chosen,
        on_change=take,
    )


def _take_place(x: float, y: float) -> None:
    st.session_state[f"{PAGE}-place"] = round(x)
    mark_layer(y)


def _sentence(answer: ReadAlongAnswer, place: int) -> str:
    """Which languages lead at a place, in the order of the layers."""
    spoken: list[str] = []
    for code in answer.languages[:, place]:
        if code and (not spoken or spoken[-1] != code):
            spoken.append(str(code))
    said = ", then ".join(language_name(code) for code in spoken) or "no known language"
    last = str(answer.tokens[-1, place, 0]).strip()
    return (
        f"At “{in_markdown(str(answer.pieces[place]).strip())}” the layers speak {said}; "
        f"the model says “{in_markdown(last)}”."
    )
