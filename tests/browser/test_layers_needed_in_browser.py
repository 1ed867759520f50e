"""Layers needed in a real browser: bars to click, and a run that survives a reload."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hands import click_chart
from playwright.sync_api import Page, expect
from run_form import TRAINING_TIMEOUT, RunForm

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from tests.helpers.layers_needed_run import written_run

pytestmark = pytest.mark.browser

# The chart is there when Plotly has laid it out and drawn a bar for every block and language.
BARS_DRAWN = """(count) => {
    const chart = document.querySelector('.st-key-layers-needed-costs .js-plotly-plot');
    return Boolean(chart?._fullLayout)
        && chart.querySelectorAll('.barlayer .point path').length === count;
}"""


@pytest.fixture(scope="module")
def written(runs: Runs) -> Run:
    """A run of four blocks."""
    return written_run(runs)


def wait_for_bars(page: Page, count: int, timeout: int | None = None) -> None:
    page.wait_for_function(BARS_DRAWN, arg=count, timeout=timeout)


def test_a_click_on_a_bar_shows_its_layers(page: Page, app: str, written: Run) -> None:
    page.goto(f"{app}/layers_needed?run={written.id}")
    wait_for_bars(page, 8)
    chosen = page.get_by_role("combobox", name="In which model")
    expect(chosen).to_have_value("The full model")
    bar = page.locator(".st-key-layers-needed-costs .barlayer .trace").nth(1).locator(".point path")
    click_chart(bar.nth(1), 0.8, 0.7, "Chinese, layer 2 re-initialised")
    expect(page).to_have_url(re.compile("block=2-2"))
    expect(chosen).to_have_value("Layer 2 re-initialised")


def test_a_run_survives_a_reload_and_its_result_appears(
    page: Page, app: str, runs: Runs, written: Run, encoder_directory: Path
) -> None:
    page.goto(f"{app}/layers_needed?run={written.id}")
    wait_for_bars(page, 8)
    form = RunForm(page, "layers-needed").open()
    form.name_model(encoder_directory)
    form.fill("seeds", "1", "4 parts")
    form.fill("train_size-bundled", "48", "48 training pairs")
    for name in ("dev_size-bundled", "test_size-bundled"):
        form.fill(name, "12", "4 parts")
    run = form.start(runs)
    wait_for_bars(page, 6, TRAINING_TIMEOUT)
    form.expect_result(run, "4 parts")
    told = page.get_by_text(re.compile("too close to chance|^With one seed")).first
    expect(told).to_be_visible()
    assert run.plan.test_size == 12  # type: ignore[attr-defined]
