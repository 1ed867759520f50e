"""What leaves the page: the constellations as an offline page, films, and all layers on a sheet."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.layer_scrubber import ScrubberData, ScrubberState
from components.shared.layout import folded
from components.token_map.downloads import (
    HELP,
    offer_films,
    offer_sheet,
    page_of,
    show_provenance,
)
from isogloss.map.standalone import Comparison
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.study import Study


def show(
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
