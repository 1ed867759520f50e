"""The presenter's tour as text: what is written is read again, and nonsense is no step."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_story import COUNT, pair_map

from isogloss.map.payload import Score
from isogloss.map.story import opening_pins, suggest_tour
from isogloss.map.tour import MOST_STEPS, TourStep, read_tour, write_tour

words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=9)
steps = st.builds(
    TourStep,
    st.integers(0, 11),
    st.lists(st.integers(0, 99), max_size=4).map(tuple),
    st.lists(words, max_size=8).map(" ".join),
)


@given(st.lists(steps, max_size=MOST_STEPS))
def test_a_tour_is_read_as_it_was_written(tour):
    assert read_tour(write_tour(tour), stops=12, points=100) == tuple(tour)


@given(st.text(max_size=200))
def test_any_text_gives_steps_that_exist(text):
    for step in read_tour(text, stops=3, points=5):
        assert 0 <= step.layer < 3
        assert all(0 <= pin < 5 for pin in step.pins)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2; 1.4; they meet; at last", TourStep(2, (1, 4), "they meet; at last")),
        ("99;7.1.x;", None),
        ("99; 7.1;", TourStep(3, (1,), "")),
        ("²; ; squared", None),
        ("1; " + "9" * 5000 + "; far", TourStep(1, (), "far")),
        ("9" * 5000 + ";; far", None),
        ("just words", None),
    ],
)
def test_lines(line, expected):
    assert read_tour(line, stops=4, points=5) == ((expected,) if expected else ())


def test_the_suggested_tour_tells_the_measured_story():
    data = replace(
        pair_map([5, 80, 1, 300, 20, 900], [1] * COUNT),
        scores=[Score("nearest", [0.1, 0.2, 0.7])],
    )
    tour = suggest_tour(data)
    assert [step.layer for step in tour] == [0, 1, 2]
    assert {step.pins for step in tour} == {opening_pins(data)}
    assert tour[-1].sentence == (
        "Layer 2 is where most meet: nearest 0.70. "
        "Pinned words whose translation is nearest: 4 of 4."
    )
    assert "nearest 0.10" in tour[0].sentence
    assert "0 of 4" in tour[0].sentence


def test_a_map_of_one_stop_has_a_tour_of_one_step():
    data = pair_map([5] * COUNT, [1] * COUNT)
    one = replace(
        data,
        coordinates=data.coordinates[:1],
        ranks=data.ranks[:1],
        stops=["0"],
        scores=[Score("nearest", [0.4])],
    )
    assert len(suggest_tour(one)) == 1
