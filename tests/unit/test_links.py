"""Links between points and their ranks, against hand-worked and brute-force answers."""

from types import SimpleNamespace

import numpy as np
import pytest

from isogloss.corpora import GoldAlignment, ParallelCorpus
from isogloss.errors import IsoglossError
from isogloss.links import LinkOptions, default_link_layer, link_points, score_links
from isogloss.pooling import PointTable
from isogloss.tokens import TokenTable
from isogloss.word_alignment import METHODS


class Stack:
    """A stored entry's layers, one token a point."""

    def __init__(self, states):
        self.states = states

    def layer(self, index):
        return self.states[index]


def make_table(sentence, side, index):
    n = len(side)
    return PointTable(
        unit="word",
        text=np.array([f"w{i}" for i in range(n)], object),
        sentence=np.array(sentence),
        side=np.array(side),
        index=np.array(index),
        spans=np.zeros((n, 2), int),
        rows=np.stack([np.arange(n), np.arange(n) + 1], axis=1),
    )


def make_study(states, gold=None, words=(("a", "b"), ("甲", "乙"))):
    corpus = ParallelCorpus(
        "test",
        ("en", "zh"),
        ("a b",),
        ("甲乙",),
        gold=gold and (gold,),
        words=(words,),
    )
    return SimpleNamespace(
        entry=Stack(np.asarray(states)), corpus=corpus, n_states=len(states), scale=1
    )


# Two words a side. At layer 0 translations cross over, at layer 1 they coincide.
CROSSED = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
ALIGNED = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
TABLE = make_table([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
PLAIN = LinkOptions(method="argmax", layer=1, remove_language_means=False)


def test_computed_links_come_from_the_chosen_layer():
    study = make_study([CROSSED, ALIGNED])
    at_one = link_points(study, TABLE, PLAIN)
    at_zero = link_points(study, TABLE, LinkOptions("argmax", 0, False))
    assert at_one.pairs.tolist() == [[0, 2], [1, 3]]
    assert at_zero.pairs.tolist() == [[0, 3], [1, 2]]
    assert (at_one.sentences_by_hand, at_one.sentences_computed) == (0, 1)
    assert at_one.describe() == "Links are computed by argmax at layer 1."


def test_gold_wins_over_what_the_activations_say():
    gold = GoldAlignment(frozenset({(0, 1)}), frozenset({(0, 1), (1, 0)}))
    links = link_points(make_study([ALIGNED], gold), TABLE, LinkOptions("gold", 0, False))
    assert links.pairs.tolist() == [[0, 3]]  # the sure link only
    assert links.describe() == "Links were made by hand."
    computed = link_points(make_study([ALIGNED], gold), TABLE, LinkOptions("argmax", 0, False))
    assert computed.pairs.tolist() == [[0, 2], [1, 3]]


def test_scores_by_hand():
    study = make_study([CROSSED, ALIGNED])
    scores = score_links(study, TABLE, link_points(study, TABLE, PLAIN))
    assert scores.ranks.tolist() == [[2, 2, 2, 2], [1, 1, 1, 1]]
    assert scores.nearest_share.tolist() == [0.0, 1.0]
    assert scores.mean_rank.tolist() == [2.0, 1.0]
    assert scores.error_rate is None


def test_error_rate_is_read_at_every_layer():
    gold = GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1)}))
    study = make_study([CROSSED, ALIGNED], gold)
    study.tokens = TokenTable(
        sentence=np.zeros(4, int),
        side=np.array([0, 0, 1, 1]),
        text=np.array(["a", "b", "甲", "乙"], object),
        piece=np.array(["a", "b", "甲", "乙"], object),
        word=np.array([0, 1, 0, 1]),
        start=np.array([0, 2, 0, 1]),
        end=np.array([1, 3, 1, 2]),
        special=np.zeros(4, bool),
        languages=("en", "zh"),
    )
    options = LinkOptions("gold", 0, remove_language_means=False)
    scores = score_links(study, TABLE, link_points(study, TABLE, options))
    assert scores.error_rate.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_ranks_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = 30
    states = rng.normal(size=(2, 2 * n, 8)).astype(np.float32)
    side = np.repeat([0, 1], n)
    table = make_table(np.zeros(2 * n), side, np.tile(np.arange(n), 2))
    words = tuple(tuple(f"{s}{i}" for i in range(n)) for s in "ab")
    study = make_study(states, words=words)
    links = link_points(study, table, LinkOptions("argmax", 0, True))
    assert len(links.pairs)
    found = score_links(study, table, links).ranks
    for layer in range(2):
        X = states[layer].astype(float)
        for s in (0, 1):
            X[side == s] -= X[side == s].mean(axis=0)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        expected = np.zeros(2 * n, int)
        for a, b in links.pairs:
            for point, partner in ((a, b), (b, a)):
                others = X[side != side[point]] @ X[point]
                rank = 1 + int((others > X[partner] @ X[point] + 1e-7).sum())
                expected[point] = min(expected[point] or rank, rank)
        assert found[layer].tolist() == expected.tolist()


def test_no_links_give_zero_and_no_crash():
    study = make_study([ALIGNED])
    only_source = make_table([0, 0], [0, 0], [0, 1])
    links = link_points(study, only_source, PLAIN.__class__("argmax", 0, False))
    assert links.pairs.shape == (0, 2)
    assert score_links(study, only_source, links).nearest_share.tolist() == [0.0]


def test_unknown_method_is_told_with_the_known_ones():
    with pytest.raises(IsoglossError, match="gold, " + ", ".join(METHODS)):
        LinkOptions(method="guess")


def test_default_layer_is_eight_of_twelve():
    assert default_link_layer(12) == 8
