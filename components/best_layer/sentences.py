"""Retrieval in both directions over the layers, and which sentences went astray."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from components.best_layer.controls import (
    METRIC_HELP,
    PAGE,
    SETTINGS,
    RetrievalChoice,
    choose,
    tested,
)
from components.shared import background, charts, loading
from components.shared.layout import chart_columns
from components.shared.markdown import in_markdown, in_table
from components.shared.panels import panel
from components.shared.settings import kept_setting
from components.shared.studies.model_names import model_name
from components.shared.studies.rogue_note import rogue_note
from isogloss.figures.curves import Reference, correlation_figure
from isogloss.figures.layer_scores import retrieval_figure
from isogloss.formatting import percent
from isogloss.measures.correlation import correlate
from isogloss.measures.sentence_retrieval import DIRECTIONS, RetrievalScores
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.options import titled
from isogloss.published import RETRIEVAL_ZH_EN, PublishedValue, elsewhere
from isogloss.studies.mapping import LEVELS, MappedRetrieval, MappingScores
from isogloss.studies.retrieval import (
    ConfusedSentences,
    SentenceRetrieval,
    confused_sentences,
    say_if_all_found,
    say_if_few,
)
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study


@panel
def sentences_panel(study: Study, layer: int) -> None:
    """Score against layer for the chosen settings, the correlation with CKA, the confusions."""
    choice = choose(study)
    scores = background.answer(choice.retrieval, "Searching at every layer")
    if scores is None:
        return
    mapped = None
    if choice.mapping is not None:
        mapped = background.answer(choice.mapping, "Learning a mapping at every layer")
    if few := say_if_few(scores):
        st.warning(few, icon=":material/group:")
    left, right = chart_columns([1.75, 1], "retrieval-columns")
    with left:
        _show_curves(study, choice, scores, mapped, layer)
        _show_numbers(study, choice, scores, layer)
    with right:
        _show_correlation(choice, scores, layer)
    _show_confusions(study, choice, layer)
    rogue_note(study)


def _show_curves(
    study: Study,
    choice: RetrievalChoice,
    scores: RetrievalScores,
    mapped: MappingScores | None,
    layer: int,
) -> None:
    same, others = _published(study, choice)
    charts.show_layers(
        partial(
            retrieval_figure,
            scores,
            study.labels,
            layer,
            charts.mode(),
            choice.metric,
            (_mapping_name(choice.mapping, mapped), mapped) if choice.mapping and mapped else None,
            [Reference(known.system, known.value, published=True) for known in same],
        ),
        "retrieval-curves",
        f"{choice.title} by layer, both directions",
    )
    drawn = "".join(
        f" {known.system} is published for this text: {known.source.full}." for known in same
    )
    st.caption(
        f"Bands are {percent(scores.level, 0)} intervals; click a layer to look at it.{drawn} "
        f"{say_if_all_found(scores)} {elsewhere(others)}"
    )


def _published(
    study: Study, choice: RetrievalChoice
) -> tuple[list[PublishedValue], list[PublishedValue]]:
    """What others reached on this very text, and what they reached on another."""
    if set(study.languages) != {"en", "zh"} or choice.metric != "precision@1":
        return [], []
    text = study.bitext

    def is_same(known: PublishedValue) -> bool:
        pairs = zip(text.source, text.target, strict=True)
        return len(text) == known.task.pairs and known.task.is_of(pairs)

    same = [known for known in RETRIEVAL_ZH_EN if is_same(known)]
    return same, [known for known in RETRIEVAL_ZH_EN if known not in same]


def _mapping_name(mapping: MappedRetrieval, mapped: MappingScores) -> str:
    """What was mapped onto what, and how many pairs tested it."""
    what = LEVELS[mapping.level].lower()
    onto = f" onto {model_name(loading.study(mapping.other))}" if mapping.other else ""
    return f"{what} mapped{onto} ({tested(mapped)})"


def _show_numbers(
    study: Study, choice: RetrievalChoice, scores: RetrievalScores, layer: int
) -> None:
    index = choice.place
    st.markdown(f"**{study.states.title(layer)}**, {scores.rows:,} pairs")
    columns = st.columns(3)
    for direction, name in enumerate(study.labels.directions):
        low, high = (ends[layer, direction, index] for ends in (scores.low, scores.high))
        columns[direction].metric(
            in_markdown(name),
            f"{scores.values[layer, direction, index]:.3f}",
            f"{low:.2f} to {high:.2f}",
            delta_color="off",
            delta_arrow="off",
            help=f"{choice.title}; below it the {percent(scores.level, 0)} "
            f"interval over sentences.\n\n{METRIC_HELP}",
        )
    columns[2].metric(
        "By chance",
        f"{scores.chance[index]:.3f}",
        help=f"What shuffled pairs give on average among {scores.rows:,} sentences.",
    )


def _show_correlation(choice: RetrievalChoice, scores: RetrievalScores, layer: int) -> None:
    """Do the layers that agree more also find more? One point a layer."""
    measure = kept_setting(SETTINGS["against"], PAGE)
    asked = choice.retrieval
    question = LayerComparison(
        asked.study, measure=measure, pooling=asked.pooling, coordinates=asked.coordinates
    )
    comparison = background.answer(question, "Comparing the languages at every layer")
    if comparison is None:
        return
    similarity, states = comparison.similarity, loading.study(choice.retrieval.study).states
    defined = np.flatnonzero(np.diagonal(similarity.reasons) == "")
    values = np.diagonal(similarity.values)[defined]
    found = scores.curve(choice.metric)[defined]
    marked = int(np.searchsorted(defined, layer))
    charts.show(
        partial(
            correlation_figure,
            values,
            found,
            marked,
            (SIMILARITY_MEASURES[measure].title, choice.title),
            charts.mode(),
            height=318,
            names=tuple(states.short(int(layer)) for layer in defined),
        ),
        "retrieval-correlation",
        "Similarity against retrieval, one point per layer",
    )
    result = correlate(values, found)
    if result.pearson is None or result.spearman is None:
        st.caption(result.reason)
    else:
        st.caption(
            f"Pearson **{result.pearson:.2f}**, Spearman **{result.spearman:.2f}** over "
            f"n = {result.n} layers, both directions averaged.".replace("-", "−")
        )


def _show_confusions(study: Study, choice: RetrievalChoice, layer: int) -> None:
    names = dict(zip(DIRECTIONS, study.labels.directions, strict=True))
    left, right = st.columns([3, 1.4], vertical_alignment="bottom")
    offered = SETTINGS["direction"].but(choices=titled(names))
    direction = kept_setting(offered, PAGE, right)
    found = _confused(choice.retrieval, layer, direction)
    left.markdown(f"**Confused {study.states.place(layer)}**")
    left.caption(
        f"{found.confused:,} of {found.rows:,} sentences found something else first; "
        "the worst come first.",
        help="The rank is where the translation came, 1 the best. Scores are those of the chosen "
        "nearness. A paraphrase in the text counts as a confusion, too.",
    )
    if not found.shown:
        st.success("Every sentence found its translation.", icon=":material/check_circle:")
        return
    st.dataframe(
        {
            "Sentence": [in_table(row.sentence) for row in found.shown],
            "Found instead": [in_table(row.found) for row in found.shown],
            "Its translation": [in_table(row.translation) for row in found.shown],
            "Rank": [row.rank for row in found.shown],
            "Score": [row.score for row in found.shown],
            "Translation's": [row.translation_score for row in found.shown],
        },
        height=280,
        hide_index=True,
        column_config={
            "Sentence": st.column_config.TextColumn(width=330),
            "Found instead": st.column_config.TextColumn(width=245),
            "Its translation": st.column_config.TextColumn(width=245),
            "Rank": st.column_config.NumberColumn(width=64),
            "Score": st.column_config.NumberColumn(format="%.2f", width=72),
            "Translation's": st.column_config.NumberColumn(format="%.2f", width=104),
        },
        key="retrieval-confused",
        alt=f"Sentences confused {study.states.place(layer)}",
    )


@st.cache_data(show_spinner="Searching", max_entries=64)
def _confused(question: SentenceRetrieval, layer: int, direction: str) -> ConfusedSentences:
    """The sentences that found something else than their translation at a layer."""
    return confused_sentences(loading.study(question.study), layer, question, direction)
