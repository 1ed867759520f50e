"""Scripts whose letters join, stack or run from right to left, with the fonts that ship."""

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from isogloss.map.film.ink import LabelInk
from isogloss.map.lettering.fonts import BUNDLED_FONTS, FontFile, fonts_for
from isogloss.map.lettering.shaping import needs_shaping, shape_text, text_width

THAI, DEVANAGARI, ARABIC = (
    FontFile(BUNDLED_FONTS / f"NotoSans{script}-Regular.ttf")
    for script in ("Thai", "Devanagari", "Arabic")
)


def ink(font: FontFile, text: str) -> np.ndarray:
    return np.asarray(shape_text(font, 60, text).mask)


@pytest.mark.parametrize("text", ["hello", "你好", "Größe", "кухня", "ถนน", "부엌", "Ελλάδα"])
def test_plain_letters_need_no_shaping(text):
    assert not needs_shaping(text)


@pytest.mark.parametrize("text", ["نافذة", "हिन्दी", "ที่นี่", "שלום", "cafe\u0301"])
def test_joined_stacked_and_turned_letters_do(text):
    assert needs_shaping(text)


def test_arabic_letters_join_and_run_to_the_left():
    """Three letters apart are wider than joined, and the first of them is at the right."""
    apart = sum(text_width(ARABIC, 60, letter) for letter in "سلم")
    assert text_width(ARABIC, 60, "سلم") < 0.8 * apart
    # Alif, which is a stroke, written first: its column is the darkest of the right third.
    columns = (ink(ARABIC, "اس") > 128).sum(axis=0)
    assert columns.argmax() > 2 / 3 * len(columns)


def test_a_full_stop_of_arabic_is_at_the_left():
    bottom = (ink(ARABIC, "باب.") > 128)[-30:]
    without = (ink(ARABIC, "باب") > 128)[-30:]
    grown = bottom.shape[1] - without.shape[1]
    assert grown > 0
    same = (bottom[:, grown:] == without).mean()
    assert same > 0.95, "the word itself stands at the right"
    assert (bottom[:, : without.shape[1]] == without).mean() < same - 0.1


def test_a_hindi_vowel_goes_before_its_consonant_and_consonants_become_one():
    """कि is written ि first; क्ष is one sign, narrower than क and ष side by side."""
    assert text_width(DEVANAGARI, 60, "क्ष") < 0.8 * (
        text_width(DEVANAGARI, 60, "क") + text_width(DEVANAGARI, 60, "ष")
    )
    consonant = ink(DEVANAGARI, "क")
    assert not np.array_equal(
        ink(DEVANAGARI, "कि")[-consonant.shape[0] :][:, :20], consonant[:, :20]
    )


def test_thai_tone_marks_stand_above_vowels():
    """ที่ has a vowel above its consonant and a tone above that: higher, and no wider."""
    assert len(ink(THAI, "ที่")) > len(ink(THAI, "ที")) > len(ink(THAI, "ท"))
    assert ink(THAI, "ที่").shape[1] <= ink(THAI, "ท").shape[1] * 1.2


def test_each_language_has_a_font_that_draws_all_its_words():
    words = [["kitchen"], ["مطبخ"], ["रसोई"], ["ครัว"], ["κουζίνα"], ["ağaç"], ["厨房"], ["ꔛꔜ"]]
    found = fonts_for(words, ["English", "Layer 3"])
    fonts = [found.of(group[0], side) for side, group in enumerate(words)]
    assert fonts[:1] == [found.main]
    assert fonts[1:4] == [ARABIC, DEVANAGARI, THAI]
    assert all(font.draws(group[0]) for font, group in zip(fonts[:7], words, strict=False))
    assert fonts[7] is None, "of many languages one that no font here has goes unwritten"


def test_the_fonts_that_ship_may_be_embedded_and_say_their_licence():
    licence = (BUNDLED_FONTS / "OFL.txt").read_text(encoding="utf-8")
    for file in BUNDLED_FONTS.glob("*.ttf"):
        with TTFont(file) as font:
            assert font["OS/2"].fsType == 0
            assert "SIL Open Font License" in font["name"].getDebugName(13)
            assert font["name"].getDebugName(0) in licence


@pytest.mark.parametrize("flipped", [False, True])
def test_a_shaped_word_stands_beside_its_point_and_fades(flipped):
    from PIL import Image

    label = LabelInk("ที่นี่", THAI, 20, "#000000", "#ffffff", 2)
    top, right, bottom = label.extent
    darkest = []
    for opacity in (1.0, 0.3):
        picture = Image.new("RGB", (200, 80), "white")
        label.paint(picture, (100.3, 40.6), flipped, opacity)
        levels = np.asarray(picture.convert("L"))
        rows, columns = np.nonzero(levels < 200)
        left = 100.3 - right if flipped else 100.3
        assert left - 1.5 <= columns.min() <= columns.max() <= left + right + 1.5
        assert 40.6 + top - 1.5 <= rows.min() <= rows.max() <= 40.6 + bottom + 1.5
        darkest.append(levels.min())
    assert darkest[0] < 80 < darkest[1]
