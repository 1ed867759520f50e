"""The transfer page in a real browser: a run outlives a reload, and a click moves the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from run_form import TRAINING_TIMEOUT, RunForm

from cache import Store
from isogloss.runs.queue import Runs
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from isogloss.studies.token_map.maps import MapLinks
from isogloss.text.parallel import ParallelCorpus
from tests.conftest import PAIRS
from tests.helpers.server import running_app
from tests.helpers.sweeps import PLAN, write_sweep

pytestmark = pytest.mark.browser

LAYERS = 3
# The chart is there when Plotly has laid it out and every N of a line has its accuracy.
DRAWN = """([name, points]) => {
    const chart = document.querySelector('.st-key-transfer-curves .js-plotly-plot');
    const line = chart?._fullLayout && chart._fullData?.find((trace) => trace.name === name);
    return Boolean(line) && [...line.y].filter(Number.isFinite).length === points;
}"""
MARKED = """(n) => {
    const chart = document.querySelector('.st-key-transfer-curves .js-plotly-plot');
    const cursor = chart?._fullLayout?.shapes?.find((shape) => shape.name === 'cursor');
    return Boolean(cursor) && cursor.x0 === n
        && chart.querySelectorAll('.shapelayer path').length > 0;
}"""


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def address(cache) -> Iterator[str]:
    with running_app(cache) as address:
        yield f"{address}/transfer"


def test_a_run_started_here_goes_on_through_a_reload(page, address, cache, encoder_directory):
    page.goto(address)
    form = RunForm(page, "sweep").open()
    form.name_model(encoder_directory)
    form.expect_text("15 parts")
    form.fill("seeds", "1", "5 parts")
    form.fill("train_size-bundled", "60", "60 training pairs")
    runs = Runs(Store(cache, demo=None), shipped=None)
    run = form.start(runs, "5 parts")
    page.wait_for_function(DRAWN, arg=["Chinese", LAYERS + 2], timeout=TRAINING_TIMEOUT)
    form.expect_result(run, "5 parts")
    assert runs.all("sweep") == (run,)


def test_a_click_on_the_chart_moves_the_cursor(page, encoder, cache):
    store = Store(cache, demo=None)
    source, target = zip(*PAIRS, strict=True)
    study = Study(
        extract(encoder, ParallelCorpus("news.en-zh", ("en", "zh"), source, target), store)
    )
    MapLinks(study.key).answer(store)
    run = write_sweep(Runs(store, shipped=None), replace(PLAN, model=study.model))
    with running_app(cache) as address:
        page.goto(f"{address}/transfer?study={study.key[:12]}&layer=1&run={run.id}")
        page.wait_for_function(DRAWN, arg=["Chinese", LAYERS + 2])
        page.wait_for_function(MARKED, arg=1)
        point_at(page, 3)
        page.mouse.down()
        page.mouse.up()
        page.wait_for_function(MARKED, arg=3)
        expect(page).to_have_url(re.compile("layer=3"))
        expect(page.get_by_role("slider", name="Layer")).to_have_value("3")
        expect(page.get_by_text("Chinese, N = 3")).to_be_visible()


def point_at(page: Page, n: int) -> None:
    """Hold the mouse over an N until the chart says that it is there."""
    area = page.locator(".st-key-transfer-curves .js-plotly-plot .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box
    x = box["x"] + (n + 1.4) / (LAYERS + 1.8) * box["width"]  # 0.4 is left at both ends
    y = box["y"] + box["height"] / 2
    page.mouse.move(x + 3, y + 3)
    page.mouse.move(x, y)
    label = page.locator(".st-key-transfer-curves .hoverlayer .hovertext").first
    expect(label).to_contain_text(f"N = {n}")
