"""What one rogue dimension does to scores, in a sentence on every page that it concerns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components.shared import loading
from isogloss.figures.rogue_dimensions import Contrast
from isogloss.formatting import percent
from isogloss.models.states import LayerStates
from isogloss.studies.coordinates import RogueCurves, RogueReport
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.study import Study

TELLING = 0.1
"""Scores that differ by less than this tell the same story."""


def verdict(curves: RogueCurves, contrasts: Sequence[Contrast], states: LayerStates) -> str:
    """Say whether raw and standardised scores tell different stories, and where most."""
    gaps = [np.abs(contrast.standardised - contrast.raw) for contrast in contrasts]
    which = int(np.argmax([gap.max() for gap in gaps]))
    layer = int(gaps[which].argmax())
    widest = contrasts[which]
    if gaps[which][layer] < TELLING:
        return (
            f"**Raw and standardised scores tell the same story here**: they differ by at most "
            f"{gaps[which][layer]:.2f}, {states.place(layer)} ({widest.name.lower()})."
        )
    where = states.place(layer).capitalize()
    return (
        f"**Raw and standardised scores tell different stories.** {where} one dimension "
        f"holds {percent(curves.largest[layer], 0)} of the variance; {widest.name.lower()} reads "
        f"{widest.raw[layer]:.2f} as the model has its coordinates and "
        f"{widest.standardised[layer]:.2f} standardised."
    )


def rogue_note(study: Study) -> None:
    """One sentence on any page of a study whose raw and standardised scores differ."""
    curves = loading.kept_answer(RogueReport(study.key))
    raw, standardised = (
        loading.kept_answer(SentenceRetrieval(study.key, coordinates=coordinates))
        for coordinates in ("centred", "standardised")
    )
    if curves is None or raw is None or standardised is None:
        return
    contrast = Contrast(
        "Sentences found first", raw.curve("precision@1"), standardised.curve("precision@1")
    )
    if np.abs(contrast.raw - contrast.standardised).max() >= TELLING:
        st.caption(
            f"{verdict(curves, [contrast], study.states)} See **Similarity › Rogue dimensions**."
        )
