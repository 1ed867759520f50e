"""The recorded training: a score over layers and training, and the words' map along either."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.emergence.recorded.controls import (
    MAP,
    Place,
    Shape,
    TrainingView,
    choose_score,
    choose_walk,
    follow_scrubber,
    move,
    place,
    write_address,
)
from components.emergence.recorded.data import moment_name, scrubber_data
from components.layer_scrubber import layer_scrubber
from components.shared import charts
from components.shared.layout import chart_columns
from components.shared.panels import panel
from isogloss.bundled import BUNDLED_MODEL, CONTRAST_LAYER
from isogloss.figures.training_surface import (
    Walk,
    training_heatmap_figure,
    training_surface_figure,
)
from isogloss.links.sources import LINK_SOURCES
from isogloss.studies.training_surface import (
    SURFACE_SCORES,
    TrainingSurface,
    Trajectory,
    read_trajectory,
    training_surface,
)

MAP_HEIGHT = 610


@panel
def training_panel() -> None:
    """The chart and the map share two cursors: whichever moves them, both follow."""
    trajectory = _trajectory()
    at = place(trajectory)
    finding = st.container()
    left, right = chart_columns([1, 1.25], "training-columns")
    with left:
        measure, shape = choose_score()
    with right:
        walk = choose_walk(trajectory)
    surface = training_surface(trajectory, measure)
    with left:
        _show_surface(surface, at, shape, walk)
        _show_cell(trajectory, at)
    with right:
        _show_map(trajectory, at, measure, walk)
    finding.markdown(surface.describe())
    st.caption(_basis(trajectory))
    write_address(trajectory, at, TrainingView(measure, shape, walk))


def _show_surface(surface: TrainingSurface, at: Place, shape: Shape, walk: Walk) -> None:
    title = SURFACE_SCORES[surface.measure].title
    cell = (at.layer, at.moment)
    alt = f"{title}, by layer and tokens seen. {surface.describe()}"
    st.markdown(f"**{title}**")
    if shape == "surface":
        charts.show(
            partial(training_surface_figure, surface, cell, charts.mode()),
            "training-surface",
            alt,
            picture=None,  # it turns; the flat one of the same values can be saved
        )
        st.caption("Drag to turn. Lines mark the layer and the moment on show.")
        return
    charts.show_clickable(
        partial(training_heatmap_figure, surface, cell, walk, charts.mode()),
        "training-heatmap",
        alt,
        lambda x, y: move(layer=round(y), moment=round(x)),
    )
    st.caption(
        "A ring marks the best layer of each moment; colours run from 0 to 1. Click a cell to go "
        "there."
    )


def _show_cell(trajectory: Trajectory, at: Place) -> None:
    """Both scores where the cursors stand, and what training has changed there until then."""
    st.markdown(f"**Layer {at.layer}, {moment_name(trajectory.tokens[at.moment])}**")
    for column, name in zip(st.columns(len(SURFACE_SCORES)), SURFACE_SCORES, strict=True):
        surface = training_surface(trajectory, name)
        change = f"{surface.changes[at.moment, at.layer]:+.3f}".replace("-", "−")
        measure = SURFACE_SCORES[name]
        badge = f" ({LINK_SOURCES['gold'].badge})" if name == "words" else ""
        column.metric(
            f"{measure.short} found{badge}",
            f"{surface.values[at.moment, at.layer]:.3f}",
            f"{change} since the start" if at.moment else "before training",
            delta_color="off",
            delta_arrow="off",
            help=f"{measure.explanation} The 95 % interval is at most "
            f"± {surface.margins[at.moment, at.layer]:.3f} ({surface.cases:,} {name}). "
            f"*Can't tell* {measure.blind_to}",
        )


def _show_map(trajectory: Trajectory, at: Place, measure: str, walk: Walk) -> None:
    view = MAP.at(at.moment if walk == "training" else at.layer, len(trajectory.texts))
    layer_scrubber(
        scrubber_data(trajectory, walk, at.layer, at.moment, measure),
        view,
        height=MAP_HEIGHT,
        key=MAP.scrubber,
        on_change=partial(follow_scrubber, walk),
    )


def _basis(trajectory: Trajectory) -> str:
    """How all of it was measured, and why the start is not at nothing."""
    moments, layers = trajectory.retrieval.shape
    scores = [
        f"**{measure.short}.** {measure.explanation} 95 % intervals are at most "
        f"± {training_surface(trajectory, name).margins.max():.2f}."
        for name, measure in SURFACE_SCORES.items()
    ]
    model = (
        f"**The model** is {BUNDLED_MODEL.name}, which ships with Isogloss, at {moments} moments "
        "of its training, closer together at the start. It did not start from nothing: its "
        "English is that of a finished sentence encoder, and its Chinese characters took their "
        "first embeddings from translations. Training filled in masked words in pairs of "
        f"translations and contrasted translations at layer {CONTRAST_LAYER}."
    )
    drawn = (
        f"**The map** shows {len(trajectory.texts)} words of {len(trajectory.sentences)} sentence "
        f"pairs by t-SNE, in one layout for all {moments * layers} layers and moments, so that "
        "places compare; only its scale is fitted to each."
    )
    return "\n\n".join((model, *scores, drawn))


@st.cache_resource(show_spinner=False)
def _trajectory() -> Trajectory:
    """The bundled model's training, seen at some moments."""
    return read_trajectory()
