"""Two models that know one language each: do translations meet after one rotation?"""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.shared import charts
from components.shared.panels import panel
from isogloss.figures.layer_scores import mappings_figure
from isogloss.formatting import percent
from isogloss.models.presets import display_name
from isogloss.published import CONNEAU_2020
from isogloss.studies.mapping import (
    LEVELS,
    PAIR_SCORES,
    MappingScores,
    model_pair_facts,
    shipped_mapping,
)

METRIC = "precision@1"
PAIR_LANGUAGES = {"en", "zh"}


@panel
def model_pair_panel() -> None:
    """What was measured between two models whose studies are too large to ship."""
    st.subheader("Do two models that never met share a space?", anchor=False)
    facts = model_pair_facts()
    first, second = (display_name(model["name"]) for model in facts["models"])
    found = {level: shipped_mapping(level) for level in PAIR_SCORES}
    named = [
        (f"{LEVELS[level]} ({_basis(scores)})", scores.after) for level, scores in found.items()
    ]
    sentences = found["sentence"]
    best = {level: int(scores.after.curve(METRIC).argmax()) for level, scores in found.items()}
    st.markdown(
        f"**{first} reads English and {second} Chinese; one rotation a layer lets "
        f"{percent(sentences.after.curve(METRIC).max(), 0)} of sentences find their translation** "
        f"among {sentences.tested_on:,}, at layer {best['sentence']}. Word types do best at layer "
        f"{best['type']}."
    )
    charts.show(
        partial(mappings_figure, named, best["sentence"], charts.mode()),
        "model-pair",
        "Precision at 1 by layer after a mapping between two models, of sentences and of words",
    )
    text = facts["text"]
    st.caption(
        f"Measured once and shipped: {text['name']}, {text['pairs']:,} pairs; the map is learned "
        f"from one half of the pairs ({sentences.learned_from:,} sentences, "
        f"{found['type'].learned_from:,} word types) and tested on the other. To try "
        "other models, extract one text with both and add a mapping above. "
        f"{CONNEAU_2020.short}, figures 4 and 6, with 10,000 pairs: sentences are found best "
        "by lower layers, word types by higher ones."
    )


def _basis(scores: MappingScores) -> str:
    """How many rows were tested, and whose links paired them."""
    return ", ".join(filter(None, (f"{scores.tested_on:,} tested", scores.badge)))
