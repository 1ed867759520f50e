"""All layers at once: a tile for each, drawn and scored; a click goes there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hands import steady_box
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber
from synthetic_map import synthetic_map

from isogloss.map.standalone import html_document

pytestmark = pytest.mark.browser

INK = """e => [...e.querySelectorAll('.tile canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 0 && data[i + 3] && value < 200).length;
})"""
"""Pixels of each tile that are darker than the paper, most of them blue."""


@pytest.mark.parametrize("layers", [12, 18])
def test_a_tile_shows_each_layer_with_its_score_and_leads_there(
    page: Page, tmp_path: Path, layers: int
):
    data = synthetic_map(300, stops=layers + 1)
    path = tmp_path / "map.html"
    path.write_text(html_document(data, layer=8), encoding="utf-8")
    scrubber = Scrubber(page).open(path.as_uri())
    page.get_by_role("button", name="Every layer at once").click()
    tiles = page.locator(".tile")
    expect(tiles).to_have_count(layers + 1)
    heads = page.locator(".tile-head")
    values = data.scores[0].values
    for stop, said in enumerate(heads.all_inner_texts()):
        *name, value, sign = said.split()
        assert (*name, sign) == ("Layer", str(stop), "%")
        assert float(value) == pytest.approx(100 * values[stop], abs=0.51)
    expect(page.locator(".tile[aria-current=true] .tile-head")).to_contain_text("Layer 8")
    stage, last = steady_box(page.locator(".stage")), steady_box(tiles.last)
    assert last["y"] + last["height"] <= stage["y"] + stage["height"], "all are seen at once"
    page.wait_for_function(f"e => ({INK})(e).every((count) => count > 300)", arg=scrubber.handle)
    tiles.nth(5).click()
    expect(page.locator(".sheet")).to_be_hidden()
    scrubber.wait("element.scrubber.layer === 5")
    page.keyboard.press("a")
    expect(page.locator(".tile[aria-current=true] .tile-head")).to_contain_text("Layer 5")
    page.keyboard.press("Escape")
    expect(page.locator(".sheet")).to_be_hidden()
    assert scrubber.errors == []
