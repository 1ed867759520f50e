r"""MEXA: the share of sentences that are nearest to their own translation, seen from both sides.

With c the cosines of all rows of X with all rows of Y,

$$ \frac1n \sum_i \big[\, c_{ii} > \max_{j \ne i} \{ c_{ij}, c_{ji} \} \,\big] $$

in [0, 1] (Kargaran et al. 2024, who use n = 100). A tie, within single precision, counts against
the pair. The more sentences, the harder: values compare at one n only.

**Shuffled.** A pair can be right only where a row of X and a row of Y are each other's nearest.
There are M ≤ n such cells, no two in one row or column, and a random pairing hits each with
chance 1/n: so the number of hits has mean M/n and second factorial moment M(M − 1)/n(n − 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.measures.nearest_neighbours import TIE, unit_rows
from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.shuffling import SHUFFLES, Baseline, draw_orders
from isogloss.measures.stacks import Array, centre


def mexa(a: Sequence[Array], b: Sequence[Array]) -> Contributions:
    """Return which rows, (n,) of 0 and 1 for every pair of layers, find each other."""
    A, B = [unit_rows(x) for x in a], [unit_rows(y) for y in b]
    n = len(A[0])
    joint = np.zeros((n, len(A), len(B)))
    mutual = np.zeros((len(A), len(B)))
    orders = np.stack(draw_orders(n, SHUFFLES))
    drawn = np.zeros((SHUFFLES, len(A), len(B)))
    for (i, x), (j, y) in ((left, right) for left in enumerate(A) for right in enumerate(B)):
        rows, columns = mutual_nearest(x @ y.T)
        joint[rows[rows == columns], i, j] = 1
        mutual[i, j] = len(rows)
        drawn[:, i, j] = (orders[:, rows] == columns).sum(1) / n
    chance = mutual / n
    variance = chance + mutual * (mutual - 1) / (n * (n - 1)) - chance**2
    return Contributions(
        joint,
        np.ones((n, len(A))),
        np.ones((n, len(B))),
        degree=1,
        reasons=explain([centre(x).flaw for x in a], [centre(y).flaw for y in b]),
        baseline=Baseline(chance / n, np.sqrt(np.maximum(variance, 0)) / n, drawn),
        shares=True,
    )


def mutual_nearest(scores: Array) -> tuple[Array, Array]:
    """Return the cells, rows and columns, that beat all others of their row and their column."""
    best = scores.argmax(1)
    alone = np.count_nonzero(scores >= scores.max(1)[:, None] - TIE, axis=1) == 1
    best_back = scores.argmax(0)
    alone_back = np.count_nonzero(scores >= scores.max(0) - TIE, axis=0) == 1
    rows = np.arange(len(scores))
    mutual = (best_back[best] == rows) & alone & alone_back[best]
    return rows[mutual], best[mutual]
