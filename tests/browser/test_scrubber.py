"""The layer scrubber in a real browser: in Streamlit, and as a file of its own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hands import press, steady_box
from hostile_map import HOSTILE_TEXTS, hostile_map
from PIL import Image
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber
from synthetic_map import synthetic_map

from isogloss.formatting import percent
from isogloss.map.standalone import html_document
from isogloss.text.content_words import find_content_words
from tests.helpers.server import ROOT, running_app

HERE = Path(__file__).parent
ALL_POSITIONS = "(e, n) => Array.from({length: n}, (_, i) => e.scrubber.positionOf(i))"
WORD_PIXELS = """e => {
    const canvas = e.querySelector('canvas.words');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((count, value) => count + (value > 0), 0);
}"""
CLOUD_PIXELS = """e => {
    const canvas = e.querySelector('canvas.cloud');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((hash, value) => (hash * 31 + value) | 0, 7);
}"""
SIDE_PIXELS = """e => {
    const canvas = e.querySelector('canvas.cloud');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const counts = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
        const warmth = data[i] - data[i + 2];
        if (Math.abs(warmth) > 120) counts[warmth > 0 ? 1 : 0] += 1;
    }
    return counts;
}"""
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_app(ROOT / "no-cache", str(HERE / "scrubber_app.py")) as address:
        yield f"{address}/"


def lonely_point(scrubber: Scrubber) -> int:
    """A linked point with no other point near, so that a click means it alone."""
    places = np.array(scrubber.root.evaluate(ALL_POSITIONS, len(synthetic_map().texts)))
    gaps = np.sort(np.linalg.norm(places[:, None] - places, axis=2), axis=1)[:, 1]
    return max(synthetic_map().links[:, 0].tolist(), key=lambda point: gaps[point])


@pytest.fixture
def live(page: Page, address: str) -> Scrubber:
    return Scrubber(page).open(address)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("standalone") / "map.html"
    path.write_text(html_document(synthetic_map(), layer=8), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def alone(page: Page, file: str) -> Scrubber:
    return Scrubber(page).open(file)


def test_a_drag_sends_nothing_and_its_release_one_message(live: Scrubber) -> None:
    live.settle()
    live.sent.clear()
    live.received.clear()
    live.begin_drag()
    place = live.get("positionOf(3)")
    for step in range(1, 14):
        live.drag_to(step / 13)
        place = live.wait_until_moved(3, place)
    assert live.sent == []
    live.drag_to(7.7 / 12)
    live.page.mouse.up()
    expect(live.page.get_by_text("layer=8 pins=[]")).to_be_visible()
    live.settle()
    assert len(live.sent) == 1
    assert live.get("layer") == 8
    assert sum(map(len, live.received)) < 20_000, "the points were sent again"
    assert live.errors == []


WRITTEN = """() => {
    window.written = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        if (this.canvas.classList.contains("strip")) window.written.push(text);
        return fillText.call(this, text, ...place);
    };
}"""


def test_between_two_layers_the_numbers_are_of_the_layer_that_is_named(alone: Scrubber) -> None:
    alone.page.evaluate(WRITTEN)
    alone.begin_drag()
    alone.drag_to(6.45 / 12)
    alone.wait("Math.abs(element.scrubber.layer - 6.45) < 0.04")
    alone.page.evaluate("() => { window.written.length = 0; }")
    alone.drag_to(6.35 / 12)
    alone.wait("Math.abs(element.scrubber.layer - 6.35) < 0.04")
    alone.page.wait_for_function("window.written.includes('6')")
    scores = synthetic_map().scores
    here, above = scores[0].values[6:8]
    assert percent(here, 0) != percent(0.6 * here + 0.4 * above, 0)
    expect(alone.page.locator(".number")).to_have_text("6")
    shown = alone.page.locator(".readings b").all_text_contents()
    assert shown == [percent(score.values[6], 0) for score in scores]
    numbers = {text for text in alone.page.evaluate("window.written") if "%" in text}
    axis = {percent(tick, 0) for tick in (0, 0.5, 1)}
    assert numbers - axis <= {percent(here, 0), f"peak {percent(max(scores[0].values), 0)}"}
    alone.page.mouse.up()


def test_the_page_can_move_the_slider_and_the_user_can_move_it_back(live: Scrubber) -> None:
    press(live.page.get_by_role("button", name="Go to layer 3"))
    live.wait("element.scrubber.layer === 3")
    expect(live.page.get_by_text("layer=3 pins=[]")).to_be_visible()
    live.page.get_by_role("slider").focus()
    live.page.keyboard.press("Home")
    expect(live.page.get_by_text("layer=0 pins=[]")).to_be_visible()
    assert live.get("layer") == 0


def test_talk_mode_by_key_covers_the_page_and_escape_leaves_it(live: Scrubber) -> None:
    live.page.keyboard.press("t")
    expect(live.page.get_by_text("talk=True")).to_be_attached()
    live.settle()
    assert steady_box(live.root) == {"x": 0, "y": 0, "width": 1280, "height": 860}
    topmost = "document.elementFromPoint(20, 20)"
    assert live.page.evaluate(f"{topmost}.shadowRoot !== null || {topmost}.closest('.scrubber')")
    expect(live.page.get_by_role("toolbar")).to_be_hidden()
    expect(live.page.locator(".caption")).to_be_visible()
    number = steady_box(live.page.locator(".number"))
    assert number["height"] > 0.1 * 860
    assert number["y"] + number["height"] < 860 / 3, "the layer stands above the map, large"
    live.page.keyboard.press("End")
    live.wait("element.scrubber.layer === 12")
    expect(live.page).to_have_url(re.compile("talk=1"))
    live.page.keyboard.press("Escape")
    expect(live.page.get_by_text("talk=False")).to_be_visible()
    assert steady_box(live.root)["width"] < 1280


def test_a_link_reopens_layer_pins_and_talk_mode(page: Page, address: str) -> None:
    scrubber = Scrubber(page).open(f"{address}?layer=5&pin=7&talk=1")
    scrubber.settle()
    assert (scrubber.get("layer"), scrubber.get("pins")) == (5, [7])
    expect(scrubber.root).to_have_class("scrubber talk")


def test_letters_typed_into_the_search_box_stay_there(live: Scrubber) -> None:
    search = live.page.get_by_role("searchbox")
    search.click()
    live.settle()
    live.sent.clear()
    search.press_sequentially("rct ")
    live.settle()
    assert search.input_value() == "rct "
    assert live.sent == []
    expect(live.root).to_have_class("scrubber")


def test_hostile_texts_stay_texts(page: Page, address: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(html_document(hostile_map()), encoding="utf-8")
    for url in (f"{address}?hostile=1", path.as_uri()):
        scrubber = Scrubber(page).open(url)
        for point in (0, 1, 2, 5, 6, 7):
            page.mouse.move(*scrubber.place_of(point))
            expect(page.locator(".card")).to_be_visible()
            page.mouse.click(*scrubber.place_of(point))
        page.keyboard.press("End")
        page.get_by_label("Colour by").select_option("topic")
        scrubber.settle()
        assert page.evaluate("window.attacked") is None
        assert scrubber.root.evaluate("e => e.querySelectorAll('script, img, b.bold').length") == 0
        assert scrubber.errors == []
        expect(page.locator(".card-word")).to_have_count(1)
    assert page.locator(".caption").inner_text() == HOSTILE_TEXTS[2]


def test_keyboard_moves_plays_and_pauses(alone: Scrubber) -> None:
    slider = alone.page.get_by_role("slider")
    slider.focus()
    for key, layer in (("ArrowRight", 9), ("ArrowLeft", 8), ("Home", 0), ("End", 12)):
        alone.page.keyboard.press(key)
        alone.wait(f"element.scrubber.layer === {layer}")
        expect(slider).to_have_attribute("aria-valuenow", str(layer))
    alone.page.keyboard.press("Home")
    alone.wait("element.scrubber.layer === 0")
    alone.settle()
    # From here on time passes only when told to, so that playing never ends before the pause.
    alone.page.clock.install()
    alone.page.clock.pause_at(datetime.now() + timedelta(hours=1))
    alone.page.keyboard.press("Space")
    alone.page.clock.run_for(1_000)
    assert alone.get("layer") > 0.4
    expect(alone.page.get_by_role("button", name="Pause (P)")).to_be_visible()
    alone.page.keyboard.press("Space")
    alone.page.clock.run_for(1_000)
    expect(alone.page.get_by_role("button", name="Play (P)")).to_be_visible()
    alone.wait("Number.isInteger(element.scrubber.layer)")
    assert alone.get("layer") < 12, "it was stopped and has not come to its end"


def test_hover_shows_word_sentence_translation_partner_and_rank(alone: Scrubber) -> None:
    data = synthetic_map()
    point = lonely_point(alone)
    partner = int(data.links[data.links[:, 0] == point][0, 1])
    alone.page.mouse.move(*alone.place_of(point))
    card = alone.page.locator(".card")
    expect(card.locator(".card-word")).to_have_text(data.texts[point])
    source, target = data.sentences[data.sentence_of[point]]
    expect(card.locator(".card-sentence.side-0")).to_have_text(source)
    expect(card.locator(".card-sentence.side-1")).to_have_text(target)
    expect(card.locator(".side-0 strong")).to_have_text(data.texts[point])
    expect(card.locator(".card-partner bdi")).to_contain_text(data.texts[partner])
    rank = int(data.ranks[8, point])
    place = "nearest of" if rank == 1 else f"rank {rank} of"
    expect(card.locator(".card-rank")).to_contain_text(f"{place} {sum(data.sides)} at layer 8")
    alone.page.mouse.move(2, 2)
    expect(card).to_be_hidden()


def test_click_pins_and_draws_the_path(alone: Scrubber) -> None:
    point = lonely_point(alone)
    alone.page.get_by_role("button", name="Words on the map").click()
    alone.settle()
    before = alone.root.evaluate(WORD_PIXELS)
    alone.page.mouse.click(*alone.place_of(point))
    alone.page.mouse.move(2, 2)
    alone.settle()
    assert alone.get("pins") == [point]
    assert alone.root.evaluate(WORD_PIXELS) > before + 500
    alone.page.locator(".pin button").click()
    alone.settle()
    assert alone.get("pins") == []
    assert alone.root.evaluate(WORD_PIXELS) == before


def test_search_finds_either_language_cycles_and_clears(alone: Scrubber) -> None:
    data = synthetic_map()
    search = alone.page.get_by_role("searchbox")
    for query in ("BANK", "银行"):
        search.fill(query)
        expected = [i for i, text in enumerate(data.texts) if query.lower() in text.lower()]
        assert alone.get("matches") == expected != []
    search.press("ArrowDown")
    assert alone.get("pins") == [], "looking pins nothing"
    search.press("Enter")
    expect(alone.page.locator(".found")).to_have_text(f"2 / {len(expected)}")
    expect(alone.page.locator(".card-word")).to_have_text("银行")
    assert alone.get("pins") == [expected[1]]
    search.press("Escape")
    assert search.input_value() == ""
    assert alone.get("matches") == []


def test_lasso_lists_what_is_inside_and_copies_it(alone: Scrubber) -> None:
    data = synthetic_map()
    alone.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    point = lonely_point(alone)
    x, y = alone.place_of(point)
    alone.page.get_by_role("button", name="Lasso").click()
    corners = [(-9, -9), (9, -9), (9, 9), (-9, 9)]
    alone.page.mouse.move(x - 9, y - 9)
    alone.page.mouse.down()
    for dx, dy in corners[1:]:
        alone.page.mouse.move(x + dx, y + dy, steps=3)
    alone.page.mouse.up()
    alone.wait("element.scrubber.selection.length > 0")
    selection = alone.get("selection")
    assert point in selection
    assert len(selection) < 8
    words = alone.page.locator(".list li")
    assert sorted(words.all_inner_texts()) == sorted(data.texts[i] for i in selection)
    alone.page.get_by_role("button", name="Copy as text").click()
    expect(alone.page.get_by_role("button", name="Copied")).to_be_visible()
    assert data.texts[point] in alone.page.evaluate("navigator.clipboard.readText()").splitlines()
    alone.page.get_by_label("Clear the lasso").click()
    assert alone.get("selection") == []


def test_wheel_zooms_drag_pans_and_fit_restores(alone: Scrubber) -> None:
    start = alone.get("positionOf(0)")
    x, y = alone.place_of(0)
    alone.page.mouse.move(x, y)
    alone.page.mouse.wheel(0, -600)
    alone.wait("element.scrubber.zoom > 2")
    alone.settle()
    assert alone.get("positionOf(0)") == pytest.approx(start, abs=2), "the pointed place stays"
    alone.page.mouse.down()
    alone.page.mouse.move(x + 60, y + 30, steps=4)
    alone.page.mouse.up()
    alone.settle()
    assert alone.get("positionOf(0)") == pytest.approx([start[0] + 60, start[1] + 30], abs=6)
    whole = alone.page.get_by_role("button", name="Show the whole map")
    assert whole.inner_text(), "in words: a picture would be taken for full screen"
    whole.click()
    alone.wait("element.scrubber.zoom === 1")
    alone.settle()
    expect(whole).to_be_hidden()
    assert alone.get("positionOf(0)") == pytest.approx(start, abs=0.01)


def test_labels_never_overlap_and_do_not_flicker_under_a_drag(alone: Scrubber) -> None:
    alone.settle()
    shown = [label for label in alone.get("labels") if label["opacity"] == 1]
    assert len(shown) > 15
    for i, one in enumerate(shown):
        for other in shown[:i]:
            apart = (
                one["right"] <= other["left"]
                or other["right"] <= one["left"]
                or one["bottom"] <= other["top"]
                or other["bottom"] <= one["top"]
            )
            assert apart, f"{one['text']} lies on {other['text']}"
    alone.begin_drag()
    before: set[int] | None = None
    for step in range(31, 40):
        frames = alone.get("frames")
        alone.drag_to(step / 60)
        alone.wait(f"element.scrubber.frames > {frames}")
        now = {label["point"] for label in alone.get("labels")}
        if before is not None:
            assert now <= before, "a word appeared in the middle of a drag"
        before = now
    alone.page.mouse.up()


def test_labels_go_to_pins_first_and_then_to_tight_pairs_of_content_words(
    page: Page, tmp_path: Path
) -> None:
    data = synthetic_map()
    content = find_content_words(data.texts, list(data.sides))
    dull = next(i for i in data.links[:, 0].tolist() if not content[i])
    path = tmp_path / "map.html"
    path.write_text(html_document(data, layer=8, pins=(dull,)), encoding="utf-8")
    scrubber = Scrubber(page).open(path.as_uri())
    scrubber.settle()
    labels = {label["point"] for label in scrubber.get("labels") if label["opacity"] == 1}
    pair = {dull, *data.links[data.links[:, 0] == dull, 1].tolist()}
    assert pair <= labels
    others = labels - pair
    assert np.mean([content[point] for point in others]) > 0.8 > np.mean(content)
    shown = [link for link in data.links.tolist() if set(link) <= others]
    lengths = np.linalg.norm(np.diff(data.positions[8][data.links], axis=1), axis=2).ravel()
    mine = np.linalg.norm(np.diff(data.positions[8][np.array(shown)], axis=1), axis=2)
    assert np.median(mine) < np.median(lengths)


def test_color_by_changes_points_and_legend(alone: Scrubber) -> None:
    legend = alone.page.locator(".legend li:not(.lines)")
    seen = set()
    for choice, rows in (("alignment", 10), ("topic", 6), ("sentence", 3), ("language", 2)):
        alone.page.get_by_label("Colour by").select_option(choice)
        expect(legend).to_have_count(rows)
        alone.settle()
        seen.add(alone.root.evaluate(CLOUD_PIXELS))
    assert len(seen) == 4


def test_neither_language_lies_on_top_of_the_other(alone: Scrubber) -> None:
    alone.settle()
    ours, theirs = alone.root.evaluate(SIDE_PIXELS)
    sides = synthetic_map().sides
    share = (theirs / sum(sides)) / (ours / (len(sides) - sum(sides)))
    assert 0.8 < share < 1.3


def test_png_and_svg_of_the_view(alone: Scrubber, tmp_path: Path) -> None:
    paths = {}
    for name in ("PNG image", "SVG drawing"):
        alone.page.get_by_label("Take this view away").click()
        with alone.page.expect_download() as started:
            alone.page.get_by_role("menuitem", name=name).click()
        paths[name] = tmp_path / started.value.suggested_filename
        started.value.save_as(paths[name])
    stage = steady_box(alone.page.locator(".stage"))
    with Image.open(paths["PNG image"]) as picture:
        assert picture.width == round(stage["width"] * 2)
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 100
    drawing = ElementTree.parse(paths["SVG drawing"]).getroot()
    texts = ["".join(node.itertext()) for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "Layer 8" in texts
    assert synthetic_map().caption in texts
    assert any(text.startswith("model made-up") for text in texts)
    assert any("\u4e00" <= text[0] <= "\u9fff" for text in texts), "Chinese stays text"
    shapes = list(drawing.iter("{http://www.w3.org/2000/svg}path"))
    assert len(shapes) > len(synthetic_map().texts)


def test_the_file_is_alone_and_follows_the_color_scheme(alone: Scrubber, file: str) -> None:
    requests: list[str] = []
    alone.page.on("request", lambda request: requests.append(request.url))
    alone.open(file)
    alone.page.evaluate("fetch('http://127.0.0.1:9/').catch(() => {})")
    assert [
        url for url in requests if url != file and not url.startswith("http://127.0.0.1:9")
    ] == []
    light = alone.root.evaluate("e => getComputedStyle(e).backgroundColor")
    alone.page.emulate_media(color_scheme="dark")
    alone.wait("element.classList.contains('dark')")
    assert alone.root.evaluate("e => getComputedStyle(e).backgroundColor") != light
    alone.begin_drag()
    alone.drag_to(0.25)
    alone.page.mouse.up()
    alone.wait("element.scrubber.layer === 3")
    alone.page.get_by_text("How this was made").click()
    expect(alone.page.get_by_text("made-up", exact=True)).to_be_visible()
    assert alone.errors == []
