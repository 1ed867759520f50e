"""A presenter's tour over the pages: its text goes along in the address of each of them.

The map plays it itself. On any other page a bar shows the step's sentence and goes on; each step
elsewhere is opened by its address, as a link would be.
"""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from components.shared import query
from isogloss.map.bundle import script, style
from isogloss.map.payload import COLORINGS
from isogloss.map.tour import LONGEST_SENTENCE, TourStep, place, read_tour, write_tour

_SESSION = query.TOUR
_ANY = 10**6
"""More stops and points than any map has: what a step of another page names is checked there."""

_mount = st.components.v2.component("isogloss_tour_bar", css=style(), js=script("tourbar"))


def text() -> str:
    """The tour of this session, else that of the address."""
    return st.session_state.get(_SESSION, query.text("tour"))


def keep(tour: str) -> None:
    """Take a tour along to other pages; an empty one is given up."""
    if tour or _SESSION in st.session_state:
        st.session_state[_SESSION] = tour


def here(page: str = "") -> str:
    """The place that the address shows now."""
    return place(page, st.query_params.to_dict())


def show(page: str) -> None:
    """On a page other than the map: the step that is on show, and what adds this view."""
    tour = text()
    if not tour or not page:
        return
    keep(tour)
    steps = read_tour(tour, _ANY, _ANY, colors=list(COLORINGS))
    at = query.number("step", len(steps), 0)

    _mount(key="tour-bar", data={"steps": [asdict(step) for step in steps], "at": at - 1})
    if not at:
        _offer_to_add(page, steps)


def _offer_to_add(page: str, steps: tuple[TourStep, ...]) -> None:
    """While no step is on show the tour is being made."""

    def add() -> None:
        sentence = " ".join(st.session_state.pop("tour-says", "").split())[:LONGEST_SENTENCE]
        layer = query.number("layer", _ANY, 0)
        keep(write_tour((*steps, TourStep(layer, (), sentence, where=here(page)))))

    says, button = st.columns([5, 1], vertical_alignment="bottom")
    says.text_input(
        "What to say of this view",
        key="tour-says",
        placeholder=f"What to say of this view, step {len(steps) + 1} of the tour",
        label_visibility="collapsed",
    )
    button.button("Add this view", on_click=add, icon=":material/add:", width="stretch")
