"""A score over layers and training: its numbers, its sentences, its two charts and its map."""

import json
from dataclasses import replace

import numpy as np
import pytest

from components.emergence.recorded.data import moment_name, scrubber_data
from isogloss.errors import IsoglossError
from isogloss.figures.template import theme
from isogloss.figures.training_surface import (
    describe_cell,
    training_heatmap_figure,
    training_surface_figure,
)
from isogloss.formatting import human_count
from isogloss.measures.uncertainty import wilson_interval
from isogloss.studies.training_surface import (
    SURFACE_SCORES,
    TrainingSurface,
    read_trajectory,
    training_surface,
)

MODES = ("light", "dark")


@pytest.fixture(scope="module")
def trajectory():
    return read_trajectory()


def surface(values, cases=10_000):
    values = np.array(values, float)
    tokens = (0, 31_000, 451_000, 2_100_000)[: len(values)]
    return TrainingSurface("sentences", tokens, values, cases)


MOVING = surface([[0.8, 0.5, 0.6], [0.8, 0.6, 0.6], [0.7, 0.75, 0.6], [0.6, 0.9, 0.6]])


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1 k"),
        (30_653, "31 k"),
        (999_499, "999 k"),
        (999_500, "1.0 M"),
        (2_100_695, "2.1 M"),
    ],
)
def test_counts_as_people_say_them(count, said):
    assert human_count(count) == said


def test_the_surface_is_what_the_trajectory_keeps(trajectory):
    sentences, words = (training_surface(trajectory, name) for name in ("sentences", "words"))
    np.testing.assert_allclose(sentences.values, trajectory.retrieval)
    np.testing.assert_allclose(words.values, trajectory.nearest_share)
    assert sentences.tokens == words.tokens == trajectory.tokens
    # A share of so many cases is a whole number of them; retrieval averages two directions.
    for found, parts in ((sentences, 2), (words, 1)):
        counted = found.values * found.cases * parts
        np.testing.assert_allclose(counted, np.round(counted), atol=1e-2)


def test_an_unknown_score_names_the_known_ones(trajectory):
    with pytest.raises(IsoglossError, match=", ".join(SURFACE_SCORES)):
        training_surface(trajectory, "mood")


def test_margins_are_those_of_a_binomial_share():
    """Wilson's interval, its longer side: a hundred of a hundred leave doubt, too."""
    found = surface([[0.5, 0, 1]], cases=100)
    ends = [wilson_interval(count, 100) for count in (50, 0, 100)]
    np.testing.assert_allclose(found.ends, np.array(ends).T[:, None])
    np.testing.assert_allclose(found.margins, [[ends[0][1] - 0.5, ends[1][1], 1 - ends[2][0]]])
    assert found.margins.min() > 0.03


def test_the_sentences_tell_where_the_best_went_and_who_moved():
    assert MOVING.describe() == (
        "Before training, sentences find their translation most often at layer 0 (0.80); after "
        "2.1 M tokens, at layer 1 (0.90), the best at every kept moment since 451 k tokens. "
        "Layer 1 rose the most, from 0.50 to 0.90; layer 0 fell the most, from 0.80 to 0.60."
    )


def test_a_lead_of_the_last_moment_alone_is_not_called_one():
    late = surface([[0.8, 0.5], [0.8, 0.6], [0.8, 0.7], [0.6, 0.9]])
    assert "at layer 1 (0.90). Layer 1 rose" in late.describe()


def test_the_sentences_do_not_invent_movement():
    still = surface([[0.8, 0.5], [0.8, 0.5]])
    assert still.describe() == (
        "Before training and after 31 k tokens alike, sentences find their translation most often "
        "at layer 0 (0.80, then 0.80). No layer rose; no layer fell."
    )
    # Two in a hundred is within the uncertainty of a hundred cases, and outside that of a million.
    small = [[0.80, 0.50], [0.82, 0.48]]
    said = surface(small, cases=100).describe()
    assert "No layer rose by more than the uncertainty; no layer fell by more than" in said
    assert "Layer 0 rose the most, from 0.80 to 0.82" in surface(small, 1_000_000).describe()


def test_a_best_layer_that_may_be_chance_is_said_so():
    close = [[0.80, 0.79], [0.79, 0.81]]
    unsure = " by more than the uncertainty."
    assert f"Neither is ahead of the next layer{unsure}" in surface(close, cases=1_000).describe()
    assert "ahead" not in surface(close, cases=1_000_000).describe()
    late = surface([[0.9, 0.5], [0.80, 0.79]], cases=1_000)
    assert f"In the end it is not ahead of the next layer{unsure}" in late.describe()
    early = surface([[0.80, 0.79], [0.9, 0.5]], cases=1_000)
    assert f"Before training it is not ahead of the next layer{unsure}" in early.describe()


@pytest.mark.parametrize("measure", SURFACE_SCORES)
def test_the_sentences_about_the_shipped_training_agree_with_its_figures(trajectory, measure):
    shown = training_surface(trajectory, measure)
    best = int(shown.values[-1].argmax())
    said = shown.describe()
    assert f"at layer {best} ({shown.values[-1, best]:.2f})" in said
    falling = int((shown.values[-1] - shown.values[0]).argmin())
    assert f"ayer {falling} fell the most, from {shown.values[0, falling]:.2f}" in said


def cells(figure):
    return next(trace for trace in figure.data if trace.type == "heatmap" and trace.text is None)


@pytest.mark.parametrize("mode", MODES)
def test_heatmap_has_training_across_and_layers_up_in_the_colours_of_the_app(mode):
    figure = training_heatmap_figure(MOVING, (1, 3), "training", mode)
    np.testing.assert_array_equal(cells(figure).z, MOVING.values.T)
    assert (cells(figure).zmin, cells(figure).zmax) == (0, 1)
    assert cells(figure).colorbar.tickvals == (0, 0.2, 0.4, 0.6, 0.8, 1)
    assert cells(figure).colorscale == tuple(theme(mode).sequential)
    assert list(figure.layout.xaxis.ticktext) == ["0", "31 k", "451 k", "<b>2.1 M</b>"]
    assert list(figure.layout.yaxis.ticktext) == ["0", "<b>1</b>", "2"]
    best = next(trace for trace in figure.data if trace.name == "best layer")
    assert sorted(zip(best.x, best.y, strict=True)) == [(0, 0), (1, 0), (2, 1), (3, 1)]


def test_layers_that_are_equally_good_are_all_ringed():
    figure = training_heatmap_figure(surface([[0.5, 0.6, 0.6]]), (0, 0), "layers")
    best = next(trace for trace in figure.data if trace.name == "best layer")
    assert list(zip(best.x, best.y, strict=True)) == [(0, 1), (0, 2)]


def test_a_click_target_lies_on_each_cell_and_tells_of_it():
    figure = training_heatmap_figure(MOVING, (0, 0), "training")
    targets = figure.data[-1]
    told = dict(zip(zip(targets.x, targets.y, strict=True), targets.hovertext, strict=True))
    assert len(told) == MOVING.values.size
    assert told[(2, 1)] == describe_cell(MOVING, layer=1, moment=2)
    assert told[(2, 1)].startswith("Layer 1 · 451 k tokens seen<br><b>0.750</b>")
    assert told[(2, 1)].endswith("+0.250 since before training")
    assert "−0.100 since" in told[(2, 0)]
    assert told[(0, 0)].endswith("<br>before training")


@pytest.mark.parametrize(
    ("walk", "x", "y"), [("training", (-0.5, 3.5), (0.5, 1.5)), ("layers", (1.5, 2.5), (-0.5, 2.5))]
)
def test_the_line_that_the_slider_walks_is_framed_around_the_cell(walk, x, y):
    figure = training_heatmap_figure(MOVING, (1, 2), walk)
    shapes = {shape.name: shape for shape in figure.layout.shapes}
    assert (shapes["walk"].x0, shapes["walk"].x1) == x
    assert (shapes["walk"].y0, shapes["walk"].y1) == y
    assert (shapes["cell"].x0, shapes["cell"].y0) == (1.5, 0.5)


def test_a_surface_without_any_difference_can_be_drawn():
    flat = surface([[0.5, 0.5], [0.5, 0.5]])
    assert (cells(training_heatmap_figure(flat, (0, 0), "layers")).zmax) == 1
    assert training_surface_figure(flat, (0, 0)).data[0].cmin == 0


@pytest.mark.parametrize("mode", MODES)
def test_surface_has_the_same_heights_and_lines_that_cross_at_the_cell(mode):
    figure = training_surface_figure(MOVING, (1, 2), mode)
    heights, *lines, here = figure.data
    np.testing.assert_array_equal(heights.z, MOVING.values.T)
    assert heights.colorscale == tuple(theme(mode).sequential)
    assert heights.hovertext[1][2] == describe_cell(MOVING, 1, 2)
    assert (here.x, here.y) == ((2,), (1,))
    assert here.z[0] == pytest.approx(0.75, abs=0.05)
    along_training, along_layers = lines[-2:]
    assert set(along_training.y) == {1}
    assert set(along_layers.x) == {2}
    np.testing.assert_allclose(along_training.z, MOVING.values[:, 1], atol=0.02)
    np.testing.assert_allclose(along_layers.z, MOVING.values[2], atol=0.02)
    assert list(figure.layout.scene.xaxis.ticktext) == ["0", "31 k", "451 k", "2.1 M"]
    assert (heights.cmin, heights.cmax) == tuple(figure.layout.scene.zaxis.range) == (0, 1)


def header(data):
    length = int.from_bytes(data.blob[:4], "little")
    return json.loads(data.blob[4 : 4 + length])


def test_the_map_walks_through_training_at_a_layer(trajectory):
    data = scrubber_data(trajectory, "training", layer=2, moment=5, measure="words")
    np.testing.assert_array_equal(data.positions, trajectory.positions[:, 2])
    np.testing.assert_allclose(data.scores[-1].values, trajectory.preservation[:, 2])
    np.testing.assert_allclose(data.scores[0].values, trajectory.nearest_share[:, 2])
    np.testing.assert_allclose(data.scores[1].values, trajectory.retrieval[:, 2])
    sent = header(data)
    assert sent["title"] == "Tokens seen"
    assert sent["stops"][-1] == "2.1 M"
    assert (sent["names"][0], sent["names"][-1]) == ("Before training", "2.1 M tokens seen")
    assert data.caption == "Layer 2 of mini-en-zh while it was trained"


def test_the_map_walks_through_the_layers_at_a_moment(trajectory):
    data = scrubber_data(trajectory, "layers", layer=2, moment=5, measure="sentences")
    np.testing.assert_array_equal(data.positions, trajectory.positions[5])
    np.testing.assert_allclose(data.scores[0].values, trajectory.retrieval[5])
    sent = header(data)
    assert sent["names"] == [f"Layer {layer}" for layer in range(trajectory.retrieval.shape[1])]
    assert data.caption == f"The layers of mini-en-zh, {moment_name(trajectory.tokens[5])}"


def test_what_stays_the_same_along_a_walk_sends_the_same_map(trajectory):
    """Else every move of the slider would send all points again."""
    first, second = (
        scrubber_data(trajectory, "training", layer=2, moment=moment, measure="words")
        for moment in (0, 5)
    )
    assert first.digest == second.digest
    shorter = replace(trajectory, positions=trajectory.positions + 1)
    assert scrubber_data(shorter, "training", 2, 0, "words").digest != first.digest
