"""The smaller parts below the curves: language, space, two models, and words by a dictionary."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.best_layer.controls import METRIC_HELP, tested
from components.shared import background, charts
from components.shared.file_inputs import ask_uploads
from components.shared.markdown import in_markdown
from components.shared.panels import panel
from components.shared.studies import coordinates
from isogloss.figures.layer_scores import (
    LOW,
    dictionary_figure,
    geometry_figure,
    language_probe_figure,
    mappings_figure,
)
from isogloss.formatting import percent
from isogloss.models.presets import display_name
from isogloss.published import CONNEAU_2020
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.mapping import (
    LEVELS,
    PAIR_SCORES,
    DictionaryTranslation,
    model_pair_facts,
    shipped_mapping,
)
from isogloss.studies.retrieval import LanguageIdentity
from isogloss.studies.study import Study
from isogloss.text.dictionaries import read_dictionary

METRIC = "precision@1"
PAIR_LANGUAGES = {"en", "zh"}


@panel
def language_identity_panel(study: Study, layer: int) -> None:
    """How well a linear classifier still tells the two languages apart."""
    st.subheader("Does a layer still know which language it reads?", anchor=False)
    probe = background.answer(LanguageIdentity(study.key), "Probing every layer")
    if probe is None:
        return
    charts.show_layers(
        partial(language_probe_figure, probe, study.labels, layer, charts.mode()),
        "language-identity",
        "Accuracy of telling the language, by layer",
    )
    st.caption(
        f"A ridge classifier on mean-pooled sentences, {probe.folds}-fold cross-validation over "
        f"{probe.rows:,} pairs.",
        help="1: the language is written on every vector; 0.5: it is lost. A sentence and its "
        "translation are always in the same fold. *Can't tell* how large a part of the vector "
        "the language is: one direction is enough for 1, and a non-linear trace goes unseen "
        "(after Libovický et al. 2020).",
    )


@panel
def layer_geometry_panel(study: Study, layer: int) -> None:
    """IsoScore by layer, and hubness at the layer on show."""
    st.subheader("Does a layer use all of its space?", anchor=False)
    question = LayerGeometry(study.key, coordinates=coordinates.current())
    found = background.answer(question, "Looking at every layer's space")
    if found is None:
        return
    charts.show_layers(
        partial(geometry_figure, found, study.labels, layer, charts.mode(), LOW),
        "layer-geometry",
        "IsoScore of both languages by layer",
    )
    for side, (column, name) in enumerate(zip(st.columns(3), study.labels.names, strict=False)):
        column.metric(
            f"Hubness of {in_markdown(name)}, {study.states.title(layer).lower()}",
            f"{found.hubness[layer, side]:.2f}",
            help=f"How unevenly sentences are found among the {found.neighbours} nearest from the "
            "other language: the skewness of how often each is. 0: all alike; above 2 a few are "
            "found by nearly everyone, which CSLS corrects (Radovanović et al. 2010). *Can't "
            "tell* whether those finds are right.",
        )
    st.caption(
        f"Mean-pooled sentences, {found.rows:,} a language. IsoScore could reach 1; the axis ends "
        "at the highest value here.",
        help="0 where one direction holds all variance, 1 where all hold the same (Rudman et al. "
        "2022). *Can't tell* good from bad: an even space may mean nothing; and few sentences "
        "read low, because they span few directions.",
    )


@panel
def model_pair_panel() -> None:
    """What was measured between two models whose studies are too large to ship."""
    st.subheader("Do two models that never met share a space?", anchor=False)
    facts = model_pair_facts()
    first, second = (display_name(model["name"]) for model in facts["models"])
    found = {level: shipped_mapping(level) for level in PAIR_SCORES}
    named = [
        (f"{LEVELS[level]} ({tested(scores)})", scores.after) for level, scores in found.items()
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


@panel
def dictionary_panel(study: Study, layer: int) -> None:
    """Word translation against a bilingual dictionary that the user brings."""
    st.subheader("Do words find their translations in a dictionary?", anchor=False)
    uploaded = ask_uploads(
        "A dictionary in MUSE's format: one `word translation` a line",
        "dictionary",
        several=False,
        help="The words of the text, all occurrences averaged, look for their translations among "
        "all words of the other language by CSLS; half of the dictionary teaches a mapping, the "
        "other half tests it (Conneau et al. 2018).",
    )
    if not uploaded:
        return
    dictionary = read_dictionary(uploaded[0])
    entries = tuple(
        (word.lower(), translation.lower())
        for word, translations in dictionary.translations.items()
        for translation in translations
    )
    mapped = st.toggle(
        "Learn a mapping from half of it",
        value=True,
        key="dictionary-mapped",
        help="Off, the space is searched as it is, and all words are tested.",
    )
    question = DictionaryTranslation(study.key, entries, mapped=mapped)
    scores = background.answer(question, "Looking words up")
    if scores is None:
        return
    charts.show_layers(
        partial(dictionary_figure, scores, study.labels, layer, charts.mode()),
        "dictionary-curves",
        "Word translation by layer",
    )
    st.caption(
        f"{scores.covered:,} of {scores.entries:,} dictionary words occur in the text with a "
        f"translation; {scores.tested:,} were tested among {scores.candidates:,} words.",
        help=METRIC_HELP,
    )
