"""The similarity page's panel: a heatmap, the cell that was clicked, and what stands behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from components.shared import background, charts, loading
from components.shared.layout import chart_columns, finding, notes
from components.shared.markdown import in_markdown, in_table
from components.shared.panels import panel
from components.shared.settings import kept_setting
from components.shared.studies import study_picker as study_choice
from components.shared.studies.methods import methods_button
from components.shared.studies.model_names import model_name
from components.similarity.controls import SETTINGS, SimilarityChoice, about_measure, choose
from components.similarity.paper_table import paper_table
from components.similarity.rogue_panel import rogue_panel
from isogloss.figures.heatmaps import difference_heatmap_figure, similarity_heatmap_figure
from isogloss.interface.layer_results import SimilarityResult
from isogloss.measures.labels import Labels
from isogloss.measures.similarity.comparison import LayerSimilarity
from isogloss.measures.similarity.shuffling import ALPHA, COSTLY_SHUFFLES, SHUFFLES
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.studies.best_layer.question import BestOfDiagonal
from isogloss.studies.best_layer.wording import SCORES, verdict
from isogloss.studies.paired_rows import PairedRows
from isogloss.studies.similarity import (
    CellAgreements,
    Comparison,
    LayerComparison,
    SimilarityDifference,
    explain_cell,
    subtract,
)
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

_CELL = "similarity-cell"


@panel
def similarity_panel(study: Study) -> None:
    """Controls, chart and the pairs behind a cell: a change of measure reruns nothing else."""
    choice = choose(study)
    if choice is None:
        return
    if choice.view == "rogue":
        rogue_panel(study)
        return
    if choice.view == "paper":
        paper_table(study, choice)
    elif choice.view == "difference":
        _show_difference(study, choice)
    else:
        _show_comparison(study, choice)
    about_measure(SIMILARITY_MEASURES[choice.question.measure])


def _show_comparison(study: Study, choice: SimilarityChoice) -> None:
    question = choice.comparison()
    found = background.answer(question, "Comparing layers")
    if found is None:
        return
    labels = question.labels(study)
    cell = _current_cell(found.similarity)
    left, right = chart_columns([1.2, 1], "similarity-columns")
    with left:
        charts.show_clickable(
            partial(
                similarity_heatmap_figure,
                found.similarity,
                labels,
                cell,
                charts.mode(),
                fit=choice.fit_colors,
            ),
            f"similarity-heatmap-{choice.view}",
            f"{SIMILARITY_MEASURES[question.measure].title} between layers of "
            f"{labels.names[0]} and {labels.names[1]}; {_summary(found.similarity)}",
            _click,
        )
        st.caption(_basis(found))
        if found.similarity.best_layer is not None:
            methods_button(study, SimilarityResult(study, question, found))
    with right:
        _say_best_layer(study, question, found)
        _show_cell(found, labels, cell)
        with st.expander("What stands behind this cell", expanded=_CELL in st.session_state):
            _show_pairs(study, question, cell)
        notes(_best(found, labels))


def _say_best_layer(study: Study, question: LayerComparison, found: Comparison) -> None:
    """Which layer is most like itself on the other side, where both sides have the same layers."""
    height, width = found.similarity.values.shape
    if height != width:
        return
    best = background.answer(BestOfDiagonal(study.key, question), "Comparing layers with layers")
    if best is not None:
        finding(f"Each layer with itself. **{verdict(best, SCORES['similarity'], study.states)}**")


def _show_difference(study: Study, choice: SimilarityChoice) -> None:
    first = background.answer(choice.comparison(), "Comparing layers")
    second = background.answer(choice.subtrahend(), "Comparing layers of the other model")
    if first is None or second is None:
        return
    difference = subtract(first.similarity, second.similarity)
    other = loading.study(choice.question.other)
    labels = study.labels
    rows, columns = labels.names
    cell = _current_cell(difference)
    left, right = chart_columns([1.2, 1], "similarity-columns")
    with left:
        charts.show_clickable(
            partial(
                difference_heatmap_figure,
                difference,
                labels,
                cell,
                charts.mode(),
                fit=choice.fit_colors,
            ),
            "similarity-heatmap-difference",
            f"{SIMILARITY_MEASURES[choice.question.measure].title} of {rows} and {columns} in "
            f"{model_name(study)} less the same in {model_name(other)}",
            _click,
        )
        st.caption(
            f"{in_markdown(model_name(study))} less "
            f"{in_markdown(model_name(other))}: green where the two languages agree more "
            "in the first, purple where they agree more in the second. Cautious intervals: they "
            "treat the two studies as if they shared no sentence."
        )
    with right:
        for name, found in ((model_name(study), first), (model_name(other), second)):
            _show_cell(found, replace(labels, names=(f"{name}: {rows}", columns)), cell)


def _show_cell(found: Comparison, labels: Labels, cell: tuple[int, int]) -> None:
    """The value of the cell on show, its interval, and what chance would give."""
    value = found.similarity.cell(*cell)
    measure = SIMILARITY_MEASURES[value.measure]
    rows, columns = map(in_markdown, labels.names)
    states = labels.states, labels.other_states
    first, second = (each.title(n).lower() for each, n in zip(states, cell, strict=True))
    st.markdown(f"**{rows}, {first}** against **{columns}, {second}**")
    if value.value is None:
        st.caption(value.reason)
        return
    left, right = st.columns([1, 1.5], vertical_alignment="center")
    left.metric(
        "Similarity",
        f"{value.value:.3f}",
        found.badge or None,
        delta_color="off",
        delta_arrow="off",
        help=f"{measure.title}. {measure.explanation}\n\n${measure.formula}$\n\n*Can't tell:* "
        f"{measure.blind_to} ({measure.paper})",
    )
    right.caption(
        f"{_interval(found.similarity, cell)}  \n"
        f"shuffled pairs {value.baseline:.3f} ± {value.baseline_deviation:.3f}  \n"
        f"calibrated {value.calibrated:.3f}, p {_at_most(value.p_value)}",
        help="The interval says how far the value would move with other sentences, not how biased "
        "the measure is. The shuffled baseline is what it reads when every sentence is paired "
        "with a random other one: a value means what it has above that. Calibrated, what shuffled "
        "pairs exceed in 5 % of cases reads 0, as does all below it, and the most there can be "
        "reads 1 (Gröger et al. 2026). p is how likely shuffled pairs read as much, for this cell "
        f"alone: counted over {SHUFFLES} shuffles, or {COSTLY_SHUFFLES} for SVCCA, Procrustes and "
        "neuron-wise correlation; where none reads as much, a lower bound from their exact "
        "variance, where that is known.",
    )


def _interval(similarity: LayerSimilarity, cell: tuple[int, int]) -> str:
    said = similarity.describe_interval(*cell)
    return said.replace(":", " interval", 1) if "%" in said else said.capitalize()


def _best(found: Comparison, labels: Labels) -> str:
    """The highest cell, and what the highest of as many cells of shuffled pairs reaches."""
    best = found.similarity.best_cell
    if best is None:
        return ""
    cells = int(np.count_nonzero(~found.similarity.undefined))
    beyond = "more than" if best.p_value <= ALPHA else "no more than"
    rows, columns = map(in_markdown, labels.names)
    return (
        f"Highest: {best.value:.3f}, {rows} layer {best.layer_a} against "
        f"{columns} layer {best.layer_b}; {beyond} the highest of "
        f"{cells:,} cells of shuffled pairs, at most {best.threshold:.3f} in 95 % of cases "
        f"(p {_at_most(best.p_value)})."
    )


def _at_most(p_value: float | None) -> str:
    return "below 0.001" if p_value is not None and p_value < 0.001 else f"≤ {p_value:.3f}"


def _show_pairs(study: Study, question: LayerComparison, cell: tuple[int, int]) -> None:
    agreements = _cell_agreements(question, *cell)
    kind = "sentence" if question.unit == "sentence" else "word"
    which = kept_setting(SETTINGS["agree"], "similarity", buttons=True)
    rows = agreements.most if which == "most" else agreements.least
    table: dict[str, list[float] | list[str]] = {"Agreement": [row.agreement for row in rows]}
    # Two models that read the same language read the same text: it is shown once.
    first, second = (study.languages[side] for side in (question.side, question.other_side))
    table[in_table(language_name(first))] = [in_table(row.first) for row in rows]
    table[in_table(language_name(second))] = [in_table(row.second) for row in rows]
    width = 168 if len(table) == 3 else 336
    st.dataframe(
        table,
        height=330,
        hide_index=True,
        row_height=66,
        column_config={
            "Agreement": st.column_config.NumberColumn(format="%.2f", width=82),
            **{name: st.column_config.TextColumn(width=width) for name in list(table)[1:]},
        },
        key="similarity-pairs",
        alt=f"The {kind} pairs that agree {which}",
    )


def _current_cell(shown: LayerSimilarity | SimilarityDifference) -> tuple[int, int]:
    """The cell that was clicked while the cursor stood there, else the one on the diagonal."""
    height, width = shown.values.shape
    row = study_choice.marked_layer(height - 1)
    clicked_row, clicked_column = st.session_state.get(_CELL, (-1, -1))
    column = clicked_column if clicked_row == row else row
    return row, min(column, width - 1)


def _click(x: float, y: float) -> None:
    st.session_state[_CELL] = (round(y), round(x))
    charts.move_cursor(round(y))


def _basis(found: Comparison) -> str:
    rows = found.similarity.rows
    part = "" if rows == found.available else f", a fixed sample of {found.available:,}"
    return f"{rows:,} pairs{part}. {found.links} Click a cell to look behind it.".replace("  ", " ")


def _summary(similarity: LayerSimilarity) -> str:
    values = similarity.values[~similarity.undefined]
    if not values.size:
        return "undefined everywhere"
    return f"values from {values.min():.2f} to {values.max():.2f}"


@st.cache_resource(show_spinner=False, max_entries=8)
def _paired_rows(comparison: LayerComparison) -> PairedRows:
    return comparison.rows(loading.study(comparison.study), loading.the_store())


@st.cache_data(show_spinner="Looking behind the cell", max_entries=64)
def _cell_agreements(comparison: LayerComparison, layer: int, other_layer: int) -> CellAgreements:
    """The pairs that agree most and least behind one cell of a comparison."""
    rows = _paired_rows(comparison)
    return explain_cell(rows, comparison.measure, layer, other_layer)
