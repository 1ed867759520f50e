"""Similarity and best layer in a real browser: clicks, the shared cursor, one panel at a time."""

from __future__ import annotations

import re

import pytest
from hands import choose, click_chart, press, unfold, wait_for_rest
from playwright.sync_api import Locator, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.conftest import PAIRS

pytestmark = pytest.mark.browser

LAYERS = 4


@pytest.fixture(scope="module")
def study(encoder, app_store: Store) -> Study:
    """A tiny study with its answers kept."""
    source, target = zip(*PAIRS, strict=True)
    bitext = ParallelText("ten pairs", ("en", "zh"), source, target)
    study = Study(extract(encoder, bitext, app_store))
    for measure in ("debiased_cka", "cka"):
        LayerComparison(study.key, measure=measure).answer(app_store)
    SentenceRetrieval(study.key).answer(app_store)
    LanguageIdentity(study.key).answer(app_store)
    return study


@pytest.fixture(scope="module")
def reversed_study(encoder, app_store: Store) -> Study:
    """The same text the other way round, so that the columns of its matrices are long words."""
    source, target = zip(*PAIRS, strict=True)
    bitext = ParallelText("ten pairs, the other way round", ("zh", "en"), target, source)
    return Study(extract(encoder, bitext, app_store))


def plot_area(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} .js-plotly-plot .nsewdrag").first


def click_layer(page: Page, key: str, column: int, row: int | None = None) -> None:
    """Click the middle of a heatmap's cell, or a layer of a curve."""
    if row is None:  # curves leave a margin of 0.3 layers at both ends
        across, down = (column + 0.3) / (LAYERS - 0.4), 0.5
    else:
        across, down = (column + 0.5) / LAYERS, (LAYERS - row - 0.5) / LAYERS
    click_chart(plot_area(page, key), across, down, f", layer {column}")


def test_a_click_opens_a_cell_and_moves_the_cursor_of_all_pages(page, app, study):
    page.goto(f"{app}/similarity?study={study.key[:12]}&layer=1")
    expect(page.get_by_text("English, layer 1 against Chinese, layer 1")).to_be_visible()
    click_layer(page, "similarity-heatmap-languages", column=3, row=2)
    expect(page.get_by_text("English, layer 2 against Chinese, layer 3")).to_be_visible()
    expect(page).to_have_url(re.compile("layer=2"))
    expect(page.get_by_role("slider", name="Layer")).to_have_value("2")
    press(page.get_by_role("link", name="Best layer"))
    unfold(page, "Which sentences find their translation")
    expect(page.get_by_text("Confused at layer 2")).to_be_visible()
    click_layer(page, "retrieval-curves", column=3)
    expect(page.get_by_text("Confused at layer 3")).to_be_visible()
    expect(page).to_have_url(re.compile("layer=3"))


def test_a_change_of_measure_is_one_round_trip_of_one_panel(page, app, study):
    sent: list[bytes | str] = []
    finished: list[int] = []

    def listen(frame: bytes | str) -> None:
        message = ForwardMsg()
        if isinstance(frame, bytes):
            message.ParseFromString(frame)
            if message.WhichOneof("type") == "script_finished":
                finished.append(message.script_finished)

    def watch(socket) -> None:
        socket.on("framesent", lambda frame: sent.append(frame))
        socket.on("framereceived", listen)

    page.on("websocket", watch)
    page.goto(f"{app}/similarity?study={study.key[:12]}&layer=1")
    expect(page.get_by_text("What Linear CKA, debiased says")).to_be_visible()
    expect(plot_area(page, "similarity-heatmap-languages")).to_be_visible()
    wait_for_rest(page)
    sent.clear()
    finished.clear()
    choose(page.get_by_role("combobox", name=re.compile("Measure")), "Linear CKA, plain")
    expect(page.get_by_text("What Linear CKA, plain says")).to_be_visible()
    wait_for_rest(page)
    assert len(sent) == 1
    assert finished == [ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY]
    expect(page).to_have_url(re.compile("measure=cka"))


def test_a_link_opens_the_view_it_was_taken_from(page, app, study):
    page.goto(f"{app}/similarity?study={study.key[:12]}&layer=2&view=paper")
    table = page.locator(".st-key-paper-table .js-plotly-plot")
    expect(table.get_by_text("Measured here")).to_be_visible()
    expect(table.get_by_text("Conneau et al. 2020, figure 7")).to_be_visible()
    expect(page.get_by_text("English–Chinese, one model, layer 2")).to_be_visible()


OVERLAPS = """() => {
    const plot = document.querySelector('.st-key-alignment-matrix .js-plotly-plot');
    const words = [...(plot?.querySelectorAll('.xtick text') ?? [])];
    if (!plot?._fullLayout || words.length < 2) return null;
    const boxes = words.map((word) => word.getBoundingClientRect());
    return boxes.slice(1).filter((box, i) => box.left < boxes[i].right - 2).length;
}"""


@pytest.mark.parametrize("pair", [4, 7], ids=["short", "long"])
def test_words_of_the_alignment_matrix_do_not_overlap(page, app, reversed_study, pair):
    page.goto(f"{app}/best_layer?study={reversed_study.key[:12]}&layer=1&sentence={pair}")
    page.wait_for_function(f"({OVERLAPS})() === 0")
    assert page.evaluate(f"({OVERLAPS})()") == 0  # and it stays so


def test_the_list_of_studies_shows_whole_titles(page, app, reversed_study):
    page.goto(f"{app}/similarity?study={reversed_study.key[:12]}")
    title = "ten pairs, the other way round zh–en"
    expect(page.get_by_test_id("stSidebar").get_by_text(title)).to_be_visible()
    press(page.get_by_role("combobox", name="Study"), "ArrowDown")
    option = page.get_by_role("option", name=title)
    expect(option).to_be_visible()
    clipped = "(option) => [option, ...option.children].some((e) => e.scrollWidth > e.clientWidth)"
    assert not option.evaluate(clipped)
