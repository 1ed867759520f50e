"""Films: they open again with the right length and provenance, and never show an empty box."""

import re
import subprocess
from dataclasses import replace

import imageio_ffmpeg
import numpy as np
import pytest
from fontTools import subset
from fontTools.ttLib import TTFont
from PIL import Image, ImageColor, ImageSequence

from isogloss.errors import IsoglossError, Stopped
from isogloss.map.film.film import animate, ease, film_scene, timeline
from isogloss.map.film.frames import FramePainter
from isogloss.map.film.ink import LabelInk, TextStyle, make_sprites, sprite_half
from isogloss.map.film.labels import LabelBox, choose_candidates, plan_labels
from isogloss.map.film.panel import PANEL_WIDTH, written_around
from isogloss.map.lettering import fonts
from isogloss.map.lettering.fonts import find_font, printable, wrap
from isogloss.map.payload import Language, MapView, Score, ScrubberData
from isogloss.map.scene import THEMES
from isogloss.map.story import opening_pins
from isogloss.palette import SHAPES
from tests.browser.synthetic_map import synthetic_map

SMALL = (640, 360)
WORDS = ("light", "door", "garden", "kitchen", "灯", "门", "花园", "厨房")


def small_map(layers=3, **changes):
    random = np.random.default_rng(0)
    first, last = random.uniform(-1, 1, (2, 8, 2))
    way = np.linspace(0, 1, layers)[:, None, None]
    score = Score("translations that are nearest", np.linspace(0.2, 0.9, layers).tolist())
    return replace(
        ScrubberData(
            positions=((1 - way) * first + way * last).astype(np.float32),
            ranks=np.ones((layers, 8), np.uint16),
            texts=WORDS,
            sides=np.repeat([0, 1], 4),
            sentence_of=np.zeros(8, int),
            links=np.array([[i, i + 4] for i in range(4)]),
            sentences=[(" ".join(WORDS[:4]), "".join(WORDS[4:]))],
            stops=[str(layer) for layer in range(layers)],
            languages=(Language("en", "English"), Language("zh", "中文")),
            scores=[score],
            caption="Two languages meet",
            provenance={"model": "tiny", "text": "日常 · 8 words", "seed": "0"},
        ),
        **changes,
    )


def painter_of(data, size=SMALL, theme="light", view=None):
    return FramePainter(film_scene(data, view, theme), size)


def test_a_gif_opens_again_with_its_length_loop_and_comment(tmp_path):
    path = animate(film_scene(small_map()), tmp_path / "map.gif", size=SMALL, seconds_per_layer=0.5)
    moments = list(timeline(3, 0.5, 20))
    with Image.open(path) as film:
        assert film.size == SMALL
        assert film.n_frames == len(moments)
        assert film.info["loop"] == 0
        assert film.info["comment"].decode() == "model: tiny · text: 日常 · 8 words · seed: 0"
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert durations == [50 * moment.frames for moment in moments]
    assert [file.name for file in tmp_path.iterdir()] == ["map.gif"]


def test_an_mp4_opens_again_with_its_length_and_comment(tmp_path):
    path = animate(
        film_scene(small_map()),
        tmp_path / "map.mp4",
        size=SMALL,
        seconds_per_layer=0.4,
        frames_per_second=25,
    )
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    expected = sum(moment.frames for moment in timeline(3, 0.4, 25))
    assert frames == expected
    assert seconds == pytest.approx(expected / 25, abs=0.05)
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    told = subprocess.run([ffmpeg, "-i", path], capture_output=True, check=False).stderr.decode()
    assert re.search(r"comment\s*: model: tiny · text: 日常 · 8 words · seed: 0", told)
    assert re.search(r"title\s*: Two languages meet", told)
    assert "h264" in told
    assert "yuv420p" in told


def test_the_timeline_rests_at_every_stop_and_moves_on_without_jumps():
    moments = list(timeline(4, 1.0, 20))
    positions = [moment.position for moment in moments]
    assert positions == sorted(positions)
    assert [m.position for m in moments if m.frames > 1] == [0, 1, 2, 3]
    assert max(np.diff(positions)) < 0.13
    assert moments[-1].frames == 2 * moments[0].frames
    assert sum(moment.frames for moment in moments[:-1]) == 3 * 20
    assert (ease(0), ease(0.5), ease(1)) == (0, 0.5, 1)


def test_a_single_layer_is_a_still():
    assert [moment.position for moment in timeline(1, 1.0, 20)] == [0]
    painter_of(small_map(layers=1)).paint(0)


@pytest.mark.parametrize("theme", THEMES)
def test_points_are_drawn_where_they_are_in_their_colour(theme):
    shown = small_map(texts=["."] * 8, links=np.empty((0, 2), int))
    painter = painter_of(shown, theme=theme)
    for position, places in ((0, painter.places[0]), (0.5, painter.places[:2].mean(0))):
        picture = painter.paint(position)
        for side, (x, y) in zip(shown.sides, places, strict=True):
            colour = picture.getpixel((round(x), round(y)))
            wanted = ImageColor.getrgb(THEMES[theme].palette.sides[side])
            np.testing.assert_allclose(colour, wanted, atol=12)


def test_up_is_up():
    shown = small_map(layers=1)
    places = painter_of(shown).places[0]
    assert places[:, 1].argmin() == shown.positions[0, :, 1].argmax()
    assert places[:, 0].argmin() == shown.positions[0, :, 0].argmin()


def test_circle_and_diamond_differ_in_shape_and_move_within_a_pixel():
    circle, diamond = (make_sprites(side, "#010203", "#090909", 12.0) for side in (0, 1))
    masks = [np.asarray(sprite.getchannel("A")) > 127 for sprite in (circle[0], diamond[0])]
    corner = sprite_half(12.0) - 9  # within the circle, outside the diamond
    assert masks[0][corner, corner]
    assert not masks[1][corner, corner]
    assert len({sprite.tobytes() for sprite in circle}) == 16


def test_the_score_and_its_cursor_follow_the_position():
    painter = painter_of(small_map())
    panel = (0, 0, int(painter.panel.right), SMALL[1])
    first, second = (painter.paint(position).crop(panel).tobytes() for position in (0, 0.3))
    assert first != second


def test_between_two_stops_the_number_is_of_the_stop_that_is_named(monkeypatch):
    from PIL import ImageDraw

    shown = small_map()
    painter = painter_of(shown)
    written = []
    write = ImageDraw.ImageDraw.text

    def text(self, place, words, *more, **options):
        written.append(words)
        return write(self, place, words, *more, **options)

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", text)
    for position in (0.3, 0.45):
        painter.paint(position)
        assert f"{shown.scores[0].values[0]:.0%}" in written
        assert str(shown.stops[0]) in written
        written.clear()


# -- labels --------------------------------------------------------------------------------------


def overlap(first, second):
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )


def test_labels_never_lie_on_each_other_at_rest_or_while_staying():
    random = np.random.default_rng(1)
    places = random.uniform(0, 300, size=(4, 60, 2))
    boxes = {point: LabelBox(4, -8, 50, 8) for point in range(60)}
    plan = plan_labels(places, boxes, LabelBox(0, 0, 400, 300))
    assert min(map(len, plan.at_stop)) > 5
    for position in np.linspace(0, 3, 61):
        stop = min(int(position), 2)
        way = position - stop
        here = places[stop] + way * (places[stop + 1] - places[stop])
        showing = [p for p, opacity in plan.opacities(position).items() if opacity == 1]
        shown = [(x + 4, y - 8, x + 50, y + 8) for x, y in here[showing]]
        pairs = [(a, b) for i, a in enumerate(shown) for b in shown[:i]]
        assert not any(overlap(a, b) for a, b in pairs)
        assert all(left >= 0 and right <= 400 for left, _, right, _ in shown)


def test_labels_fade_in_and_out_between_stops():
    places = np.array([[[0.0, 0], [0, 50]], [[0, 0], [0, 5]]])
    plan = plan_labels(
        places, {0: LabelBox(0, 0, 9, 9), 1: LabelBox(0, 0, 9, 9)}, LabelBox(0, 0, 99, 99)
    )
    assert plan.at_stop == ((0, 1), (0,))
    assert plan.opacities(0) == {0: 1, 1: 1}
    assert 0 < plan.opacities(0.1)[1] < 1
    assert plan.opacities(0.5) == {0: 1}


def test_candidates_are_pins_then_both_ends_of_links_once_each():
    texts = ["the", "The", "house", ",", "房子", "a-very-long-compound", "x"]
    links = np.array([[2, 4], [0, 3]])
    chosen = choose_candidates(texts, np.array([0, 0, 0, 0, 1, 0, 0]), links, pinned=(6,))
    assert chosen[0] == 6
    assert set(chosen[1:3]) == {2, 4}
    assert sorted(chosen) == [0, 2, 4, 6]


# -- fonts ---------------------------------------------------------------------------------------


def test_the_font_found_has_chinese_glyphs():
    font = find_font(["你好，世界"], ["hello"])
    assert font.missing("中\U0010fffd国") == "\U0010fffd"
    glyphs = {bytes(font.at(20).getmask(character)) for character in "你好世界"}
    assert len(glyphs) == 4


def test_without_a_chinese_font_the_error_says_what_to_install(
    monkeypatch, tmp_path, tmp_path_factory
):
    latin = tmp_path_factory.mktemp("fonts") / "latin.ttf"
    whole = find_font(["灯"])
    latin_only = subset.Subsetter()
    latin_only.populate(unicodes=range(32, 127))
    with TTFont(whole.path, fontNumber=whole.index) as font:
        latin_only.subset(font)
        font.save(latin)
    monkeypatch.setattr(fonts, "PACKAGED_FONT", ("isogloss", "no-such-font.ttf"))
    monkeypatch.setattr(fonts, "USUAL_PLACES", (str(latin),))
    monkeypatch.setattr(fonts.shutil, "which", lambda command: None)
    assert find_font(["hello"]).path == latin
    shown = small_map(
        languages=(Language("en", "English"), Language("zh", "Chinese")), provenance={}
    )
    with pytest.raises(IsoglossError, match=r"can draw “(门|厨房)”; .* fonts-noto-cjk"):
        animate(film_scene(shown), tmp_path / "map.gif", size=SMALL)
    assert not list(tmp_path.iterdir())


def test_a_caption_the_font_cannot_draw_is_an_error():
    with pytest.raises(IsoglossError, match="cannot draw “ꔛ” in “Vai ꔛ”"):
        painter_of(small_map(caption="Vai ꔛ"))


def test_a_word_the_font_cannot_draw_goes_unlabelled():
    painter = painter_of(small_map(texts=[*WORDS[:-1], "ꔛꔜ"]))
    labelled = {point for stop in painter.plan.at_stop for point in stop}
    assert 7 not in labelled
    assert labelled


def test_marks_that_turn_or_break_text_are_left_out():
    assert printable("a\u202eb\x00c\n d\u200b") == "abc d"


def test_wrapping_keeps_within_the_width_and_cuts_nothing():
    font = find_font(["文"]).at(20)
    text = "How two languages come to share one space 两种语言如何共享一个空间 " + 90 * "x"
    lines = wrap(text, font, 200)
    assert all(font.getlength(line) <= 200 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert wrap("short", font, 200) == ["short"]
    assert wrap("", font, 200) == []


# -- as one looks at it --------------------------------------------------------------------------

DATA = synthetic_map(120)
PINS = opening_pins(DATA)[:2]


def with_translations(pin):
    return [
        pin,
        *(other for link in DATA.links.tolist() if pin in link for other in link if other != pin),
    ]


def hostile_scene(view):
    """A model and a language with names that no layout was made for."""
    model = "organisation/" + "Very-Long-" * 12 + "v2-instruct"
    language = "Chinese as it is written in the " + "People's " * 9 + "Republic"
    named = replace(
        DATA,
        caption=f"{model} reading English and {language}: t-SNE of 120 words",
        languages=(DATA.languages[0], Language("zh", language)),
        provenance={"model": model, "made with": "Isogloss", "mind": "few pairs. " * 30},
    )
    return film_scene(named, view)


def lines_around(scene, monkeypatch, size=SMALL):
    """Each line around the map: its text, its place and its style."""
    written = []

    def note(self, image, place, text, anchor="ls"):
        left = place[0] - (self.length(text) if anchor == "rs" else 0)
        written.append((text, left, place[1], self))

    monkeypatch.setattr(TextStyle, "write", note)
    FramePainter(scene, size).paint(0)
    return written


@pytest.mark.parametrize("coloring", ["language", "topic", "alignment"])
def test_nothing_around_the_map_is_cut_or_leaves_its_place(monkeypatch, coloring):
    scene = hostile_scene(MapView(pins=PINS, color_by=coloring))
    written = lines_around(scene, monkeypatch, (1280, 720))
    said = "".join(text for text, *_ in written).replace(" ", "").replace("·", "")
    wanted = [scene.data.caption, scene.provenance_line, scene.score.name, scene.score.badge]
    for text in [*wanted, *(entry.name for entry in scene.legend)]:
        assert printable(text).replace(" ", "").replace("·", "") in said
    for text, left, base, style in written:
        right = 1280 if left > PANEL_WIDTH else PANEL_WIDTH
        assert left + style.length(text) <= right, text
        assert style.size <= base <= 720, text
    inside = sorted((base, style.size) for _, left, base, style in written if left < PANEL_WIDTH)
    assert inside[0][0] > 0


def test_pinned_pairs_are_named_with_their_ranks_and_whose_links_these_are(monkeypatch):
    inks = []
    paint = LabelInk.paint

    def note(self, image, place, *more):
        inks.append((self.text, *place))
        return paint(self, image, place, *more)

    monkeypatch.setattr(LabelInk, "paint", note)
    data = replace(DATA, ranks_rest_on="links by hand")
    scene = film_scene(data, MapView(pins=PINS))
    said = [text for text, *_ in lines_around(scene, monkeypatch)]
    assert "Ranks: links by hand" in said
    beside = [text for text, x, _ in inks if x < PANEL_WIDTH / 2]
    assert beside == [DATA.texts[p] for pin in PINS for p in with_translations(pin)]
    for pin in PINS:
        rank = int(DATA.ranks[0, pin])
        assert ("nearest" if rank == 1 else f"rank {rank}") in said


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("coloring", ["language", "sentence", "topic", "alignment"])
def test_points_have_the_colours_that_the_map_has(theme, coloring):
    view = MapView(color_by=coloring, links=False, labels=False, pins=PINS)
    painter = painter_of(DATA, (1280, 720), theme, view)
    picture = painter.paint(0)
    expected = painter.scene.point_colors(0)
    shown = [picture.getpixel(tuple(np.round(place).astype(int))) for place in painter.places[0]]
    wanted = [ImageColor.getrgb(colour) for colour in expected]
    near = np.abs(np.array(shown) - np.array(wanted)).max(axis=1) < 24
    assert near.mean() > 0.75, "but for points that lie on each other"
    for pin in PINS:
        assert near[pin], "a pinned point is on top"


def test_a_pinned_word_and_its_translation_have_their_words_where_others_have_none():
    painter = painter_of(DATA, (1280, 720), view=MapView(pins=PINS, labels=False))
    labelled = {point for stop in painter.plan.at_stop for point in stop}
    assert labelled == {p for pin in PINS for p in with_translations(pin)}
    for stop in painter.plan.at_stop:
        assert set(PINS) <= set(stop)


def test_of_more_languages_than_shapes_the_first_shapes_come_again():
    names = tuple(Language(f"l{k}", f"Language {k}") for k in range(len(SHAPES) + 2))
    points = len(names)
    many = small_map(
        positions=np.random.default_rng(0).normal(size=(3, points, 2)).astype(np.float32),
        ranks=np.zeros((3, points), np.uint16),
        texts=["word"] * points,
        sides=np.arange(points),
        sentence_of=np.zeros(points, int),
        links=np.empty((0, 2), int),
        sentences=[("word",) * points],
        languages=names,
    )
    painter = painter_of(many)
    painter.paint(0.5)
    assert painter.shapes[-2:] == [0, 1]
    assert [entry.shape for entry in painter.scene.legend] == painter.shapes


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "avi"}, "film format 'avi'"),
        ({"size": (641, 360)}, "even numbers"),
        ({"size": (64, 36)}, "cannot be made"),
        ({"seconds_per_layer": 0}, "seconds"),
        ({"frames_per_second": 500}, "frames a second"),
    ],
)
def test_bad_settings_are_one_sentence(tmp_path, settings, message):
    with pytest.raises(IsoglossError, match=message):
        animate(film_scene(small_map()), tmp_path / "map.gif", **{"size": SMALL, **settings})


def test_a_theme_that_does_not_exist_is_one_sentence():
    with pytest.raises(IsoglossError, match="theme 'sepia'"):
        film_scene(small_map(), theme="sepia")


def test_a_stop_leaves_no_file_behind(tmp_path):
    heard = []
    with pytest.raises(Stopped):
        animate(
            film_scene(small_map()),
            tmp_path / "map.mp4",
            size=SMALL,
            progress=lambda share, message: heard.append(share),
            should_stop=lambda: len(heard) == 3,
        )
    assert not list(tmp_path.iterdir())
    assert heard == sorted(heard)


def test_a_picture_that_is_not_to_be_trusted_says_so_in_the_film():
    note = "This picture keeps 12% of the neighbourhoods"
    noted = small_map(notes=["", note, ""])
    assert note in written_around(film_scene(noted))
    plain, said = map(painter_of, (small_map(), noted))
    differs = [
        not np.array_equal(np.asarray(plain.paint(stop)), np.asarray(said.paint(stop)))
        for stop in range(3)
    ]
    assert differs == [False, True, False]
