"""The sentences page in a real browser: from the button, through a reload, to the result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from cache import Store
from isogloss.jobs import Runs
from tests.sentence_run import written_run
from tests.server import running_app

pytestmark = pytest.mark.browser

TIMEOUT = 60_000
RUN_TIMEOUT = 240_000
# A chart is there when Plotly has laid it out and drawn a line for each kind of model; the bars of
# two directions are drawn for each of them, too.
DRAWN = """(kinds) => {
    const chart = (key) => document.querySelector(`.st-key-sentences-${key} .js-plotly-plot`);
    const bars = chart('errors'), curves = chart('curves');
    return Boolean(bars?._fullLayout && curves?._fullLayout)
        && bars.querySelectorAll('.barlayer .trace').length === 2 * kinds
        && curves.querySelectorAll('.legend .traces').length === kinds;
}"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The server's runs; one of two objectives is there from the start."""
    store = Store(tmp_path_factory.mktemp("sentences"), demo=None)
    runs = Runs(store, shipped=None)
    written_run(runs, store, {"before": 0.6, "softmax": 0.5, "ranking": 0.9})
    return runs


@pytest.fixture(scope="module")
def address(runs: Runs) -> Iterator[str]:
    with running_app(runs.root.parent) as address:
        yield f"{address}/sentences"


def wait_for_charts(page: Page, objectives: int, timeout: int = TIMEOUT) -> None:
    page.wait_for_function(DRAWN, arg=1 + objectives, timeout=timeout)


def test_a_run_is_started_survives_a_reload_and_shows_its_result(
    page: Page, address: str, runs: Runs, encoder_directory: Path
) -> None:
    page.set_default_timeout(TIMEOUT)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    before = {run.id for run in runs.all()}
    page.goto(f"{address}?run={next(iter(before))}")
    wait_for_charts(page, objectives=2)
    form = page.locator(".st-key-sentences-form")
    form.get_by_text("Run your own").click()
    start = page.locator(".st-key-start-sentences button")
    expect(start).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="Another model").click()
    # Until a model is named there is nothing to start.
    expect(start).to_have_count(0, timeout=TIMEOUT)
    page.get_by_label("Hub id, optionally @revision, or a directory").fill(str(encoder_directory))
    page.keyboard.press("Enter")
    expect(start).to_be_enabled(timeout=TIMEOUT)
    seeds = page.locator(".st-key-sentences-seeds input")
    seeds.fill("1")
    seeds.press("Enter")
    expect(form.get_by_text("3 parts")).to_be_visible(timeout=TIMEOUT)
    page.locator(".st-key-sentences-objectives").get_by_role("combobox").press("Backspace")
    expect(form.get_by_text("2 parts")).to_be_visible(timeout=TIMEOUT)
    start.click()
    under_way = page.get_by_text(re.compile(r"\d of 2 parts done"))
    expect(under_way).to_be_visible(timeout=TIMEOUT)
    (run,) = [run for run in runs.all() if run.id not in before]
    assert run.state in ("queued", "running")
    page.reload()
    wait_for_charts(page, objectives=1, timeout=RUN_TIMEOUT)
    expect(under_way).to_have_count(0, timeout=TIMEOUT)
    expect(page.get_by_text(re.compile("^Trained to classify the pair, "))).to_be_visible(
        timeout=TIMEOUT
    )
    expect(page).to_have_url(re.compile(f"run={run.id}"), timeout=TIMEOUT)
    assert run.state == "finished"
    assert errors == []
