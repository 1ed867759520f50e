"""Links between points and their ranks, against hand-worked and brute-force answers."""

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.models.tokens import TokenTable
from isogloss.studies.links.points import (
    LinkOptions,
    PointLinks,
    drawn_links,
    score_links,
    scored_links,
)
from isogloss.studies.pooling import PointTable
from isogloss.text.reading import GoldAlignment, ParallelText


class FakeStudy:
    """A study of one sentence pair whose states are given, one token per word."""

    scale = 1
    key, model = "fake", "fake"

    def __init__(self, states, bitext):
        self.states, self.bitext, self.entry = states, bitext, self
        self.n_states, self.n_layers = len(states), len(states) - 1
        words = bitext.words[0]
        n, m = map(len, words)
        starts = [
            np.cumsum([0, *(len(w) + gap for w in side)])[:-1]
            for side, gap in zip(words, (1, 0), strict=True)
        ]
        self.tokens = TokenTable(
            sentence=np.zeros(n + m, int),
            side=np.repeat([0, 1], [n, m]),
            text=np.array([*words[0], *words[1]], object),
            piece=np.array([*words[0], *words[1]], object),
            word=np.concatenate([np.arange(n), np.arange(m)]),
            start=np.concatenate(starts),
            end=np.concatenate(
                [start + [len(w) for w in side] for start, side in zip(starts, words, strict=True)]
            ),
            special=np.zeros(n + m, bool),
        )

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
    bitext = ParallelText(
        "test",
        ("en", "zh"),
        (" ".join(words[0]),),
        ("".join(words[1]),),
        gold=gold and (gold,),
        words=(words,),
    )
    return FakeStudy(np.asarray(states), bitext)


# Two words a side. At layer 0 translations cross over, at layer 1 they coincide.
CROSSED = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
ALIGNED = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
TABLE = make_table([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
STRAIGHT = PointLinks(np.array([[0, 2], [1, 3]]), {"gold": 1})


def test_drawn_links_can_come_from_a_layer_and_scored_ones_stay():
    study = make_study([CROSSED, ALIGNED])
    drawn = [
        drawn_links(study, TABLE, LinkOptions("argmax", layer), STRAIGHT).pairs.tolist()
        for layer in (0, 1)
    ]
    assert drawn == [[[0, 3], [1, 2]], [[0, 2], [1, 3]]]
    assert drawn_links(study, TABLE, LinkOptions(), STRAIGHT) is STRAIGHT


def test_gold_is_scored_whatever_the_activations_say():
    gold = GoldAlignment(frozenset({(0, 1)}), frozenset({(0, 1), (1, 0)}))
    links = scored_links(make_study([ALIGNED], gold), TABLE)
    assert links.pairs.tolist() == [[0, 3]]  # the sure link only
    assert links.sources == {"gold": 1}
    assert links.evidence


def test_scores_by_hand():
    scores = score_links(make_study([CROSSED, ALIGNED]), TABLE, STRAIGHT, "raw")
    assert scores.ranks.tolist() == [[2, 2, 2, 2], [1, 1, 1, 1]]
    assert scores.nearest_share.tolist() == [0.0, 1.0]
    assert scores.mean_rank.tolist() == [2.0, 1.0]
    assert scores.error_rate is None


def test_an_identical_twin_shares_the_first_place():
    words = (("a", "b"), ("甲", "乙"))
    twins = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    scores = score_links(make_study([twins], words=words), TABLE, STRAIGHT, "raw")
    assert scores.ranks[0, 0] == 1.5
    assert scores.nearest_share[0] == pytest.approx((0.5 + 0.5 + 1 + 0) / 4)


def test_error_rate_is_read_at_every_layer():
    gold = GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1)}))
    study = make_study([CROSSED, ALIGNED], gold)
    scores = score_links(study, TABLE, scored_links(study, TABLE), "raw")
    assert scores.error_rate.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_ranks_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = 30
    states = rng.normal(size=(2, 2 * n, 8)).astype(np.float32)
    side = np.repeat([0, 1], n)
    table = make_table(np.zeros(2 * n), side, np.tile(np.arange(n), 2))
    words = tuple(tuple(f"{s}{i:02}" for i in range(n)) for s in "ab")
    study = make_study(states, words=words)
    pairs = np.stack([rng.integers(0, n, 40), n + rng.integers(0, n, 40)], axis=1)
    found = score_links(study, table, PointLinks(pairs, {}), "centred").ranks
    for layer in range(2):
        X = states[layer].astype(float)
        for s in (0, 1):
            X[side == s] -= X[side == s].mean(axis=0)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        for point in np.unique(pairs):
            partners = {b if a == point else a for a, b in pairs.tolist() if point in (a, b)}
            best = max(X[p] @ X[point] for p in partners)
            rivals = set(np.flatnonzero(side != side[point]).tolist()) - partners
            expected = 1 + sum(X[p] @ X[point] > best + 1e-7 for p in rivals)
            assert found[layer, point] == expected


def test_no_links_give_zero_and_no_crash():
    links = PointLinks(np.empty((0, 2), int), {})
    assert score_links(make_study([ALIGNED]), TABLE, links).nearest_share.tolist() == [0.0]


def test_unknown_method_is_told_with_the_known_ones():
    with pytest.raises(IsoglossError, match="independent, "):
        LinkOptions(method="guess")
