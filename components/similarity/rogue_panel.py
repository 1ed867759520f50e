"""Rogue dimensions: how few of them hold a layer's variance, and what scores make of that."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from components.shared import background, charts
from components.shared.studies import study_picker as study_choice
from components.shared.studies.rogue_note import verdict
from isogloss.figures.rogue_dimensions import Contrast, rogue_dimensions_figure
from isogloss.formatting import percent
from isogloss.map.maps import MapLinks
from isogloss.measures.stacks import Array
from isogloss.studies.coordinates import RogueCurves, RogueReport
from isogloss.studies.questions import Question
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality


def rogue_panel(study: Study) -> None:
    """Show shares of variance, every score in both coordinates, and the sentence they come to."""
    curves = background.answer(RogueReport(study.key), "Looking at dimensions")
    contrasts = score_contrasts(study)
    if curves is None or contrasts is None:
        return
    layer = study_choice.marked_layer(study.states.last)
    _show_layer(curves, layer, study.states.title(layer).lower())
    charts.show(
        partial(rogue_dimensions_figure, curves, contrasts, layer, charts.mode(), study.states),
        "rogue-dimensions",
        "The share of variance in the largest dimensions of every layer, and scores raw and "
        "standardised",
        picture="rogue-dimensions",
    )
    st.markdown(verdict(curves, contrasts, study.states))
    with st.expander("What rogue dimensions are", icon=":material/help:"):
        st.markdown(
            "In some models a handful of dimensions vary hundreds of times more than the others. "
            "Cosine, CKA and pictures in the model's own coordinates follow those few and hardly "
            "see the rest, so a score can rise or fall because one dimension shrinks or grows. "
            "Standardised coordinates give every dimension the same say:"
        )
        st.latex(
            r"z_{ij} = \frac{x_{ij} - \mu^{(\ell)}_j}{\sigma_j}, \qquad "
            r"\text{taking part} = \frac{(\sum_j \sigma_j^2)^2}{\sum_j \sigma_j^4}"
        )
        st.markdown(
            "**Can't tell.** Whether a rogue dimension is noise: the model may well use it. "
            "Standardising says what the other dimensions hold, not what the model does with them."
        )
        st.caption(
            "Timkey & van Schijndel 2021, All bark and no bite; Kovaleva et al. 2021, BERT "
            "busters; Gao & Ganguli 2015 for the number that takes part. Variance is around each "
            "language's mean, over all tokens of the study but special ones. *As the model has "
            "them*: with language means removed, as is usual."
        )


def _show_layer(curves: RogueCurves, layer: int, name: str) -> None:
    columns = st.columns(3)
    columns[0].metric(
        f"In the largest dimension, {name}",
        percent(curves.largest[layer], 0),
        help=f"The share of the layer's variance in dimension {curves.dimension[layer]}. Spread "
        f"evenly it would be {percent(1 / curves.width)}.",
    )
    columns[1].metric("In the largest five", percent(curves.largest_five[layer], 0))
    columns[2].metric(
        "Dimensions taking part",
        f"{curves.participation[layer]:.0f} of {curves.width}",
        help="The participation ratio: all of them if they share the variance evenly, 1 if one "
        "dimension has it all.",
    )


def score_contrasts(study: Study) -> list[Contrast] | None:
    """Every score in both coordinates; None while one is still being computed."""
    words = background.answer(MapLinks(study.key), "Ranking translations")
    if words is None:
        return None
    asked: list[tuple[str, Callable[..., Question[Any]], str, Callable[[Any], Array]]] = [
        (
            "Sentences found first",
            SentenceRetrieval,
            "Searching translations",
            lambda found: found.curve("precision@1"),
        ),
        (
            "CKA of the two languages",
            LayerComparison,
            "Comparing layers",
            lambda found: np.diagonal(found.similarity.values),
        ),
    ]
    if words.scores is not None:
        name = f"Words whose nearest is right ({words.scored.badge})"
        asked.append(
            (name, MapLinks, "Ranking translations", lambda found: found.scores.nearest_share)
        )
    if study.bitext.gold is not None:
        asked.append(
            (
                "1 − alignment error",
                AlignmentQuality,
                "Aligning words",
                lambda found: 1 - found.error_rate,
            )
        )
    contrasts = []
    for name, kind, title, curve in asked:
        raw, standardised = (
            background.answer(kind(study.key, coordinates=way), title)
            for way in ("centred", "standardised")
        )
        if raw is None or standardised is None:
            return None
        contrasts.append(Contrast(name, curve(raw), curve(standardised)))
    return contrasts
