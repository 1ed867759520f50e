"""The space itself: is it used evenly, and are there hubs in it?"""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.shared import background, charts
from components.shared.markdown import in_markdown
from components.shared.panels import panel
from components.shared.studies import coordinates
from isogloss.figures.layer_scores import LOW, geometry_figure
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.study import Study


@panel
def layer_geometry_panel(study: Study, layer: int) -> None:
    """IsoScore by layer, and hubness at the layer on show."""
    st.subheader("Does a layer use all of its space?", anchor=False)
    question = LayerGeometry(study.key, coordinates=coordinates.current())
    found = background.answer(question, "Looking at every layer's space")
    if found is None:
        return
    charts.show_clickable(
        partial(geometry_figure, found, study.labels, layer, charts.mode(), LOW),
        "layer-geometry",
        "IsoScore of both languages by layer",
        lambda x, y: charts.move_cursor(round(x)),
    )
    for side, (column, name) in enumerate(zip(st.columns(3), study.labels.names, strict=False)):
        column.metric(
            f"Hubness of {in_markdown(name)}, {study.states.title(layer).lower()}",
            f"{found.hubness[layer, side]:.2f}",
            help=f"How unevenly sentences are found among the {found.neighbours} nearest from the "
            "other language: the skewness of how often each is. 0: all alike; above 2 a few are "
            "found by nearly everyone, which CSLS corrects (Radovanović et al. 2010). *Can't "
            "tell* whether those finds are right.",
        )
    st.caption(
        f"Mean-pooled sentences, {found.rows:,} a language. IsoScore could reach 1; the axis ends "
        "at the highest value here.",
        help="0 where one direction holds all variance, 1 where all hold the same (Rudman et al. "
        "2022). *Can't tell* good from bad: an even space may mean nothing; and few sentences "
        "read low, because they span few directions.",
    )
