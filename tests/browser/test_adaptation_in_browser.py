"""Adaptation in a real browser: steps on the map and in the charts, and a run that survives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from run_form import TRAINING_TIMEOUT, RunForm
from scrubber_driver import Scrubber

from cache import Store
from isogloss.runs.queue import Runs
from tests.helpers.adaptations import made_up_run
from tests.helpers.server import running_app

pytestmark = pytest.mark.browser

# The chart is there when Plotly has laid it out, drawn its curves and the line at the step.
AT_STEP = """(step) => {
    const chart = document.querySelector('.st-key-adaptation-perplexity .js-plotly-plot');
    const cursor = chart?._fullLayout?.shapes?.find((shape) => shape.name === 'cursor');
    return Boolean(cursor) && cursor.x0 === step
        && chart.querySelectorAll('.scatterlayer .trace').length > 1;
}"""
# A bar for the model as it was and one for each regime.
BARS_DRAWN = """(count) => {
    const chart = document.querySelector('.st-key-adaptation-regimes .js-plotly-plot');
    return Boolean(chart?._fullLayout)
        && chart.querySelectorAll('.subplot.xy .barlayer .point path').length === count;
}"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    """The server's runs; one of three regimes is there from the start."""
    store = Store(tmp_path_factory.mktemp("adaptation"), demo=None)
    made_up_run(store)
    return Runs(store, shipped=None)


@pytest.fixture(scope="module")
def address(runs: Runs) -> Iterator[str]:
    with running_app(runs.root.parent) as address:
        yield f"{address}/adaptation"


def test_the_map_goes_through_the_steps_and_a_bar_shows_its_regime(
    page: Page, address: str, runs: Runs
) -> None:
    written = runs.all()[-1]
    scrubber = Scrubber(page).open(f"{address}?run={written.id}&layer=2&step=20")
    page.wait_for_function(AT_STEP, arg=20)
    before = scrubber.get("positionOf(3)")
    track = page.get_by_role("slider", name="Step")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Step 20, "))
    track.press("Home")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Before training, "))
    expect(page).to_have_url(re.compile("step=0"))
    page.wait_for_function(AT_STEP, arg=0)
    assert scrubber.get("positionOf(3)") != before
    page.wait_for_function(BARS_DRAWN, arg=4)
    bars = page.locator(".st-key-adaptation-regimes .subplot.xy .barlayer .point path")
    bars.nth(3).scroll_into_view_if_needed()
    box = bars.nth(3).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    page.mouse.move(x + 3, y + 2)
    page.mouse.move(x, y)
    label = page.locator(".st-key-adaptation-regimes .hoverlayer .hovertext")
    expect(label).to_contain_text("Gradual")
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile("regime=gradual"))
    expect(page.get_by_text("How far each layer moves: gradual")).to_be_visible()
    assert scrubber.errors == []


def test_a_run_survives_a_reload_and_its_result_appears(
    page: Page, address: str, runs: Runs, masked_model_directory: Path
) -> None:
    page.goto(address)
    page.wait_for_function(BARS_DRAWN, arg=4)
    form = RunForm(page, "adaptation").open()
    form.name_model(masked_model_directory)
    form.fill("seeds", "1", "3 parts")
    for left in ("2 parts", "1 part"):  # the last regime of those chosen goes first
        page.get_by_role("combobox", name="Layers that learn").press("Backspace")
        form.expect_text(left)
    page.get_by_role("button", name="Training settings").click()
    form.fill("epochs", "1", "23 steps each")
    page.keyboard.press("Escape")
    run = form.start(runs, "1 part")
    # The run that was there before has six.
    expect(page.get_by_text("1 training took")).to_be_visible(timeout=TRAINING_TIMEOUT)
    form.expect_result(run, "1 part")
    page.wait_for_function(BARS_DRAWN, arg=2)
    expect(page.get_by_text("All layers: training takes")).to_be_visible()
    expect(page.locator(".scrubber .track")).to_be_visible()
