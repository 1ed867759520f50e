"""How a map is looked at, to and from the address: pins, colours, talk mode, what is beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from components.layer_scrubber import (
    MapView,
    ScrubberData,
    ScrubberState,
    layer_scrubber,
    reported_state,
)
from components.shared import query
from components.shared.studies import coordinates
from isogloss.map.standalone import Comparison
from isogloss.measures.coordinates import COORDINATES
from isogloss.options import DIGITS, Option, options_of, titled, to_query

_SETTINGS = options_of(MapView)
_SWITCHES = ("links", "labels", "curves", "talk")
_BESIDE = Option(help="", title="Compare with…", address="beside", digits=DIGITS)
SIMPLE = ("language", "sentence")
"""What a map can be coloured by that has no topics and no ranks."""


def asked(points: int, pins: Sequence[int] = (), colors: Sequence[str] = SIMPLE) -> MapView:
    """The view that the address says, of a map of so many points; `pins` where it names none."""
    known = {name: _SETTINGS["color_by"].choices[name] for name in colors}
    return MapView(
        pins=query.read(_pins(pins).but(most=points - 1)),
        color_by=query.read(_SETTINGS["color_by"].but(choices=known)),
        **{name: query.read(_SETTINGS[name]) for name in _SWITCHES},
    )


def written(view: MapView, pins: Sequence[int] = ()) -> dict[str, str]:
    """What the address is to say of a view of a map with `pins` to begin with."""
    return to_query(view) | _pins(pins).written(view.pins)


@dataclass(frozen=True)
class KeptView:
    """How the map of a page is looked at: as left in this session, else as the address says."""

    page: str

    @property
    def scrubber(self) -> str:
        """The key of the page's map."""
        return f"{self.page}-scrubber"

    @property
    def _key(self) -> str:
        return f"{self.page}-map-view"

    def at(self, stop: int, points: int) -> MapView:
        """The view, at a stop of a map of so many points."""
        kept = cast(MapView, st.session_state.setdefault(self._key, asked(points)))
        return replace(kept, layer=float(stop))

    def follow(self) -> int | None:
        """Take over what was done on the map, before the page is drawn again; returns its stop."""
        state = reported_state(self.scrubber)
        if state is None:
            return None
        st.session_state[self._key] = state.view
        return round(state.layer)

    def written(self) -> dict[str, str]:
        """What the address is to say of it; as it does, while there is no map to look at."""
        kept: MapView | None = st.session_state.get(self._key)
        if kept is None:
            return query.kept(
                *(_SETTINGS[name].address for name in ("pins", "color_by", *_SWITCHES))
            )
        return written(kept)


def _pins(first: Sequence[int]) -> Option:
    return _SETTINGS["pins"].but(default=tuple(first))


def other_ways() -> dict[str, str]:
    """The other coordinates that a map can be drawn in."""
    return {
        name: f"{coordinates.TITLES[name]} coordinates"
        for name in COORDINATES
        if name != coordinates.current()
    }


def choose_beside(page: str, study: str, titles: Mapping[str, str]) -> str | None:
    """Show the switch for a page's study; returns one of the titles' keys, or None."""
    session, widget = f"{page}-beside", f"{page}-beside-{study}-{coordinates.current()}"
    if session not in st.session_state:
        st.session_state[session] = query.read(_BESIDE.but(choices=titled(titles)))
    kept = st.session_state[session]
    # Set this way and not by its index, the widget can be emptied again.
    st.session_state.setdefault(widget, kept if kept in titles else None)
    chosen = st.selectbox(
        _BESIDE.title,
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder=_BESIDE.title,
        label_visibility="collapsed",
        width=190,
        key=widget,
    )
    st.session_state[session] = chosen
    return chosen


def draw(
    data: ScrubberData,
    view: MapView,
    key: str,
    name: str,
    beside: Callable[[], Comparison | None] | None,
) -> tuple[ScrubberState, Comparison | None]:
    """Draw a map here, or two that move together: this one has its `name` then."""
    if beside is None:
        return layer_scrubber(data, view, key=key), None
    left, right = st.columns(2)
    with left:
        state = layer_scrubber(data, view, pane="first", name=name, key=key)
    with right:
        return state, beside()


def draw_beside(found: Comparison, key: str) -> None:
    """Draw the second map here."""
    layer_scrubber(
        found.data,
        MapView(labels=False) if found.data.middles else MapView(),
        pane="second",
        name=found.name,
        key=key,
    )
