"""Two maps side by side: one drag moves both by share of depth, one word lights in both.

So it is in a talk, where each has half of the screen, and in the file that is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import wait_for_rest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber
from synthetic_map import synthetic_map

from isogloss.map.standalone import Comparison, html_document
from tests.helpers.server import ROOT, running_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    script = Path(__file__).parent / "panes_app.py"
    with running_app(ROOT / "no-cache", str(script)) as address:
        yield f"{address}/"


@pytest.fixture
def panes(page: Page, address: str) -> tuple[Scrubber, Scrubber]:
    page.set_viewport_size({"width": 1440, "height": 900})
    first, second = Scrubber(page, 0), Scrubber(page, 1)
    first.open(address)
    second.root.wait_for()
    second.wait("element.scrubber.frames > 2")
    return first, second


def test_both_open_at_the_same_depth_with_the_same_pins(panes):
    first, second = panes
    assert first.get("layer") == 8
    second.wait("element.scrubber.layer === 12")
    assert first.get("pins") == second.get("pins") == [1]


@pytest.mark.parametrize("leader", [0, 1])
def test_a_drag_in_either_moves_both_and_sends_one_message_when_it_ends(panes, leader):
    leading, following = panes[leader], panes[1 - leader]
    ratio, share = ((18 / 12, 10 / 12), (12 / 18, 16 / 18))[leader]
    wait_for_rest(leading.page)
    panes[0].sent.clear()
    leading.begin_drag()
    for step in range(1, 8):
        leading.drag_to(share * step / 7)
        place = leading.get("layer")
        following.wait(f"Math.abs(element.scrubber.layer - {place * ratio}) < 1e-6")
    assert panes[0].sent == []
    leading.page.mouse.up()
    first, second = ((10, 15), (11, 16))[leader]
    panes[0].wait(f"element.scrubber.layer === {first}")
    panes[1].wait(f"element.scrubber.layer === {second}")
    expect(leading.page.get_by_text(f"layer={first}")).to_be_visible()
    assert len(panes[0].sent) == 1
    assert panes[0].errors == []


@pytest.mark.parametrize("leader", [0, 1])
def test_a_word_that_is_pointed_at_lights_in_both(panes, leader):
    leading, following = panes[leader], panes[1 - leader]
    texts = synthetic_map(300).texts
    leading.page.mouse.move(*leading.place_of(int(synthetic_map(300).links[20, 0])))
    leading.wait("element.scrubber.lit >= 0")
    lit = leading.get("lit")
    following.wait(f"element.scrubber.lit === {lit}")
    for pane in panes:
        expect(pane.root.locator(".card-word")).to_have_text(texts[lit])
    leading.page.mouse.move(2, 2)
    following.wait("element.scrubber.lit === -1")


def test_a_lasso_lights_the_same_words_in_both(panes):
    first, second = panes
    x, y = second.place_of(40)
    second.page.keyboard.down("Shift")
    second.page.mouse.move(x - 30, y - 30)
    second.page.mouse.down()
    for corner in ((x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30)):
        second.page.mouse.move(*corner)
    second.page.mouse.up()
    second.page.keyboard.up("Shift")
    second.wait("element.scrubber.selection.length > 0")
    chosen = second.get("selection")
    assert 40 in chosen
    first.wait(f"element.scrubber.selection.length === {len(chosen)}")
    assert sorted(first.get("selection")) == sorted(chosen)
    expect(second.page.get_by_text(f"selected={len(chosen)}")).to_be_visible()


def cover(pane: Scrubber) -> tuple[float, float, float, float]:
    pane.page.locator(".scrubber.talk").nth(pane.number).wait_for()
    box = pane.root.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


@pytest.mark.parametrize("leader", [0, 1])
def test_a_talk_shows_both_whoever_begins_it_and_both_leave_it(panes, leader):
    first, _ = panes
    page = first.page
    panes[leader].root.locator(".stage").focus()
    page.keyboard.press("t")
    assert [cover(pane) for pane in panes] == [(0, 0, 720, 900), (720, 0, 720, 900)]
    expect(page.get_by_text("talk=True")).to_be_attached()
    page.keyboard.press("ArrowLeft")
    layers = ((7, 11), (7, 11))[leader]
    for pane, layer in zip(panes, layers, strict=True):
        pane.wait(f"element.scrubber.layer === {layer}")
        assert pane.root.locator(".pane-name").is_visible()
    for pane in panes:
        stage = pane.root.locator(".stage").bounding_box()
        assert stage["height"] > 200, "there is room for the map"
        assert pane.root.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.keyboard.press("Escape")
    expect(page.locator(".scrubber.talk")).to_have_count(0)
    expect(page.get_by_text("talk=False")).to_be_attached()
    assert first.errors == []


def test_whoever_is_left_alone_in_a_talk_has_the_whole_screen(panes):
    first, second = panes
    first.root.locator(".stage").focus()
    first.page.keyboard.press("t")
    cover(second)
    first.page.locator("input[type=checkbox]").evaluate("element => element.click()")
    first.wait("element.clientWidth === 1440")
    assert cover(first) == (0, 0, 1440, 900)


def test_the_file_holds_both_sides_and_they_move_together(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1440, "height": 900})
    name = "a-model-whose-name-is-" + "very-" * 20 + "long, <b>standardised</b>"
    path = tmp_path / "two.html"
    comparison = Comparison(name, synthetic_map(300, stops=19, seed=5), "mini-en-zh, centred")
    text = html_document(synthetic_map(300), comparison, layer=8, pins=(1,), color_by="topic")
    path.write_text(text, encoding="utf-8")
    first, second = Scrubber(page, 0), Scrubber(page, 1)
    first.open(path.as_uri())
    second.wait("element.scrubber.layer === 12")
    assert first.get("pins") == second.get("pins") == [1]
    expect(second.root.get_by_label("Colour by")).to_have_value("topic")
    expect(second.root.locator(".pane-name")).to_have_text(name)
    assert second.root.locator(".pane-name").evaluate("e => e.scrollWidth <= e.clientWidth")
    first.begin_drag()
    first.drag_to(10 / 12)
    page.mouse.up()
    second.wait("element.scrubber.layer === 15")
    page.keyboard.press("t")
    assert [cover(pane)[2] for pane in (first, second)] == [720, 720]
    assert first.errors == []
