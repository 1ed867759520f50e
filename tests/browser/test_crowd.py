"""A map of more words than its stage has room for: shades, and fewer words written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from isogloss.map.payload import Language, ScrubberData
from isogloss.map.standalone import html_document

pytestmark = pytest.mark.browser
POINTS = 40_000
COLOR_BY_THIRD = """e => {
    const canvas = e.querySelector('canvas.cloud');
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const sums = [0, 0, 0], seen = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
        const color = Math.abs(data[i] - data[i + 2]);
        if (color < 30) continue; // the paper, or a link
        const third = Math.floor(3 * ((i / 4) % width) / width);
        sums[third] += color;
        seen[third] += 1;
    }
    return sums.map((sum, third) => sum / Math.max(1, seen[third]));
}"""
PIXELS = """e => {
    const canvas = e.querySelector('canvas.cloud');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let binary = '';
    for (let i = 0; i < data.length; i += 4) binary += String.fromCharCode(data[i]);
    return binary;
}"""
"""How red each pixel is."""


def redness(scrubber: Scrubber) -> np.ndarray:
    return np.frombuffer(scrubber.root.evaluate(PIXELS).encode("latin-1"), np.uint8).astype(int)


def crowded_map() -> ScrubberData:
    """Words in a rectangle, nine times as many in its left half as in its right."""
    generator = np.random.default_rng(0)
    places = generator.uniform(size=(POINTS, 2))
    places[:, 0] = np.where(np.arange(POINTS) % 10 == 0, 1 + places[:, 0], places[:, 0])
    return ScrubberData(
        positions=np.stack([places, places]).astype(np.float32),
        ranks=np.zeros((2, POINTS), np.uint16),
        texts=[f"word{i}" for i in range(POINTS)],
        sides=np.arange(POINTS) % 2,
        sentence_of=np.zeros(POINTS, int),
        links=np.arange(POINTS).reshape(-1, 2),
        sentences=[("", "")],
        languages=(Language("en", "English"), Language("zh", "中文")),
        stops=["0", "1"],
    )


def test_a_crowd_is_shaded_by_how_many_lie_there(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "crowd.html"
    path.write_text(html_document(crowded_map()), encoding="utf-8")
    scrubber = Scrubber(page).open(path.as_uri())
    scrubber.settle()
    shades = scrubber.root.evaluate(COLOR_BY_THIRD)
    left, right = max(shades[0], shades[2]), min(shades[0], shades[2])
    assert left > 1.3 * right
    expect(page.locator(".scale")).to_contain_text("5,000 of 20,000 links drawn")
    assert 0 < len(scrubber.get("labels")) < 25
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    scrubber.wait("element.scrubber.layer === 1")
    assert scrubber.errors == []


def test_links_add_up_to_a_limit_and_a_drag_leaves_the_same_picture(
    page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "crowd.html"
    path.write_text(html_document(crowded_map()), encoding="utf-8")
    scrubber = Scrubber(page).open(path.as_uri())
    scrubber.settle()
    linked = redness(scrubber)
    scrubber.begin_drag()
    scrubber.drag_to(0.4)
    frames = scrubber.get("frames")
    scrubber.drag_to(0.3)
    scrubber.wait(f"element.scrubber.frames > {frames}")
    assert (redness(scrubber) != linked).any(), "a drag draws fewer links"
    scrubber.drag_to(0)
    page.mouse.up()
    scrubber.settle()
    np.testing.assert_array_equal(redness(scrubber), linked)
    page.get_by_role("button", name="Lines between words").click()
    scrubber.settle()
    bare = redness(scrubber)
    paper = bare.max()
    darkened = (paper - linked[bare == paper]) / (paper - 0x20)
    assert (darkened > 0).mean() > 0.1
    assert 0.2 < darkened.max() <= 110 / 255 + 0.01
