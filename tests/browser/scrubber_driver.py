"""A scrubber on a page, driven as a person would."""

from __future__ import annotations

import json

from hands import steady_box
from playwright.sync_api import Locator, Page

SETTLED = """([element, needed]) => {
    const { frames } = element.scrubber;
    element.restFrames = element.lastFrames === frames ? element.restFrames + 1 : 0;
    element.lastFrames = frames;
    return element.restFrames >= needed;
}"""


class Scrubber:
    """A page with a scrubber, or one of several, and what was said over its WebSocket."""

    def __init__(self, page: Page, number: int = 0) -> None:
        self.page = page
        self.number = number
        self.sent: list[bytes | str] = []
        self.received: list[bytes | str] = []
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("websocket", self._listen)

    def _listen(self, socket) -> None:
        socket.on("framesent", lambda frame: self.sent.append(frame))
        socket.on("framereceived", lambda frame: self.received.append(frame))

    def open(self, url: str) -> Scrubber:
        self.page.goto(url)
        return self.wait_until_drawn()

    def wait_until_drawn(self) -> Scrubber:
        self.root.wait_for()
        self.page.wait_for_function("element => element.scrubber.frames > 2", arg=self.handle)
        return self

    @property
    def root(self) -> Locator:
        return self.page.locator(".scrubber").nth(self.number)

    @property
    def handle(self):
        return self.root.element_handle()

    def get(self, expression: str):
        return self.root.evaluate(f"element => element.scrubber.{expression}")

    def wait(self, condition: str) -> None:
        self.page.wait_for_function(f"element => {condition}", arg=self.handle)

    def place_of(self, point: int) -> tuple[float, float]:
        x, y = self.get(f"positionOf({point})")
        box = steady_box(self.root.locator(".stage"))
        return box["x"] + x, box["y"] + y

    def begin_drag(self) -> None:
        self.track = box = steady_box(self.root.locator(".track"))
        self.page.mouse.move(box["x"] + 33, box["y"] + 0.75 * box["height"])
        self.page.mouse.down()

    def drag_to(self, share: float) -> None:
        width = self.track["width"] - 66
        height = self.track["y"] + 0.75 * self.track["height"]
        self.page.mouse.move(self.track["x"] + 33 + share * width, height)

    def wait_until_moved(self, point: int, place: list[float]) -> list[float]:
        """Wait until a point is drawn elsewhere than at `place`; returns where."""
        here = f"element.scrubber.positionOf({point})"
        self.wait(f"String({here}) !== String({json.dumps(place)})")
        return self.get(f"positionOf({point})")

    def settle(self) -> None:
        """Wait until nothing more is drawn or sent.

        What keys changed is sent after 0.28 s; how long words fade counts in frames.
        """
        self.page.wait_for_timeout(300)
        self.page.wait_for_function(SETTLED, arg=[self.handle, 10])
