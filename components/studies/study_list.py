"""Every study as a row: what it is, how large, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.shared import loading
from components.shared.markdown import in_markdown, language_name
from components.shared.read_only import is_read_only
from components.shared.studies import study_picker
from components.studies.moving import export_button
from isogloss.errors import USER_ERRORS
from isogloss.formatting import human_size
from isogloss.store.names import LONGEST, given_name, rename
from isogloss.studies.study import Study, told_apart

MOST_SHOWN = 50
_REMOVED = "removed-study"


def study_list(studies: Sequence[Study]) -> None:
    """One's own studies, the newest first, then those that ship; and the way back of a deletion."""
    _offer_undo()
    titles = told_apart(studies)
    own = [study for study in studies if not study.entry.demo]
    shipped = [study for study in studies if study.entry.demo]
    if not own:
        st.info("None of your own yet: **Your text** makes one.", icon=":material/info:")
    wanted = ""
    if len(own) > MOST_SHOWN:
        wanted = st.text_input("Find", key="find-study", placeholder="a model or a text").lower()
    found = [study for study in own if wanted in titles[study.key].lower()]
    for study in found[:MOST_SHOWN]:
        _row(study, titles[study.key])
    if len(found) > MOST_SHOWN:
        st.caption(f"{len(found) - MOST_SHOWN:,} older ones are not listed: find them by name.")
    if shipped:
        with st.expander(f"{len(shipped)} that come with Isogloss", expanded=not own):
            for study in shipped:
                _row(study, titles[study.key])


def _row(study: Study, title: str) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"row-{study.entry.key}"
    ):
        st.markdown(f"**{in_markdown(title)}**  \n:small[{_facts(study)}]", width="stretch")
        if st.button("Open", key=f"open-{study.entry.key}"):
            study_picker.set_study(study.key)
            st.switch_page("pages/token_map.py")
        if not is_read_only():
            with st.popover("", icon=":material/more_horiz:", key=f"more-{study.entry.key}"):
                _more(study, title)


def _facts(study: Study) -> str:
    first, second = map(language_name, study.languages)
    size = human_size(study.entry.size_bytes)
    made = "" if study.entry.demo else f" · {study.entry.created[:10]}"
    return f"{first}–{second} · {study.entry.facts['pairs']:,} pairs · {size}{made}"


def _more(study: Study, title: str) -> None:
    """What is seldom done: another name, a copy for elsewhere, and deleting."""
    export_button(study)
    if study.entry.demo:
        return
    st.text_input(
        "Name of its text",
        given_name(study.entry.store, study.entry.key) or str(study.entry.facts["corpus"]),
        max_chars=LONGEST,
        key=f"name-{study.entry.key}",
        on_change=_rename,
        args=(study,),
        help="The model and the languages stand beside it in any case.",
    )
    st.button(
        "Delete",
        icon=":material/delete:",
        key=f"delete-{study.entry.key}",
        on_click=_delete,
        args=(study, title),
        help="It can be brought back for a day.",
    )
    st.caption(f"Key `{study.entry.key[:12]}`")


def _rename(study: Study) -> None:
    name = str(st.session_state[f"name-{study.entry.key}"])
    if " ".join(name.split()) == str(study.entry.facts["corpus"]):
        name = ""
    rename(loading.the_store(), study.entry.key, name)


def _delete(study: Study, title: str) -> None:
    try:
        loading.the_store().take_out(study.entry.key)
    except USER_ERRORS as error:
        st.session_state[_REMOVED] = ("", str(error))
    else:
        st.session_state[_REMOVED] = (study.entry.key, title)


def _offer_undo() -> None:
    """What was deleted last in this session, and a button that brings it back."""
    if _REMOVED not in st.session_state:
        return
    key, said = st.session_state[_REMOVED]
    if not key:
        st.warning(in_markdown(said), icon=":material/info:")
        del st.session_state[_REMOVED]
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", border=True, key="undo-row"
    ):
        st.markdown(f"**{in_markdown(said)}** was deleted.", width="stretch")
        st.button("Undo", icon=":material/undo:", on_click=_undo, args=(key,), key="undo-delete")


def _undo(key: str) -> None:
    del st.session_state[_REMOVED]
    try:
        loading.the_store().put_back(key)
    except USER_ERRORS as error:
        st.session_state[_REMOVED] = ("", str(error))
