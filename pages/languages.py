"""Do sentences gather by meaning or by language? Many languages at once."""

from dataclasses import replace
from functools import partial

import streamlit as st

from components.languages import constellations, controls
from components.languages.panels import (
    company_of,
    crossing_panel,
    of_languages,
    pairs_panel,
    tree_panel,
)
from components.shared import frame, map_view
from components.shared.layout import finding
from components.shared.markdown import in_markdown
from components.shared.settings import setting_widget
from components.shared.studies import coordinates, study_picker
from components.shared.studies.model_names import model_name
from isogloss.map.constellations import constellation_data
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.languages.wording import say_company

heading, settings = st.columns([3, 2], vertical_alignment="bottom")
with heading:
    frame.title(
        "By meaning or by language?",
        "Every mark is a sentence; lines join what says the same. Drag through the layers.",
    )
study = controls.sidebar(study_picker.shown_before())
if study is None:
    st.stop()
coordinates.sidebar()
with settings, st.container(horizontal=True, vertical_alignment="bottom"):
    other = constellations.choose_beside(study)
    method = setting_widget(controls.PROJECTION, "languages", buttons=True)

company = company_of(study)
if company is not None:
    said = say_company(company, study.states, len(study.all_languages))
    finding(f"**{in_markdown(model_name(study))}.** {said}")
asked = Constellations(study.entry.key, coordinates.current(), ProjectionOptions(method=method))
layout = controls.answer(asked, "Laying out constellations")
if layout is None:
    st.stop()
data = constellation_data(study, asked, layout, company, of_languages(study, company))
# Sentences are long: they are written where one points, and all of them when asked for.
asked_view = map_view.asked(data.marked, colors=("language", "sentence", "topic"))
view = replace(asked_view, layer=controls.current().layer, labels=False)
key = f"languages-{study.entry.key}-{method}"
beside = partial(constellations.show_beside, asked, other) if other else None
state, comparison = map_view.draw(data, view, key, constellations.name(asked), beside)
controls.set_layer(round(state.layer))
show = setting_widget(
    controls.SETTINGS["show"], "languages", buttons=True, label_visibility="collapsed"
)
controls.write_query(
    other,
    **map_view.written(state.view),
    **controls.PROJECTION.written(method),
    **controls.SETTINGS["show"].written(show),
)
layer = controls.current().layer
{"crossing": crossing_panel, "pairs": pairs_panel, "tree": tree_panel}[show](study, layer)
constellations.offer_files(study, asked, data, state, comparison)
