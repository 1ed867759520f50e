"""The layer scrubber: a map of words or sentences that moves through all layers in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import streamlit as st

from isogloss.map.bundle import script, style
from isogloss.map.payload import (
    Language,
    MapView,
    Score,
    ScrubberData,
    kept_neighbours,
    section,
)

__all__ = [
    "Language",
    "MapView",
    "Pane",
    "Score",
    "ScrubberData",
    "ScrubberState",
    "kept_neighbours",
    "layer_scrubber",
    "reported_state",
]

Pane = Literal["", "first", "second"]

_mount = st.components.v2.component("isogloss_layer_scrubber", css=style(), js=script("streamlit"))


@dataclass(frozen=True)
class ScrubberState:
    """What the user has set: the view, which opens the same again, and the lassoed points."""

    view: MapView
    selection: tuple[int, ...]

    @property
    def layer(self) -> float:
        """The stop on show."""
        return self.view.layer


def layer_scrubber(
    data: ScrubberData,
    view: MapView,
    *,
    height: int | None = None,
    pane: Pane = "",
    name: str = "",
    key: str,
    on_change: Callable[[], None] | None = None,
) -> ScrubberState:
    """Show the scrubber and return its state; one message arrives for each completed act.

    `height` is in pixels; without one the map reaches from where it begins to the window's end.
    Two scrubbers on a page, one the first `pane` and one the second, move together in the browser;
    only the first reports. Each then has a `name` above it.
    Dragging, playing, hovering, zooming and searching stay in the browser. The view counts when it
    changes to something else than the browser reported, so a page may feed the
    state back (through its URL, say) without disturbing the user, and without the points being
    sent again: Streamlit does not repeat an unchanged message. `on_change` runs before the
    script; `reported_state(key)` there lets a page renew its arguments without a run's delay.
    """
    memory = f"{key}.sent"
    sent: _Sent | None = st.session_state.get(memory)
    if sent is not None and data.series and sent.series == data.series:
        sent = replace(sent, digest=data.digest)  # the browser takes it in where it stands
    if sent is None or not sent.still_holds(
        data, view, (height, pane, name), st.session_state.get(key)
    ):
        revision = sent.revision + 1 if sent else 0
        sent = _Sent(
            revision,
            data.digest,
            (height, pane, name),
            view=view,
            wanted=view,
            returned=view,
            series=data.series,
        )
    st.session_state[memory] = sent

    result = _mount(
        key=key,
        data=sent.head + data.blob,
        default={"view": asdict(sent.view) | {"selection": [], "revision": sent.revision}},
        on_view_change=on_change or _ignore,
    )
    state = sent.state(result)
    st.session_state[memory] = replace(sent, wanted=view, returned=state.view)
    return state


def reported_state(key: str) -> ScrubberState | None:
    """The state of the scrubber `key` as the browser last reported it, None before it is shown."""
    sent: _Sent | None = st.session_state.get(f"{key}.sent")
    reported = st.session_state.get(key)
    return None if sent is None or reported is None else sent.state(reported)


@dataclass(frozen=True)
class _Sent:
    """What the browser was last told: which data, which view, and under which revision.

    The browser takes a view over when its revision is new and names the revision in everything it
    reports, so a report from before the change is never mistaken for one after it. `place` is its
    height, which of two panes it is, and its name. `wanted` and
    `returned` are what the page asked for and was told in its last run.
    """

    revision: int
    digest: str
    place: tuple[int | None, Pane, str]
    view: MapView
    wanted: MapView
    returned: MapView
    series: str = ""

    @property
    def head(self) -> bytes:
        height, pane, name = self.place
        return section(
            asdict(self.view)
            | {"digest": self.digest, "series": self.series}
            | {"height": height, "pane": pane, "name": name}
            | {"revision": self.revision}
        )

    def still_holds(
        self,
        data: ScrubberData,
        wanted: MapView,
        place: tuple[int | None, Pane, str],
        reported: Mapping[str, Any] | None,
    ) -> bool:
        """Whether the browser needs to be told nothing new."""
        if reported is None or (data.digest, place) != (self.digest, self.place):
            return False
        return wanted in (self.wanted, self.returned, self.state(reported).view)

    def state(self, reported: Mapping[str, Any]) -> ScrubberState:
        answer = reported.get("view") or {}
        if answer.get("revision") != self.revision:
            return ScrubberState(self.view, ())
        view = MapView(
            layer=float(answer["layer"]),
            pins=tuple(answer["pins"]),
            color_by=str(answer["color_by"]),
            links=bool(answer["links"]),
            labels=bool(answer["labels"]),
            curves=tuple(answer["curves"]),
            talk=bool(answer["talk"]),
            tour=self.view.tour,
            step=answer["step"],
        )
        return ScrubberState(view, tuple(answer["selection"]))


def _ignore() -> None:
    """Streamlit reports a state only for components that name a callback."""
