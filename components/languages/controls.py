"""Which study in many languages is on show, at which layer, and what stands below its map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.shared import loading, query
from components.shared.markdown import in_markdown
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.options import DIGITS, option, options_of, titled
from isogloss.studies import similarity
from isogloss.studies.languages.listing import languages_studies
from isogloss.studies.languages.questions import EveryPair, LanguageTrees
from isogloss.studies.study import Study

_SESSION = "languages-choice"
_STUDY = "languages-study"
METHODS = ("tsne", "pca")

Part = Literal["crossing", "pairs", "tree"]
PARTS = titled({"crossing": "The crossing", "pairs": "Every pair", "tree": "The tree"})


@dataclass(frozen=True)
class LanguagesView:
    """What of the page is on show."""

    show: Part = option(
        "crossing", "what stands below the map", title="Below the map", choices=PARTS, explain=False
    )
    method: str = option(
        "tsne",
        "how sentences are drawn in two dimensions",
        title="Projection",
        choices={name: PROJECTIONS[name] for name in METHODS},
    )


SETTINGS = options_of(LanguagesView)
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


def sidebar() -> Study | None:
    """Show the studies to choose from; returns the chosen one."""
    found = studies()
    if not found:
        st.info("No text in more than two languages yet. Open **Your text** to bring one.")
        return None
    kept: Choice | None = st.session_state.get(_SESSION)
    if kept is None or kept.study not in found:
        key = query.key("study", found) or next(iter(found))
        study = loading.study(key)
        layer = query.number("layer", study.states.last, 0)
        kept = Choice(key, layer)
        st.session_state[_SESSION] = kept
    keys = list(found)
    with st.sidebar:
        picked = st.selectbox(
            "Study",
            keys,
            index=keys.index(kept.study),
            format_func=lambda key: (
                f"{model_name(found[key])} · {found[key].entry.facts['corpus']}"
            ),
            help="A model's states of a text in more than two languages.",
            key=_STUDY,
        )
        study = loading.study(picked)
        rows = len(study.text)
        st.caption(
            f"{len(study.all_languages)} languages, {rows:,} rows · {study.kind} of "
            f"{study.n_layers} layers, width {study.entry.facts['width']}"
        )
    if picked != kept.study:
        st.session_state[_SESSION] = Choice(picked, min(kept.layer, study.states.last))
        query.drop("study")
    return study


def set_study(study: Study) -> None:
    """Put a study on show, from another page."""
    st.session_state[_SESSION] = Choice(study.entry.key, 0)
    st.session_state.pop(_STUDY, None)


def layer_of(study: Study) -> int:
    """The layer that map and charts mark."""
    kept: Choice = st.session_state[_SESSION]
    return min(kept.layer, study.states.last)


def set_layer(layer: int) -> None:
    """Move that layer."""
    kept: Choice = st.session_state[_SESSION]
    st.session_state[_SESSION] = Choice(kept.study, layer)


def write_query(beside: str | None = None, **more: str) -> None:
    """Put the choice, and what else makes up the view, into the address bar."""
    kept: Choice = st.session_state[_SESSION]
    at = {"study": kept.study[:DIGITS], "layer": str(kept.layer)}
    below = query.kept("measure", "score", "distance", "cell")
    at |= {"coordinates": coordinates.in_query(), "beside": (beside or "")[:DIGITS]}
    query.write(**at | below | more)


def title_of(study: Study) -> str:
    """A study as sentences call it."""
    return in_markdown(model_name(study))
