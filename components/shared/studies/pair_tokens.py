"""Where a study of many languages keeps means alone, a pair's tokens are read when wanted."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from components.shared import background, loading
from components.shared.markdown import language_name
from components.shared.read_only import is_read_only
from components.your_text import extraction
from isogloss.engines.choice import LOCAL
from isogloss.studies.languages.listing import find_pair_tokens
from isogloss.studies.study import Study


def of_pair(study: Study) -> Study | None:
    """The study with the pair's tokens; None while they are read, which the page then says."""
    made = find_pair_tokens(study)
    if made is not None:
        return loading.study(made.key)
    if is_read_only():
        st.info(
            f"This study keeps the means of its sentences, and the tokens of {names(study)} were "
            "not read. This server computes nothing new: choose another pair or another study.",
            icon=":material/info:",
        )
        return None
    if loading.the_tasks().find(_task(study)) is None:
        _read(study)
    background.show(
        _task(study), f"The model is reading {len(study.bitext):,} sentences in {names(study)}"
    )
    return None


def offer(study: Study) -> None:
    """Where nobody has read the pair's tokens, a button that has it done."""
    if is_read_only():
        st.caption(f"{names(study)}: this server keeps the means of its sentences alone.")
        return
    task = loading.the_tasks().find(_task(study))
    if task is not None and not task.finished:
        st.info(f"Reading {names(study)}. The sidebar shows how far it is.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{names(study)}**: only means of sentences are kept here.")
        if st.button("Read its words, too", icon=":material/bolt:", key="open-read"):
            _read(study)


def names(study: Study) -> str:
    """The two languages, for Markdown."""
    return " and ".join(map(language_name, study.languages))


def _task(study: Study) -> Hashable:
    return extraction.task_key(study.model, study.bitext.content_hash)


def _read(study: Study) -> None:
    extraction.start(study.model, study.bitext, LOCAL)
