"""What is seen of a recorded training, chosen by widgets and by the address: score, place, walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from components.shared import query
from components.shared.layout import control_row
from components.shared.map_view import KeptView
from components.shared.settings import setting_widget
from isogloss.figures.training_surface import Walk
from isogloss.formatting import human_count
from isogloss.options import option, options_of, titled, to_query
from isogloss.studies.links.words import default_link_layer
from isogloss.studies.training_surface import SURFACE_SCORES, Trajectory

Shape = Literal["flat", "surface"]
SHAPES: dict[Shape, str] = {"flat": "Flat", "surface": "Surface"}
WALKS: dict[Walk, str] = {"training": "Training", "layers": "Layers"}
MAP = KeptView("training")
_PLACE = "training-place"


@dataclass(frozen=True)
class TrainingView:
    """Which score is on show, how it is drawn, and which way the map's slider walks."""

    score: str = option("sentences", "", title="Score", choices=SURFACE_SCORES)
    drawn: Shape = option(
        "flat",
        "**Flat**: a number in every cell; click one to go there. **Surface**: the same as a "
        "landscape; drag to turn it.",
        title="Drawn",
        choices=titled(SHAPES),
    )
    walk: Walk = option(
        "training",
        "**Training**: one layer, from before training to its end. **Layers**: one moment of "
        "training, from the embeddings to the last layer.",
        title="The map goes through",
        choices=titled(WALKS),
    )


_SETTINGS = options_of(TrainingView)


@dataclass(frozen=True)
class Place:
    """Where both cursors stand."""

    layer: int
    moment: int


def choose_score() -> tuple[str, Shape]:
    """Show the settings of the chart; returns the score's name and how it is drawn."""
    with control_row():
        score = setting_widget(_SETTINGS["score"], "training", buttons=True)
        return score, setting_widget(_SETTINGS["drawn"], "training", buttons=True)


def choose_walk(trajectory: Trajectory) -> Walk:
    """Show which way the map's slider walks and, beside it, where it stays on the other axis."""
    # A slider is higher than the switch beside it, so it is their tops that stand in line.
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        walk: Walk = setting_widget(_SETTINGS["walk"], "training", buttons=True)
        if walk == "training":
            _layer_slider(trajectory)
        else:
            _moment_slider(trajectory)
    return walk


def _layer_slider(trajectory: Trajectory) -> None:
    st.session_state["training-layer"] = place(trajectory).layer
    st.slider(
        "At layer",
        0,
        trajectory.retrieval.shape[1] - 1,
        key="training-layer",
        on_change=lambda: move(layer=st.session_state["training-layer"]),
    )


def _moment_slider(trajectory: Trajectory) -> None:
    st.session_state["training-moment"] = place(trajectory).moment
    st.select_slider(
        "After so many tokens",
        range(len(trajectory.tokens)),
        format_func=lambda moment: human_count(trajectory.tokens[moment]),
        key="training-moment",
        on_change=lambda: move(moment=st.session_state["training-moment"]),
    )


def place(trajectory: Trajectory) -> Place:
    """Where the cursors were left, else where the URL says, else two thirds up at the end."""
    if _PLACE not in st.session_state:
        moments, layers = trajectory.retrieval.shape
        st.session_state[_PLACE] = Place(
            query.number("layer", layers - 1, default_link_layer(layers - 1)),
            query.number("moment", moments - 1, moments - 1),
        )
    return cast(Place, st.session_state[_PLACE])


def move(layer: int | None = None, moment: int | None = None) -> None:
    """Move one cursor or both, from a callback."""
    kept: Place = st.session_state[_PLACE]
    st.session_state[_PLACE] = Place(
        kept.layer if layer is None else layer, kept.moment if moment is None else moment
    )


def follow_scrubber(walk: Walk) -> None:
    """Take over what was done on the map, before the page is drawn again."""
    stop = MAP.follow()
    if stop is None:
        return
    if walk == "training":
        move(moment=stop)
    else:
        move(layer=stop)


def write_address(trajectory: Trajectory, at: Place, view: TrainingView) -> None:
    """Put all that is in view into the address bar."""
    cursors = {"layer": str(at.layer), "moment": str(at.moment)}
    query.write(**cursors | to_query(view) | MAP.written())
