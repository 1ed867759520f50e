"""Word alignment against a plain reading of the SimAlign paper, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.links.aligners import (
    ALIGNERS,
    align_argmax,
    align_itermax,
    align_match,
    align_words,
    score_alignments,
    word_similarities,
)
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import ratio_interval
from isogloss.text.reading import GoldAlignment


def gold(sure: set[tuple[int, int]], possible: set[tuple[int, int]]) -> GoldAlignment:
    return GoldAlignment(frozenset(sure), frozenset(sure | possible))


def reference_argmax(S: Array) -> set[tuple[int, int]]:
    """(i, j) where i is the first best source of j and j the first best target of i."""
    m, n = S.shape
    return {
        (i, j)
        for i, j in itertools.product(range(m), range(n))
        if all(S[i, j] > S[i, k] for k in range(j))
        and all(S[i, j] >= S[i, k] for k in range(j + 1, n))
        and all(S[i, j] > S[k, j] for k in range(i))
        and all(S[i, j] >= S[k, j] for k in range(i + 1, m))
    }


def reference_itermax(S: Array, rounds: int = 2) -> set[tuple[int, int]]:
    links = reference_argmax(S)
    if min(S.shape) <= 2:
        return links
    for _ in range(rounds - 1):
        sources, targets = {i for i, _ in links}, {j for _, j in links}
        if len(sources) == S.shape[0] or len(targets) == S.shape[1]:
            return links
        discounted = S.copy()
        for i, j in itertools.product(*map(range, S.shape)):
            discounted[i, j] *= [1, 0.9, 0][(i in sources) + (j in targets)]
        found = {
            (i, j) for i, j in reference_argmax(discounted) if i not in sources or j not in targets
        }
        if not found:
            return links
        links |= found
    return links


def reference_match(S: Array) -> float:
    """The largest sum of similarities over all one-to-one alignments."""
    S = S if S.shape[0] <= S.shape[1] else S.T
    return max(
        sum(S[i, j] for i, j in enumerate(order))
        for order in itertools.permutations(range(S.shape[1]), S.shape[0])
    )


def matrices(count: int, largest: int, ties: bool = False) -> list[Array]:
    generator = np.random.default_rng(0)
    shapes = generator.integers(1, largest + 1, size=(count, 2))
    drawn = [generator.uniform(0.05, 1, size=shape) for shape in shapes]
    return [np.round(S * (S > 0.4), 1) for S in drawn] if ties else drawn


@pytest.mark.parametrize("ties", [False, True])
def test_argmax_and_itermax_equal_the_paper(ties: bool) -> None:
    grew = 0
    for S in matrices(150, 9, ties):
        assert align_argmax(S) == reference_argmax(S)
        for rounds in (1, 2, 3, 4):
            assert align_itermax(S, rounds) == reference_itermax(S, rounds)
        grew += len(align_itermax(S, 4)) > len(align_itermax(S)) > len(align_argmax(S))
    assert grew > 5


def test_match_is_the_best_of_all_one_to_one_alignments() -> None:
    for S in matrices(40, 5):
        links = align_match(S)
        assert len(links) == min(S.shape)
        assert len({i for i, _ in links}) == len({j for _, j in links}) == len(links)
        assert sum(S[link] for link in links) == pytest.approx(reference_match(S))


# Worked by hand and by SimAlign 0.4 itself, which agree.
WORKED = np.array(
    [
        [0.90, 0.20, 0.30, 0.10],
        [0.85, 0.40, 0.35, 0.15],
        [0.10, 0.30, 0.70, 0.60],
        [0.20, 0.25, 0.65, 0.50],
    ]
)


def test_a_matrix_worked_by_hand() -> None:
    assert align_argmax(WORKED) == {(0, 0), (2, 2)}
    assert align_itermax(WORKED) == {(0, 0), (1, 0), (2, 2), (2, 3), (3, 2)}
    assert align_match(WORKED) == {(0, 0), (1, 1), (2, 3), (3, 2)}


def test_similarities_run_from_zero_to_one() -> None:
    source = np.array([[1.0, 0], [0, 2]])
    target = np.array([[3.0, 0], [-1, 0], [0, 1]])
    np.testing.assert_allclose(word_similarities(source, target), [[1, 0, 0.5], [0.5, 0.5, 1]])


def test_methods_by_name() -> None:
    for name, method in ALIGNERS.items():
        assert method.name == name
        assert align_words(WORKED, name) == method.align(WORKED)
        assert align_words(np.zeros((0, 3)), name) == frozenset()
    with pytest.raises(IsoglossError, match="no method 'fwd'"):
        align_words(WORKED, "fwd")
    with pytest.raises(IsoglossError, match="finite"):
        align_words(WORKED * np.nan)


def test_error_rate_by_hand() -> None:
    """Och & Ney's formula over two sentences; the third has no gold and is left out."""
    predicted = [
        frozenset({(0, 0), (1, 1), (2, 3)}),
        frozenset({(0, 1)}),
        frozenset({(5, 5)}),
    ]
    truth = [gold({(0, 0), (2, 2)}, {(1, 1)}), gold({(0, 1), (1, 0)}, set()), None]
    found = score_alignments(predicted, truth)
    # |A| = 4, |S| = 4, |A ∩ S| = 2, |A ∩ P| = 3
    assert found.precision == 3 / 4
    assert found.recall == 2 / 4
    assert found.error_rate == pytest.approx(1 - 5 / 8)
    assert (found.sentences, found.links, found.sure) == (2, 4, 4)
    # The share that is right, 3 of 5 and 2 of 3, turned round.
    low, high = ratio_interval(np.array([3, 2]), np.array([5, 3]))
    assert (found.error_rate_low, found.error_rate_high) == pytest.approx((1 - high, 1 - low))
    assert 0 < found.error_rate_low < found.error_rate < found.error_rate_high < 1


def test_perfect_and_empty_alignments() -> None:
    truth = [gold({(0, 0)}, {(0, 1)})]
    perfect = score_alignments([frozenset({(0, 0), (0, 1)})], truth)
    assert (perfect.precision, perfect.recall, perfect.error_rate) == (1, 1, 0)
    nothing = score_alignments([frozenset()], truth)
    assert (nothing.precision, nothing.recall, nothing.error_rate) == (None, 0, 1)
    no_gold = score_alignments([frozenset({(0, 0)})], [None])
    assert (no_gold.precision, no_gold.error_rate, no_gold.sentences) == (None, None, 0)
