"""A model as people call it, and what they should know of it."""

from __future__ import annotations

import streamlit as st

from isogloss.models.presets import display_name, find_preset
from isogloss.studies.study import Study


def model_name(study: Study, *, weights: bool = True) -> str:
    """The preset's name, or the last part of a path or hub id; `weights` tells rounded ones."""
    preset = find_preset(study.model)
    return preset.name if preset and not weights else display_name(study.model)


def model_and_text(study: Study, *, weights: bool = True) -> str:
    """A study by its model and the whole of its text, whichever languages are looked at."""
    return f"{model_name(study, weights=weights)} · {study.entry.facts['corpus']}"


def show_tuning(model: str) -> None:
    """What a model had been taught before a run, since a run cannot take credit for that."""
    preset = find_preset(model)
    if preset is not None and preset.tuned_on:
        st.caption(
            f"**What its model knew before.** After its pre-training, {preset.title}, was "
            f"tuned on {preset.tuned_on}."
        )
