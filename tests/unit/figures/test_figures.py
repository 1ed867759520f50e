"""Figures: what they show, in colours that do not lie, and text that stays text."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.figures.color_scales import contrast, even_scale, from_oklab, luminance, to_oklab
from isogloss.figures.curves import (
    Curve,
    Reference,
    correlation_figure,
    layer_curves_figure,
)
from isogloss.figures.heatmaps import (
    INKS,
    difference_heatmap_figure,
    similarity_heatmap_figure,
)
from isogloss.figures.published_table import TableEntry, layer_table_figure, place_columns
from isogloss.figures.template import percent_ticks, plain, template, theme
from isogloss.figures.word_alignments import (
    alignment_matrix_figure,
    alignment_ribbon_figure,
    judge_links,
)
from isogloss.measures.labels import Labels
from isogloss.measures.similarity.comparison import compare_layers
from isogloss.models.states import LayerStates
from isogloss.studies.similarity import subtract
from isogloss.studies.word_alignment import SentenceAlignment
from isogloss.text.parallel import GoldAlignment

MODES = ("light", "dark")
HOSTILE = "<a href='javascript:alert(1)'>x</a> & <b>"
LABELS = Labels(("en", "zh"), ("English", HOSTILE), LayerStates(2), LayerStates(3))


def similarity(seed=0, layers=(3, 4)):
    generator = np.random.default_rng(seed)
    base = generator.normal(size=(40, 6))
    first, second = (
        [base + level * generator.normal(size=base.shape) for level in range(count)]
        for count in layers
    )
    return compare_layers(first, second)


@pytest.mark.parametrize(
    ("top", "most", "written"),
    [
        (1, 4, ["0 %", "50 %", "100 %"]),
        (1, 6, ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]),
        (0.45, 7, ["0 %", "10 %", "20 %", "30 %", "40 %"]),
        (0.01, 7, ["0.0 %", "0.2 %", "0.4 %", "0.6 %", "0.8 %", "1.0 %"]),
    ],
)
def test_ticks_in_per_cent_are_round_and_few(top, most, written):
    ticks = percent_ticks(top, most)
    assert [text.replace("\u00a0", " ") for text in ticks["ticktext"]] == written
    assert len(ticks["tickvals"]) == len(written) <= most + 1


def test_oklab_agrees_with_published_values():
    # Ottosson's own table: white, and pure red.
    np.testing.assert_allclose(to_oklab("#ffffff"), [1, 0, 0], atol=1e-4)
    np.testing.assert_allclose(to_oklab("#ff0000"), [0.62796, 0.22486, 0.12585], atol=1e-4)


@pytest.mark.parametrize("color", ["#000000", "#ffffff", "#0072b2", "#d0540a", "#123456"])
def test_oklab_and_back_is_the_same_color(color):
    assert from_oklab(to_oklab(color)) == color


@pytest.mark.parametrize("mode", MODES)
def test_sequential_scale_is_even_and_only_grows_in_lightness(mode):
    labs = np.array([to_oklab(color) for _, color in theme(mode).sequential])
    steps = np.linalg.norm(np.diff(labs, axis=0), axis=1)
    # Corners of the path shorten a step; rounding to 8 bits adds noise.
    assert steps.min() > 0.8 * np.median(steps)
    assert steps.max() < 1.2 * np.median(steps)
    assert (np.diff(labs[:, 0]) * (-1 if mode == "light" else 1) > 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_low_values_recede_into_the_page(mode):
    look = theme(mode)
    low, high = look.sequential[0][1], look.sequential[-1][1]
    assert contrast(low, look.background) < 1.5
    assert contrast(high, look.background) > 7


@pytest.mark.parametrize("mode", MODES)
def test_diverging_scale_is_neutral_in_the_middle_and_balanced(mode):
    scale = theme(mode).diverging
    labs = np.array([to_oklab(color) for _, color in scale])
    middle = len(scale) // 2
    assert scale[middle][0] == pytest.approx(0.5)
    assert np.linalg.norm(labs[middle, 1:]) < 0.025
    ends = np.linalg.norm(labs[[0, -1]] - labs[middle], axis=1)
    assert ends.max() / ends.min() < 1.25


@pytest.mark.parametrize("mode", MODES)
def test_every_ink_can_be_read_on_every_color(mode):
    look = theme(mode)
    for _, color in look.sequential + look.diverging:
        assert max(contrast(ink, color) for ink in INKS) >= 4.4


def test_luminance_and_contrast_are_those_of_the_guidelines():
    assert luminance("#ffffff") == pytest.approx(1)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_scale_of_two_anchors_keeps_its_ends():
    scale = even_scale(("#000000", "#ffffff"), steps=5)
    assert (scale[0], scale[-1]) == ((0.0, "#000000"), (1.0, "#ffffff"))


@pytest.mark.parametrize("mode", MODES)
def test_template_takes_colors_and_fonts_from_the_configuration(mode):
    layout = template(mode).layout
    configuration = (Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text()
    assert layout.font.color in configuration
    assert layout.font.family in configuration
    assert "CJK" in layout.font.family
    assert tuple(layout.colorway) == theme(mode).languages


def heatmaps(figure):
    return [trace for trace in figure.data if trace.type == "heatmap"]


def targets(figure):
    return next(trace for trace in figure.data if trace.type == "scatter")


@pytest.mark.parametrize("mode", MODES)
def test_similarity_heatmap_shows_all_values_on_a_fixed_scale(mode):
    result = similarity()
    figure = similarity_heatmap_figure(result, LABELS, (1, 2), mode)
    cells = heatmaps(figure)[0]
    np.testing.assert_array_equal(cells.z, result.values)
    assert (cells.zmin, cells.zmax) == (0, 1)
    written = [
        [a + b for a, b in zip(*rows, strict=True)]
        for rows in zip(heatmaps(figure)[1].text, heatmaps(figure)[2].text, strict=True)
    ]
    assert written[1][2] == f"{result.values[1, 2]:.2f}".replace("0.", ".", 1)
    assert all(text for row in written for text in row)


def test_fitted_colors_span_the_values():
    result = similarity()
    cells = heatmaps(similarity_heatmap_figure(result, LABELS, (0, 0), fit=True))[0]
    assert (cells.zmin, cells.zmax) == (result.values.min(), result.values.max())


def test_a_click_target_lies_on_every_cell_and_tells_its_interval():
    result = similarity()
    points = targets(similarity_heatmap_figure(result, LABELS, (0, 0)))
    at = list(zip(points.y, points.x, strict=True))
    assert sorted(at) == [(i, j) for i in range(3) for j in range(4)]
    hover = points.hovertext[at.index((2, 1))]
    assert f"{result.values[2, 1]:.3f}" in hover
    assert f"{result.low[2, 1]:.3f} to {result.high[2, 1]:.3f}" in hover
    assert f"shuffled pairs: {result.baseline[2, 1]:.3f}" in hover
    assert points.marker.opacity == 0


def test_the_cell_is_framed_and_its_layers_are_marked():
    figure = similarity_heatmap_figure(similarity(), LABELS, (1, 3))
    frame = next(shape for shape in figure.layout.shapes if shape.name == "cell")
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (2.5, 3.5, 0.5, 1.5)
    assert figure.layout.yaxis.ticktext[1] == "<b>▸ 1</b>"
    assert figure.layout.xaxis.ticktext[3] == "<b>▸ 3</b>"


def test_undefined_cells_stay_empty_and_say_why():
    constant = [np.ones((20, 3)), np.random.default_rng(0).normal(size=(20, 3))]
    result = compare_layers(constant, constant)
    figure = similarity_heatmap_figure(result, LABELS, (0, 0))
    assert np.isnan(heatmaps(figure)[0].z[0][0])
    assert "Undefined" in targets(figure).hovertext[0]


def test_difference_is_diverging_around_zero():
    difference = subtract(similarity(0), similarity(1))
    cells = heatmaps(difference_heatmap_figure(difference, LABELS, (0, 0)))[0]
    np.testing.assert_allclose(cells.z, difference.values)
    assert (cells.zmin, cells.zmax) == (-1, 1)
    fitted = heatmaps(difference_heatmap_figure(difference, LABELS, (0, 0), fit=True))[0]
    assert fitted.zmax == -fitted.zmin == np.abs(difference.values).max()


def test_text_of_users_is_never_markup():
    assert plain(HOSTILE) == "&lt;a href='javascript:alert(1)'&gt;x&lt;/a&gt; &amp; &lt;b&gt;"
    alignment = replace(aligned(), source=(HOSTILE, "b", "c"))
    figures = [
        similarity_heatmap_figure(similarity(), LABELS, (0, 0)),
        alignment_matrix_figure(alignment, (HOSTILE, HOSTILE)),
        alignment_ribbon_figure(alignment, (HOSTILE, HOSTILE)),
        layer_curves_figure([Curve(HOSTILE, np.zeros(3), "#000000")], 0, HOSTILE),
        layer_table_figure([entry("en–zh", HOSTILE, ours=True)], HOSTILE, None),
    ]
    for figure in figures:
        assert "<a href" not in figure.to_json().replace("\\u003c", "<")


def test_curves_have_bands_references_and_the_cursor():
    values = np.array([0.1, 0.5, 0.4])
    curve = Curve("English", values, "#0072b2", values - 0.1, values + 0.1)
    figure = layer_curves_figure([curve], 1, "Found first", [Reference("chance", 0.01)])
    band, line = figure.data
    assert band.fill == "toself"
    np.testing.assert_allclose(sorted(band.y), sorted([*(values - 0.1), *(values + 0.1)]))
    np.testing.assert_array_equal(line.y, values)
    assert "0.400 to 0.600" in line.hovertext[1]
    shapes = {shape.name: shape for shape in figure.layout.shapes}
    assert shapes["cursor"].x0 == 1
    assert shapes["reference"].y0 == 0.01
    assert [a.text for a in figure.layout.annotations] == ["chance 0.01"]
    assert figure.layout.yaxis.range[0] < 0 < 1 < figure.layout.yaxis.range[1]


def test_tiny_values_have_an_axis_on_which_they_can_be_read():
    values = np.array([0.031, 0.042, 0.05])
    figure = layer_curves_figure([Curve("English", values, "#0072b2")], 0, "IsoScore", top=0.05)
    low, high = figure.layout.yaxis.range
    assert low <= 0, "nothing is cut off below"
    assert high == pytest.approx(0.05, rel=0.15)
    assert figure.layout.yaxis.dtick is None
    usual = layer_curves_figure([Curve("English", values, "#0072b2")], 0, "Found", top=0.9)
    assert usual.layout.yaxis.range[1] > 1


def test_correlation_has_one_numbered_point_a_layer():
    x, y = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.4, 0.9])
    figure = correlation_figure(x, y, 2, ("CKA", "Found first"))
    points = figure.data[-1]
    np.testing.assert_array_equal(points.x, x)
    np.testing.assert_array_equal(points.y, y)
    assert list(points.text) == ["0", "1", "2"]
    assert points.marker.size[2] > points.marker.size[0]


def entry(languages, label, ours, layers=3, text="text"):
    values = np.linspace(0.2, 0.6, layers)
    return TableEntry(languages, text, label, values, 0.4, ("",) * layers, ours)


def test_table_keeps_ours_apart_from_published_and_texts_from_each_other():
    entries = [
        entry("en–fr", "bilingual", ours=False),
        entry("en–fr", "random", ours=False),
        entry("en–zh", "bilingual", ours=False),
        entry("en–zh", "this model", ours=True),
        entry("en–zh", "this model", ours=True, text="another"),
    ]
    gaps = np.diff(place_columns(entries))
    assert gaps[0] == pytest.approx(1)
    assert 1 < gaps[1] < gaps[2]
    assert gaps[3] == pytest.approx(gaps[1])
    figure = layer_table_figure(entries, "Conneau et al. 2020", (1, 3))
    texts = [annotation.text for annotation in figure.layout.annotations]
    assert texts.count("en–zh") == 1
    assert {"en–zh<br>text", "en–zh<br>another"} <= set(texts)
    assert "<b>Measured here</b>" in texts
    assert "<b>Conneau et al. 2020</b>" in texts


def aligned():
    return SentenceAlignment(
        source=("I", "drink", "tea"),
        target=("我", "喝", "茶"),
        similarities=np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.2], [0.1, 0.4, 0.7]]),
        links=frozenset({(0, 0), (1, 1), (2, 1), (0, 2)}),
        gold=GoldAlignment(frozenset({(0, 0), (2, 2)}), frozenset({(0, 0), (2, 2), (1, 1)})),
        layer=2,
        method="itermax",
    )


def test_links_are_judged_against_those_made_by_hand():
    assert judge_links(aligned()) == {
        (0, 0): "found",
        (1, 1): "possible",
        (2, 1): "wrong",
        (0, 2): "wrong",
        (2, 2): "missed",
    }
    assert set(judge_links(replace(aligned(), gold=None)).values()) == {"computed"}


def test_matrix_reads_from_the_top_and_marks_links_and_gold():
    figure = alignment_matrix_figure(aligned(), ("English", "Chinese"))
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert list(figure.layout.xaxis.ticktext) == ["我", "喝", "茶"]
    dots = figure.data[-1]
    assert set(zip(dots.y, dots.x, strict=True)) == aligned().links
    assert [trace.name for trace in figure.data[1:3]] == ["sure by hand", "possible by hand"]


def test_ribbons_run_from_word_to_word():
    figure = alignment_ribbon_figure(aligned(), ("English", "Chinese"))
    words = [trace for trace in figure.data if trace.mode == "text"]
    found = next(trace for trace in figure.data if trace.name.startswith("found, sure"))
    assert found.x[0] == pytest.approx(words[0].x[0])
    assert found.x[-2] == pytest.approx(words[1].x[0])
    assert (found.y[0], found.y[-2], found.y[-1]) == (1, 0, None)
    for line in words:
        assert (np.diff(line.x) > 0).all()
