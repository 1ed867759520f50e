"""The token map as a widget: the very scrubber of the page, in a notebook and without a server.

Its layer, pins, selection and switches are traits, equal in Python and in every place where the
notebook shows it. Dragging and hovering stay in the browser; Python hears of an act when it is
complete. Imported only where anywidget is installed.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from isogloss.map.bundle import script, style
from isogloss.map.payload import COLORINGS, ScrubberData

HEIGHT = 760


class MapWidget(anywidget.AnyWidget):
    """The scrubber with what it shows; the traits below `style` are the view.

    `name` finds the page that stands in for it in a notebook without a kernel.
    """

    _esm = script("widget")

    name = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Bytes().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Float(0.0).tag(sync=True)
    pins = traitlets.List(traitlets.Int()).tag(sync=True)
    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    color_by = traitlets.Enum(tuple(COLORINGS), "language").tag(sync=True)
    links = traitlets.Bool(True).tag(sync=True)
    labels = traitlets.Bool(True).tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)

    def __init__(self, data: ScrubberData, **view: Any) -> None:
        self._stops, self._points, self._caption = len(data.stops), len(data.texts), data.caption
        super().__init__(name=uuid4().hex, payload=data.blob, style=style(), **view)

    @traitlets.validate("layer")
    def _check_layer(self, proposal: Any) -> float:
        if not 0 <= proposal["value"] <= self._stops - 1:
            raise traitlets.TraitError(f"The map's last stop is {self._stops - 1}.")
        return float(proposal["value"])

    @traitlets.validate("pins", "selection")
    def _check_points(self, proposal: Any) -> list[int]:
        points: list[int] = proposal["value"]
        if any(not 0 <= point < self._points for point in points):
            raise traitlets.TraitError(f"The map's points are 0 to {self._points - 1}.")
        return points

    def __repr__(self) -> str:
        return f"<{self._caption}>"
