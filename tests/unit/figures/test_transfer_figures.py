"""The figures of the transfer page: gaps stay gaps, names stay apart, text stays text."""

import numpy as np
import pytest

from isogloss.figures.experiments.frozen_axis import frozen_place, nearest_frozen, signed
from isogloss.figures.experiments.language_points import (
    LanguagePoints,
    OthersPoints,
    language_points_figure,
)
from isogloss.figures.experiments.published_marks import PublishedCurve, TransferReference
from isogloss.figures.experiments.transfer_companions import (
    AlignmentPoints,
    alignment_figure,
    difference_figure,
)
from isogloss.figures.experiments.transfer_curves import (
    TransferLine,
    language_colors,
    transfer_figure,
)
from isogloss.figures.labels import SIDES, _box, _overlap, place_names, spread_labels
from isogloss.figures.template import plain

MODES = ("light", "dark")
HOSTILE = "<a href='javascript:alert(1)'>x</a> & <b>"


def make_line(name="Chinese", *, gap=False, dash="solid"):
    frozen = (-1, 0, 1, 2, 3)
    seeds = np.array([[0.4, 0.44], [0.42, 0.46], [0.5, 0.52], [0.6, 0.58], [0.5, 0.5]])
    if gap:
        seeds[2] = np.nan
    return TransferLine(
        name=name,
        color="#0072b2",
        n_layers=3,
        frozen=frozen,
        mean=seeds.mean(1),
        low=seeds.min(1),
        high=seeds.max(1),
        seeds=seeds,
        notes=[plain(f"{name} {n}") for n in frozen],
        dash=dash,
    )


@pytest.mark.parametrize("mode", MODES)
def test_everything_drawn_lies_within_the_axes(mode):
    references = [TransferReference("chance", 1 / 3), TransferReference("best", 0.9, "#0072b2")]
    figure = transfer_figure([make_line()], 3, 2, references, np.linspace(0, 1, 4), mode)
    low, high = figure.layout.yaxis.range
    assert low < 100 / 3
    assert high > 90
    cursor = next(shape for shape in figure.layout.shapes if shape.name == "cursor")
    assert cursor.x0 == cursor.x1 == 2
    assert (cursor.y0, cursor.y1, cursor.yref) == (0, 1, "paper"), "through curves and strip"
    first, last = figure.layout.xaxis.range
    assert first < -1
    assert last > 3
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]


def test_what_is_not_finished_is_a_gap_in_the_band_and_no_point():
    figure = transfer_figure([make_line(gap=True)], 3, None)
    band, _, line = figure.data
    assert list(band.x) == [-1, 0, 2, 3, 3, 2, 0, -1]
    assert np.isfinite(np.array(band.y, float)).all()
    assert np.isnan(line.y[2])
    assert not any(shape.name == "cursor" for shape in figure.layout.shapes)


def test_a_second_run_is_dashed_and_hides_its_seeds():
    figure = transfer_figure([make_line(), make_line("other", dash="dash")], 3, 0)
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert [trace.line.dash for trace in lines] == ["solid", "dash"]
    assert sum(trace.mode == "markers" for trace in figure.data) == 1


def test_published_curves_are_thin_marked_and_within_the_axes():
    curve = PublishedCurve("mBERT, zh", "#0072b2", 12, (-1, 0, 6, 12), (0.2, 0.6, 0.95, 0.9))
    figure = transfer_figure([make_line()], 3, None, curves=[curve], axis="share")
    drawn = next(trace for trace in figure.data if trace.name == "mBERT, zh")
    assert drawn.marker.symbol == "diamond-open"
    assert drawn.line.width < figure.data[-1].line.width
    assert list(drawn.x)[1:] == [0, 0.5, 1]
    low, high = figure.layout.yaxis.range
    assert low < 20 < 95 < high
    assert [note.text for note in figure.layout.annotations] == ["mBERT, zh"]


def test_the_axis_has_room_for_every_name():
    references = [TransferReference(f"system {i}", 0.9, "#0072b2") for i in range(14)]
    figure = transfer_figure([make_line()], 3, None, references)
    low, high = figure.layout.yaxis.range
    assert all(low < note.y < high for note in figure.layout.annotations)


def test_on_the_axis_of_shares_models_of_any_depth_stand_at_the_same_places():
    assert frozen_place(3, 6, "share") == frozen_place(9, 18, "share") == 0.5
    assert frozen_place(3, 6) == 3
    assert frozen_place(-1, 6, "share") == frozen_place(-1, 18, "share") < 0
    figure = transfer_figure([make_line()], 3, 1, alignment=np.linspace(0, 1, 4), axis="share")
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    for trace, first in zip(lines, (-1, 0), strict=True):
        expected = [frozen_place(n, 3, "share") for n in range(first, 4)]
        np.testing.assert_allclose(trace.x, expected)
    cursor = next(shape for shape in figure.layout.shapes if shape.name == "cursor")
    assert cursor.x0 == pytest.approx(1 / 3)
    start, end = figure.layout.xaxis.range
    assert start < frozen_place(-1, 3, "share")
    assert end > 1


@pytest.mark.parametrize("axis", ["n", "share"])
def test_a_place_on_the_axis_leads_back_to_its_n(axis):
    for n_layers in (3, 12, 18):
        for n in range(-1, n_layers + 1):
            assert nearest_frozen(frozen_place(n, n_layers, axis), n_layers, axis) == n


def test_many_layers_have_numbers_at_the_ticks_and_words_in_the_title():
    few = transfer_figure([make_line()], 3, None).layout.xaxis
    many = transfer_figure([make_line()], 18, None).layout.xaxis
    assert few.ticktext[0].startswith("−1<br>")
    assert many.ticktext[0] == "−1"
    assert "18 leaves only the head" in many.title.text


def test_names_stay_text():
    line = make_line(HOSTILE)
    references = [TransferReference(HOSTILE, 0.5, "#0072b2")]
    figure = transfer_figure([line], 3, None, references)
    points = AlignmentPoints(HOSTILE, "#0072b2", [0, 1], np.array([0.1, 0.2]), np.array([0.3, 0.4]))
    others = [
        alignment_figure([points], 1, HOSTILE),
        difference_figure([0, 1], [(HOSTILE, "#0072b2", np.array([0.1, -0.1]))], 3),
    ]
    for each in (figure, *others):
        assert "<a href" not in each.to_json().replace("\\u003c", "<")


def test_the_badge_in_an_axis_title_has_a_line_of_its_own():
    points = AlignmentPoints("English", "#0072b2", [0], np.array([0.1]), np.array([0.3]))
    drawn = alignment_figure([points], 0, "Words nearest to their translation (links by hand)")
    title = drawn.layout.xaxis.title.text
    assert title == "Words nearest to their translation<br>(links by hand), layer N"


def test_differences_are_in_points_with_their_sign():
    figure = difference_figure([-1, 2], [("Chinese", "#0072b2", np.array([0.05, -0.1]))], 3)
    np.testing.assert_allclose(figure.data[0].y, [5, -10])
    assert "N = −1: <b>+5.0</b>" in figure.data[0].hovertext[0]
    assert "<b>−10.0</b>" in figure.data[0].hovertext[1]


def test_labels_move_apart_no_further_than_they_must():
    assert spread_labels([1.0, 5.0, 9.0], 2.0) == [1.0, 5.0, 9.0]
    assert spread_labels([5.0, 5.0], 2.0) == [4.0, 6.0]
    values = [71.4, 71.9, 63.8, 76.5, 76.6, 81.4, 81.9, 74.7]
    places = spread_labels(values, 3.0)
    order = np.argsort(values, kind="stable")
    assert (np.diff(np.array(places)[order]) >= 3.0 - 1e-9).all()
    assert spread_labels([], 1.0) == []


@pytest.mark.parametrize("mode", MODES)
def test_nine_languages_have_nine_colours(mode):
    assert len(set(language_colors(9, mode))) == 9
    assert len(language_colors(15, mode)) == 15


def test_numbers_have_a_true_minus():
    assert (signed(-1), signed(3), signed(-0.25, 1), signed(2.0, 1)) == ("−1", "3", "−0.2", "+2.0")


def test_many_lines_are_named_at_their_ends_and_no_name_covers_another():
    lines = [make_line(f"language {i}") for i in range(15)]
    figure = transfer_figure(lines, 3, None, named_at_end=True)
    low, high = figure.layout.yaxis.range
    names = {note.text: note.y for note in figure.layout.annotations}
    assert set(names) == {line.name for line in lines}
    assert all(low <= y <= high for y in names.values())
    assert np.diff(sorted(names.values())).min() > 0.03 * (high - low)
    assert figure.layout.showlegend is False
    assert high < 110, "in per cent"
    bare = transfer_figure(lines, 3, None, named_at_end=True, bands=False)
    assert len(bare.data) < len(figure.data)
    assert not [trace for trace in bare.data if trace.fill == "toself"]


def test_names_around_points_cover_nothing_where_there_is_room():
    points = [(100.0, 100.0), (112.0, 104.0), (108.0, 96.0), (400.0, 300.0), (555.0, 20.0)]
    names = ["Bulgarian", "German", "Vietnamese", "Thai", "Swahili"]
    sides = place_names(names, points, (560, 340))
    boxes = [_box(*each) for each in zip(names, points, sides, strict=True)]
    for i, one in enumerate(boxes):
        assert one[0] >= 0
        assert one[2] <= 560
        assert not any(_overlap(one, other) for other in boxes[:i])
    assert sides[3] == SIDES[0], "where nothing is near, the most readable"


@pytest.mark.parametrize("mode", MODES)
def test_points_of_languages_carry_names_as_text_and_lie_within_the_axes(mode):
    values = np.linspace(0.2, 0.8, 3)
    points = LanguagePoints(
        (HOSTILE, "French", "Thai"), ("xx", "fr", "th"), values, values, values - 0.1, values + 0.1
    )
    others = [OthersPoints("mBERT", {"fr": 0.95, "sw": 0.1})]
    figure = language_points_figure(points, "close", ("English", 0.9), others, mode)
    published, measured = figure.data
    assert list(published.y) == [95]
    assert list(published.x) == [values[1]]
    assert measured.text[0] == plain(HOSTILE)
    low, high = figure.layout.yaxis.range
    assert low < 10
    assert high > 95
    assert "(10.0 to 30.0)" in measured.hovertext[0]
