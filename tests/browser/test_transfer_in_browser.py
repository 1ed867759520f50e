"""The transfer page in a real browser: a run outlives a reload, and a click moves the cursor."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hands import click_chart
from playwright.sync_api import expect
from run_form import RunForm

from isogloss.map.maps import MapLinks
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.conftest import PAIRS
from tests.helpers.transfer_run import PLAN, write_transfer

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


def test_a_run_started_here_goes_on_through_a_reload(page, app, runs, encoder_directory):
    page.goto(f"{app}/transfer")
    form = RunForm(page, "transfer").open()
    form.name_model(encoder_directory)
    form.expect_text("15 parts")
    form.fill("seeds", "1", "5 parts")
    form.fill("train_size-bundled", "60", "60 training pairs")
    run = form.start(runs)
    form.expect_result(run, "5 parts")
    page.wait_for_function(DRAWN, arg=["Chinese", LAYERS + 2])
    assert set(run.results()) == set(run.units)


def test_a_click_on_the_chart_moves_the_cursor(page, app, runs, encoder, app_store):
    # Another order than elsewhere: all tests share a store, where equal texts are one study and
    # keep the first one's name.
    source, target = zip(*PAIRS[::-1], strict=True)
    bitext = ParallelText("news.en-zh", ("en", "zh"), source, target)
    study = Study(extract(encoder, bitext, app_store))
    MapLinks(study.key).answer(app_store)
    run = write_transfer(runs, replace(PLAN, model=study.model))
    page.goto(f"{app}/transfer?study={study.key[:12]}&layer=1&run={run.id}")
    page.wait_for_function(DRAWN, arg=["Chinese", LAYERS + 2])
    page.wait_for_function(MARKED, arg=1)
    area = page.locator(".st-key-transfer-curves .js-plotly-plot .nsewdrag").first
    # The chart goes from N = -1 to LAYERS and leaves 0.4 at both ends.
    click_chart(area, (3 + 1.4) / (LAYERS + 1.8), 0.5, "N = 3")
    page.wait_for_function(MARKED, arg=3)
    expect(page).to_have_url(re.compile("layer=3"))
    expect(page.get_by_role("slider", name="Layer")).to_have_value("3")
    expect(page.get_by_text("Chinese, N = 3")).to_be_visible()
