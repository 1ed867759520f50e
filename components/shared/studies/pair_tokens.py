"""Where a study of many languages keeps means alone, a pair's tokens are read when it is opened."""

from __future__ import annotations

import streamlit as st

from components.shared import background, loading
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.your_text import extraction
from isogloss.engines.choice import LOCAL
from isogloss.studies.languages.listing import find_pair_tokens
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name


def of_pair(study: Study) -> Study | None:
    """The study with the pair's tokens; None while they are read, which the page then says."""
    made = find_pair_tokens(study)
    if made is not None:
        return loading.study(made.key)
    pair = " and ".join(in_markdown(language_name(code)) for code in study.languages)
    if is_read_only():
        st.info(
            f"This study keeps the means of its sentences, and the tokens of {pair} were not read. "
            "This server computes nothing new: choose another pair or another study.",
            icon=":material/info:",
        )
        return None
    corpus = study.corpus
    key = extraction.task_key(study.model, corpus.content_hash)
    if loading.the_tasks().find(key) is None:
        extraction.start(study.model, corpus, LOCAL)
    background.show(key, f"The model is reading {len(corpus):,} sentences in {pair}")
    return None
