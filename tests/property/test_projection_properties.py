"""What holds of a layout whatever the points."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isogloss.measures.projection.layout import ProjectionOptions, project_layers
from isogloss.measures.projection.neighbourhoods import neighbourhood_preservation
from isogloss.measures.projection.turning import lay_together, mean_movement

PCA = ProjectionOptions("pca")
values = st.floats(-100, 100, allow_nan=False, width=16)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def stacks(draw):
    layers, points, width = (
        draw(st.integers(1, 3)),
        draw(st.integers(2, 12)),
        draw(st.integers(1, 6)),
    )
    return draw(arrays(np.float16, (layers, points, width), elements=values))


@settings(deadline=None, max_examples=60)
@given(stacks())
def test_any_stack_gives_finite_coordinates_in_the_unit_box(stack):
    layout = project_layers(stack, PCA)
    assert np.isfinite(layout.positions).all()
    assert np.abs(layout.positions).max() <= 1
    assert ((layout.preservation >= 0) & (layout.preservation <= 1)).all()


@settings(deadline=None, max_examples=40)
@given(seeds, st.integers(3, 40))
def test_preservation_ignores_turns_scale_and_shift_of_the_picture(seed, points):
    random = np.random.default_rng(seed)
    high, low = random.normal(size=(points, 5)), random.normal(size=(points, 2))
    turn, _ = np.linalg.qr(random.normal(size=(2, 2)))
    moved = 3 * low @ turn + random.normal(size=2)
    assert neighbourhood_preservation(high, low) == neighbourhood_preservation(high, moved)
    assert neighbourhood_preservation(high, high) == 1


@settings(deadline=None, max_examples=40)
@given(seeds, st.integers(2, 5), st.integers(3, 30))
def test_turning_layers_onto_each_other_brings_squared_distances_down(seed, layers, points):
    layouts = list(np.random.default_rng(seed).normal(size=(layers, points, 2)))
    turned, left = lay_together(layouts), lay_together(layouts, turn=False)
    # One factor fits each to the box, so compare in units of the common radius.
    squares = [
        (np.diff(t.astype(float), axis=0) ** 2).sum() / (t[0].astype(float) ** 2).sum()
        for t in (turned, left)
    ]
    assert squares[0] <= squares[1] * (1 + 1e-6)
    assert (mean_movement(turned) >= 0).all()
