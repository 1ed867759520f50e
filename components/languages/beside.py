"""A second map of sentences beside the first: another model, or other coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from components.languages import controls
from components.languages.panels import company_of
from components.shared import background, loading, map_view
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.map.constellations import constellation_data
from isogloss.map.standalone import Comparison
from isogloss.measures.coordinates import COORDINATES, Coordinates
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.study import Study


def choose(study: Study) -> str | None:
    """Show the one switch; returns a study's key, or the coordinates to draw this one in."""
    text = study.entry.record["corpus"]
    others = [each for key, each in controls.studies().items() if key != study.entry.key]
    others.sort(key=lambda each: each.entry.record["corpus"] != text)
    studies = {
        each.entry.key: f"{model_name(each)} · {each.entry.facts['corpus']}" for each in others
    }
    return map_view.choose_beside("languages", study.entry.key, map_view.other_ways() | studies)


def show(question: Constellations, other: str) -> Comparison | None:
    """Draw the second map here; None while it is laid out."""
    if other in COORDINATES:
        asked = replace(question, coordinates=cast(Coordinates, other))
    else:
        asked = replace(question, study=other)
    layout = background.answer(asked, "Laying out constellations")
    company = company_of(loading.study(asked.study), asked.coordinates)
    if layout is None:
        return None
    data = constellation_data(loading.study(asked.study), asked, layout, company)
    found = Comparison(name(asked), data, name(question))
    map_view.draw_beside(found, f"languages-beside-{asked.study}-{asked.coordinates}")
    return found


def name(question: Constellations) -> str:
    """What tells a map from the other one."""
    study = loading.study(question.study)
    way = coordinates.TITLES[question.coordinates].lower()
    return f"{model_name(study)} · {study.entry.facts['corpus']}, {way}"
