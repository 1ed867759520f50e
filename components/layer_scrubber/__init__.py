"""The layer scrubber: a map of two languages that moves through all layers in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import streamlit as st

from components.layer_scrubber.bundle import script, style
from components.layer_scrubber.payload import Language, Score, ScrubberData, View, section

__all__ = [
    "Language",
    "Score",
    "ScrubberData",
    "ScrubberState",
    "View",
    "layer_scrubber",
    "reported_state",
]

_mount = st.components.v2.component("isogloss_layer_scrubber", css=style(), js=script("streamlit"))


@dataclass(frozen=True)
class ScrubberState:
    """What the user has set: the stop, the pinned and lassoed points, and how the map is drawn."""

    layer: float
    pins: tuple[int, ...]
    talk: bool
    selection: tuple[int, ...]
    color_by: str
    links: bool
    labels: bool

    @property
    def view(self) -> View:
        """The part that opens the same view again."""
        return View(self.layer, self.pins, self.color_by, self.links, self.labels, self.talk)


def layer_scrubber(
    data: ScrubberData,
    *,
    layer: float = 0.0,
    pins: Sequence[int] = (),
    color_by: str = "language",
    links: bool = True,
    labels: bool = True,
    talk: bool = False,
    height: int = 680,
    key: str,
    on_change: Callable[[], None] | None = None,
) -> ScrubberState:
    """Show the scrubber and return its state; one message arrives for each completed act.

    Dragging, playing, hovering, zooming and searching stay in the browser. The view arguments
    count when they change to something else than the browser reported, so a page may feed the
    state back (through its URL, say) without disturbing the user, and without the points being
    sent again: Streamlit does not repeat an unchanged message. `on_change` runs before the
    script; `reported_state(key)` there lets a page renew its arguments without a run's delay.
    """
    wanted = View(float(layer), tuple(pins), color_by, links, labels, talk)
    memory = f"{key}.sent"
    sent: _Sent | None = st.session_state.get(memory)
    if sent is None or not sent.still_holds(data, wanted, height, st.session_state.get(key)):
        revision = sent.revision + 1 if sent else 0
        sent = _Sent(revision, data.digest, height, view=wanted, wanted=wanted, returned=wanted)
    st.session_state[memory] = sent

    result = _mount(
        key=key,
        data=sent.head + data.blob,
        default={"view": asdict(sent.view) | {"selection": [], "revision": sent.revision}},
        on_view_change=on_change or _ignore,
    )
    state = sent.state(result)
    st.session_state[memory] = replace(sent, wanted=wanted, returned=state.view)
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
    reports, so a report from before the change is never mistaken for one after it. `wanted` and
    `returned` are what the page asked for and was told in its last run.
    """

    revision: int
    digest: str
    height: int
    view: View
    wanted: View
    returned: View

    @property
    def head(self) -> bytes:
        return section(
            asdict(self.view)
            | {"digest": self.digest, "height": self.height, "revision": self.revision}
        )

    def still_holds(
        self, data: ScrubberData, wanted: View, height: int, reported: Mapping[str, Any] | None
    ) -> bool:
        """Whether the browser needs to be told nothing new."""
        if reported is None or (data.digest, height) != (self.digest, self.height):
            return False
        return wanted in (self.wanted, self.returned, self.state(reported).view)

    def state(self, reported: Mapping[str, Any]) -> ScrubberState:
        view = reported.get("view") or {}
        if view.get("revision") != self.revision:
            view = asdict(self.view) | {"selection": ()}
        return ScrubberState(
            layer=float(view["layer"]),
            pins=tuple(view["pins"]),
            talk=bool(view["talk"]),
            selection=tuple(view["selection"]),
            color_by=str(view["color_by"]),
            links=bool(view["links"]),
            labels=bool(view["labels"]),
        )


def _ignore() -> None:
    """Streamlit reports a state only for components that name a callback."""
