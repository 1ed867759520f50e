"""Points of two languages and the links between them: who is nearest, in full and in the picture.

Points are rows of one array, `side` (n,) says of which language each is, and links are `pairs`
(m, 2) of rows, the first of side 0.
"""

from __future__ import annotations

import numpy as np

from isogloss.measures.ranks import TIE, Ranks, rank_among
from isogloss.measures.stacks import Array

MOST_PRODUCTS = 2**24
"""So many pairs of points are compared at once, which bounds the memory that takes."""


def linked_shares(side: np.ndarray, pairs: np.ndarray) -> tuple[float, float]:
    """Return the share of the points of each side that have a link: the others are not scored."""
    first, second = (
        len(np.unique(pairs[:, own])) / max(1, int((side == own).sum())) for own in (0, 1)
    )
    return first, second


def chance_nearest(side: np.ndarray, pairs: np.ndarray) -> float:
    """The share of linked points whose nearest would be a partner if all lay anywhere.

    Mean over linked points of (its partners) / (points of the other language); 0 without links.
    """
    chances: list[float] = []
    for own in (0, 1):
        others = int((side != own).sum())
        _, partners = np.unique(pairs[:, own], return_counts=True)
        chances += (partners / others).tolist() if others else []
    return float(np.mean(chances)) if chances else 0.0


def partner_ranks(vectors: np.ndarray, side: np.ndarray, pairs: np.ndarray) -> Ranks:
    """Return where the nearest partner of each linked point comes among the other language.

    Nearness is the product of two rows of `vectors`. One rank for each of `np.unique(pairs)`.
    """
    better = np.zeros(len(vectors), np.int64)
    tied = np.zeros(len(vectors), np.int64)
    for own in (0, 1):
        if not len(pairs):
            break
        others = np.flatnonzero(side == 1 - own)
        place = np.zeros(len(vectors), np.int64)
        place[others] = np.arange(len(others))
        queries, row_of = np.unique(pairs[:, own], return_inverse=True)
        for start in range(0, len(queries), step := max(1, MOST_PRODUCTS // len(others))):
            rows = queries[start : start + step]
            mine = (row_of >= start) & (row_of < start + step)
            right = np.zeros((len(rows), len(others)), bool)
            right[row_of[mine] - start, place[pairs[mine, 1 - own]]] = True
            found = rank_among(vectors[rows] @ vectors[others].T, right)
            better[rows], tied[rows] = found.better, found.tied
    linked = np.unique(pairs)
    return Ranks(better[linked], tied[linked])


def each_others_nearest(vectors: Array, side: np.ndarray) -> np.ndarray:
    """The pairs (m, 2) of points of side 0 and 1, each the nearest of the other."""
    first, second = (np.flatnonzero(side == own) for own in (0, 1))
    if not len(first) or not len(second):
        return np.zeros((0, 2), np.int64)
    nearest = np.zeros(len(first), np.int64)
    best, best_of = np.full(len(second), -np.inf), np.zeros(len(second), np.int64)
    for start in range(0, len(first), step := max(1, MOST_PRODUCTS // len(second))):
        products = vectors[first[start : start + step]] @ vectors[second].T
        nearest[start : start + step] = products.argmax(axis=1)
        top = products.max(axis=0)
        better = top > best
        best_of[better] = start + products.argmax(axis=0)[better]
        best[better] = top[better]
    mutual = np.flatnonzero(best_of[nearest] == np.arange(len(first)))
    return np.stack([first[mutual], second[nearest[mutual]]], axis=1)


def seen_in_picture(positions: Array, side: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    r"""Return the share of linked points whose partner is nearest in the picture, (layers,).

    `positions` (layers, n, 2). Among the points of the other language by Euclidean distance,
    equals in random order: what the eye may believe, beside the share in the full space.
    """
    if not len(pairs):
        return np.zeros(len(positions))
    return np.array(
        [
            np.concatenate([_seen_from(layer, side, pairs, own) for own in (0, 1)]).mean()
            for layer in np.asarray(positions, np.float64)
        ]
    )


def _seen_from(layer: Array, side: np.ndarray, pairs: np.ndarray, own: int) -> np.ndarray:
    """For each linked point of one side, the chance that its nearest of the other is a partner."""
    from scipy.spatial import cKDTree

    others = cKDTree(layer[side == 1 - own])
    queries, row_of = np.unique(pairs[:, own], return_inverse=True)
    squares = ((layer[pairs[:, 0]] - layer[pairs[:, 1]]) ** 2).sum(axis=1)
    partner = np.full(len(queries), np.inf)
    np.minimum.at(partner, row_of, squares)
    nearest = others.query(layer[queries])[0] ** 2
    # Halves of squared distances that differ by less than TIE are equal, as scores are.
    first = np.flatnonzero(partner <= nearest + 2 * TIE)
    reach = np.sqrt(partner + 2 * TIE)
    equal = others.query_ball_point(layer[queries[first]], reach[first], return_length=True)
    right = np.bincount(row_of[squares <= partner[row_of] + 2 * TIE], minlength=len(queries))
    seen = np.zeros(len(queries))
    seen[first] = 1 / (1 + equal - right[first])
    return seen


def length_of_links(positions: Array, pairs: np.ndarray) -> np.ndarray:
    """Return the median length of the links per layer, as a share of the picture's spread.

    The spread is the root mean square distance of two points, (layers,).
    """
    lengths = []
    for layer in np.asarray(positions, np.float64):
        spread = np.sqrt(2 * layer.var(axis=0).sum())
        ends = layer[pairs[:, 0]] - layer[pairs[:, 1]]
        lengths.append(np.median(np.linalg.norm(ends, axis=1)) / max(spread, 1e-12))
    return np.array(lengths)
