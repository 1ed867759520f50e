"""What to learn from, and what to take away: the form that starts a training from nothing."""

from __future__ import annotations

from operator import attrgetter

import streamlit as st

from components.shared.file_inputs import ask_uploads
from components.shared.layout import control_row
from components.shared.panels import panel
from components.shared.runs.option_widgets import (
    choose_seeds,
    choose_source,
    option_help,
    option_widgets,
)
from components.shared.runs.starting import start_button, told
from isogloss.errors import RunError
from isogloss.lab.emergence.conditions import (
    CONDITIONS,
    condition_explanation,
    condition_title,
    read_condition,
)
from isogloss.lab.emergence.costs import estimate_emergence_seconds, measure_step_seconds
from isogloss.lab.emergence.plan import EmergencePlan
from isogloss.lab.emergence.sources import DOCSTRINGS
from isogloss.lab.emergence.text import COPY
from isogloss.options import options_of
from isogloss.text.language_names import language_name
from isogloss.text.monolingual import read_source

_KEY = "emergence-run"
DOCS, FILES = "docstrings", "files"
SOURCES = {DOCS: "What is installed", FILES: "Your files"}
OFFERED = (
    "as-it-is", "positions", "specials", "positions+specials", "no-random", "order", "domains",
    "first-1", "last-1", "blocks", "anchors-10", "width-200", "width-50", "depth-200", "depth-50",
    "text-50", "text-10",
)  # fmt: skip
"""Conditions to choose from; others can be typed."""
TRAINING = (
    "words", "unknown", "shortest", "longest", "held_out", "blocks", "width", "heads", "steps",
    "sentences", "learning_rate", "warm_up", "pictured",
)  # fmt: skip
FILE_HELP = (
    "**What is installed**: the English sentences in the docstrings of Python and its libraries on "
    "this machine; they are only read. **Your files**: plain text with one sentence per line, or "
    "parallel text; thousands of sentences, or little is learned."
)


@panel
def emergence_form() -> None:
    """Text, second language, conditions, seeds, size; and the button that starts it."""
    with control_row():
        source = choose_source("Text to learn from", SOURCES, f"{_KEY}-source", FILE_HELP)
        seeds = choose_seeds(EmergencePlan, _KEY, first=1)
        with st.popover("Training settings", icon=":material/tune:", key=f"{_KEY}-training"):
            training = option_widgets(EmergencePlan, TRAINING, _KEY, st.columns(2))
    text: tuple[str, ...] = (DOCSTRINGS,)
    language, second = "en", COPY
    if source == FILES:
        text = ask_uploads("Files to learn from", f"{_KEY}-text", help=FILE_HELP)
        if text:
            language, second = _choose_languages(text)
    conditions = _choose_conditions()
    if not text:
        st.info("Bring a file to learn from.", icon=":material/info:")
        return
    if not conditions:
        st.info("Choose at least one condition.", icon=":material/info:")
        return
    plan = EmergencePlan(
        conditions=conditions,
        seeds=seeds,
        text=text,
        language=language,
        second=second,
        **training,
    )
    start_button(
        plan,
        lambda: told(estimate_emergence_seconds(plan, _step_seconds(plan))),
        f"start-{_KEY}",
    )


def _choose_languages(text: tuple[str, ...]) -> tuple[str, str]:
    """The first language and the second: a copy, or another that the files have."""
    known = _languages_of(text)
    if not known:
        raise RunError("The files have no language in common: give files that share one.")
    with control_row():
        language = st.selectbox(
            options_of(EmergencePlan)["language"].title,
            known,
            format_func=language_name,
            key=f"{_KEY}-language",
            width=170,
        )
        others = [code for code in known if code != language]
        second = st.selectbox(
            options_of(EmergencePlan)["second"].title,
            [COPY, *others],
            format_func=lambda code: (
                "A copy in its own words" if code == COPY else language_name(code)
            ),
            key=f"{_KEY}-second-{language}",
            help=option_help(EmergencePlan, "second"),
            width=230,
        )
    return language, second


@st.cache_data(show_spinner="Reading the text", max_entries=16)
def _languages_of(text: tuple[str, ...]) -> list[str]:
    """The languages that every file has."""
    found = [tuple(read_source(path)) for path in text]
    return [code for code in found[0] if all(code in each for each in found)]


def _choose_conditions() -> tuple[str, ...]:
    """What to take away; a condition that is typed is one of the words, or several joined by +."""
    chosen = st.multiselect(
        options_of(EmergencePlan)["conditions"].title,
        OFFERED,
        default=list(options_of(EmergencePlan)["conditions"].default),
        format_func=_title,
        accept_new_options=True,
        key=f"{_KEY}-conditions",
        help="\n\n".join(
            f"**{condition_title(name)}**: {condition_explanation(name)}"
            for name in OFFERED
            if "+" not in name
        )
        + "\n\nOthers can be typed, such as `first-2` or `positions+order`; the words are "
        + ", ".join(f"`{word}`" for word in CONDITIONS)
        + ".",
    )
    for name in chosen:
        read_condition(name)  # says what is wrong with one that was typed
    return tuple(chosen)


def _title(name: str) -> str:
    """A condition's title; of one that was typed, what was typed, or the browser would lose it."""
    return condition_title(name) if name in OFFERED else name


@st.cache_resource(
    show_spinner="Timing this machine",
    max_entries=64,
    hash_funcs={
        EmergencePlan: attrgetter(
            "words", "shortest", "longest", "blocks", "width", "heads", "sentences"
        )
    },
)
def _step_seconds(plan: EmergencePlan) -> float:
    return measure_step_seconds(plan)
