"""The sentences page in a real browser: from the button, through a reload, to the result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hands import unfold
from playwright.sync_api import Page, expect
from run_form import TRAINING_TIMEOUT, RunForm

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store
from tests.helpers.sentence_run import written_run

pytestmark = pytest.mark.browser

# The chart is there when Plotly has laid it out and drawn a line for each kind of model.
DRAWN = """(kinds) => {
    const curves = document.querySelector('.st-key-sentences-curves .js-plotly-plot');
    return Boolean(curves?._fullLayout)
        && curves.querySelectorAll('.legend .traces').length === kinds;
}"""
# The bars of two directions are drawn for each kind, once their section is open.
BARS_DRAWN = """(kinds) => {
    const bars = document.querySelector('.st-key-sentences-errors .js-plotly-plot');
    return Boolean(bars?._fullLayout)
        && bars.querySelectorAll('.barlayer .trace').length === 2 * kinds;
}"""


@pytest.fixture(scope="module")
def written(runs: Runs, app_store: Store) -> Run:
    """A run of two objectives."""
    return written_run(runs, app_store, {"before": 0.6, "softmax": 0.5, "ranking": 0.9})


def wait_for_charts(page: Page, objectives: int, timeout: int | None = None) -> None:
    page.wait_for_function(DRAWN, arg=1 + objectives, timeout=timeout)


def test_a_run_is_started_survives_a_reload_and_shows_its_result(
    page: Page, app: str, runs: Runs, written: Run, encoder_directory: Path
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{app}/sentences?run={written.id}")
    wait_for_charts(page, objectives=2)
    unfold(page, "Both directions")
    page.wait_for_function(BARS_DRAWN, arg=3)
    form = RunForm(page, "sentences").open()
    form.name_model(encoder_directory)
    form.fill("seeds", "1", "3 parts")
    form.choices("objectives").press("Backspace")
    form.expect_text("2 parts")
    run = form.start(runs)
    wait_for_charts(page, objectives=1, timeout=TRAINING_TIMEOUT)
    form.expect_result(run, "2 parts")
    expect(page.get_by_text(re.compile("^Trained to classify the pair, ")).first).to_be_visible()
    assert errors == []
