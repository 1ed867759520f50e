"""Layers needed in a real browser: bars to click, and a run that survives a reload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from cache import Store
from isogloss.jobs import Runs
from tests.layers_needed_run import written_run
from tests.server import running_app

pytestmark = pytest.mark.browser

TIMEOUT = 120_000
TRAINING_TIMEOUT = 180_000
# The chart is there when Plotly has laid it out and drawn a bar for every block and language.
BARS_DRAWN = """(count) => {
    const chart = document.querySelector('.st-key-layers-needed-costs .js-plotly-plot');
    return Boolean(chart?._fullLayout)
        && chart.querySelectorAll('.barlayer .point path').length === count;
}"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    """The server's runs; one of four blocks is there from the start."""
    runs = Runs(Store(tmp_path_factory.mktemp("layers-needed"), demo=None), shipped=None)
    written_run(runs)
    return runs


@pytest.fixture(scope="module")
def address(runs: Runs) -> Iterator[str]:
    with running_app(runs.root.parent) as address:
        yield f"{address}/layers_needed"


@pytest.fixture(autouse=True)
def patience(page: Page) -> None:
    page.set_default_timeout(TIMEOUT)


def wait_for_bars(page: Page, count: int, timeout: int = TIMEOUT) -> None:
    page.wait_for_function(BARS_DRAWN, arg=count, timeout=timeout)


def test_a_click_on_a_bar_shows_its_layers(page: Page, address: str, runs: Runs) -> None:
    written = runs.all()[-1]
    page.goto(f"{address}?run={written.id}")
    wait_for_bars(page, 8)
    chosen = page.get_by_role("combobox", name="In which model")
    expect(chosen).to_have_value("The full model", timeout=TIMEOUT)
    bar = page.locator(".st-key-layers-needed-costs .barlayer .trace").nth(1).locator(".point path")
    box = bar.nth(1).bounding_box()
    assert box
    x, y = box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.7
    page.mouse.move(x + 3, y + 3)
    page.mouse.move(x, y)
    label = page.locator(".st-key-layers-needed-costs .hoverlayer .hovertext")
    expect(label).to_contain_text("Chinese, layer 2 re-initialised", timeout=TIMEOUT)
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile("block=2-2"), timeout=TIMEOUT)
    expect(chosen).to_have_value("Layer 2 re-initialised", timeout=TIMEOUT)


def test_a_run_survives_a_reload_and_its_result_appears(
    page: Page, address: str, runs: Runs, encoder_directory: Path
) -> None:
    before = {run.id for run in runs.all()}
    page.goto(address)
    wait_for_bars(page, 8)
    page.locator(".st-key-layers-needed-form").get_by_text("Run your own").click()
    start = page.locator(".st-key-start-layers-needed button")
    expect(start).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("combobox", name="Model", exact=True).click()
    page.get_by_role("option", name="Another model").click()
    # Until a model is named there is nothing to start.
    expect(start).to_have_count(0, timeout=TIMEOUT)
    page.get_by_label("Hub id, optionally @revision, or a directory").fill(str(encoder_directory))
    page.keyboard.press("Enter")
    expect(start).to_be_enabled(timeout=TIMEOUT)
    for name, value in {
        "seeds": "1",
        "train_size-bundled": "48",
        "dev_size-bundled": "12",
        "test_size-bundled": "12",
    }.items():
        field = page.locator(f".st-key-layers-needed-{name} input")
        field.fill(value)
        field.press("Enter")
        expect(field).to_have_value(value, timeout=TIMEOUT)
    expect(page.get_by_text("48 training pairs")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text("4 parts")).to_be_visible(timeout=TIMEOUT)
    start.click()
    under_way = page.get_by_text(re.compile(r"\d of 4 parts done"))
    expect(under_way).to_be_visible(timeout=TIMEOUT)
    (run,) = [run for run in runs.all() if run.id not in before]
    assert run.state in ("queued", "running")
    page.reload()
    wait_for_bars(page, 6, TRAINING_TIMEOUT)
    expect(under_way).to_have_count(0, timeout=TIMEOUT)
    expect(page.get_by_text(re.compile("^This run cannot tell|^With one seed"))).to_be_visible(
        timeout=TIMEOUT
    )
    assert run.state == "finished"
    assert run.plan.test_size == 12  # type: ignore[attr-defined]
    assert run.id in page.url
