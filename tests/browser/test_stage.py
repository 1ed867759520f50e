"""The stage: every layer fills it, at every size of screen, with all tools in sight."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hands import press, steady_box
from playwright.sync_api import Browser, FloatRect, Page, expect
from scrubber_driver import Scrubber
from synthetic_map import synthetic_map

from isogloss.formatting import percent
from isogloss.map.standalone import html_document
from isogloss.measures.projection.framing import frame_layer, lay_flat
from isogloss.store import Store
from isogloss.studies.study import list_studies

pytestmark = pytest.mark.browser

LAPTOP, DESKTOP, HALL, PHONE = (1024, 768), (1440, 900), (1920, 1080), (390, 844)
PLACES = """e => {
    const { positionOf, pointCount } = e.scrubber;
    return Array.from({ length: pointCount }, (_, i) => positionOf(i));
}"""

NOTICE = """() => {
    const notice = document.createElement('div');
    notice.style.height = '320px';
    document.body.prepend(notice);
    dispatchEvent(new Event('resize'));
}"""


@pytest.fixture
def address(app: str, tmp_path: Path) -> str:
    """The app at the study with the most layers of those that ship."""
    deepest = max(list_studies(Store(tmp_path)), key=lambda study: study.n_layers)
    return f"{app}/?study={deepest.key[:12]}&layer=0"


def on_screen(browser: Browser, size: tuple[int, int]) -> Page:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    context.set_default_timeout(240_000)
    return context.new_page()


def box(page: Page, selector: str) -> FloatRect:
    return steady_box(page.locator(selector))


def go_to(scrubber: Scrubber, layer: int) -> None:
    scrubber.page.get_by_role("slider").press("Home")
    scrubber.wait("element.scrubber.layer === 0")
    for _ in range(layer):
        scrubber.page.get_by_role("slider").press("ArrowRight")
    scrubber.wait(f"element.scrubber.layer === {layer}")
    scrubber.settle()


def assert_fills_the_stage(scrubber: Scrubber) -> None:
    places = np.array(scrubber.root.evaluate(PLACES))
    stage = box(scrubber.page, ".stage")
    size = np.array([stage["width"], stage["height"]])
    assert (places > 0).all()
    assert (places < size).all()
    covered = np.ptp(places, axis=0) / size
    longer, shorter = covered if size[0] >= size[1] else covered[::-1]
    assert longer >= 0.55
    assert shorter >= 0.70


def assert_in_sight(page: Page, size: tuple[int, int], *selectors: str) -> None:
    for selector in selectors:
        found = box(page, selector)
        assert found["y"] >= 0, selector
        assert found["y"] + found["height"] <= size[1], selector
        assert found["x"] + found["width"] <= size[0] + 1, selector


@pytest.mark.parametrize("size", [LAPTOP, DESKTOP, HALL, PHONE])
def test_every_layer_fills_the_stage_and_slider_and_play_are_in_sight(browser, address, size):
    page = on_screen(browser, size)
    scrubber = Scrubber(page).open(address)
    scrubber.settle()
    tools = [steady_box(page.locator(".toolbar > *").nth(i)) for i in (0, 2, 3)]
    middles = [tool["y"] + tool["height"] / 2 for tool in tools]
    assert max(middles) - min(middles) < 2, "the tools stand in one row"
    for layer in (0, 8):
        go_to(scrubber, layer)
        assert_in_sight(page, size, ".track", ".play", ".toolbar")
        assert_fills_the_stage(scrubber)
    page.keyboard.press("t")
    page.locator(".scrubber.talk").wait_for()
    for layer in (0, 8):
        go_to(scrubber, layer)
        assert_in_sight(page, size, ".track", ".readings", ".caption")
        assert_fills_the_stage(scrubber)
    labels = [label for label in scrubber.get("labels") if label["opacity"] == 1]
    assert labels
    assert scrubber.get("labelSize") >= 0.022 * size[1]
    lines = page.locator(".readings button[aria-pressed=true]")
    assert lines.count() >= 2
    for line in lines.all():
        expect(line).to_be_visible()
        assert line.locator("span").inner_text() != ""
        assert line.locator("b").inner_text() != ""
        expect(line.locator("small")).to_contain_text("chance")
        size_of_text = line.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
        assert size_of_text >= 0.022 * size[1]
    assert scrubber.errors == []
    page.context.close()


def test_no_name_in_the_settings_is_cut_on_a_small_screen(browser, address):
    page = on_screen(browser, LAPTOP)
    Scrubber(page).open(address)
    page.get_by_role("button", name="Settings").click()
    for name in ("Words", "Characters", "Subwords"):
        choice = page.get_by_role("radio", name=name, exact=True)
        expect(choice).to_be_in_viewport(ratio=1)
        assert choice.evaluate("e => e.scrollWidth <= e.clientWidth"), name
    page.context.close()


def test_the_map_opens_with_pairs_that_meet_and_remembers_that_they_were_taken_off(
    browser, address
):
    page = on_screen(browser, DESKTOP)
    scrubber = Scrubber(page).open(address)
    pins = scrubber.get("pins")
    assert 3 <= len(pins) <= 5
    expect(page.locator(".pin")).to_have_count(len(pins))
    go_to(scrubber, 8)
    expect(page.locator(".pin-rank")).to_have_text(["nearest"] * len(pins))
    for left in reversed(range(len(pins))):
        press(page.locator(".pin button").first)
        expect(page.locator(".pin")).to_have_count(left)
    expect(page).to_have_url(re.compile("pins=none"))
    again = Scrubber(page).open(page.url)
    assert again.get("pins") == []
    page.context.close()


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_the_card_stands_beside_the_map_and_never_on_it(browser, tmp_path, size):
    path = tmp_path / "map.html"
    path.write_text(html_document(synthetic_map(), layer=8), encoding="utf-8")
    page = on_screen(browser, size)
    scrubber = Scrubber(page).open(path.as_uri())
    before = box(page, ".stage")
    for point in synthetic_map().links[[0, 40, 200], 0].tolist():
        page.mouse.move(*scrubber.place_of(point))
        card, stage = box(page, ".card"), box(page, ".stage")
        assert card["x"] >= stage["x"] + stage["width"] or card["y"] >= stage["y"] + stage["height"]
        assert stage == before, "the map stays as it is when the card comes"
        expect(page.locator(".card .card-rank")).to_be_visible()
    page.context.close()


def test_pointing_at_the_strip_shows_every_score_of_that_layer(browser, tmp_path):
    path = tmp_path / "map.html"
    data = synthetic_map()
    path.write_text(html_document(data, layer=8), encoding="utf-8")
    page = on_screen(browser, DESKTOP)
    Scrubber(page).open(path.as_uri())
    track = box(page, ".track")
    page.mouse.move(track["x"] + 33 + (track["width"] - 66) * 5 / 12, track["y"] + 40)
    expect(page.locator(".card-word")).to_have_text("Layer 5")
    assert page.locator(".card dt").all_inner_texts() == [score.name for score in data.scores]
    values = page.locator(".card dd b").all_inner_texts()
    assert values == [percent(score.values[5], 0) for score in data.scores]
    expect(page.locator(".card dd").first).to_contain_text("chance 2\u00a0%")
    page.context.close()


def test_a_line_of_the_strip_can_be_put_away_and_brought_back(browser, tmp_path):
    path = tmp_path / "map.html"
    path.write_text(html_document(synthetic_map(), layer=8), encoding="utf-8")
    page = on_screen(browser, DESKTOP)
    scrubber = Scrubber(page).open(path.as_uri())
    ink = """e => {
        const canvas = e.querySelector('canvas.strip');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((count, value) => count + (value > 0), 0);
    }"""
    scrubber.settle()
    everything = scrubber.root.evaluate(ink)
    second = page.get_by_role("button", name="Mean reciprocal rank")
    second.click()
    expect(second).to_have_attribute("aria-pressed", "false")
    scrubber.settle()
    assert scrubber.root.evaluate(ink) < everything
    second.click()
    expect(second).to_have_attribute("aria-pressed", "true")
    page.mouse.move(2, 2)
    scrubber.settle()
    assert scrubber.root.evaluate(ink) == pytest.approx(everything, rel=0.02)
    page.context.close()


def test_labels_of_pins_that_lie_close_do_not_touch_in_a_talk(browser, tmp_path):
    data = synthetic_map()
    linked = np.unique(data.links[:, 0])
    here = data.positions[8][linked]
    distances = np.linalg.norm(here[:, None] - here, axis=2)
    crowd = distances[np.sort(distances, axis=1)[:, 4].argmin()].argsort()[:5]
    pins = linked[crowd].tolist()
    path = tmp_path / "map.html"
    path.write_text(html_document(data, layer=8, pins=pins, talk=True), encoding="utf-8")
    page = on_screen(browser, LAPTOP)
    scrubber = Scrubber(page).open(path.as_uri())
    scrubber.settle()
    labels = [label for label in scrubber.get("labels") if label["opacity"] == 1]
    assert set(pins) <= {label["point"] for label in labels}
    stage = box(page, ".stage")
    for i, one in enumerate(labels):
        assert 0 <= one["left"] < one["right"] <= stage["width"]
        assert 0 <= one["top"] < one["bottom"] <= stage["height"]
        for other in labels[:i]:
            beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            above = one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
            assert beside or above, f"{one['text']} lies on {other['text']}"
    page.context.close()


def test_beside_a_low_map_nothing_runs_into_the_scores(browser, tmp_path):
    data = synthetic_map()
    path = tmp_path / "map.html"
    page = on_screen(browser, LAPTOP)
    for count in (0, 3, 5, 12):
        pins = data.links[: 3 * count : 3, 0].tolist()
        path.write_text(html_document(data, layer=8, pins=pins), encoding="utf-8")
        scrubber = Scrubber(page).open(path.as_uri())
        page.evaluate(NOTICE)
        scrubber.settle()
        dock = box(page, ".dock")
        assert box(page, ".scrubber")["height"] < 450, "the map is as low as it gets"
        for part in (".pins", ".side .hint:not(li)", ".legend"):
            if page.locator(part).is_visible():
                found = box(page, part)
                assert found["y"] + found["height"] <= dock["y"], part
        assert page.locator(".side > .hint").is_visible() == (count == 0)
    page.context.close()


@pytest.mark.parametrize("talk", [False, True])
def test_each_line_of_the_strip_is_named_beside_a_sample_of_it(browser, tmp_path, talk):
    path = tmp_path / "map.html"
    data = synthetic_map()
    path.write_text(html_document(data, layer=8, talk=talk), encoding="utf-8")
    page = on_screen(browser, LAPTOP)
    Scrubber(page).open(path.as_uri())
    lines = page.locator(".readings button[aria-pressed=true]")
    assert lines.locator("span").all_inner_texts() == [score.name for score in data.scores]
    samples = [path.get_attribute("stroke-dasharray") for path in lines.locator("path").all()]
    assert len(set(samples)) == len(data.scores)
    assert samples[2] == "1 4", "the dotted line"
    for line in lines.all():
        expect(line.locator("svg")).to_be_visible()
        assert line.evaluate("e => e.scrollWidth <= e.clientWidth"), "a name is cut"
    page.context.close()


@pytest.mark.parametrize("size", [HALL, (420, 1200)])
def test_the_browser_frames_its_stage_by_the_same_rule_as_python(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
):
    data = synthetic_map()
    path = tmp_path / "map.html"
    path.write_text(html_document(data, layer=0), encoding="utf-8")
    page = on_screen(browser, size)
    scrubber = Scrubber(page).open(path.as_uri())
    width, height = scrubber.root.evaluate(
        "e => { const s = e.querySelector('.stage'); return [s.clientWidth, s.clientHeight]; }"
    )
    assert (height > width) == (size[1] > size[0])
    for layer in (0, 8):
        go_to(scrubber, layer)
        frame = frame_layer(lay_flat(data.positions)[layer], width, height)
        np.testing.assert_allclose(scrubber.root.evaluate(PLACES), frame.places, atol=0.05)
        stretch = max(frame.stretch, 1 / frame.stretch)
        said = f"stretched {stretch:.1f} ×" if f"{stretch:.1f}" != "1.0" else "at its own scale"
        expect(page.locator(".scale")).to_contain_text(said)
    page.context.close()
