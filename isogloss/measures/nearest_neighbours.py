r"""Nearest neighbours across languages: three scores, blocks of bounded memory.

All scores rest on the cosine of two rows. CSLS and the margin correct it for *hubs*, rows that
are close to everything, by $r_Y(x)$, the mean cosine of x with its K nearest rows of Y.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.ranks import TIE, Ranks
from isogloss.measures.stacks import Array, require_finite
from isogloss.options import option

BLOCK = 512


@dataclass(frozen=True)
class Score:
    """A way to score a pair of rows; `neighbours` is K, 0 where there is no correction."""

    name: str
    title: str
    explanation: str
    formula: str
    paper: str
    neighbours: int


SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score(
            name="cosine",
            title="Cosine",
            explanation="The angle between two vectors, nothing more.",
            formula=r"\cos(x, y)",
            paper="",
            neighbours=0,
        ),
        Score(
            name="csls",
            title="CSLS (K = 10)",
            explanation="The cosine, less how close each of the two is to its neighbours anyway.",
            formula=r"2\cos(x, y) - r_Y(x) - r_X(y)",
            paper="Conneau et al. 2018, Word translation without parallel data",
            neighbours=10,
        ),
        Score(
            name="margin",
            title="Ratio margin (K = 4)",
            explanation="The cosine, divided by how close the two are to their neighbours.",
            formula=r"\frac{\cos(x, y)}{\tfrac12 r_Y(x) + \tfrac12 r_X(y)}",
            paper="Artetxe & Schwenk 2019, Margin-based parallel text mining",
            neighbours=4,
        ),
    )
}
DEFAULT_SCORE = "csls"


def score_option() -> Any:
    """The field of a question that says which score ranks neighbours."""
    return option(DEFAULT_SCORE, "how near two vectors are", title="Nearness", choices=SCORES)


def find_score(name: str) -> Score:
    """Return the score of that name."""
    if name not in SCORES:
        raise IsoglossError(f"There is no score {name!r}; choose one of {', '.join(SCORES)}.")
    return SCORES[name]


def unit_rows(X: Array, centre: bool = False) -> Array:
    """Return X with its mean removed if asked, each row scaled to length 1, in float32.

    A row of zeros stays zero: its cosine with everything is 0.
    """
    if X.ndim != 2 or 0 in X.shape:
        raise IsoglossError(
            f"Vectors must be an array of shape (rows, features), not {X.shape}; pool tokens first."
        )
    rows = X.astype(np.float64)
    if centre:
        rows -= rows.mean(0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    require_finite(lengths.sum())
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@dataclass(frozen=True)
class Space:
    """Unit rows of two sides and what is needed to score any block of pairs between them."""

    X: Array
    Y: Array
    score: Score
    closeness_x: Array
    closeness_y: Array

    def flip(self) -> Space:
        """Return the same space seen from the other side."""
        return Space(self.Y, self.X, self.score, self.closeness_y, self.closeness_x)

    def select(self, rows: Array) -> Space:
        """Return the same space with only some rows of X searching."""
        return Space(self.X[rows], self.Y, self.score, self.closeness_x[rows], self.closeness_y)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield the scores of `BLOCK` rows of X at a time against all rows of Y."""
        for start in range(0, len(self.X), BLOCK):
            part = slice(start, start + BLOCK)
            cosines = self.X[part] @ self.Y.T
            yield part, self._rescore(cosines, self.closeness_x[part, None], self.closeness_y)

    def pair_scores(self) -> Array:
        """Return the score of each row of X with the same row of Y, (n,)."""
        cosines = np.einsum("ij,ij->i", self.X, self.Y)
        return self._rescore(cosines, self.closeness_x, self.closeness_y)

    def _rescore(self, cosines: Array, closeness_x: Array, closeness_y: Array) -> Array:
        """Turn cosines, in place, into scores."""
        if self.score.name == "csls":
            cosines *= 2
            cosines -= closeness_x
            cosines -= closeness_y
        elif self.score.name == "margin":
            # A pair far from all its neighbours would divide by zero or turn the order round.
            cosines /= np.maximum((closeness_x + closeness_y) / 2, TIE)
        return cosines


def make_space(X: Array, Y: Array, score: str = DEFAULT_SCORE, centre: bool = False) -> Space:
    """Return X (n, d) and Y (m, d) ready to be scored."""
    if X.ndim == Y.ndim == 2 and X.shape[1] != Y.shape[1]:
        raise IsoglossError(
            f"Vectors of {X.shape[1]} and {Y.shape[1]} features have no cosine; "
            "learn a mapping between the two spaces first."
        )
    X, Y, found = unit_rows(X, centre), unit_rows(Y, centre), find_score(score)
    return Space(X, Y, found, closeness(X, Y, found.neighbours), closeness(Y, X, found.neighbours))


def closeness(X: Array, Y: Array, neighbours: int) -> Array:
    """Return the mean cosine of each row of X with its nearest rows of Y, (n,)."""
    count = min(neighbours, len(Y))
    result = np.zeros(len(X), np.float32)
    for start in range(0, len(X) if count else 0, BLOCK):
        part = slice(start, start + BLOCK)
        cosines = X[part] @ Y.T
        cosines.partition(len(Y) - count, axis=1)
        result[part] = cosines[:, len(Y) - count :].mean(1)
    return result


def nearest(space: Space, count: int) -> tuple[Array, Array]:
    """Return, best first, which rows of Y each row of X finds, and their scores, each (n, k)."""
    count = min(count, len(space.Y))
    indices = np.zeros((len(space.X), count), np.int64)
    scores = np.zeros((len(space.X), count), np.float32)
    for part, block in space.blocks():
        found = np.argpartition(block, len(space.Y) - count, axis=1)[:, len(space.Y) - count :]
        values = np.take_along_axis(block, found, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        indices[part] = np.take_along_axis(found, order, axis=1)
        scores[part] = np.take_along_axis(values, order, axis=1)
    return indices, scores


def rank_pairs(space: Space) -> tuple[Ranks, Ranks]:
    """Return where each row's own translation comes, from X to Y and from Y to X.

    Scores that differ by less than single precision's rounding are ties, in random order.
    """
    own = space.pair_scores()
    low, high = own - TIE, own + TIE
    # Candidates that beat or equal the translation, and those that beat it, by direction.
    level, better = np.zeros((2, len(own)), np.int64), np.zeros((2, len(own)), np.int64)
    for part, block in space.blocks():
        # Its own translation is not among those that may beat it.
        np.fill_diagonal(block[:, part], -np.inf)
        level[0, part] = np.count_nonzero(block >= low[part, None], axis=1)
        better[0, part] = np.count_nonzero(block > high[part, None], axis=1)
        level[1] += np.count_nonzero(block >= low, axis=0)
        better[1] += np.count_nonzero(block > high, axis=0)
    return Ranks(better[0], level[0] - better[0]), Ranks(better[1], level[1] - better[1])
