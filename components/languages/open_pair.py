"""From a cell of the matrix to the pages that look at two languages."""

from __future__ import annotations

import streamlit as st

from components.shared import loading
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.shared.studies import study_picker
from components.your_text import extraction
from isogloss.engines.choice import LOCAL
from isogloss.studies.languages.listing import find_pair_tokens
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

PAGES = {
    "Similarity": ("pages/similarity.py", ":material/grid_on:"),
    "Best layer": ("pages/best_layer.py", ":material/stairs:"),
    "Token map": ("pages/token_map.py", ":material/bubble_chart:"),
}


def offer_pair(study: Study, first: str, second: str) -> None:
    """Open two of the languages elsewhere; where no tokens are kept, have the pair read first."""
    names = f"{language_name(first)} and {language_name(second)}"
    pair = find_pair_tokens(study.pair(first, second))
    if pair is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{in_markdown(names)}** on")
            for title, (page, icon) in PAGES.items():
                if st.button(title, icon=icon, key=f"open-{title}"):
                    study_picker.set_study(pair.key)
                    st.switch_page(page)
        return
    if is_read_only():
        st.caption(f"{in_markdown(names)}: this server keeps the means of its sentences alone.")
        return
    corpus = study.text.pair(first, second)
    task = loading.the_tasks().find(extraction.task_key(study.model, corpus.content_hash))
    if task is not None and not task.finished:
        st.info(f"Reading {in_markdown(names)}. The sidebar shows how far it is.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{in_markdown(names)}**: only means of sentences are kept here.")
        if st.button("Read its words, too", icon=":material/bolt:", key="open-read"):
            extraction.start(study.model, corpus, LOCAL)
