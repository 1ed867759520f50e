"""Contact sheets: a column wide, a tile and a score per layer, letters that print anywhere."""

import json
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.pens.areaPen import AreaPen
from fontTools.ttLib import TTFont
from PIL import Image
from pypdf import PdfReader

from isogloss.errors import IsoglossError
from isogloss.map import bundle
from isogloss.map.bundle import script
from isogloss.map.contact_sheet import contact_sheet
from isogloss.map.lettering import fonts
from isogloss.map.lettering.embedded_fonts import truetype_subset
from isogloss.map.payload import Language, MapView
from isogloss.map.scene import Scene
from isogloss.map.sheet_contents import SMALL, SheetContents
from isogloss.map.sheet_plan import MARGIN, WIDTHS, place_words, plan_sheet
from isogloss.map.story import opening_pins
from isogloss.palette import PALETTE
from tests.browser.synthetic_map import synthetic_map

MILLIMETRES = 25.4 / 72


def read(file):
    (page,) = PdfReader(BytesIO(file)).pages
    return page


def embedded_fonts(page):
    """(kind, name, font file) of every font of a page."""
    for font in page["/Resources"]["/Font"].values():
        (inner,) = font.get_object()["/DescendantFonts"]
        inner = inner.get_object()
        described = inner["/FontDescriptor"].get_object()
        file = described["/FontFile2"].get_object().get_data()
        yield inner["/Subtype"], inner["/BaseFont"], TTFont(BytesIO(file))


@pytest.mark.parametrize(("columns", "width", "layers"), [(1, 84, 18), (2, 175, 12)])
def test_a_pdf_has_a_column_s_width_a_tile_and_a_score_for_each_layer(columns, width, layers):
    data = synthetic_map(120, stops=layers + 1)
    page = read(contact_sheet(data, "pdf", columns))
    assert float(page.mediabox.width) * MILLIMETRES == pytest.approx(width, abs=0.05)
    assert float(page.mediabox.height) * MILLIMETRES < 240, "it fits on a page"
    lines = page.extract_text().splitlines()
    tiles = [found for line in lines if (found := re.fullmatch(r"Layer (\d+) (\d\.\d+)", line))]
    assert [int(tile[1]) for tile in tiles] == list(range(layers + 1))
    scores = [float(tile[2]) for tile in tiles]
    assert scores == pytest.approx(data.scores[0].values, abs=0.0051)
    assert any("Nearest is partner (chance 0.02)" in line for line in lines)


def test_letters_are_embedded_as_truetype_and_none_is_an_empty_box():
    data = synthetic_map(120)
    pins = opening_pins(data)
    chinese = {data.texts[other] for one, other in data.links if one in pins}
    page = read(contact_sheet(data, "pdf", 2))
    found = list(embedded_fonts(page))
    assert found
    for kind, name, font in found:
        assert kind == "/CIDFontType2"
        assert "+" in name, "a subset's name begins with a tag"
        assert "glyf" in font
        assert len(font.getGlyphOrder()) < 200
    text = page.extract_text()
    assert chinese
    assert any(word in text for word in chinese)
    assert not any(box in text for box in "□�")


def test_redrawn_letters_keep_their_shape():
    font = fonts.find_font(["灯门花园"])
    texts = ["灯门花园", "agQ"]
    with (
        TTFont(font.path, fontNumber=font.index) as whole,
        TTFont(BytesIO(truetype_subset(font, texts))) as small,
    ):
        assert "glyf" in small
        before, after = whole.getGlyphSet(), small.getGlyphSet()
        names, kept = whole.getBestCmap(), small.getBestCmap()
        assert set(kept) == {ord(c) for c in "".join(texts)} | {32}
        for character in "".join(texts):
            areas = []
            for glyphs, name in ((before, names), (after, kept)):
                pen = AreaPen(glyphs)
                glyphs[name[ord(character)]].draw(pen)
                areas.append(abs(pen.value))
            assert areas[0] > 0
            assert areas[1] == pytest.approx(areas[0], rel=0.01)


@pytest.mark.parametrize("coloring", ["topic", "alignment"])
def test_an_svg_needs_no_fonts_and_keeps_how_it_was_made(coloring):
    data = synthetic_map(120)
    view = MapView(color_by=coloring)
    root = ElementTree.fromstring(contact_sheet(data, "svg", 1, view))
    assert float(root.get("width").removesuffix("pt")) * MILLIMETRES == pytest.approx(84, abs=0.05)
    assert not list(root.iter("{http://www.w3.org/2000/svg}text"))
    told = ElementTree.tostring(root, encoding="unicode")
    assert "text: 10 sentences" in told
    colors = set(Scene(data, view).point_colors(3))
    assert len(colors) > 2
    assert all(color in told for color in colors)


def test_a_png_is_sharp_enough_to_print():
    with Image.open(BytesIO(contact_sheet(synthetic_map(120), "png", 1))) as picture:
        assert picture.width == pytest.approx(84 / 25.4 * 600, abs=1)
        assert picture.info["dpi"][0] == pytest.approx(600, abs=0.1)
        assert "model: made-up" in picture.info["Description"]


def test_links_and_pins_can_be_left_out_and_pinned_words_are_there_without_others():
    data, pins = synthetic_map(120), opening_pins(synthetic_map(120))
    views = (MapView(pins=pins, labels=False), MapView(links=False))
    sheets = [contact_sheet(data, "pdf", 2, view) for view in views]
    texts = [read(sheet).extract_text() for sheet in sheets]
    assert ["translations" in text for text in texts] == [True, False]
    words = {data.texts[pin] for pin in pins}
    assert any(word in texts[0] for word in words), "the map has them, too"
    assert not any(word in texts[1] for word in words)
    assert len(sheets[0]) > len(sheets[1])


@pytest.mark.parametrize("columns", [1, 2])
def test_long_names_are_never_cut_and_stay_on_the_sheet(columns):
    model = "organisation/" + "Very-Long-" * 15 + "v2"
    language = "Chinese of the " + "People's " * 14 + "Republic"
    data = replace(
        synthetic_map(40, stops=2),
        languages=(Language("en", "English"), Language("zh", language)),
        caption=f"{model} reading English and {language}",
        provenance={"text": "everyday (48 pairs)", "made with": "Isogloss 1.2"},
    )
    sheet = SheetContents(Scene(data), columns)
    room = WIDTHS[columns] - 2 * MARGIN
    rows = [" ".join(name for _, _, name in row) for row in sheet.legend_rows]
    assert language in " ".join(rows)
    assert all(sheet.length(row, SMALL) <= room for row in [*rows, *sheet.footer])
    said = "".join(sheet.footer).replace(" ", "").replace("·", "")
    for text in (data.caption, "text everyday (48 pairs)", "made with Isogloss 1.2"):
        assert text.replace(" ", "") in said
    assert "…" not in said


def test_a_layer_that_is_not_to_be_trusted_is_marked():
    notes = ["go by the numbers"] + [""] * 12
    page = read(contact_sheet(replace(synthetic_map(120), notes=notes), "pdf", 2))
    lines = page.extract_text().splitlines()
    assert [line[:9] for line in lines if re.match(r"Layer \d+ †", line)] == ["Layer 0 †"]
    assert any("† This picture keeps few" in line for line in lines)


@pytest.mark.parametrize("tiles", [1, 2, 4, 7, 13, 19, 25, 49])
@pytest.mark.parametrize("columns", [1, 2])
def test_tiles_stay_on_the_sheet_and_apart(tiles, columns):
    plan = plan_sheet(tiles, columns, legend=5, footer=4)
    assert len(plan.corners) == tiles
    ends = plan.corners + plan.tile
    assert (plan.corners >= 0).all()
    assert (ends <= (plan.width, plan.height)).all()
    gaps = np.maximum(plan.corners[:, None] - ends, plan.corners - ends[:, None]).max(axis=2)
    assert (gaps[~np.eye(tiles, dtype=bool)] >= 1.9).all()


def test_words_stay_on_their_tile_and_off_each_other():
    places = np.random.default_rng(3).uniform(0, (30, 20), (40, 2))
    words = place_words(range(40), places, lambda point: (5.0, 2.0), (30, 20), 0.5)
    assert len(words) > 8
    boxes = np.array([(word.x, word.y - 1, word.x + 5, word.y + 1) for word in words])
    assert (boxes >= 0).all()
    assert (boxes[:, 2:] <= (30, 20)).all()
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = np.maximum(one[:2] - other[2:], other[:2] - one[2:])
            assert apart.max() >= 0


def test_the_colours_are_those_of_the_browser():
    (constant,) = re.findall(r"^const palette = (.*);$", script("standalone"), re.MULTILINE)
    assert json.loads(constant) == json.loads(PALETTE.read_text(encoding="utf-8"))
    scripts = Path(bundle.__file__).parent.glob("scripts/*.js")
    assert not [path for path in scripts if re.search("#[0-9a-f]{6}", path.read_text("utf-8"))]


def test_what_cannot_be_made_is_said_in_a_sentence(monkeypatch):
    data = synthetic_map(120)
    with pytest.raises(IsoglossError, match="end its name in pdf, svg or png"):
        contact_sheet(data, "docx")
    with pytest.raises(IsoglossError, match="1 or 2 columns wide, not 3"):
        contact_sheet(data, "pdf", 3)
    monkeypatch.setattr(fonts, "_candidates", lambda texts: iter(()))
    with pytest.raises(IsoglossError, match="install one that has its letters"):
        contact_sheet(data, "pdf")
