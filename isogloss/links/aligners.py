r"""Which words translate which: alignments from a similarity matrix, and their error rate.

The three methods of SimAlign (Jalili Sabet et al. 2020), each from S of shape (m, n), where
S[i, j] says how alike source word i and target word j are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.nearest_neighbours import unit_rows
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, ratio_interval

if TYPE_CHECKING:
    from isogloss.text.reading import GoldAlignment

Links = frozenset[tuple[int, int]]

ITERMAX_ROUNDS = 2
ITERMAX_DISCOUNT = 0.9
# With two words on a side, a second round would only guess.
ITERMAX_FEWEST_WORDS = 3


def word_similarities(source: Array, target: Array) -> Array:
    r"""Return $(\cos + 1) / 2$ of all source words (m, d) and target words (n, d): (m, n), 0 to 1.

    The scale matters: itermax discounts similarities, which must not be negative.
    """
    similarities = (unit_rows(source) @ unit_rows(target).T + 1) / 2
    return np.clip(similarities.astype(np.float64), 0, 1)


def align_argmax(similarities: Array) -> Links:
    """Link words that are each other's most similar, the first of equals; precise, sparse."""
    return _links(_mutual_best(similarities))


def align_itermax(similarities: Array, rounds: int = ITERMAX_ROUNDS) -> Links:
    """Link mutual best matches, then look again among the words left over, `rounds` times in all.

    From the second round on, a pair with one word already linked counts ITERMAX_DISCOUNT of its
    similarity and a pair with both linked nothing, so words may gain a second partner but linked
    words are not linked to each other. It ends early when a side has no word left or nothing new.
    """
    linked = _mutual_best(similarities)
    if min(similarities.shape) < ITERMAX_FEWEST_WORDS:
        return _links(linked)
    for _ in range(rounds - 1):
        rows, columns = linked.max(axis=1), linked.max(axis=0)
        if rows.all() or columns.all():
            break
        both = rows[:, None] & columns
        either = rows[:, None] | columns
        weights = np.where(both, 0, np.where(either, ITERMAX_DISCOUNT, 1))
        found = _mutual_best(similarities * weights) & ~both
        if not found.any():
            break
        linked |= found
    return _links(linked)


def align_match(similarities: Array) -> Links:
    """Link words one to one so that the summed similarity is largest: every word of the shorter."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(similarities, maximize=True)
    return frozenset(zip(rows.tolist(), columns.tolist(), strict=True))


@dataclass(frozen=True)
class Aligner:
    """A way to turn similarities into links."""

    name: str
    title: str
    explanation: str
    align: Callable[[Array], Links]


ALIGNERS: dict[str, Aligner] = {
    method.name: method
    for method in (
        Aligner("argmax", "Argmax", "Links words that choose each other.", align_argmax),
        Aligner("itermax", "Itermax", "Argmax, then again among words left over.", align_itermax),
        Aligner("match", "Match", "Links words one to one, best in sum.", align_match),
    )
}
DEFAULT_ALIGNER = "itermax"


def align_words(similarities: Array, method: str = DEFAULT_ALIGNER) -> Links:
    """Return the links (source word, target word), 0-based, that a method finds in (m, n)."""
    if method not in ALIGNERS:
        raise IsoglossError(f"There is no method {method!r}; choose one of {', '.join(ALIGNERS)}.")
    if similarities.ndim != 2 or not np.isfinite(similarities).all():
        raise IsoglossError("Similarities must be a matrix of finite numbers, one a pair of words.")
    return ALIGNERS[method].align(similarities) if similarities.size else frozenset()


def _mutual_best(similarities: Array) -> Array:
    """Return a mask (m, n) of pairs that are the first largest of their row and their column."""
    m, n = similarities.shape
    best = np.zeros((m, n), bool)
    forward, backward = similarities.argmax(1), similarities.argmax(0)
    rows = np.flatnonzero(backward[forward] == np.arange(m))
    best[rows, forward[rows]] = True
    return best


def _links(mask: Array) -> Links:
    return frozenset((int(i), int(j)) for i, j in np.argwhere(mask))


@dataclass(frozen=True)
class AlignmentScores:
    r"""Links against gold, over all sentences that have gold, after Och & Ney (2003).

    With links A, sure S and possible P ⊇ S: precision $|A \cap P| / |A|$, recall
    $|A \cap S| / |S|$, error rate $1 - (|A \cap S| + |A \cap P|) / (|A| + |S|)$. None where a
    denominator is zero. The interval of the error rate is over sentences.
    """

    precision: float | None
    recall: float | None
    error_rate: float | None
    error_rate_low: float | None
    error_rate_high: float | None
    level: float
    sentences: int
    links: int
    sure: int


def score_alignments(
    predicted: Sequence[Links], gold: Sequence[GoldAlignment | None]
) -> AlignmentScores:
    """Score the links of sentences against their gold; sentences without gold are left out."""
    counts = count_links(predicted, gold)
    links, sure, found_sure, found_possible = (int(total) for total in counts.sum(0))
    low = high = None
    if links + sure:
        right = ratio_interval(counts[:, 2] + counts[:, 3], counts[:, 0] + counts[:, 1], LEVEL)
        low, high = 1 - right[1], 1 - right[0]
    return AlignmentScores(
        precision=found_possible / links if links else None,
        recall=found_sure / sure if sure else None,
        error_rate=float(_error_rate(counts.sum(0))) if links + sure else None,
        error_rate_low=low,
        error_rate_high=high,
        level=LEVEL,
        sentences=len(counts),
        links=links,
        sure=sure,
    )


def count_links(predicted: Sequence[Links], gold: Sequence[GoldAlignment | None]) -> Array:
    """Return what the error rate is made of, (sentences with gold, 4).

    How many links there are, how many sure ones by hand, how many found are sure and possible.
    """
    return np.array(
        [
            (len(links), len(g.sure), len(links & g.sure), len(links & (g.possible | g.sure)))
            for links, g in zip(predicted, gold, strict=True)
            if g is not None
        ]
    ).reshape(-1, 4)


def _error_rate(counts: Array) -> Array:
    """Return the error rate of (..., 4) counts: links, sure, links found sure, found possible."""
    return 1 - (counts[..., 2] + counts[..., 3]) / (counts[..., 0] + counts[..., 1])
