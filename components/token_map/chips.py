"""One row above the map: which model reads which languages, and one's own text."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.shared import loading
from components.shared.markdown import in_markdown, language_name
from components.shared.studies import study_picker
from components.shared.studies.model_names import model_name
from isogloss.studies.similarity import same_text
from isogloss.studies.study import Study


def show(study: Study) -> None:
    """Offer other models for this text, other texts for this model, and a text of one's own."""
    known = loading.studies()
    _chip(
        study,
        {each.key: model_name(each, weights=False) for each in (study, *same_text(study, known))},
        icon=":material/neurology:",
        about="Which model reads this text",
    )
    _chip(
        study,
        {each.key: _languages_and_text(each) for each in _one_a_text(study, known)},
        icon=":material/translate:",
        about="Which languages, in which text",
        label=_languages(study),
    )
    st.page_link("pages/your_text.py", label="Your text", icon=":material/upload_file:")


def _chip(study: Study, titles: Mapping[str, str], icon: str, about: str, label: str = "") -> None:
    """A button that says what is on show and opens the list of what else there is."""
    picked = st.menu_button(
        in_markdown(label or titles[study.key]),
        list(titles),
        format_func=lambda key: in_markdown(titles[key]),
        icon=icon,
        help=about,
        key=about,
    )
    if picked is not None and picked != study.key:
        study_picker.set_study(picked)
        st.rerun()


def _one_a_text(study: Study, known: tuple[Study, ...]) -> list[Study]:
    """A study of each text: this one, of others one by the same model if there is one."""
    by_text = {study.entry.record["corpus"]: study}
    for each in sorted(known, key=lambda other: other.model != study.model):
        by_text.setdefault(each.entry.record["corpus"], each)
    return list(by_text.values())


def _languages(study: Study) -> str:
    first, second = map(language_name, study.languages)
    return f"{first}–{second}"


def _languages_and_text(study: Study) -> str:
    return f"{_languages(study)} · {study.entry.facts['corpus']}"
