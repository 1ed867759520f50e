"""Framing: turning keeps distances, every layer covers its picture, stretching is told."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from isogloss.measures.projection.framing import LEAST_LONGER, LEAST_SHORTER, frame_layer, lay_flat

SIZES = ((1460, 420), (640, 480), (500, 500), (360, 640))


def ellipse(angle, long=3.0, short=1.0):
    """400 points all over an ellipse whose long axis points at `angle` degrees."""
    way = np.linspace(0, 40 * np.pi, 400)
    reach = np.sqrt(np.linspace(0.01, 1, 400))
    points = np.column_stack([long * reach * np.cos(way), short * reach * np.sin(way)])
    turn = np.deg2rad(angle)
    return points @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])


@pytest.mark.parametrize("angle", [-89, -30, 0, 45, 90, 130])
def test_the_long_axis_comes_to_lie_from_left_to_right(angle):
    flat = lay_flat(ellipse(angle)[None])[0]
    np.testing.assert_allclose(np.cov(flat.T)[0, 1], 0, atol=1e-3)
    assert np.ptp(flat[:, 0]) > 2.5 * np.ptp(flat[:, 1])
    np.testing.assert_allclose(pdist(flat), pdist(ellipse(angle)), atol=1e-4)


def test_all_layers_are_turned_by_one_rotation():
    layers = np.stack([ellipse(20), ellipse(20) @ [[0, 1], [-1, 0]] * 0.2, ellipse(50) * 0.4])
    flat = lay_flat(layers)
    rotation = np.linalg.lstsq(layers[0], flat[0], rcond=None)[0]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=1e-5)
    assert np.linalg.det(rotation) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(layers @ rotation, flat, atol=1e-5)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("shape", [(3, 1), (1, 1), (1, 1.4), (9, 0.1)])
def test_every_layer_covers_its_picture_and_stays_inside(width, height, shape):
    frame = frame_layer(ellipse(0, *shape), width, height)
    covered = np.ptp(frame.places, axis=0) / (width, height)
    longer, shorter = covered if width >= height else covered[::-1]
    assert longer >= LEAST_LONGER - 1e-9
    assert shorter >= LEAST_SHORTER - 1e-9
    assert (frame.places > 0).all()
    assert (frame.places < (width, height)).all()
    middle = (frame.places.min(axis=0) + frame.places.max(axis=0)) / 2
    np.testing.assert_allclose(middle, (width / 2, height / 2))


def test_nothing_is_stretched_that_fills_its_picture_anyway():
    frame = frame_layer(ellipse(0, 1.5, 1), 600, 400)
    assert frame.stretch == pytest.approx(1)
    np.testing.assert_allclose(
        pdist(frame.places) / pdist(ellipse(0, 1.5, 1)), 344 / np.ptp(ellipse(0, 1.5, 1)[:, 1])
    )


def test_a_round_layer_on_a_wide_stage_is_stretched_by_what_is_missing():
    frame = frame_layer(ellipse(0, 1, 1), 1000, 300)
    across, up = np.ptp(frame.places, axis=0)
    assert (across, up) == pytest.approx((600, 300 - 2 * 24))
    box = np.ptp(ellipse(0, 1, 1), axis=0)
    assert frame.stretch == pytest.approx((across / box[0]) / (up / box[1]))


def test_a_high_picture_turns_by_a_quarter_and_mirrors_nothing():
    places = np.array([[-2.0, -1], [2, -1], [2, 1], [-2, 1]])
    for width, height in ((400, 200), (200, 400)):
        x, y = frame_layer(places, width, height).places.T
        area = ((x * np.roll(y, -1) - np.roll(x, -1) * y) / 2).sum()
        assert area < 0, "counter-clockwise in the plane stays so on a screen, where y points down"


@pytest.mark.parametrize("places", [[[1.0, 2], [1, 2]], [[0.0, 0], [3, 0]]])
def test_a_dot_and_a_line_stay_in_the_middle(places):
    frame = frame_layer(np.array(places), 300, 200)
    assert np.isfinite(frame.places).all()
    np.testing.assert_allclose(frame.places.mean(axis=0), (150, 100))
