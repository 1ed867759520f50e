"""The pairs that a map opens with: apart at first, each other's nearest where the layers meet."""

from dataclasses import replace

import numpy as np

from isogloss.map.payload import Language, Score, ScrubberData
from isogloss.map.story import meeting_stop, opening_pins, suggest_tour

PAIRS = [
    ("windmill", "风车"),
    ("mountain", "高山"),
    ("doorbell", "门铃"),
    ("sandwich", "三明治"),
    ("umbrella", "雨伞"),
    ("of", "的"),
]
COUNT = len(PAIRS)


def pair_map(first, last, words=None, sentences=None):
    """One pair a sentence; the ranks of each at stop 0 and at stop 2, both ways the same."""
    words = words or PAIRS
    ranks = np.array([[*first, *first], [9] * 2 * COUNT, [*last, *last]], np.uint16)
    positions = np.random.default_rng(0).normal(size=(3, 2 * COUNT, 2))
    return ScrubberData(
        positions=positions.astype(np.float32),
        ranks=ranks,
        texts=[pair[0] for pair in words] + [pair[1] for pair in words],
        sides=[0] * COUNT + [1] * COUNT,
        sentence_of=(sentences or [*range(COUNT)]) * 2,
        links=np.column_stack([np.arange(COUNT), np.arange(COUNT) + COUNT]),
        sentences=[("", "")] * COUNT,
        languages=(Language("en", "English"), Language("zh", "Chinese")),
        stops=["0", "1", "2"],
    )


def test_pairs_that_come_from_farthest_are_first():
    data = pair_map(first=[5, 80, 1, 300, 20, 900], last=[1, 1, 1, 1, 1, 1])
    assert meeting_stop(data) == 2
    assert opening_pins(data) == (3, 1, 4, 0), "not 2, which was together all along; of is grammar"


def test_a_pair_that_does_not_meet_is_not_pinned():
    data = pair_map(first=[5, 80, 7, 300, 20, 900], last=[1, 2, 1, 1, 1, 1])
    assert opening_pins(data) == (3, 4, 2, 0)


def test_grammar_fills_up_to_three():
    data = pair_map(first=[5, 80, 1, 1, 1, 900], last=[1, 1, 1, 1, 1, 1])
    assert opening_pins(data) == (1, 0, 5)


def test_one_pair_for_each_word_and_sentence():
    words = [*PAIRS[:4], ("Windmill", "风车"), PAIRS[5]]
    data = pair_map([5, 80, 70, 60, 50, 2], [1] * COUNT, words, sentences=[0, 1, 1, 3, 4, 5])
    assert opening_pins(data) == (1, 3, 4), "2 is in the sentence of 1, 0 says the same as 4"


def test_without_links_or_ranks_nothing_is_pinned():
    data = pair_map([5] * COUNT, [1] * COUNT)
    assert opening_pins(replace(data, links=np.zeros((0, 2), int))) == ()
    assert opening_pins(replace(data, ranks=np.zeros_like(data.ranks))) == ()


def test_a_tour_names_what_its_number_rests_on_and_stops_that_share_the_top():
    data = pair_map([5] * COUNT, [1] * COUNT)
    score = Score("translations that are nearest", [0.2, 0.9, 0.9], badge="links by hand")
    said = [step.sentence for step in suggest_tour(replace(data, scores=[score]))]
    assert all("translations that are nearest (links by hand) 0." in each for each in said)
    assert any("Layer 1 is the first of 2 where most meet" in each for each in said)
