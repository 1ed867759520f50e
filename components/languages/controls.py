"""Which study in many languages is on show, at which layer, and what stands below its map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

import streamlit as st

from components.shared import background, loading, query
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_and_text
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.models.packaged.e5 import NAME as SHOWPIECE
from isogloss.options import DIGITS, Option, option, options_of, titled
from isogloss.studies import similarity
from isogloss.studies.languages.listing import languages_studies
from isogloss.studies.languages.questions import EveryPair, LanguageTrees
from isogloss.studies.questions import Question, Result
from isogloss.studies.study import Study

_SESSION, _WIDGET = "languages-choice", "languages-study"
_STUDY = Option(
    help="A model's states of a text in more than two languages.",
    title="Study",
    address="study",
    digits=DIGITS,
)

Part = Literal["crossing", "pairs", "tree"]
PARTS = titled({"crossing": "The crossing", "pairs": "Every pair", "tree": "The tree"})


@dataclass(frozen=True)
class LanguagesView:
    """What of the page is on show."""

    show: Part = option(
        "crossing", "what stands below the map", title="Below the map", choices=PARTS, explain=False
    )


SETTINGS = options_of(LanguagesView)
PROJECTION = options_of(ProjectionOptions)["method"].but(
    help="how sentences are drawn in two dimensions",
    choices={name: PROJECTIONS[name] for name in ("tsne", "pca")},
)
"""Of the map's projection the page offers the method alone; it is part of the picture's key."""
PAIR_SETTINGS = options_of(EveryPair)
TREE_SETTINGS = options_of(LanguageTrees)


@dataclass(frozen=True)
class Choice:
    """The study on show and the layer that map and charts mark."""

    study: str
    layer: int


def studies() -> dict[str, Study]:
    """Every study in more than two languages, by its key, those with random weights last."""
    return {study.entry.key: study for study in languages_studies(loading.the_store())}


def random_twin(study: Study) -> Study | None:
    """The study of the same text by the same model with random weights, if there is one."""
    return similarity.random_twin(study, tuple(studies().values()))


def sidebar(elsewhere: str | None) -> Study | None:
    """Show the studies to choose from; returns the chosen one, at first what is shown elsewhere."""
    found = studies()
    if not found:
        st.info("No text in more than two languages yet. Open **Your text** to bring one.")
        return None
    titles = {key: model_and_text(each) for key, each in found.items()}
    kept: Choice | None = st.session_state.get(_SESSION)
    if kept is None or kept.study not in found:
        linked = _STUDY.but(choices=titled(titles), default=first_shown(found, elsewhere))
        study = loading.study(query.read(linked))
        kept = Choice(study.key, query.number("layer", study.states.last, 0))
    with st.sidebar:
        picked = st.selectbox(
            _STUDY.title,
            list(titles),
            index=list(titles).index(kept.study),
            format_func=titles.__getitem__,
            help=_STUDY.help,
            key=_WIDGET,
        )
        study = loading.study(picked)
        st.caption(
            f"{len(study.all_languages)} languages, {len(study.text):,} rows · {study.kind} of "
            f"{study.n_layers} layers, width {study.entry.facts['width']}"
        )
    st.session_state[_SESSION] = Choice(picked, min(kept.layer, study.states.last))
    return study


def first_shown(found: Mapping[str, Study], elsewhere: str | None) -> str:
    """What is shown before anything is chosen here: what other pages have shown, if that is in
    many languages, else the showpiece that comes with Isogloss, else the newest."""
    if elsewhere is not None and elsewhere in found:
        return elsewhere
    shipped = [key for key, each in found.items() if each.entry.demo]
    showpieces = [key for key in shipped if found[key].model == SHOWPIECE]
    return [*showpieces, *shipped, *found][0]


def set_study(study: Study) -> None:
    """Put a study on show, from another page."""
    st.session_state[_SESSION] = Choice(study.entry.key, 0)
    st.session_state.pop(_WIDGET, None)


def current() -> Choice:
    """The study and the layer on show, once `sidebar` has asked for them."""
    return cast(Choice, st.session_state[_SESSION])


def set_layer(layer: int) -> None:
    """Move that layer."""
    st.session_state[_SESSION] = replace(current(), layer=layer)


def answer(question: Question[Result], title: str) -> Result | None:
    """The answer of all languages of a study, at once if there; else None, and the page says so."""
    study = loading.study(question.study)
    of = f"{model_and_text(study, weights=False)}, {len(study.all_languages)} languages"
    return background.answer(question, title, of)


def write_query(beside: str | None = None, **more: str) -> None:
    """Put the choice, and what else makes up the view, into the address bar."""
    kept = current()
    at = {"study": kept.study[:DIGITS], "layer": str(kept.layer)}
    below = query.kept("measure", "score", "distance", "cell")
    at |= {"coordinates": coordinates.in_query(), "beside": (beside or "")[:DIGITS]}
    query.write(**at | below | more)
