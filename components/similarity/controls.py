"""What the similarity page compares, chosen by widgets and by the URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

import streamlit as st

from components.shared import loading, query
from components.shared.layout import control_row
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study_choice
from components.shared.studies.model_names import model_name
from isogloss.measures.similarity.table import DEFAULT_MEASURE, SIMILARITY_MEASURES, Measure
from isogloss.studies.paired_rows import Unit
from isogloss.studies.pooling import STUDY_POOLINGS, Pooling
from isogloss.studies.similarity import PAPER_MEASURE, LayerComparison, same_text
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

SimilarityView = Literal["languages", "models", "difference", "paper", "rogue"]
VIEWS: dict[SimilarityView, str] = {
    "languages": "Two languages",
    "models": "Two models",
    "difference": "Difference of two models",
    "paper": "The paper's table",
    "rogue": "Rogue dimensions",
}
FIXED = ("paper", "rogue")
"""Views whose colours are always the same."""
UNIT_TITLES: dict[Unit, str] = {"sentence": "Sentences", "word": "Words"}
_VIEW = query.Choice("view", get_args(SimilarityView), "languages")
_COLORS = query.Choice("colors", ["fixed", "fitted"], "fixed")
_UNIT = query.Choice("rows", list(UNIT_TITLES), "sentence")
_POOLING = query.Choice("pooling", list(STUDY_POOLINGS), "mean")
Sides = Literal["source", "target", "across"]


@dataclass(frozen=True)
class SimilarityChoice:
    """The view and its options; `other` is another study of the same text, where one is shown."""

    view: SimilarityView
    measure: str
    unit: Unit
    pooling: Pooling
    other: str
    sides: Sides
    fit_colors: bool

    def comparison(self, study: Study) -> LayerComparison:
        """The comparison that the view's heatmap shows, or is the first part of."""
        if self.view != "models":
            return self._both_languages(study.key)
        first = {"source": 0, "target": 1, "across": 0}[self.sides]
        second = {"source": 0, "target": 1, "across": 1}[self.sides]
        return LayerComparison(
            study.key,
            first,
            self.other,
            second,
            self.measure,
            self.unit,
            self.pooling,
            coordinates.current(),
        )

    def subtrahend(self) -> LayerComparison:
        """What the difference view takes away: the other model on both languages."""
        return self._both_languages(self.other)

    def _both_languages(self, key: str) -> LayerComparison:
        return LayerComparison(
            key,
            measure=self.measure,
            unit=self.unit,
            pooling=self.pooling,
            coordinates=coordinates.current(),
        )


def choose(study: Study) -> SimilarityChoice | None:
    """Show the settings; returns them, or None where there is nothing to compare with."""
    with control_row():
        view = _choose_view()
        fit = _choose_colors(view)
    if view == "rogue":
        choice = SimilarityChoice(view, DEFAULT_MEASURE, "sentence", "mean", "", "across", fit)
        _write(choice)
        return choice
    others = same_text(study, loading.studies()) if view in ("models", "difference") else ()
    with control_row():
        measure = _choose_measure(view)
        unit = _choose_unit(view)
        pooling = _choose_pooling(unit)
        other = _choose_other(others) if others else ""
        sides = _choose_sides(study) if others and view == "models" else cast(Sides, "across")
    if view in ("models", "difference") and not others:
        st.info(
            "There is no other study of this text to compare with. Make one on **Your text** "
            "with another model, or with random weights for a floor.",
            icon=":material/add_circle:",
        )
        return None
    choice = SimilarityChoice(view, measure, unit, pooling, other, sides, fit)
    _write(choice)
    return choice


def _choose_view() -> SimilarityView:
    chosen = st.segmented_control(
        "Compare",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        default=_VIEW.read(),
        required=True,
        key="similarity-view",
        help="**Two languages**: layers of this model reading one language against its layers "
        "reading the other. **Two models**: this model's layers against another's, on the same "
        "text. **Difference**: how much more the two languages agree in this model than in "
        "another. **The paper's table**: layer by layer beside Conneau et al. 2020. **Rogue "
        "dimensions**: how much of each layer's variance lies in few dimensions, and what that "
        "does to every score.",
    )
    return cast(SimilarityView, chosen)


def _choose_colors(view: SimilarityView) -> bool:
    return st.toggle(
        "Fit colours to the values",
        value=_COLORS.read() == "fitted" and view not in FIXED,
        disabled=view in FIXED,
        key=f"similarity-colors-{view in FIXED}",
        help="Off, colours run from 0 to 1, or from −1 to 1 for differences, so that any two "
        "charts compare. On, they run from the smallest value to the largest, which shows faint "
        "structure and makes small differences look large.",
    )


def _choose_measure(view: SimilarityView) -> str:
    start = _measure(view).read()
    return st.selectbox(
        "Measure",
        list(SIMILARITY_MEASURES),
        index=list(SIMILARITY_MEASURES).index(start),
        format_func=lambda name: SIMILARITY_MEASURES[name].title,
        key=f"similarity-measure-{view == 'paper'}",
        width=250,
        help="How alike two sets of vectors of the same sentences are. What the chosen one asks, "
        "its formula and what it can't tell stand below the chart.",
    )


def _measure(view: SimilarityView) -> query.Choice[str]:
    default = PAPER_MEASURE if view == "paper" else DEFAULT_MEASURE
    return query.Choice("measure", list(SIMILARITY_MEASURES), default)


def _choose_unit(view: SimilarityView) -> Unit:
    chosen = st.segmented_control(
        "Rows",
        list(UNIT_TITLES),
        format_func=UNIT_TITLES.__getitem__,
        default="sentence" if view == "paper" else _UNIT.read(),
        required=True,
        disabled=view == "paper",
        key=f"similarity-rows-{view == 'paper'}",
        help="**Sentences**: one pooled vector each. **Words**: each word in its sentence, paired "
        "with its translation: by hand where the text says so, else as a statistical aligner or "
        "another model links them. Where only the models on show could, words are not compared.",
    )
    return cast(Unit, chosen)


def _choose_pooling(unit: Unit) -> Pooling:
    return cast(
        Pooling,
        st.selectbox(
            "Sentence vector",
            list(STUDY_POOLINGS),
            index=list(STUDY_POOLINGS).index(_POOLING.read()),
            format_func=lambda name: STUDY_POOLINGS[name].title,
            disabled=unit == "word",
            key="similarity-pooling",
            width=150,
            help="\n\n".join(
                f"**{way.title}**: {way.explanation}." for way in STUDY_POOLINGS.values()
            ),
        ),
    )


def _choose_other(candidates: tuple[Study, ...]) -> str:
    keys = [study.key for study in candidates]
    names = {study.key: model_name(study) for study in candidates}
    return st.selectbox(
        "Other model",
        keys,
        index=keys.index(query.key("other", keys) or keys[0]),
        format_func=names.__getitem__,
        key="similarity-other",
        width=230,
        help="Another study of the same text: another model, the same before fine-tuning, or "
        "random weights as the floor.",
    )


def _choose_sides(study: Study) -> Sides:
    first, second = map(language_name, study.languages)
    titles = {
        "source": f"{first} by both",
        "target": f"{second} by both",
        "across": f"{first} here, {second} there",
    }
    return cast(
        Sides,
        st.selectbox(
            "Reading",
            list(titles),
            index=list(titles).index(query.choice("reading", list(titles), "source")),
            format_func=titles.__getitem__,
            key="similarity-reading",
            width=240,
            help="Which language each model reads. The last is how the paper compares two "
            "monolingual models.",
        ),
    )


def _write(choice: SimilarityChoice) -> None:
    study_choice.write_query(
        **_VIEW.written(choice.view),
        **_measure(choice.view).written(choice.measure),
        **_UNIT.written(choice.unit),
        **_POOLING.written(choice.pooling),
        other=choice.other[:12],
        **_COLORS.written("fitted" if choice.fit_colors else "fixed"),
        **query.kept("agree"),
        reading=query.blank_if_default(choice.sides, "source") if choice.view == "models" else "",
    )


def about_measure(measure: Measure) -> None:
    """What a measure asks, its formula, its paper and what it can't tell."""
    with st.expander(f"What {measure.title} says", icon=":material/help:"):
        st.markdown(measure.explanation)
        st.latex(measure.formula)
        st.markdown(
            f"**From {measure.lowest:g} to {measure.highest:g}.** Unchanged by: "
            f"{measure.invariant[0].lower()}{measure.invariant[1:]}"
        )
        st.markdown(f"**Can't tell.** {measure.blind_to}")
        st.caption(
            f"{measure.paper}. Intervals are over sentences; the shuffled baseline pairs every "
            "sentence with a random other one. Colours are fixed from 0 to 1 in even steps of "
            "perceived difference, so that charts compare; values below 0 take the colour of 0."
        )
