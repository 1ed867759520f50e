"""What a newcomer sees: the finding, the way to the best layer, a map that fits the window."""

from __future__ import annotations

import re

import pytest
from hands import steady_box
from playwright.sync_api import Browser, expect
from scrubber_driver import Scrubber

pytestmark = pytest.mark.browser

LAPTOP = {"width": 1024, "height": 768}
WATCH = """
  window.layers = [];
  const watch = () => {
    const host = document.querySelector("[data-testid=stBidiComponentIsolated]");
    const scrubber = host?.shadowRoot?.querySelector(".scrubber")?.scrubber;
    if (scrubber?.frames) window.layers.push(scrubber.layer);
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
"""


@pytest.mark.parametrize(
    ("query", "motion", "moves"),
    [("", "no-preference", True), ("", "reduce", False), ("?layer=8", "no-preference", False)],
)
def test_the_map_goes_from_the_first_layer_to_the_best_once(
    browser: Browser, app: str, query: str, motion, moves: bool
):
    context = browser.new_context(viewport=LAPTOP, reduced_motion=motion)
    context.set_default_timeout(240_000)
    page = context.new_page()
    page.add_init_script(WATCH)
    scrubber = Scrubber(page).open(f"{app}/{query}")
    finding = page.get_by_text("in a random model at most")
    best = int(re.findall(r"at layer (\d+)", finding.inner_text())[1])
    scrubber.wait(f"element.scrubber.layer === {best}")
    seen = page.evaluate("window.layers")
    assert seen == sorted(seen), "it never turns back"
    assert (seen[0], round(seen[-1], 2)) == (0 if moves else best, best)
    scrubber.settle()
    assert scrubber.get("layer") == best, "it stops there"
    assert f"layer={best}" in page.url
    context.close()


def test_a_small_laptop_sees_most_of_the_map_and_a_folded_sidebar(browser: Browser, app: str):
    context = browser.new_context(viewport=LAPTOP)
    context.set_default_timeout(240_000)
    page = context.new_page()
    scrubber = Scrubber(page).open(f"{app}/?layer=8")
    scrubber.settle()
    stage = steady_box(page.locator(".stage"))
    assert stage["height"] >= 380
    dock = steady_box(page.locator(".dock"))
    assert dock["y"] + dock["height"] <= LAPTOP["height"], "and all of the strip"
    entry = page.get_by_role("link", name="Similarity")
    assert stage["x"] < 120, "the sidebar is folded"
    page.get_by_test_id("stSidebar").hover()
    page.wait_for_function(
        "e => e.getBoundingClientRect().width > 200",
        arg=page.get_by_test_id("stSidebarContent").element_handle(),
    )
    assert steady_box(page.locator(".stage")) == stage, "it opens over the page"
    expect(entry).to_be_visible()
    entry.click()
    expect(page.get_by_role("heading", name="Which layers say the same thing?")).to_be_visible()
    page.mouse.move(700, 30)
    page.wait_for_function(
        "e => e.getBoundingClientRect().width < 100",
        arg=page.get_by_test_id("stSidebarContent").element_handle(),
    )
    context.close()
