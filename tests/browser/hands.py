"""Hands that do not miss: keys instead of clicks, and places that are read once they stand still.

Streamlit draws a page again after every choice, and what stands below something new moves. A click
is two events with a moment between them: when the button moves away in that moment, the browser
gives the click to nobody, and Playwright does not see it. A key goes to its element in any case.
"""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import FloatRect, Locator, Page, TimeoutError, expect

REST_FRAMES = 30
STEADY_FRAMES = 10
HOVER_TIMEOUT = 5_000
RESTS = """(needed) => {
    const app = document.querySelector('[data-testid=stApp]');
    const rests = app?.dataset.testScriptState === 'notRunning';
    window.restFrames = rests ? (window.restFrames ?? 0) + 1 : 0;
    return window.restFrames >= needed;
}"""
STEADY = """([element, needed]) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const place = [x, y, width, height].join();
    element.steadyFrames = element.lastPlace === place ? element.steadyFrames + 1 : 0;
    element.lastPlace = place;
    return element.steadyFrames >= needed;
}"""


def press(what: Locator, key: str = "Enter") -> None:
    """Press a button, a link or a heading that unfolds; switches and radios take the space bar."""
    expect(what).to_be_enabled()
    what.press(key)


def unfold(page: Page, title: str) -> None:
    """Open a section that is folded away."""
    press(page.locator("summary").filter(has_text=title))


def choose(box: Locator, option: str) -> None:
    """Choose the one option of a list that has `option` in its title, by typing it.

    If the page was drawn anew meanwhile, which closes the list, it is typed again.
    """
    offered = box.page.locator("[role=option]")  # a map has lists of the browser's own, too
    while offered.count() != 1:
        expect(box).to_be_enabled()
        box.fill("")
        box.fill(option)
        with suppress(AssertionError):
            expect(offered).to_have_count(1, timeout=HOVER_TIMEOUT)
    box.press("ArrowDown")
    box.press("Enter")
    expect(offered).to_have_count(0)


def wait_for_rest(page: Page) -> None:
    """Wait until Streamlit has run nothing for a while, counted in frames: a busy browser has few.

    While a run is under way, the page renews itself every second and may never rest.
    """
    page.evaluate("window.restFrames = 0")
    page.wait_for_function(RESTS, arg=REST_FRAMES)


def steady_box(what: Locator) -> FloatRect:
    """Where something is, once it has not moved for some frames."""
    while True:
        what.wait_for()
        what.page.wait_for_function(STEADY, arg=[what.element_handle(), STEADY_FRAMES])
        box = what.bounding_box()
        if box is not None and box["width"] > 0:  # else it was drawn anew meanwhile
            return box


def click_chart(what: Locator, across: float, down: float, says: str) -> None:
    """Click a chart, or a part of it, at shares of its size, once its label `says` so."""
    page = what.page
    label = page.locator(".hoverlayer .hovertext").filter(has_text=says)
    wait_for_rest(page)
    while label.count() == 0:
        what.scroll_into_view_if_needed()
        box = steady_box(what)
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        page.mouse.move(x + 3, y + 3)
        page.mouse.move(x, y)
        with suppress(TimeoutError):  # if the chart was drawn anew under the pointer, aim again
            label.first.wait_for(timeout=HOVER_TIMEOUT)
    page.mouse.down()
    page.mouse.up()
