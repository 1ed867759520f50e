"""Adaptation in a real browser: steps on the map and in the charts, and a run that survives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from cache import Store
from isogloss.jobs import Runs
from tests.adaptations import made_up_run
from tests.server import running_app

pytestmark = pytest.mark.browser

TIMEOUT = 60_000
TRAINING_TIMEOUT = 180_000
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


@pytest.fixture(autouse=True)
def patience(page: Page) -> None:
    page.set_default_timeout(TIMEOUT)


def test_the_map_goes_through_the_steps_and_a_bar_shows_its_regime(
    page: Page, address: str, runs: Runs
) -> None:
    written = runs.all()[-1]
    scrubber = Scrubber(page).open(f"{address}?run={written.id}&layer=2&step=20")
    page.wait_for_function(AT_STEP, arg=20, timeout=TIMEOUT)
    before = scrubber.get("positionOf(3)")
    track = page.get_by_role("slider", name="Step")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Step 20, "), timeout=TIMEOUT)
    track.press("Home")
    expect(track).to_have_attribute(
        "aria-valuetext", re.compile("^Before training, "), timeout=TIMEOUT
    )
    expect(page).to_have_url(re.compile("step=0"), timeout=TIMEOUT)
    page.wait_for_function(AT_STEP, arg=0, timeout=TIMEOUT)
    assert scrubber.get("positionOf(3)") != before
    page.wait_for_function(BARS_DRAWN, arg=4, timeout=TIMEOUT)
    bars = page.locator(".st-key-adaptation-regimes .subplot.xy .barlayer .point path")
    bars.nth(3).scroll_into_view_if_needed()
    box = bars.nth(3).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    page.mouse.move(x + 3, y + 2)
    page.mouse.move(x, y)
    label = page.locator(".st-key-adaptation-regimes .hoverlayer .hovertext")
    expect(label).to_contain_text("Gradual", timeout=TIMEOUT)
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile("regime=gradual"), timeout=TIMEOUT)
    expect(page.get_by_text("How far each layer moves: gradual")).to_be_visible(timeout=TIMEOUT)
    assert scrubber.errors == []


def test_a_run_survives_a_reload_and_its_result_appears(
    page: Page, address: str, runs: Runs, masked_model_directory: Path
) -> None:
    before = {run.id for run in runs.all()}
    page.goto(address)
    page.wait_for_function(BARS_DRAWN, arg=4, timeout=TIMEOUT)
    page.locator(".st-key-adaptation-form").get_by_text("Run your own").click()
    start = page.locator(".st-key-start-adaptation button")
    expect(start).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="Another model").click()
    # Until a model is named there is nothing to start.
    expect(start).to_have_count(0, timeout=TIMEOUT)
    named = page.get_by_label("Hub id, optionally @revision, or a directory")
    named.fill(str(masked_model_directory))
    named.press("Enter")
    expect(start).to_be_enabled(timeout=TIMEOUT)
    seeds = page.locator(".st-key-adaptation-seeds input")
    seeds.fill("1")
    seeds.press("Enter")
    expect(page.get_by_text("3 parts")).to_be_visible(timeout=TIMEOUT)
    regimes = page.get_by_role("combobox", name="Layers that learn")
    for left in ("2 parts", "1 part"):  # the last regime of those chosen goes first
        regimes.press("Backspace")
        expect(page.get_by_text(left)).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="Training settings").click()
    epochs = page.locator(".st-key-adaptation-epochs input")
    epochs.fill("1")
    epochs.press("Enter")
    expect(page.get_by_text("23 steps each")).to_be_visible(timeout=TIMEOUT)
    page.keyboard.press("Escape")
    start.click()
    under_way = page.get_by_text(re.compile(r"\d of 1 part done"))
    expect(under_way).to_be_visible(timeout=TIMEOUT)
    (run,) = [run for run in runs.all() if run.id not in before]
    assert run.state in ("queued", "running")
    page.reload()
    # The run that was there before has six.
    expect(page.get_by_text("1 training took")).to_be_visible(timeout=TRAINING_TIMEOUT)
    expect(under_way).to_have_count(0, timeout=TIMEOUT)
    page.wait_for_function(BARS_DRAWN, arg=2, timeout=TIMEOUT)
    expect(page.get_by_text("All layers: training takes")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".scrubber .track")).to_be_visible(timeout=TIMEOUT)
    assert run.state == "finished"
    assert run.id in page.url
