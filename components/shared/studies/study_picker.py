"""The sidebar's choice as one frozen value, kept in the session and in the URL's query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from components.shared import loading, query, session
from components.shared.markdown import in_markdown, in_table
from components.shared.studies import another_model, coordinates, pair_tokens
from components.shared.studies.language_warnings import warn_of_languages
from components.shared.studies.model_names import model_and_text, model_name
from isogloss.map.maps import MapLinks
from isogloss.models.presets import find_preset
from isogloss.options import DIGITS
from isogloss.studies.study import PAIR_MARK, Study, told_apart
from isogloss.text.language_names import language_name

_SESSION = "choice"
_QUERY = "study"
_PAIR = "pair"
_STANDS_IN = "tokens-of-pair"
"""Under it the session has the study whose tokens stand in for those of the one that is chosen."""


PAIR_LABELS = ("First language", "Second language")


@dataclass(frozen=True)
class Choice:
    """The study on show and the layer that all pages mark; `named` by a link or by hand."""

    study: str
    layer: int
    named: bool = False


def current_choice() -> Choice | None:
    """The choice of this session, else what the URL asks for, else what a newcomer sees."""
    known = _known()
    if not known:
        return None
    kept: Choice | None = st.session_state.get(_SESSION)
    if kept is None or _entry(kept.study) not in known:
        kept = _first_choice(known)
        st.session_state[_SESSION] = kept
    return kept


def shown_before() -> str | None:
    """The key of the entry that pages have shown in this session, else in this browser."""
    kept: Choice | None = st.session_state.get(_SESSION)
    return session.last_study() if kept is None else _entry(kept.study)


def marked_layer(last: int) -> int:
    """The layer that all pages mark, or the last where there are fewer."""
    choice = current_choice()
    return min(choice.layer, last) if choice else 0


def _known() -> dict[str, Study]:
    """What can be chosen, by the keys of entries."""
    return {study.key: study for study in (*loading.studies(), *loading.means())}


def _entry(key: str) -> str:
    """The key of a study's entry, whichever pair of its languages is looked at."""
    return key.partition(PAIR_MARK)[0]


def _first_choice(known: Mapping[str, Study]) -> Choice:
    """What the link names, else what was last looked at in this browser, else the showpiece."""
    remembered = session.last_study()
    key = query.key(_QUERY, known) or (remembered if remembered in known else None)
    study = known[key] if key else showpiece(known)
    layer = _upper_middle(study)
    if query.is_dead(_QUERY, known):
        return Choice(study.key, layer)
    pairs = {each.pair_name: each for each in study.pairs()}
    study = pairs.get(query.choice(_PAIR, pairs, study.pair_name), study)
    shown = query.number("layer", study.states.last, layer)
    return Choice(study.key, shown, named=bool(query.text("layer")))


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
    if study == st.session_state.get(_STANDS_IN):
        study = None
    if (layer, study or kept.study) != (kept.layer, kept.study):
        st.session_state[_SESSION] = Choice(study or kept.study, layer, True)


def set_study(key: str, layer: int | None = None) -> None:
    """Show another study, at a layer that was looked at or at a good one to begin with."""
    upper = _upper_middle(loading.study(key))
    st.session_state[_SESSION] = Choice(key, upper if layer is None else layer, layer is not None)
    query.drop(_QUERY)
    query.drop(_PAIR)


def write_query(**more: str) -> None:
    """Put the choice, and what else makes up the view, into the address bar."""
    kept: Choice = st.session_state[_SESSION]
    study = loading.study(kept.study)
    at = {
        "study": study.entry.key[:DIGITS],
        "pair": study.pair_name if study.pair_record else "",
        "layer": str(kept.layer),
    }
    query.write(**at | {"coordinates": coordinates.in_query()} | more)


def sidebar(*, whole: bool = False) -> Study | None:
    """Show the studies to choose from; returns the chosen one, looked at through a pair.

    Of a study that keeps the means of sentences alone it is the study of the pair's tokens, None
    while these are read. A page that asks for `whole` takes all languages, and needs no tokens.
    """
    if arrived := another_model.arrived():
        set_study(arrived)
    choice = current_choice()
    found = _known()
    with st.sidebar:
        if choice is None:
            st.info("No study yet. Open **Your text** to make one.")
            return None
        keys, titles = list(found), told_apart(found.values(), _listed)
        picked = st.selectbox(
            "Study",
            keys,
            index=keys.index(_entry(choice.study)),
            format_func=titles.__getitem__,
            help="A study is a model's activations on a parallel text. Make one on **Your text**, "
            "or with `python -m isogloss extract` on a machine with a GPU.",
        )
        if picked != _entry(choice.study):
            set_study(picked)
            st.rerun()
        study = loading.study(choice.study)
        if len(study.all_languages) > 2 and not whole:
            _ask_pair(study)
        # The field above may be too narrow for it.
        title = titles[study.entry.key] if len(study.all_languages) == 2 else _title(study)
        st.caption(f"**{in_markdown(title)}**  \n{_facts(study)}")
        another_model.offer(study)
        session.remember_study(study.entry.key)
    if query.is_dead(_QUERY, keys):
        _say_dead(study)
    if whole:
        return study
    shown = _with_tokens(study)
    if shown is not None:
        with st.sidebar:
            warn_of_languages(shown)
    return shown


def on_show() -> Study:
    """The study that the sidebar has, with the coordinates below it; without one the page ends."""
    shown = sidebar()
    if shown is None:
        st.stop()
    coordinates.sidebar()
    return shown


def _ask_pair(study: Study) -> None:
    """The two languages that the page compares."""
    chosen = [
        place.selectbox(
            label,
            study.all_languages,
            index=study.all_languages.index(code),
            format_func=lambda code: in_table(language_name(code)),
        )
        for place, label, code in zip(st.columns(2), PAIR_LABELS, study.languages, strict=True)
    ]
    if chosen[0] == chosen[1]:  # one was set to what the other is, so they change places
        chosen = list(reversed(study.languages))
    if tuple(chosen) != study.languages:
        kept: Choice = st.session_state[_SESSION]
        st.session_state[_SESSION] = replace(kept, study=study.pair(*chosen).key)
        query.drop(_PAIR)
        st.rerun()


def _with_tokens(study: Study) -> Study | None:
    found = study if study.keeps_tokens else pair_tokens.of_pair(study)
    st.session_state[_STANDS_IN] = found.key if found is not None and found != study else None
    return found


def _say_dead(shown: Study) -> None:
    """A link to a study that is not here says so until a study is chosen."""
    asked = in_markdown(st.query_params[_QUERY][:32])
    st.warning(
        f"The link names the study {asked}, which is not in this store; instead this is "
        f"{in_markdown(_title(shown))}. Choose another at the left, or ask whoever sent the link "
        "for the study itself: `python -m isogloss studies export`.",
        icon=":material/link_off:",
    )
    st.button("Stay with this one", on_click=set_study, args=(shown.key,), key="stay-with-study")


def _listed(study: Study) -> str:
    """What the list calls a study: one of many languages by how many there are."""
    many = len(study.all_languages)
    if many == 2:
        return _title(study)
    return f"{model_and_text(study, weights=False)}, {many} languages"


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
