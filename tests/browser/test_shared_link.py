"""A link is what its sender saw: opened in another browser, it gives the same picture."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hands import press, wait_for_rest
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from scrubber_driver import Scrubber

pytestmark = pytest.mark.browser

WINDOW = {"width": 1280, "height": 860}


def open_map(browser: Browser, address: str) -> Scrubber:
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    context.set_default_timeout(240_000)
    return Scrubber(context.new_page()).open(address)


def picture(scrubber: Scrubber) -> np.ndarray:
    """The map at rest, nothing of it under the pointer or with the focus."""
    scrubber.page.mouse.move(2, 2)
    scrubber.page.evaluate("""() => {
        const host = document.activeElement;
        (host?.shadowRoot?.activeElement ?? host)?.blur();
    }""")
    wait_for_rest(scrubber.page)
    scrubber.settle()
    with Image.open(io.BytesIO(scrubber.root.screenshot())) as shot:
        return np.asarray(shot.convert("RGB"))


def changed(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pixels that differ; round corners may by one or two, drawn anew."""
    return float((one != other).any(axis=2).mean())


def set_all(page: Page) -> None:
    """Another layer, another pin, other colours, words, lines and curves."""
    page.get_by_role("slider").press("ArrowLeft")
    page.get_by_role("searchbox").fill("kitchen")
    press(page.get_by_role("searchbox"))
    press(page.get_by_role("searchbox"), "Escape")
    page.get_by_label("Colour by").select_option("alignment")
    press(page.get_by_role("button", name="Words on the map (W)"))
    for curve in ("1 − alignment error", "seen in the picture"):
        press(page.locator(".readings button").filter(has_text=curve))


def test_a_link_opened_in_a_new_browser_gives_the_same_picture(browser: Browser, app: str):
    mine = open_map(browser, f"{app}/?layer=8")
    first = picture(mine)
    set_all(mine.page)
    for name, value in {"words": "0", "curves": "1.3", "color": "alignment", "layer": "7"}.items():
        mine.page.wait_for_url(f"**{name}={value}**")
    seen = picture(mine)
    assert changed(first, seen) > 0.02
    theirs = open_map(browser, mine.page.url)
    expect(theirs.page.locator(".pin").filter(has_text="kitchen")).to_be_visible()
    assert changed(seen, picture(theirs)) < 1e-4
    theirs.page.context.close()
    mine.page.context.close()
