"""The training page in a real browser: a chart and a map that share two cursors."""

from __future__ import annotations

import re

import pytest
from hands import click_chart, press
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from isogloss.studies.training_surface import read_trajectory

pytestmark = pytest.mark.browser

MOMENTS, LAYERS = read_trajectory().retrieval.shape
# The chart is there when Plotly has laid it out and the frame of the cell is drawn.
FRAMED = """([layer, moment]) => {
    const chart = document.querySelector('.st-key-training-heatmap .js-plotly-plot');
    const cell = chart?._fullLayout?.shapes?.find((shape) => shape.name === 'cell');
    return Boolean(cell) && cell.y0 === layer - 0.5 && cell.x0 === moment - 0.5
        && chart.querySelectorAll('.shapelayer path').length > 0;
}"""


def wait_for_cell(page: Page, layer: int, moment: int) -> None:
    page.wait_for_function(FRAMED, arg=[layer, moment])


def wait_for_stop(page: Page, stop: int) -> None:
    """Wait until the map stands at a stop; a new map of another walk replaces the old one."""
    track = page.locator(".scrubber .track")
    expect(track).to_have_attribute("aria-valuenow", str(stop))


def click_cell(page: Page, layer: int, moment: int) -> None:
    """Click the middle of a cell."""
    area = page.locator(".st-key-training-heatmap .js-plotly-plot .nsewdrag").first
    across, down = (moment + 0.5) / MOMENTS, (LAYERS - layer - 0.5) / LAYERS
    click_chart(area, across, down, f"Layer {layer} ·")


def test_a_click_moves_both_cursors_and_the_map_moves_them_back(page, app):
    scrubber = Scrubber(page).open(f"{app}/emergence?layer=4&moment=7")
    wait_for_cell(page, layer=4, moment=7)
    before = scrubber.get("positionOf(3)")
    click_cell(page, layer=2, moment=3)
    expect(page).to_have_url(re.compile("layer=2&moment=3"))
    wait_for_cell(page, layer=2, moment=3)
    wait_for_stop(page, 3)
    expect(page.get_by_text("Layer 2, 200 k tokens seen")).to_be_visible()
    expect(page.get_by_text("Layer 2 of mini-en-zh while it was trained")).to_be_visible()
    scrubber.wait_until_moved(3, before)
    track = page.get_by_role("slider", name="Tokens seen")
    track.press("Home")
    expect(page).to_have_url(re.compile("layer=2&moment=0"))
    wait_for_cell(page, layer=2, moment=0)
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Before training, "))
    track.press("ArrowRight")
    expect(page).to_have_url(re.compile("layer=2&moment=1"))
    expect(track).to_have_attribute("aria-valuetext", re.compile("^31 k tokens seen, "))
    assert scrubber.errors == []


def test_the_walk_turns_to_the_layers_of_one_moment(page, app):
    scrubber = Scrubber(page).open(f"{app}/emergence?layer=4&moment=5")
    wait_for_cell(page, layer=4, moment=5)
    press(page.get_by_role("radio", name="Layers"), "Space")
    expect(page).to_have_url(re.compile("walk=layers"))
    track = page.locator(".scrubber .track")
    expect(track).to_have_attribute("aria-label", "Layer")
    wait_for_stop(page, 4)
    track.press("End")
    expect(page).to_have_url(re.compile(f"layer={LAYERS - 1}&moment=5"))
    wait_for_cell(page, layer=LAYERS - 1, moment=5)
    offered = page.get_by_label("Colour by").locator("option").all_inner_texts()
    assert offered == ["Language", "Sentence"], "ranks are not kept, so nothing is coloured by them"
    page.get_by_role("slider", name="After so many tokens").press("ArrowLeft")
    expect(page).to_have_url(re.compile("moment=4"))
    expect(page.get_by_text("The layers of mini-en-zh, 451 k tokens seen")).to_be_visible()
    assert scrubber.errors == []
