"""The sidebar's choice as one frozen value, kept in the session and in the URL's query."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from components import loading, query
from components.languages import language_name
from components.model_names import model_name
from isogloss.studies import Study

_SESSION = "choice"
SHOWPIECE = "gemma-3-270m"


@dataclass(frozen=True)
class Choice:
    """The study on show and the layer that all pages mark."""

    study: str
    layer: int


def current_choice() -> Choice | None:
    """The choice of this session, or what the URL asks for, or the first study there is."""
    known = {study.key: study for study in loading.studies()}
    if not known:
        return None
    kept: Choice | None = st.session_state.get(_SESSION)
    asked = st.query_params.get("study")
    if kept is None or (kept.study not in known):
        found = [key for key in known if asked and key.startswith(asked)]
        kept = _open_upper_middle(known[found[0]] if found else _first(tuple(known.values())))
        layer = st.query_params.get("layer", "")
        if found and layer.isdigit():
            kept = replace(kept, layer=min(int(layer), known[kept.study].n_layers))
        elif asked and not found:
            st.toast(f"The link's study {asked} is not in this cache.", icon=":material/link_off:")
    st.session_state[_SESSION] = kept
    return kept


def _first(found: tuple[Study, ...]) -> Study:
    """What a newcomer sees: the user's newest study, else the demo whose layers differ most."""
    if not found[0].entry.demo:
        return found[0]
    return next((study for study in found if study.model == SHOWPIECE), found[0])


def _open_upper_middle(study: Study) -> Choice:
    return Choice(study.key, round(study.n_layers * 2 / 3))


def set_layer(layer: int, study: str | None = None) -> None:
    """Move the cursor that all pages share, to a layer of `study` if another one is on show."""
    kept: Choice = st.session_state[_SESSION]
    if (layer, study or kept.study) != (kept.layer, kept.study):
        st.session_state[_SESSION] = Choice(study or kept.study, layer)


def set_study(key: str) -> None:
    """Show another study."""
    st.session_state[_SESSION] = _open_upper_middle(loading.study(key))


def write_query(**more: str) -> None:
    """Put the choice, and what else makes up the view, into the address bar."""
    kept: Choice = st.session_state[_SESSION]
    query.write(study=kept.study[:12], layer=str(kept.layer), **more)


def sidebar() -> Study | None:
    """Show the studies to choose from; returns the chosen one."""
    choice = current_choice()
    found = loading.studies()
    with st.sidebar:
        if choice is None:
            st.info("No study yet. Open **Your text** to make one.")
            return None
        keys = [study.key for study in found]
        titles = {study.key: _title(study) for study in found}
        picked = st.selectbox(
            "Study",
            keys,
            index=keys.index(choice.study),
            format_func=titles.__getitem__,
            help="A study is a model's activations on a parallel text. Make one on **Your text**, "
            "or with `python -m isogloss extract` on a machine with a GPU.",
        )
        if picked != choice.study:
            set_study(picked)
            st.rerun()
        study = loading.study(picked)
        st.caption(_facts(study))
    return study


def _title(study: Study) -> str:
    return f"{model_name(study)} · {study.entry.facts['corpus']}"


def _facts(study: Study) -> str:
    first, second = (language_name(code) for code in study.languages)
    facts = study.entry.facts
    kind = "decoder" if study.is_decoder else "encoder"
    return (
        f"{first}–{second}, {facts['pairs']} pairs, {facts['tokens']:,} tokens · "
        f"{kind} of {study.n_layers} layers, width {facts['width']}"
    )
