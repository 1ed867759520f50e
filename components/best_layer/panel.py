"""Four scores over the layers, and in a sentence which layer is best by the chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.best_layer.controls import PAGE
from components.best_layer.details import ADDRESSES
from components.shared import background, charts, loading, query
from components.shared.layout import control_row, finding
from components.shared.markdown import in_markdown
from components.shared.panels import panel
from components.shared.settings import setting_widget
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study_choice
from components.shared.studies.methods import methods_button
from isogloss.figures.best_layers import best_layers_figure
from isogloss.interface.best_layers import BestLayers
from isogloss.options import option, options_of, to_query
from isogloss.studies.best_layer.question import BestLayer
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import SCORES, ScoreName, compare_with, verdict
from isogloss.studies.similarity import random_twin
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name


@dataclass(frozen=True)
class BestLayerView:
    """The score that the sentence is about."""

    by: ScoreName = option(
        "words", "The score that the sentence below is about", title="Score", choices=SCORES
    )


@panel
def best_layer_panel(study: Study, layer: int) -> None:
    """The chart, the sentence, and what both rest on."""
    found = _answers(study)
    if found is None:
        return
    view = _choose([name for name, scores in found.items() if scores.is_there])
    twin = random_twin(study, loading.studies())
    random = _answers(twin) if twin is not None else None
    charts.show_layers(
        partial(best_layers_figure, found, random, layer, view.by, study.states, charts.mode()),
        "best-layers",
        "Four scores by layer",
        picture="best layer",
    )
    chosen, score = found[view.by], SCORES[view.by]
    finding(f"**{verdict(chosen, score, study.states)}**")
    on_show = compare_with(chosen, score, layer, study.states)
    st.caption(
        f"{on_show} {_basis(study, chosen)} {_lines(twin is not None)}".strip(),
        help="A sentence pair is drawn anew for all layers at once, 2,000 times. The intervals of "
        "all pairs of layers hold together in 95 % of texts, so that whichever layer is looked at "
        "is covered. A layer whose interval against the best reaches 0 cannot be told from it; "
        "that does not say that the two are equal (Romano & Wolf 2005). *Can't tell* what other "
        "kinds of text would say.",
    )
    for scores in found.values():
        if not scores.is_there:
            st.caption(str(scores.reasons[0]))
    methods_button(study, BestLayers((study,), (found,), (random,), coordinates.current()))


def _answers(study: Study) -> dict[ScoreName, LayerScores] | None:
    """All four scores; None while one is being computed, which is said here."""
    found = {}
    for name, score in SCORES.items():
        question = BestLayer(study.key, name, coordinates.current())
        answer = background.answer(question, f"{score.title} at every layer")
        if answer is None:
            return None
        found[name] = answer
    return found


def _choose(there: list[ScoreName]) -> BestLayerView:
    declared = options_of(BestLayerView)["by"]
    default = declared.default if declared.default in there else there[0]
    offered = declared.but(choices={name: SCORES[name] for name in there}, default=default)
    with control_row():
        view = BestLayerView(setting_widget(offered, PAGE, buttons=True))
    kept = query.kept(*ADDRESSES)
    study_choice.write_query(**to_query(view), **kept)
    return view


def _basis(study: Study, scores: LayerScores) -> str:
    """The text, its languages, and how much of it was counted."""
    first, second = (in_markdown(language_name(code)) for code in study.languages)
    name = in_markdown(str(study.entry.facts["corpus"]))
    badge = f", {scores.badge}" if scores.badge else ""
    return f"{name}, {first}–{second}, {scores.rows:,} {scores.counted}{badge}."


def _lines(has_twin: bool) -> str:
    greys = (
        "dotted: shuffled pairs; grey: the random model" if has_twin else "dotted: shuffled pairs"
    )
    return f"Shaded: cannot be told from the best; {greys}; upright: the layer chosen."
