"""How a page's own map is looked at, to and from the address: what is pinned, colours, talk."""

from __future__ import annotations

from components.layer_scrubber import MapView
from components.shared import query

_COLOR = query.Choice("color", ["language", "sentence"], "language")
_TALK = query.Choice("talk", ["", "1"], "")


def asked(points: int) -> MapView:
    """The view that the address says, of a map of so many points."""
    return MapView(
        pins=query.numbers("pins", points), color_by=_COLOR.read(), talk=_TALK.read() == "1"
    )


def written(view: MapView) -> dict[str, str]:
    """What the address is to say of a view."""
    return {
        **_COLOR.written(view.color_by),
        "pins": ".".join(map(str, view.pins)),
        **_TALK.written("1" if view.talk else ""),
    }
