"""Every pair of many languages at one layer: who finds whose translations, or any measure there is.

Two languages are compared as they are alone: each centred on its own mean, both divided by the
deviation over the two. Every side is read once, and its mean and squares give the coordinates of
all pairs that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isogloss.measures.coordinates import (
    DEFAULT_COORDINATES,
    Coordinates,
    LayerStatistics,
    Moments,
    join_moments,
    layer_moments,
)
from isogloss.measures.languages.sides import Sides
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE, find_score
from isogloss.measures.ranks import TIE
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.stacks import FEWEST_ROWS, Array

MOST_AT_ONCE = 4_096
"""Rows whose cosines with as many others are held at once; more are searched in blocks."""

OnPair = Callable[[int, int], None]


@dataclass(frozen=True)
class _Centred:
    """A language about its own mean, in single precision, with what decides coordinates."""

    vectors: Array
    moments: Moments


def found_shares(
    sides: Sides,
    score: str = DEFAULT_SCORE,
    coordinates: Coordinates = DEFAULT_COORDINATES,
    on_pair: OnPair = lambda done, total: None,
) -> Array:
    """Return the share of each language's sentences (row) that find their translation first among
    those of another (column): (K, K), NaN on the diagonal and where two have no two rows in common.

    Time K² n² d / 2; memory K n d and, of two languages, n².
    """
    shares = np.full((len(sides.vectors),) * 2, np.nan)
    for one, other, X, Y in _pairs(sides, coordinates, on_pair):
        if len(X) > 1:
            hits = found_first(X, Y, score)
            shares[one, other], shares[other, one] = hits[0].mean(), hits[1].mean()
    return shares


def measured_values(
    sides: Sides,
    measure: str,
    coordinates: Coordinates = DEFAULT_COORDINATES,
    on_pair: OnPair = lambda done, total: None,
) -> Array:
    """Return a similarity measure of every two languages: (K, K), symmetric.

    NaN on the diagonal and where two have too few rows in common or nothing to compare.
    """
    values = np.full((len(sides.vectors),) * 2, np.nan)
    for one, other, X, Y in _pairs(sides, coordinates, on_pair):
        if len(X) >= FEWEST_ROWS:
            found = contributions([X], [Y], measure)
            if not found.reasons[0, 0]:
                values[one, other] = values[other, one] = found.values()[0, 0]
    return values


def found_first(X: Array, Y: Array, score: str = DEFAULT_SCORE) -> tuple[Array, Array]:
    """Return how far each row of X finds its own of Y first, and of Y its own of X, (n,) each.

    As `score_pairs` has it, ties being shared, but with the best of each row and column alone: a
    count of all that are better is not needed to know who is first.
    """
    neighbours = find_score(score).neighbours
    if score == "margin" or len(X) > MOST_AT_ONCE:
        forth, back = score_pairs(X, Y, score)
        return forth.within(1), back.within(1)
    scores = _unit(X) @ _unit(Y).T
    if neighbours:
        of_rows, of_columns = _closeness(scores, neighbours), _closeness(scores.T, neighbours)
        scores *= 2
        scores -= of_rows[:, None]
        scores -= of_columns
    own = scores.diagonal().copy()
    np.fill_diagonal(scores, -np.inf)
    return _first(own, scores), _first(own, scores.T)


def _first(own: Array, others: Array) -> Array:
    """How far each row's own score is the first among `others` (n, n): 1, 0, or a part of a tie."""
    best = others.max(axis=1)
    hits = (own > best + TIE).astype(np.float64)
    for row in np.flatnonzero(np.abs(own - best) <= TIE):
        hits[row] = 1 / (1 + np.count_nonzero(others[row] >= own[row] - TIE))
    return hits


def _closeness(scores: Array, neighbours: int) -> Array:
    """The mean of the highest scores of each row, (n,)."""
    count = min(neighbours, scores.shape[1])
    sorted_ = np.partition(np.ascontiguousarray(scores), scores.shape[1] - count, axis=1)
    mean: Array = sorted_[:, -count:].mean(axis=1)
    return mean


def _unit(rows: Array) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: Array = rows / np.where(lengths > 0, lengths, 1)
    return scaled


def _pairs(
    sides: Sides, coordinates: Coordinates, on_pair: OnPair
) -> Iterator[tuple[int, int, Array, Array]]:
    """Every two languages, with the rows that both have, in the coordinates of these two."""
    count = len(sides.vectors)
    total = count * (count - 1) // 2
    whole = [_centre(rows) for rows in sides.vectors] if sides.complete else None
    for done, (one, other) in enumerate(combinations(range(count), 2)):
        on_pair(done, total)
        if whole is not None:
            first, second = whole[one], whole[other]
        else:
            common = sides.there[one] & sides.there[other]
            if not common.any():
                continue
            first, second = (_centre(sides.vectors[side][common]) for side in (one, other))
        yield one, other, *_in_coordinates(first, second, coordinates)


def _centre(rows: Array) -> _Centred:
    moments = layer_moments(rows)
    return _Centred((rows - moments.mean).astype(np.float32), moments)


def _in_coordinates(
    first: _Centred, second: _Centred, coordinates: Coordinates
) -> tuple[Array, Array]:
    if coordinates == "centred":
        return first.vectors, second.vectors
    if coordinates == "raw":
        return tuple(  # type: ignore[return-value]
            (side.vectors + side.moments.mean).astype(np.float32) for side in (first, second)
        )
    deviation = join_moments(first.moments, second.moments).deviation
    zeros = LayerStatistics(np.zeros((2, len(deviation)), np.float32), deviation)
    scale = zeros.apply(np.ones((1, len(deviation)), np.float32), 0, coordinates)[0]
    return first.vectors * scale, second.vectors * scale
