"""How much of the language is left, and words by a dictionary."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.best_layer.controls import METRIC_HELP
from components.shared import background, charts
from components.shared.file_inputs import ask_uploads
from components.shared.panels import panel
from isogloss.figures.layer_scores import dictionary_figure, language_probe_figure
from isogloss.studies.mapping import DictionaryTranslation
from isogloss.studies.retrieval import LanguageIdentity
from isogloss.studies.study import Study
from isogloss.text.dictionaries import read_dictionary


@panel
def language_identity_panel(study: Study, layer: int) -> None:
    """How well a linear classifier still tells the two languages apart."""
    st.subheader("Does a layer still know which language it reads?", anchor=False)
    probe = background.answer(LanguageIdentity(study.key), "Probing every layer")
    if probe is None:
        return
    charts.show_clickable(
        partial(language_probe_figure, probe, study.labels, layer, charts.mode()),
        "language-identity",
        "Accuracy of telling the language, by layer",
        lambda x, y: charts.move_cursor(round(x)),
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
    charts.show_clickable(
        partial(dictionary_figure, scores, study.labels, layer, charts.mode()),
        "dictionary-curves",
        "Word translation by layer",
        lambda x, y: charts.move_cursor(round(x)),
    )
    st.caption(
        f"{scores.covered:,} of {scores.entries:,} dictionary words occur in the text with a "
        f"translation; {scores.tested:,} were tested among {scores.candidates:,} words.",
        help=METRIC_HELP,
    )
