r"""The sentences of many languages at one layer, in coordinates that all of them share.

Where two languages are compared, each is centred on its own mean. Here that would answer the
question before it is asked: whether sentences lie by language. So one mean is taken over all,

$$ z_{kij} = \frac{x_{kij} - \mu_j}{\sigma_j}, $$

with $\mu_j$ and $\sigma_j$ the mean and the deviation of dimension j over every sentence in every
language.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.coordinates import Coordinates, LayerStatistics, layer_moments
from isogloss.measures.stacks import Array, require_finite


@dataclass(frozen=True)
class Sides:
    """One layer of a text: `vectors` (K, n, d), row i of every language saying the same.

    `there` (K, n) tells which cells have a sentence; vectors of the others are not looked at.
    """

    vectors: Array
    there: Array

    def __post_init__(self) -> None:
        if self.vectors.ndim != 3 or 0 in self.vectors.shape:
            raise IsoglossError(
                "The vectors of many languages must have the shape (languages, rows, features), "
                f"not {self.vectors.shape}."
            )
        if self.there.shape != self.vectors.shape[:2]:
            raise IsoglossError(
                f"{self.vectors.shape[:2]} cells of languages and rows need to be marked as there "
                f"or not, not {self.there.shape}."
            )

    @property
    def complete(self) -> bool:
        """Whether every language has every sentence."""
        return bool(self.there.all())

    def counts(self) -> Array:
        """How many rows each two languages have in common, (K, K)."""
        there = self.there.astype(np.int64)
        common: Array = there @ there.T
        return common

    def rows(self) -> tuple[Array, Array]:
        """The language and the row of every sentence that is there, (m,) each, by language."""
        language, row = np.nonzero(self.there)
        return language, row

    def in_common_coordinates(self, coordinates: Coordinates) -> Array:
        """Every sentence that is there, (m, d) in double precision, about the mean of all."""
        rows = self.vectors[self.there].astype(np.float64)
        require_finite(rows.sum())
        if coordinates == "raw":
            return rows
        moments = layer_moments(rows)
        statistics = LayerStatistics(moments.mean[None], moments.deviation())
        return statistics.apply(rows, 0, coordinates)


def all_there(vectors: Array) -> Sides:
    """The sides (K, n, d) of a text in which no sentence is missing."""
    return Sides(vectors, np.ones(vectors.shape[:2], bool))


def unit_rows_of(rows: Array) -> Array:
    """Rows scaled to length 1; a row of zeros stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Array = rows / np.where(lengths > 0, lengths, 1)
    return scaled
