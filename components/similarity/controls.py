"""What the similarity page compares, chosen by widgets and by the URL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from components.shared import loading, query
from components.shared.layout import control_row
from components.shared.settings import setting_widget
from components.shared.studies import coordinates
from components.shared.studies import study_picker as study_choice
from components.shared.studies.model_names import model_name
from isogloss.measures.similarity.table import Measure
from isogloss.options import Choice, Option, option, options_of, titled, to_query
from isogloss.studies.similarity import PAPER_MEASURE, LayerComparison, same_text
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

_PAGE = "similarity"
SimilarityView = Literal["languages", "models", "difference", "paper", "rogue"]
VIEWS: dict[SimilarityView, Choice] = {
    "languages": Choice(
        "Two languages",
        "layers of this model reading one language against its layers reading the other",
    ),
    "models": Choice("Two models", "this model's layers against another's, on the same text"),
    "difference": Choice(
        "Difference of two models",
        "how much more the two languages agree in this model than in another",
    ),
    "paper": Choice("The paper's table", "layer by layer beside Conneau et al. 2020"),
    "rogue": Choice(
        "Rogue dimensions",
        "how much of each layer's variance lies in few dimensions, and what that does to every "
        "score",
    ),
}
Sides = Literal["source", "target", "across"]
SIDES: dict[Sides, str] = {
    "source": "The first language by both",
    "target": "The second language by both",
    "across": "The first language here, the second there",
}
Agree = Literal["least", "most"]
AGREE: dict[Agree, str] = {"least": "Agree least", "most": "Agree most"}


@dataclass(frozen=True)
class SimilarityChoice:
    """The view, how it is drawn, and the question that its heatmap answers, or begins with.

    The question names another study of the same text where the view shows one.
    """

    question: LayerComparison
    view: SimilarityView = option("languages", "", title="Compare", choices=VIEWS)
    fit_colors: bool = option(
        False,
        "Off, colours run from 0 to 1, or from −1 to 1 for differences, so that any two charts "
        "compare. On, they run from the smallest value to the largest, which shows faint structure "
        "and makes small differences look large.",
        title="Fit colours to the values",
        address="colors",
        yes="fitted",
    )
    sides: Sides = option(
        "source",
        "Which language each model reads. The last is how the paper compares two monolingual "
        "models.",
        title="Reading",
        address="reading",
        choices=titled(SIDES),
    )
    agree: Agree = option(
        "least",
        "For each sentence or word: does it relate to all the others alike on both sides? 1 is "
        "full agreement, 0 none. The value of the cell is made of these; for neuron-wise "
        "correlation and SVCCA they are shares of the average and not bounded.",
        title="Pairs that",
        choices=titled(AGREE),
    )

    def comparison(self) -> LayerComparison:
        """The comparison that the view's heatmap shows, or is the first part of."""
        if self.view != "models":
            return replace(self.question, other="")
        return replace(
            self.question,
            side={"source": 0, "target": 1, "across": 0}[self.sides],
            other_side={"source": 0, "target": 1, "across": 1}[self.sides],
        )

    def subtrahend(self) -> LayerComparison:
        """What the difference view takes away: the other model on both languages."""
        return replace(self.question, study=self.question.other, other="")


SETTINGS = options_of(SimilarityChoice)
_ASKED = options_of(LayerComparison)


def choose(study: Study) -> SimilarityChoice | None:
    """Show the settings; returns them, or None where there is nothing to compare with."""
    view = setting_widget(SETTINGS["view"], _PAGE, buttons=True)
    if view == "rogue":
        question = LayerComparison(study.key, coordinates=coordinates.current())
        choice = SimilarityChoice(question, view)
        _write(choice)
        return choice
    others = same_text(study, loading.studies()) if view in ("models", "difference") else ()
    with control_row():
        measure = setting_widget(
            _measure(view),
            f"{_PAGE}-paper" if view == "paper" else _PAGE,
            width=250,
        )
        unit = setting_widget(
            _ASKED["unit"], _PAGE, buttons=True, fixed="sentence" if view == "paper" else None
        )
        pooling = setting_widget(_ASKED["pooling"], _PAGE, disabled=unit == "word", width=150)
        other = setting_widget(_other(others), _PAGE, width=230) if others else ""
        sides = SETTINGS["sides"].default
        if others and view == "models":
            sides = setting_widget(_sides(study), _PAGE, width=240)
        # The paper's table has the same colours always.
        fixed = False if view == "paper" else None
        fit = setting_widget(SETTINGS["fit_colors"], _PAGE, fixed=fixed)
    if view in ("models", "difference") and not others:
        st.info(
            "There is no other study of this text to compare with. Make one on **Your text** "
            "with another model, or with random weights for a floor.",
            icon=":material/add_circle:",
        )
        return None
    question = LayerComparison(
        study.key,
        other=other,
        measure=measure,
        unit=unit,
        pooling=pooling,
        coordinates=coordinates.current(),
    )
    choice = SimilarityChoice(question, view, fit, sides)
    _write(choice)
    return choice


def _measure(view: SimilarityView) -> Option:
    """The measure, which begins with the paper's beside the paper's table."""
    asked = _ASKED["measure"]
    return asked.but(default=PAPER_MEASURE) if view == "paper" else asked


def _other(candidates: tuple[Study, ...]) -> Option:
    """The other studies of the text, the first by default."""
    names = {study.key: model_name(study) for study in candidates}
    return _ASKED["other"].but(choices=titled(names), default=candidates[0].key)


def _sides(study: Study) -> Option:
    first, second = map(language_name, study.languages)
    titles = {
        "source": f"{first} by both",
        "target": f"{second} by both",
        "across": f"{first} here, {second} there",
    }
    return SETTINGS["sides"].but(choices=titled(titles))


def _write(choice: SimilarityChoice) -> None:
    study_choice.write_query(
        **to_query(choice)
        | _measure(choice.view).written(choice.question.measure)
        | query.kept(SETTINGS["agree"].address)
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
