"""A map of many languages: one is brought out of the others, and a line of Arabic is turned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from isogloss.map.constellations import with_middles
from isogloss.map.payload import Language, Score, ScrubberData
from isogloss.map.standalone import html_document

pytestmark = pytest.mark.browser
LANGUAGES = {"en": "English", "es": "Spanish", "ar": "Arabic"}
ROWS = 5


MANY = {f"x{n}": f"Language {n}" for n in range(16)}


def stars(languages: dict[str, str] = LANGUAGES) -> ScrubberData:
    """Five sentences in some languages, those of a row around their middle."""
    rng = np.random.default_rng(0)
    rows = np.tile(np.arange(ROWS), len(languages))
    sides = np.repeat(np.arange(len(languages)), ROWS)
    texts = [
        f"{'باب' if code == 'ar' else code} {row}." for code in languages for row in range(ROWS)
    ]
    places = with_middles(rng.normal(size=(3, len(rows), 2)), rows)
    return ScrubberData(
        positions=places,
        ranks=np.zeros((3, places.shape[1]), np.uint16),
        texts=[*texts, *[""] * ROWS],
        sides=np.concatenate([sides, np.zeros(ROWS, int)]),
        sentence_of=np.concatenate([rows, np.arange(ROWS)]),
        links=np.column_stack([np.arange(len(rows)), len(rows) + rows]),
        sentences=[
            tuple(texts[side * ROWS + row] for side in range(len(languages))) for row in range(ROWS)
        ],
        languages=tuple(Language(code, name) for code, name in languages.items()),
        stops=["0", "1", "2"],
        names=["Layer 0", "Layer 1", "Layer 2"],
        scores=[Score("found", [0.1, 0.5, 0.9])],
        of_languages=[[f"{name} at {n}" for n in range(3)] for name in languages.values()],
        middles=ROWS,
    )


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> Scrubber:
    file = tmp_path / "stars.html"
    file.write_text(html_document(stars(), labels=True, pins=(2 * ROWS,)), encoding="utf-8")
    return Scrubber(page).open(file.as_uri())


def test_a_press_on_a_language_brings_it_out_and_another_puts_it_back(opened: Scrubber) -> None:
    inside = opened.page.get_by_label("Sentences inside the lasso")
    expect(inside).to_be_hidden()
    assert "word" not in opened.page.locator(".toolbar").inner_html().lower()
    opened.page.get_by_title("Spanish alone").click()
    expect(inside).to_contain_text("5 sentences")
    expect(inside).to_contain_text("Spanish · 5")
    expect(inside).to_contain_text("Spanish at 0")
    assert opened.get("selection") == list(range(ROWS, 2 * ROWS))
    opened.page.get_by_title("Arabic alone").click()
    expect(inside).to_contain_text("Arabic · 5")
    opened.page.get_by_title("Arabic alone").click()
    expect(inside).to_be_hidden()
    assert opened.get("selection") == []
    assert opened.errors == []


def test_a_line_of_arabic_is_set_apart_on_the_map(opened: Scrubber, tmp_path: Path) -> None:
    """The drawing has its text as text: each Arabic line is isolated, and no other."""
    page = opened.page
    page.get_by_label("Take this view away").click()
    with page.expect_download() as coming:
        page.get_by_role("menuitem", name="SVG drawing").click()
    file = tmp_path / "stars.svg"
    coming.value.save_as(file)
    drawing = ElementTree.parse(file).getroot()
    texts = ["".join(node.itertext()) for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
    arabic = [text for text in texts if "باب" in text]
    assert arabic
    assert all(text[0] + text[-1] == "\u2068\u2069" for text in arabic)
    assert not any("\u2068" in text for text in texts if text not in arabic)


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1440, 900), (512, 768)])
def test_in_talk_mode_the_legend_names_all_of_many(
    page: Page, tmp_path: Path, width: int, height: int
) -> None:
    file = tmp_path / "many.html"
    topics = [f"topic {n}" for n in range(8)]
    rows = np.asarray(stars(MANY).sentence_of)
    data = replace(stars(MANY), topics=topics, topic_of=rows, shapes_of_topics=True)
    file.write_text(html_document(data, talk=True), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": height})
    Scrubber(page).open(file.as_uri())
    legend = page.get_by_label("Legend", exact=True)
    below = page.locator(".dock").bounding_box()
    assert below is not None
    for name in (*MANY.values(), *topics):
        box = legend.get_by_text(name, exact=True).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= below["y"]
