"""The paper's table of CKA by layer, with the same measured here beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from components.shared import background, charts, loading
from components.shared.markdown import in_markdown
from components.shared.studies import study_picker as study_choice
from components.similarity.controls import SimilarityChoice
from isogloss.figures.published_table import TableEntry, layer_table_figure, place_columns
from isogloss.figures.template import plain
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array
from isogloss.models.presets import PRESETS, display_name, is_monolingual
from isogloss.published import CONNEAU_2020, published_cka
from isogloss.studies.similarity import (
    PAPER_MEASURE,
    Comparison,
    TableColumn,
    shipped_monolingual,
    table_columns,
)
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

MOST_OWN_COLUMNS = 5
_COLUMN = "paper-table-column"


def paper_table(study: Study, choice: SimilarityChoice) -> None:
    """Show published and own columns side by side, and what stands behind one of ours."""
    answered = _answered(study, choice)
    if not answered:
        return
    columns, answers = zip(*answered, strict=True)
    published = _published()
    own = [_own(study, column, found) for column, found in zip(columns, answers, strict=True)]
    # The first column is this model; what shuffled pairs read stands beside it.
    entries = [*published, own[0], _shuffled(study, columns[0], answers[0]), *own[1:]]
    behind = [0, 0, *range(1, len(columns))]
    place = min(int(st.session_state.get(_COLUMN, 0)), len(behind) - 1)
    picked = behind[place]
    layer = study_choice.marked_layer(len(entries[len(published) + place].values) - 1)
    places = place_columns(entries)

    def click(x: float, y: float) -> None:
        column = int(np.argmin(np.abs(np.array(places) - x)))
        if column >= len(published) and y >= 0:
            st.session_state[_COLUMN] = column - len(published)
            charts.move_cursor(round(y))

    charts.show_clickable(
        partial(
            layer_table_figure,
            entries,
            f"{CONNEAU_2020.short}, {CONNEAU_2020.place}",
            (layer, len(published) + place),
            charts.mode(),
            study.states,
        ),
        "paper-table",
        "Similarity by layer, language pair and kind of encoder: published and measured here",
        click,
    )
    _explain(study, choice, columns[picked], answers[picked], layer)
    _offer_monolingual(study, columns)


def _answered(study: Study, choice: SimilarityChoice) -> list[tuple[TableColumn, Comparison]]:
    """Our columns with their values; none while one is still being computed."""
    columns = table_columns(
        study, loading.studies(), choice.question.measure, choice.question.pooling
    )
    found = []
    for column in columns[:MOST_OWN_COLUMNS]:
        assert column.comparison is not None  # only what ships has none
        answer = background.answer(column.comparison, "Comparing layers")
        if answer is None:
            return []
        found.append((column, answer))
    as_in_paper = choice.question.measure == PAPER_MEASURE and choice.question.pooling == "mean"
    shipped = shipped_monolingual(study) if as_in_paper else None
    if shipped and not any(column.kind == "monolingual" for column in columns):
        found.insert(1, shipped)
    return found


def _explain(
    study: Study, choice: SimilarityChoice, column: TableColumn, found: Comparison, layer: int
) -> None:
    value = found.similarity.cell(layer, layer)
    first, second = (in_markdown(language_name(code)) for code in study.languages)
    if value.value is not None:
        st.markdown(
            f"**{first}–{second}, {column.kind}, {study.states.title(layer).lower()}: "
            f"{value.value:.3f}** "
            f"({found.similarity.describe_interval(layer, layer)}); shuffled pairs "
            f"read {value.baseline:.3f}.",
            help="What it has above the shuffled baseline is what it means. Plain CKA reads far "
            "above 0 on unrelated sides when sentences are few, which is why the published and "
            "the measured columns compare in their shape over the layers and not in their height.",
        )
    measured = (
        "the paper's measure"
        if choice.question.measure == PAPER_MEASURE
        else f"{SIMILARITY_MEASURES[choice.question.measure].title}, **not** the paper's plain CKA"
    )
    st.caption(
        f"Left, published: plain linear CKA of mean-pooled XNLI sentences, eight-layer models "
        f"({CONNEAU_2020.full}, {CONNEAU_2020.place}). Right, measured here: {measured}, "
        f"{found.similarity.rows:,} pairs of "
        f"{in_markdown(str(study.entry.facts['corpus']))}, "
        "as the model has its coordinates, like the paper. Plain CKA reads high on few pairs: "
        "compare it with the *shuffled* column. *Bilingual* is one model reading both languages, "
        "*monolingual* two models that know one language each; a *random* encoder reads only the "
        "second language. Click one of our cells to move the cursor."
    )


def _offer_monolingual(study: Study, columns: Sequence[TableColumn]) -> None:
    """Say how to have the monolingual column where it is not there but there are models for it."""
    if any(column.kind == "monolingual" for column in columns):
        return
    models = [
        each.name
        for language in study.languages
        for each in PRESETS
        if is_monolingual(each.name, language)
    ]
    if len(models) == len(study.languages):
        st.caption(
            f"To have the monolingual column, extract this text with {' and with '.join(models)}."
        )


def _published() -> list[TableEntry]:
    return [
        TableEntry(
            languages="–".join(column.languages),
            text="XNLI",
            label=column.kind,
            values=np.array(column.values),
            mean=column.mean,
            hover=tuple(
                f"{'–'.join(column.languages)}, {column.kind}, L{layer}: <b>{value:.2f}</b>"
                f"<br>published: {plain(CONNEAU_2020.short)}, {CONNEAU_2020.place}"
                for layer, value in enumerate(column.values)
            ),
            ours=False,
        )
        for column in published_cka()
    ]


def _own(study: Study, column: TableColumn, found: Comparison) -> TableEntry:
    similarity = found.similarity
    models = [plain(display_name(name)) for name in column.models]
    label = {
        "one model": models[0],
        "two models": f"{models[0]} and {models[1]}",
        "monolingual": "monolingual",
        "random": "random",
    }[column.kind]
    text = plain(str(study.entry.facts["corpus"]))
    first, second = study.languages

    def describe(layer: int) -> str:
        cell = similarity.cell(layer, layer)
        if cell.value is None:
            return plain(cell.reason)
        return (
            f"{text}, {similarity.rows:,} pairs: {first} by {models[0]}, {second} by {models[1]}"
            f"<br>L{layer}: <b>{cell.value:.3f}</b>"
            f"<br>{similarity.describe_interval(layer, layer)}; "
            f"shuffled pairs {cell.baseline:.3f}"
        )

    values = np.diagonal(np.where(similarity.undefined, np.nan, similarity.values))
    return _entry(study, similarity.rows, label, values, describe)


def _shuffled(study: Study, column: TableColumn, found: Comparison) -> TableEntry:
    """What the measure reads when every sentence is paired with a random other one."""
    similarity = found.similarity
    values = np.diagonal(np.where(similarity.undefined, np.nan, similarity.baseline))

    def describe(layer: int) -> str:
        return f"shuffled pairs, L{layer}: <b>{values[layer]:.3f}</b>"

    return _entry(study, similarity.rows, "shuffled", values, describe)


def _entry(
    study: Study, rows: int, label: str, values: Array, describe: Callable[[int], str]
) -> TableEntry:
    return TableEntry(
        languages="–".join(study.languages),
        text=f"{study.entry.facts['corpus']}, {rows:,} pairs",
        label=label,
        values=values,
        mean=float(np.nanmean(values)) if not np.isnan(values).all() else float("nan"),
        hover=tuple(describe(layer) for layer in range(len(values))),
        ours=True,
    )
