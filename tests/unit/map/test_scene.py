"""What films and sheets draw of a map: pins with their links, and what colours and shapes mean."""

from dataclasses import replace

import numpy as np

from isogloss.map.payload import Language, MapView
from isogloss.map.scene import THEMES, Scene, mixed
from isogloss.map.story import opening_pins
from isogloss.palette import RANK_NAMES
from tests.browser.synthetic_map import synthetic_map

DATA = synthetic_map(120)
PINS = opening_pins(DATA)[:2]


def stars():
    """Two sentences in three languages; the last two points are the middles of their stars."""
    return replace(
        synthetic_map(120, stops=1),
        positions=np.random.default_rng(0).normal(size=(1, 8, 2)).astype(np.float32),
        ranks=np.zeros((1, 8), np.uint16),
        texts=["a", "b", "c", "d", "e", "f", "", ""],
        sides=np.array([0, 0, 1, 1, 2, 2, 0, 0]),
        sentence_of=np.array([0, 1, 0, 1, 0, 1, 0, 1]),
        sentences=[("a", "c", "e"), ("b", "d", "f")],
        links=np.array([[0, 6], [1, 7], [2, 6], [3, 7], [4, 6], [5, 7]]),
        languages=tuple(Language(code, code) for code in ("en", "de", "th")),
        topic_of=np.array([0, 1, 0, 1, 0, 1, -1, -1]),
        topics=("home", "money"),
        spans=None,
        middles=2,
        shapes_of_topics=True,
    )


def test_pinned_points_come_with_their_translations_and_the_links_between_them():
    scene = Scene(DATA, MapView(pins=(*PINS, 10**6)))
    links = [link for link in DATA.links.tolist() if set(link) & set(PINS)]
    assert scene.pinned_links.tolist() == links
    assert scene.named[:2] == list(PINS)
    assert set(scene.named) == {point for link in links for point in link}
    for pin, (points, said) in zip(PINS, scene.pairs(0), strict=True):
        rank = DATA.ranks[0, pin]
        assert points[0] == pin
        assert said == ("nearest" if rank == 1 else f"rank {rank}")


def test_a_pinned_sentence_is_joined_with_its_star_whose_middle_is_not_shown():
    scene = Scene(stars(), MapView(pins=(2, 6)))
    assert scene.named == [2]
    assert scene.pinned_links.tolist() == [[2, 6]]
    assert scene.pairs(0) == [([2], "")]


def test_where_topics_have_the_shapes_a_language_is_a_colour_alone():
    scene = Scene(stars(), theme=THEMES["dark"])
    shapes = [(entry.shape, entry.name) for entry in scene.legend]
    assert shapes == [(None, "en"), (None, "de"), (None, "th"), (0, "home"), (1, "money")]
    assert [entry.color for entry in scene.legend[:3]] == list(THEMES["dark"].palette.many[:3])
    by_topic = Scene(stars(), MapView(color_by="topic"))
    assert [entry.name for entry in by_topic.legend] == ["home", "money"]


def test_ranks_have_a_colour_each_and_one_more_for_points_without():
    entries = Scene(DATA, MapView(color_by="alignment")).color_legend
    assert [entry.name for entry in entries] == [*RANK_NAMES, "not scored"]


def test_mixed_colours_lie_between():
    assert mixed("#000000", "#ff8000", 0.5) == "#804000"
    assert mixed("#0072b2", "#d0540a", 0) == "#0072b2"
