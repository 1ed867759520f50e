"""The presenter's tour as text: what is written is read again, and nonsense is no step."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_story import COUNT, pair_map

from isogloss.map.payload import Score
from isogloss.map.story import opening_pins, suggest_tour
from isogloss.map.tour import MOST_STEPS, TourStep, place, read_tour, write_tour

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
        (
            "9 ?study=ab12&method=umap&color=topic&lines=0&curves=1.3; 2; meet",
            TourStep(
                9, (2,), "meet", "?method=umap&study=ab12", "topic", links=False, curves=(1, 3)
            ),
        ),
        (
            "9 similarity?measure=cka; 99; meet",
            TourStep(9, (99,), "meet", "similarity?measure=cka"),
        ),
        ("1 ?study=ab12&color=mauve; ;", TourStep(1, (), "", "?study=ab12")),
        ("1 https://elsewhere.example/?a=1; ; no", None),
        ("1 //elsewhere.example?a=1; ; no", None),
        ("1 javascript:alert(1)?; ; no", None),
    ],
)
def test_lines(line, expected):
    found = read_tour(line, 4, 5, here="?study=here", colors=["language", "topic"])
    assert found == ((expected,) if expected else ())


def test_a_step_of_the_map_at_hand_stays_within_it_and_others_do_not():
    line = "9 ?study=ab12; 2.9; meet"
    (here,) = read_tour(line, 4, 5, here="?study=ab12")
    (there,) = read_tour(line, 4, 5, here="?study=cd34")
    assert (here.layer, here.pins) == (3, (2,))
    assert (there.layer, there.pins) == (9, (2, 9))
    assert there.is_elsewhere("?study=cd34")
    assert not here.is_elsewhere("?study=ab12")


def test_a_place_is_what_is_shown_and_not_how_it_is_looked_at():
    query = {
        "study": "ab12",
        "search": "a&b; ü",
        "layer": "3",
        "pins": "1",
        "tour": "…",
        "talk": "1",
    }
    where = place("similarity", query)
    assert where == place("similarity", dict(reversed(query.items())) | {"layer": "5"})
    step = TourStep(3, (1,), "meet; at last", where, "topic", labels=False)
    assert read_tour(str(step), 9, 9, colors=["topic"]) == (step,)


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
        positions=data.positions[:1],
        ranks=data.ranks[:1],
        stops=["0"],
        scores=[Score("nearest", [0.4])],
    )
    assert len(suggest_tour(one)) == 1
