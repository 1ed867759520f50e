"""The words of one sentence pair, aligned at the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.best_layer.controls import PAGE
from components.shared import background, charts, loading
from components.shared.layout import chart_columns, control_row
from components.shared.panels import panel
from components.shared.settings import kept_setting
from components.shared.studies import coordinates
from isogloss.figures.layer_scores import LOW, alignment_error_figure
from isogloss.figures.word_alignments import alignment_matrix_figure, alignment_ribbon_figure
from isogloss.measures.coordinates import Coordinates
from isogloss.options import option, options_of, titled
from isogloss.published import ALIGNMENT_ERROR_ZH_EN, elsewhere
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import (
    AlignmentCurve,
    AlignmentQuality,
    SentenceAlignment,
    align_sentence,
)
from isogloss.text.language_names import language_name

_ERROR_HELP = (
    r"$1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$ with the links found $A$, sure links $S$ and "
    "possible links $P$ made by hand; 0 is perfect. *Can't tell* a link that a second annotator "
    "would have made from a wrong one (Och & Ney 2003)."
)
_ALIGNER = options_of(AlignmentQuality)["method"]


@dataclass(frozen=True)
class AlignmentView:
    """The sentence pair on show, by its place in the text."""

    pair: int | None = option(
        None,
        "those that were aligned by hand come first",
        title="Sentence pair",
        address="sentence",
        least=0,
    )


@panel
def word_alignment_panel(study: Study, layer: int) -> None:
    """Which words translate which, read off one layer; by hand beside it where there is gold."""
    st.subheader("Which word is which?", anchor=False)
    with control_row():
        sentence = _choose_pair(study)
        method = kept_setting(
            _ALIGNER,
            PAGE,
            buttons=True,
            help=f"{_ALIGNER.explained}\n\nFrom the cosine of word vectors, (cos + 1) / 2, as in "
            "SimAlign (Jalili Sabet et al. 2020).",
        )
    alignment = _sentence_alignment(study.key, sentence, layer, method, coordinates.current())
    languages = (language_name(study.languages[0]), language_name(study.languages[1]))
    charts.show(
        partial(alignment_ribbon_figure, alignment, languages, charts.mode()),
        "alignment-ribbon",
        f"Links between the words of a sentence pair {study.states.place(layer)}",
    )
    left, right = chart_columns([1.35, 1], "alignment-columns")
    with left:
        charts.show(
            partial(alignment_matrix_figure, alignment, languages, charts.mode()),
            "alignment-matrix",
            f"Similarities of all words of a sentence pair {study.states.place(layer)}",
        )
    with right:
        _show_scores(study, alignment, method, layer)


def _choose_pair(study: Study) -> int:
    text = study.bitext
    gold = text.gold or (None,) * len(text)
    order = sorted(range(len(text)), key=lambda row: (gold[row] is None, row))

    def describe(row: int) -> str:
        mark = " · aligned by hand" if gold[row] is not None else ""
        return f"{row + 1}. {text.source[row]}{mark}"

    offered = options_of(AlignmentView)["pair"].but(
        choices=titled({row: describe(row) for row in order}), default=order[0]
    )
    chosen: int = kept_setting(offered, PAGE, width=460)
    return chosen


def _show_scores(study: Study, alignment: SentenceAlignment, method: str, layer: int) -> None:
    if study.bitext.gold is None:
        st.caption(
            "This text has no word alignments made by hand, so links can be looked at but not "
            "scored. A Pharaoh file beside the text brings them."
        )
        return
    if alignment.scores is not None:
        _show_pair_scores(alignment)
    else:
        st.caption("This pair was not aligned by hand; those that were come first in the list.")
    question = AlignmentQuality(study.key, method, coordinates.current())
    curve = background.answer(question, "Aligning words")
    if curve is not None:
        _show_error_curve(study, curve, layer)


def _show_pair_scores(alignment: SentenceAlignment) -> None:
    scores = alignment.scores
    assert scores is not None
    columns = st.columns(3)
    for column, title, value, text in (
        (columns[0], "Precision", scores.precision, r"$|A \cap P| / |A|$: of links found."),
        (columns[1], "Recall", scores.recall, r"$|A \cap S| / |S|$: of sure links."),
        (columns[2], "Error rate", scores.error_rate, _ERROR_HELP),
    ):
        column.metric(title, "—" if value is None else f"{value:.2f}", help=f"This pair. {text}")


def _show_error_curve(study: Study, curve: AlignmentCurve, layer: int) -> None:
    charts.show_layers(
        partial(alignment_error_figure, curve, study.labels, layer, charts.mode(), LOW),
        "alignment-errors",
        "Alignment error rate by layer",
    )
    published = ALIGNMENT_ERROR_ZH_EN if set(study.languages) == {"en", "zh"} else ()
    st.caption(
        f"Over the {curve.sentences} pairs aligned by hand; lower is better. "
        f"{elsewhere(published)}",
        help=_ERROR_HELP,
    )


@st.cache_data(show_spinner="Aligning words", max_entries=64)
def _sentence_alignment(
    key: str, sentence: int, layer: int, method: str, coordinates: Coordinates
) -> SentenceAlignment:
    """The words of one sentence pair, aligned at one layer."""
    return align_sentence(loading.study(key), sentence, layer, method, coordinates)
