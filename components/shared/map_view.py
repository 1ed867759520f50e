"""How a map is looked at, to and from the address: what is pinned, colours, talk mode."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.layer_scrubber import MapView
from isogloss.options import Option, options_of, to_query

_SETTINGS = options_of(MapView)
_SWITCHES = ("links", "labels", "curves", "talk")
SIMPLE = ("language", "sentence")
"""What a map can be coloured by that has no topics and no ranks."""


def asked(points: int, pins: Sequence[int] = (), colors: Sequence[str] = SIMPLE) -> MapView:
    """The view that the address says, of a map of so many points; `pins` where it names none."""
    known = {name: _SETTINGS["color_by"].choices[name] for name in colors}
    return MapView(
        pins=_pins(pins).but(most=points - 1).read(st.query_params),
        color_by=_SETTINGS["color_by"].but(choices=known).read(st.query_params),
        **{name: _SETTINGS[name].read(st.query_params) for name in _SWITCHES},
    )


def written(view: MapView, pins: Sequence[int] = ()) -> dict[str, str]:
    """What the address is to say of a view of a map with `pins` to begin with."""
    return to_query(view) | _pins(pins).written(view.pins)


def _pins(first: Sequence[int]) -> Option:
    return _SETTINGS["pins"].but(default=tuple(first))
