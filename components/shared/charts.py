"""Figures on a page: in the mode of the page, with clicks told to whoever asked."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.shared import loading
from components.shared.markdown import in_markdown
from components.shared.studies import study_picker as study_choice
from isogloss.errors import IsoglossError
from isogloss.figures.template import Mode
from isogloss.map.sheet_plan import WIDTHS
from isogloss.studies.study import Study

if TYPE_CHECKING:
    from isogloss.figures.template import Figure

_CONFIG: dict[str, object] = {"displayModeBar": False, "doubleClick": False}
_MOVED = "cursor-moved"
FILES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
"""What a figure for a paper can be, and what browsers call it."""
SAVE = "Save this chart"
"""For screen readers alone: the page shows an icon (`frame.py`)."""


def mode() -> Mode:
    """Whether the page is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show(
    drawing: partial[Figure],
    key: str,
    alt: str,
    picture: str | None = "",
    **selecting: Any,
) -> None:
    """Show a figure, and offer it for a paper; `picture` names its file, None offers nothing."""
    with st.container(key=f"chart-{key}", gap=None):
        st.plotly_chart(_drawn(drawing), theme=None, config=_CONFIG, key=key, alt=alt, **selecting)
        if picture is not None:
            with st.container(key=f"save-{key}", width="content"):
                _offer(drawing, key, picture or f"isogloss-{key}")


def show_clickable(
    drawing: partial[Figure],
    key: str,
    alt: str,
    on_click: Callable[[float, float], None],
    picture: str | None = "",
) -> None:
    """Show a figure; a click on a point calls `on_click` with its x and y before the rerun."""

    def tell() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points:
            on_click(points[0]["x"], points[0]["y"])

    show(drawing, key, alt, picture, on_select=tell, selection_mode="points")


def show_layers(drawing: partial[Figure], key: str, alt: str, picture: str | None = "") -> None:
    """Show a figure with the layers across; a click on one moves the cursor there."""
    show_clickable(drawing, key, alt, lambda x, y: move_cursor(round(x)), picture)


def _offer(drawing: partial[Figure], key: str, name: str) -> None:
    """The chart for a paper, in the light whatever the page is; drawn when it is asked for."""
    menu = st.popover(
        SAVE,
        type="tertiary",
        icon=":material/download:",
        on_change="rerun",
        key=f"menu-{key}",
    )
    if not menu.open:
        return
    from isogloss.figures.paper import fewest_columns, paper_figure

    with menu:
        try:
            figure = _drawn(_in_light(drawing))
            fewest = fewest_columns(figure)
        except IsoglossError as problem:
            st.caption(in_markdown(problem))
            return
        columns = st.segmented_control(
            "For a paper",
            [width for width in WIDTHS if width >= fewest],
            default=fewest,
            required=True,
            format_func=lambda n: "One column" if n == 1 else "Two columns",
            help=f"{WIDTHS[1]:g} or {WIDTHS[2]:g} mm wide, on white, letters of 6 points or more, "
            "fonts embedded.",
            key=f"columns-{key}",
        )
        for place, kind in zip(st.columns(len(FILES)), FILES, strict=True):
            place.download_button(
                kind.upper(),
                partial(paper_figure, figure, kind, columns, name),
                f"{name}.{kind}",
                FILES[kind],
                on_click="ignore",
                width="stretch",
                key=f"{kind}-{key}",
            )


def _in_light(drawing: partial[Figure]) -> partial[Figure]:
    """The same drawing in the colours of the light page."""
    bound = inspect.signature(drawing.func).bind(*drawing.args, **drawing.keywords)
    bound.arguments["mode"] = "light"
    return partial(drawing.func, *bound.args, **bound.kwargs)


def _drawn(drawing: partial[Figure]) -> Figure:
    """The figure of a drawing, which is a function with its arguments.

    Plotly takes longer to put a figure together than the rest of its page does, so whoever looks
    at the same gets the same figure. What is the same, the arguments' content says: they are
    results and settings, a few kilobytes. Equal ones that are pickled differently cost a drawing.
    """
    return loading.drawn_figure(hashlib.sha256(pickle.dumps(drawing)).hexdigest(), drawing)


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
    states = study.states
    layer = study_choice.marked_layer(states.last)
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
