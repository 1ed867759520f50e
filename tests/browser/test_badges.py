"""Beside every score on word links stands whose they are, wherever the map is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from isogloss.map.payload import Language
from isogloss.map.standalone import html_document
from tests.browser.synthetic_map import synthetic_map
from tests.browser.test_scrubber import WRITTEN

pytestmark = pytest.mark.browser

BADGE = "links by an aligner"
LINES = "each other's nearest at the layer shown; links of this model: not evidence"


def open_map(page: Page, path: Path, data, **view) -> None:
    path.write_text(html_document(data, **view), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".scrubber .readings")).to_be_visible()


def with_badge():
    data = synthetic_map()
    first, *others = data.scores
    return replace(data, scores=[replace(first, badge=BADGE), *others], lines=f"lines, {BADGE}")


@pytest.mark.parametrize("width", [1200, 420])
@pytest.mark.parametrize("talk", [False, True])
def test_the_badge_stands_beside_the_number(page: Page, tmp_path: Path, width, talk):
    page.set_viewport_size({"width": width, "height": 800})
    open_map(page, tmp_path / "map.html", with_badge(), talk=talk)
    badges = page.locator(".readings .badge")
    expect(badges.first).to_be_visible()
    expect(badges.first).to_have_text(BADGE)
    assert badges.count() == len(synthetic_map().scores)
    expect(badges.nth(1)).to_be_hidden()
    expect(page.locator(".legend .lines")).to_contain_text(BADGE)
    label = page.get_by_role("slider").get_attribute("aria-valuetext")
    assert f"({BADGE})" in label


def test_all_layers_at_once_say_it_too(page: Page, tmp_path: Path):
    open_map(page, tmp_path / "map.html", with_badge())
    page.keyboard.press("a")
    expect(page.locator(".sheet-about")).to_contain_text(BADGE)


def test_a_drawing_says_it_too_and_cuts_no_name(page: Page, tmp_path: Path):
    model = "organisation/" + "Very-Long-" * 20 + "v2-instruct"
    language = "Chinese as it is written in the " + "People's " * 12 + "Republic"
    data = replace(
        with_badge(),
        languages=(Language("en", "English"), Language("zh", language)),
        caption=f"{model} reading English and {language}",
        provenance={"model": model, "text": "everyday (48 pairs)", "made with": "Isogloss 1.2"},
    )
    open_map(page, tmp_path / "map.html", data, layer=8, color_by="alignment")
    page.get_by_label("Take this view away").click()
    with page.expect_download() as started:
        page.get_by_role("menuitem", name="SVG drawing").click()
    started.value.save_as(tmp_path / "view.svg")
    page.goto((tmp_path / "view.svg").as_uri())
    texts = page.locator("text").all_text_contents()
    said = "".join(texts).replace(" ", "")
    for text in (data.caption, language, *data.provenance.values(), f"({BADGE})", "not scored"):
        assert text.replace(" ", "") in said
    assert page.evaluate("""() => {
        const { width } = document.documentElement.viewBox.baseVal;
        return [...document.querySelectorAll("text")].every((text) => {
            const box = text.getBBox();
            return box.x + box.width <= width + 1;
        });
    }""")


def test_lines_are_those_of_the_layer_on_show(page: Page, tmp_path: Path):
    data = synthetic_map()
    first, last = ([int(p) for p in link] for link in (data.links[0], data.links[5]))
    none = np.zeros((0, 2), int)
    links_at = [np.array([first]), *[none] * (len(data.stops) - 2), np.array([[first[0], last[1]]])]
    own = replace(data, links=none, links_at=links_at, lines=LINES)
    open_map(page, tmp_path / "map.html", own, layer=0, pins=(first[0],))
    pin = page.locator(".pin bdi")
    texts = data.texts
    expect(pin).to_have_text(f"{texts[first[0]]} – {texts[first[1]]}")
    expect(page.locator(".legend .lines")).to_contain_text("not evidence")
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(pin).to_have_text(texts[first[0]])
    page.keyboard.press("End")
    expect(pin).to_have_text(f"{texts[first[0]]} – {texts[last[1]]}")


def test_ranks_of_pinned_words_say_whose_links_they_are_of(page: Page, tmp_path: Path):
    data = replace(synthetic_map(), ranks_rest_on=BADGE)
    point = int(data.links[0][0])
    open_map(page, tmp_path / "map.html", data, pins=(point,))
    badge = page.locator(".pins .pins-badge")
    expect(badge).to_have_text(f"Ranks: {BADGE}")
    box, whole = badge.bounding_box(), page.locator(".side").bounding_box()
    assert box["x"] + box["width"] <= whole["x"] + whole["width"]
    none = replace(data, ranks=np.zeros_like(data.ranks))
    open_map(page, tmp_path / "none.html", none, pins=(point,))
    expect(page.locator(".pin")).to_have_count(1)
    expect(badge).to_have_count(0)


def test_layers_that_share_the_highest_score_have_no_peak(page: Page, tmp_path: Path):
    data = with_badge()
    count = len(data.stops)
    level = replace(data.scores[0], values=[0.5, *[1.0] * (count - 1)], lower=None, upper=None)
    page.add_init_script(f"({WRITTEN})()")
    open_map(page, tmp_path / "map.html", replace(data, scores=[level]), layer=count - 1)
    page.wait_for_function(
        "count => window.written.includes(`100\u00a0% at ${count - 1} of ${count}`)", arg=count
    )
    assert not [text for text in page.evaluate("window.written") if "peak" in text]


def test_words_without_a_rank_are_in_the_legend(page: Page, tmp_path: Path):
    data = synthetic_map()
    for rank, count in ((0, 1), (1, 0)):
        ranks = data.ranks.copy()
        ranks[:, 0], ranks[:, 1:] = rank, 1
        shown = replace(data, ranks=ranks)
        open_map(page, tmp_path / f"{rank}.html", shown, color_by="alignment")
        row = page.locator(".legend li").filter(has_text="not scored")
        expect(row).to_have_count(count)
