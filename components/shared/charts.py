"""Figures on a page: in the mode of the page, with clicks told to whoever asked."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.shared import loading
from components.shared.studies import study_picker as study_choice
from isogloss.figures.template import Mode, theme
from isogloss.studies.study import Study

if TYPE_CHECKING:
    from isogloss.figures.template import Figure

PICTURE_SCALE = 3
"""Pixels of a saved picture for each on the page."""

_CONFIG: dict[str, object] = {"displayModeBar": False, "doubleClick": False}
_MOVED = "cursor-moved"


def mode() -> Mode:
    """Whether the page is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show(drawing: partial[Figure], key: str, alt: str, picture: str | None = None) -> None:
    """Show a figure; given a name for it, with a button that saves it as a picture."""
    st.plotly_chart(_drawn(drawing, picture), theme=None, config=_config(picture), key=key, alt=alt)


def show_clickable(
    drawing: partial[Figure],
    key: str,
    alt: str,
    on_click: Callable[[float, float], None],
    picture: str | None = None,
) -> None:
    """Show a figure; a click on a point calls `on_click` with its x and y before the rerun."""

    def tell() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points:
            on_click(points[0]["x"], points[0]["y"])

    st.plotly_chart(
        _drawn(drawing, picture),
        theme=None,
        config=_config(picture),
        key=key,
        alt=alt,
        on_select=tell,
        selection_mode="points",
    )


def _config(picture: str | None) -> dict[str, object]:
    if picture is None:
        return _CONFIG
    return _CONFIG | {
        "displayModeBar": True,
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": picture, "scale": PICTURE_SCALE},
    }


def _drawn(drawing: partial[Figure], picture: str | None) -> Figure:
    """The figure of a drawing, which is a function with its arguments.

    Plotly takes longer to put a figure together than the rest of its page does, so whoever looks
    at the same gets the same figure. What is the same, the arguments' content says: they are
    results and settings, a few kilobytes. Equal ones that are pickled differently cost a drawing.
    """
    if picture is not None:
        drawing = partial(_on_paper, drawing, mode())
    return loading.drawn_figure(hashlib.sha256(pickle.dumps(drawing)).hexdigest(), drawing)


def _on_paper(drawing: partial[Figure], shade: Mode) -> Figure:
    """A picture is looked at elsewhere, so it takes the page's own colour with it."""
    look = theme(shade)
    return drawing().update_layout(paper_bgcolor=look.background, modebar={"color": look.quiet})


def move_cursor(layer: int, study: str | None = None) -> None:
    """Move the cursor that all pages share, from a callback; the page follows at once."""
    study_choice.set_layer(layer, study)
    redraw_page()


def redraw_page() -> None:
    """Have the whole page drawn again, from a callback of a panel that would be drawn alone."""
    st.session_state[_MOVED] = True


def follow_cursor() -> None:
    """Rerun the whole page, and not only this panel, if the cursor has moved."""
    if st.session_state.pop(_MOVED, False):
        st.rerun()


def layer_slider(study: Study) -> int:
    """The cursor as a slider, for whoever does not click on charts; returns the layer."""
    choice = study_choice.current_choice()
    states = study.states
    layer = min(choice.layer if choice else 0, states.last)
    key = f"cursor-{study.key}"
    st.session_state[key] = layer
    more: dict[str, Any] = {
        "key": key,
        "on_change": lambda: study_choice.set_layer(st.session_state[key], study.key),
        "help": "The layer that all pages mark. 0 is the embedding output, a higher number the "
        f"output of that block. {states.describe()} Clicking on a chart moves it, too.",
    }
    if states.normed is None:
        st.slider("Layer", 0, states.last, **more)
    else:
        st.select_slider("Layer", range(len(states)), format_func=states.name, **more)
    return layer
