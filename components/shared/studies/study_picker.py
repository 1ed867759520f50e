"""The sidebar's choice as one frozen value, kept in the session and in the URL's query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from components.shared import loading, query
from components.shared.markdown import in_markdown
from components.shared.studies import another_model, browser_memory, coordinates
from components.shared.studies.language_warnings import warn_of_languages
from components.shared.studies.model_names import model_name
from isogloss.map.maps import MapLinks
from isogloss.models.presets import find_preset
from isogloss.options import DIGITS
from isogloss.studies.study import Study, told_apart
from isogloss.text.language_names import language_name

_SESSION = "choice"
_QUERY = "study"


@dataclass(frozen=True)
class Choice:
    """The study on show and the layer that all pages mark; `named` by a link or by hand."""

    study: str
    layer: int
    named: bool = False


def current_choice() -> Choice | None:
    """The choice of this session, else what the URL asks for, else what a newcomer sees."""
    known = {study.key: study for study in loading.studies()}
    if not known:
        return None
    kept: Choice | None = st.session_state.get(_SESSION)
    if kept is None or kept.study not in known:
        kept = _first_choice(known)
        st.session_state[_SESSION] = kept
    return kept


def _first_choice(known: Mapping[str, Study]) -> Choice:
    """What the link names, else what was last looked at in this browser, else the showpiece."""
    remembered = browser_memory.last_study()
    key = query.key(_QUERY, known) or (remembered if remembered in known else None)
    study = known[key] if key else showpiece(known)
    layer = _upper_middle(study)
    if query.is_dead(_QUERY, known):
        return Choice(study.key, layer)
    named = query.number("layer", study.states.last, -1)
    return Choice(study.key, named, True) if named >= 0 else Choice(study.key, layer)


def showpiece(known: Mapping[str, Study]) -> Study:
    """Of the studies that come with Isogloss, or else of all, the one that shows meeting best.

    Of the longest text in which words meet at all, since more sentences show more of it.
    """

    def promise(study: Study) -> tuple[int, float]:
        gain = _meeting(study)
        return (study.entry.facts["pairs"] if gain > 0 else 0, gain)

    shipped = [study for study in known.values() if study.entry.demo]
    return max(shipped or known.values(), key=promise)


def _meeting(study: Study) -> float:
    """How many more words are nearest to their translation at the best layer than at layer 0.

    Nothing where words cannot be scored.
    """
    words = loading.kept_answer(MapLinks(study.key))
    if words is None or words.scores is None:
        return 0.0
    curve = words.scores.nearest_share
    return float(curve.max() - curve[0])


def _upper_middle(study: Study) -> int:
    return round(study.n_layers * 2 / 3)


def set_layer(layer: int, study: str | None = None) -> None:
    """Move the cursor that all pages share, to a layer of `study` if another one is on show."""
    kept: Choice = st.session_state[_SESSION]
    if (layer, study or kept.study) != (kept.layer, kept.study):
        st.session_state[_SESSION] = Choice(study or kept.study, layer, True)


def set_study(key: str) -> None:
    """Show another study."""
    st.session_state[_SESSION] = Choice(key, _upper_middle(loading.study(key)))
    query.drop(_QUERY)


def write_query(**more: str) -> None:
    """Put the choice, and what else makes up the view, into the address bar."""
    kept: Choice = st.session_state[_SESSION]
    at = {"study": kept.study[:DIGITS], "layer": str(kept.layer)}
    query.write(**at | {"coordinates": coordinates.in_query()} | more)


def sidebar() -> Study | None:
    """Show the studies to choose from; returns the chosen one."""
    if arrived := another_model.arrived():
        set_study(arrived)
    choice = current_choice()
    found = {study.key: study for study in loading.studies()}
    with st.sidebar:
        if choice is None:
            st.info("No study yet. Open **Your text** to make one.")
            return None
        keys, titles = list(found), told_apart(found.values(), _title)
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
        # The field above may be too narrow for it.
        st.caption(f"**{in_markdown(titles[study.key])}**  \n{_facts(study)}")
        another_model.offer(study)
        warn_of_languages(study)
        browser_memory.remember_study(study.key)
    if query.is_dead(_QUERY, keys):
        _say_dead(study)
    return study


def _say_dead(shown: Study) -> None:
    """A link to a study that is not here says so until a study is chosen."""
    asked = in_markdown(st.query_params[_QUERY][:32])
    st.warning(
        f"The link names the study {asked}, which is not in this cache; instead this is "
        f"{in_markdown(_title(shown))}. Choose another at the left, or ask whoever sent the link "
        "for the study itself: `python -m isogloss studies export`.",
        icon=":material/link_off:",
    )
    st.button("Stay with this one", on_click=set_study, args=(shown.key,), key="stay-with-study")


def _title(study: Study) -> str:
    """Model and text; the sidebar is too narrow for more, so what the weights are is said below."""
    return f"{model_name(study, weights=False)} · {study.text_title}"


def _facts(study: Study) -> str:
    first, second = (in_markdown(language_name(code)) for code in study.languages)
    facts = study.entry.facts
    preset = find_preset(study.model)
    rounded = f", {preset.bits}-bit weights" if preset is not None and preset.bits else ""
    cut = f"  \n**{study.says_cut}**" if study.says_cut else ""
    return (
        f"{first}–{second}, {facts['pairs']} pairs, {facts['tokens']:,} tokens · "
        f"{study.kind} of {study.n_layers} layers, width {facts['width']}{rounded}"
        f"{f' · {top}' if (top := study.states.describe()) else ''}{cut}"
    )
