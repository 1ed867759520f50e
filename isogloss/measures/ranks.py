r"""Ranks with ties: where a translation comes among the candidates, equals in random order.

Vectors can be identical (the same word twice at the embedding output), and then no order among
them is right. Everything here is an expectation over all orders of the equals, so a layer whose
vectors are all alike reads exactly what chance would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

# Below single precision's rounding of a cosine, two scores are a tie.
TIE = 1e-6


@dataclass(frozen=True)
class Ranks:
    """For each row, how many candidates beat the right one and how many others equal it, (n,)."""

    better: Array
    tied: Array

    def __len__(self) -> int:
        return len(self.better)

    def expected(self) -> Array:
        r"""Return the mean rank over all orders of the equals, $1 + b + t/2$; 1 is the best."""
        return 1 + self.better + self.tied / 2

    def within(self, k: int) -> Array:
        r"""Return the chance to be among the first k, $(k - b)/(t + 1)$ clipped to 0…1."""
        return np.clip((k - self.better) / (self.tied + 1), 0, 1)

    def reciprocal(self) -> Array:
        r"""Return the mean of 1/rank over all orders, $(H_{b+t+1} - H_b)/(t + 1)$."""
        last = int((self.better + self.tied).max(initial=0)) + 1
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, last + 1))])
        total = harmonic[self.better + self.tied + 1] - harmonic[self.better]
        return np.asarray(total / (self.tied + 1))


def rank_among(scores: Array, right: Array) -> Ranks:
    """Return the ranks of the best right candidate in each row of `scores` (n, m).

    `right` (n, m) marks the candidates that count as right; others of them neither beat nor tie.
    """
    best = np.where(right, scores, -np.inf).max(axis=1, keepdims=True)
    wrong = np.where(right, -np.inf, scores)
    better = np.count_nonzero(wrong > best + TIE, axis=1)
    return Ranks(better, np.count_nonzero(wrong >= best - TIE, axis=1) - better)
