"""The paper's table of CKA by layer, with the same measured here beside it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from components import charts, loading
from components import study as study_choice
from components.figures.published_table import TableEntry, layer_table_figure, place_columns
from components.figures.template import plain
from components.languages import language_name
from components.model_names import model_name
from components.similarity_controls import PAPER_MEASURE, SimilarityChoice
from isogloss.measures import MEASURES
from isogloss.published import CONNEAU_2020, published_cka
from isogloss.studies import Study
from isogloss.study_similarity import Comparison, TableColumn, table_columns

MOST_OWN_COLUMNS = 9
_COLUMN = "paper-table-column"


def paper_table(study: Study, choice: SimilarityChoice) -> None:
    """Show published and own columns side by side, and what stands behind one of ours."""
    columns = table_columns(study, loading.studies(), choice.measure, choice.pooling)
    columns = columns[:MOST_OWN_COLUMNS]
    answers: list[Comparison] = []
    for column in columns:
        found = loading.answer(column.comparison, "Comparing layers")
        if found is None:
            return
        answers.append(found)
    published = _published()
    entries = published + [
        _own(column, found) for column, found in zip(columns, answers, strict=True)
    ]
    picked = min(int(st.session_state.get(_COLUMN, 0)), len(columns) - 1)
    choice_now = study_choice.current_choice()
    layer = min(choice_now.layer if choice_now else 0, len(entries[len(published)].values) - 1)
    places = place_columns(entries)

    def click(x: float, y: float) -> None:
        column = int(np.argmin(np.abs(np.array(places) - x)))
        if column >= len(published) and y >= 0:
            st.session_state[_COLUMN] = column - len(published)
            charts.move_cursor(round(y))

    charts.show_clickable(
        layer_table_figure(
            entries,
            f"{CONNEAU_2020.short}, {CONNEAU_2020.place}",
            (layer, len(published) + picked),
            charts.mode(),
        ),
        "paper-table",
        "Similarity by layer, language pair and kind of encoder: published and measured here",
        click,
    )
    _explain(choice, columns[picked], answers[picked], layer)


def _explain(choice: SimilarityChoice, column: TableColumn, found: Comparison, layer: int) -> None:
    value = found.similarity.cell(layer, layer)
    first, second = map(language_name, column.languages)
    if value.value is not None:
        st.markdown(
            f"**{first}–{second}, {column.kind}, layer {layer}: {value.value:.3f}** "
            f"({found.similarity.level:.0%}: {value.low:.3f} to {value.high:.3f}); shuffled pairs "
            f"read {value.baseline:.3f}.",
            help="What it has above the shuffled baseline is what it means. Plain CKA reads far "
            "above 0 on unrelated sides when sentences are few, which is why the published and "
            "the measured columns compare in their shape over the layers and not in their height.",
        )
    measured = (
        "the paper's measure"
        if choice.measure == PAPER_MEASURE
        else f"{MEASURES[choice.measure].title}, **not** the paper's plain CKA"
    )
    st.caption(
        f"Left, published: plain linear CKA of mean-pooled XNLI sentences, eight-layer models "
        f"({CONNEAU_2020.full}, {CONNEAU_2020.place}). Right, measured here: {measured}, "
        f"{found.similarity.rows:,} pairs of {charts.in_markdown(column.corpus)}. *Bilingual* is "
        "one model reading both languages, *monolingual* two models, one a language; a *random* "
        "encoder reads only the second language. Click one of our cells to move the cursor."
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


def _own(column: TableColumn, found: Comparison) -> TableEntry:
    similarity = found.similarity
    label = {"one model": "this model", "two models": "two models", "random": "random"}[column.kind]
    models = [
        plain(model_name(loading.study(key)))
        for key in (column.comparison.study, column.comparison.other or column.comparison.study)
    ]
    first, second = column.languages

    def describe(layer: int) -> str:
        cell = similarity.cell(layer, layer)
        if cell.value is None:
            return plain(cell.reason)
        return (
            f"{plain(column.corpus)}: {first} by {models[0]}, {second} by {models[1]}"
            f"<br>L{layer}: <b>{cell.value:.3f}</b>"
            f"<br>{similarity.level:.0%}: {cell.low:.3f} to {cell.high:.3f}; "
            f"shuffled pairs {cell.baseline:.3f}"
        )

    values = np.diagonal(np.where(similarity.undefined, np.nan, similarity.values))
    return TableEntry(
        languages=f"{first}–{second}",
        text=column.corpus,
        label=label,
        values=values,
        mean=float(np.nanmean(values)) if not np.isnan(values).all() else float("nan"),
        hover=tuple(describe(layer) for layer in range(len(values))),
        ours=True,
    )
