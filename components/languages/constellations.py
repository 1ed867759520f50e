"""What is done with the map of sentences: a second one beside it, and files to take away."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import streamlit as st

from components.languages import controls
from components.languages.panels import company_of, of_languages
from components.layer_scrubber import ScrubberData, ScrubberState
from components.shared import loading, map_view
from components.shared.layout import folded
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_and_text
from components.token_map.downloads import (
    HELP,
    offer_films,
    offer_sheet,
    page_of,
    show_provenance,
)
from isogloss.map.constellations import constellation_data
from isogloss.map.standalone import Comparison
from isogloss.measures.coordinates import COORDINATES, Coordinates
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.study import Study


def choose_beside(study: Study) -> str | None:
    """Show the one switch; returns a study's key, or the coordinates to draw this one in."""
    text = study.entry.record["corpus"]
    others = [each for key, each in controls.studies().items() if key != study.entry.key]
    others.sort(key=lambda each: each.entry.record["corpus"] != text)
    studies = {each.entry.key: model_and_text(each) for each in others}
    return map_view.choose_beside("languages", study.entry.key, map_view.other_ways() | studies)


def show_beside(question: Constellations, other: str) -> Comparison | None:
    """Draw the second map here; None while it is laid out."""
    if other in COORDINATES:
        asked = replace(question, coordinates=cast(Coordinates, other))
    else:
        asked = replace(question, study=other)
    layout = controls.answer(asked, "Laying out constellations")
    company = company_of(loading.study(asked.study), asked.coordinates)
    if layout is None:
        return None
    study = loading.study(asked.study)
    said = of_languages(study, company, asked.coordinates)
    data = constellation_data(study, asked, layout, company, said)
    found = Comparison(name(asked), data, name(question))
    map_view.draw_beside(found, f"languages-beside-{asked.study}-{asked.coordinates}")
    return found


def name(question: Constellations) -> str:
    """What tells a map from the other one."""
    study = loading.study(question.study)
    way = coordinates.TITLES[question.coordinates].lower()
    return f"{model_and_text(study)}, {way}"


def offer_files(
    study: Study,
    question: Constellations,
    data: ScrubberData,
    state: ScrubberState,
    comparison: Comparison | None = None,
) -> None:
    """Files of the map, each saying how it was made."""
    name = f"isogloss-{study.entry.key[:8]}-languages"
    with folded("Take it away", icon=":material/download:") as opened:
        if not opened:
            return
        st.download_button(
            "HTML",
            partial(page_of, data, state, comparison),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            icon=":material/download:",
            help=HELP["HTML"],
        )
        theme = st.context.theme.type or "light"
        offer_films(study, [question.record()], data, state.view, name, theme)
        offer_sheet(data, state, name)
        show_provenance(data)
