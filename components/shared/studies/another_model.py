"""Another model for the text on show, from any page and without bringing the text again."""

from __future__ import annotations

import streamlit as st

from components.shared import loading
from components.shared.engine_picker import choose_engine
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.your_text import extraction
from isogloss.models.presets import display_name
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText

_AWAITED = "awaited-study"


def offer(study: Study) -> None:
    """Show the button; what it asks for is read in the background and then becomes the choice."""
    if not is_read_only() and st.button(
        "Add another model",
        icon=":material/add:",
        type="tertiary",
        help="Have another model read this text. Nothing is uploaded again.",
        key="another-model",
    ):
        _ask(study)


def arrived() -> str | None:
    """The key of the study that was asked for here, once it is there."""
    awaited: tuple[str, str] | None = st.session_state.get(_AWAITED)
    if awaited is None:
        return None
    task = loading.the_tasks().find(extraction.task_key(*awaited))
    if task is not None and not task.finished:
        return None
    del st.session_state[_AWAITED]
    made = extraction.made_study(*awaited)
    return made.key if made is not None else None


@st.dialog("Add another model to this text", width="medium")
def _ask(study: Study) -> None:
    text = study.text
    rows = "rows" if text.more else "pairs"
    st.markdown(f"**{in_markdown(text.name)}**, {len(text):,} {rows}, as it is here.")
    # What is known of the model takes a line or four and a while, so it comes below the button:
    # a button that moves on its way there loses the click.
    choice, action, facts = st.container(), st.container(), st.container()
    with choice:
        model = extraction.choose_model(key="another-model", facts=facts)
    if model is None:
        return
    with action:
        _extract_button(model, text)
    with facts:
        extraction.show_tokenisation(model, text)


def _extract_button(model: str, text: ParallelText) -> None:
    if extraction.made_study(model, text.content_hash) is not None:
        name = in_markdown(display_name(model))
        st.info(f"{name} has read this text: choose that study in the list.")
        return
    engine = choose_engine("another-model")
    if st.button("Read the text", type="primary", icon=":material/bolt:"):
        st.session_state[_AWAITED] = (model, text.content_hash)
        extraction.start(model, text, engine)
