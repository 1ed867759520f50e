"""Adaptation in a real browser: steps on the map and in the charts, and a run that survives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hands import click_chart, press, unfold
from playwright.sync_api import Page, expect
from run_form import TRAINING_TIMEOUT, RunForm
from scrubber_driver import Scrubber

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store
from tests.helpers.adaptations import made_up_run

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
def written(app_store: Store) -> Run:
    """A run of three regimes."""
    return made_up_run(app_store)


def test_the_map_goes_through_the_steps_and_a_bar_shows_its_regime(
    page: Page, app: str, written: Run
) -> None:
    scrubber = Scrubber(page)
    page.goto(f"{app}/adaptation?run={written.id}&layer=2&step=20")
    page.wait_for_function(AT_STEP, arg=20)
    unfold(page, "Watch the space move")
    scrubber.wait_until_drawn()
    before = scrubber.get("positionOf(3)")
    track = page.get_by_role("slider", name="Step")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Step 20, "))
    track.press("Home")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Before training, "))
    expect(page).to_have_url(re.compile("step=0"))
    page.wait_for_function(AT_STEP, arg=0)
    scrubber.wait_until_moved(3, before)
    unfold(page, "Which layers should learn?")
    page.wait_for_function(BARS_DRAWN, arg=4)
    bars = page.locator(".st-key-adaptation-regimes .subplot.xy .barlayer .point path")
    click_chart(bars.nth(3), 1 / 3, 1 / 2, "Gradual")
    expect(page).to_have_url(re.compile("regime=gradual"))
    expect(page.get_by_text("Gradual: training takes").first).to_be_visible()
    assert scrubber.errors == []


def test_a_run_survives_a_reload_and_its_result_appears(
    page: Page, app: str, runs: Runs, written: Run, masked_model_directory: Path
) -> None:
    page.goto(f"{app}/adaptation?run={written.id}")
    unfold(page, "Which layers should learn?")
    page.wait_for_function(BARS_DRAWN, arg=4)
    form = RunForm(page, "adaptation").open()
    form.name_model(masked_model_directory)
    form.fill("seeds", "1", "3 parts")
    for left in ("2 parts", "1 part"):  # the last regime of those chosen goes first
        page.get_by_role("combobox", name="Layers that learn").press("Backspace")
        form.expect_text(left)
    press(page.get_by_role("button", name="Training settings"))
    form.fill("epochs", "1", "23 steps each")
    page.keyboard.press("Escape")
    run = form.start(runs)
    # The run that was there before has six.
    expect(page.get_by_text("1 training took")).to_be_attached(timeout=TRAINING_TIMEOUT)
    form.expect_result(run, "1 part")
    unfold(page, "Which layers should learn?")
    unfold(page, "Watch the space move")
    page.wait_for_function(BARS_DRAWN, arg=2)
    expect(page.get_by_text("All layers: training takes").first).to_be_visible()
    expect(page.locator(".scrubber .track")).to_be_visible()
