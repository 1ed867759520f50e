r"""What each sentence contributes to a similarity: values, intervals and agreements in one form.

Every measure here is a cosine of sums over rows,

$$ s = \frac{\sum_i h_i}{\sqrt{\sum_i a_i \sum_i b_i}}, $$

with one contribution $h_i$, $a_i$, $b_i$ a row. For a kernel measure $h_i = \sum_j K_{ij} L_{ij}$.

**Intervals.** A resample that draws row i $w_i$ times has, to first order in $w - 1$, the sums
$\sum_i h_i + q \sum_i (w_i - 1) h_i$, where q is how many rows a term of the sum joins (2 for
kernels). That the kernels would be centred anew adds nothing at first order, because centred
kernels sum to zero. So a thousand resamples cost one matrix product.

The textbook bootstrap, drawing rows with replacement and computing again, is wrong here: a row
drawn twice makes a pair of identical rows, which debiasing counts as agreement. In the expansion
a row never meets its own copy. Where the two sides are unrelated the expansion overstates the
variance (twofold in the limit), so an interval there is too wide rather than too narrow.

Of few sentences a percentile interval is too narrow, and its tails are taken further out as
Student's quantile is beyond z (Hesterberg 2015); below `FEWEST_RESAMPLED` sentences there is none.
Shares of sentences have the interval of shares.

An interval tells the spread of a measure over samples of sentences, not its bias: plain CKA and
Procrustes similarity read too high on few rows, and so do their intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.measures.similarity.shuffling import Baseline
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import (
    FEWEST_RESAMPLED,
    SAMPLES,
    expanded_level,
    percentile_interval,
    resample_counts,
    share_interval,
)

# A resampled sum of squares can leave its range only by the expansion's own error.
SMALLEST_SHARE = 1e-6


@dataclass(frozen=True)
class Contributions:
    """Per-row sums behind every pair of layers, shapes (n, L_a, L_b), (n, L_a) and (n, L_b).

    `reasons` (L_a, L_b) says why a pair has no value, "" where it has one;
    `baseline` is what the measure reads when the rows of one side are shuffled. `shares` says that
    the measure is the share of rows whose `joint` is 1. `reach`, of resamples (samples, n),
    says how far below and above the interval must go for what no expansion knows, such as a
    choice that other rows would make otherwise.
    """

    joint: Array
    left: Array
    right: Array
    degree: int
    reasons: Array
    baseline: Baseline
    shares: bool = False
    reach: Callable[[Array], tuple[Array, Array]] | None = None

    def values(self) -> Array:
        """Return the measure for every pair of layers, 0 where `reasons` says it has none."""
        return np.clip(self._cosine(self.joint.sum(0), self.left.sum(0), self.right.sum(0)), -1, 1)

    def agreements(self) -> Array:
        """Return the same cosine row by row, shape (n, L_a, L_b): who agrees most and least."""
        return self._cosine(self.joint, self.left, self.right)

    def intervals(self, samples: int = SAMPLES, groups: Array | None = None) -> tuple[Array, Array]:
        """Return the lower and upper ends of the interval of each value, each (L_a, L_b).

        Rows of one of `groups` (n,) are drawn together. NaN for too few rows or groups of them.
        """
        defined = self.reasons == ""
        if self.shares:
            low, high = share_interval(self.joint, groups)
            return np.where(defined, low, 0), np.where(defined, high, 0)
        drawn = len(self.joint) if groups is None else len(np.unique(groups))
        if drawn < FEWEST_RESAMPLED:
            unknown = np.where(defined, np.nan, 0.0)
            return unknown, unknown
        counts = resample_counts(len(self.joint), samples, groups=groups)
        resampled = self.resampled(counts)
        low, high = percentile_interval(resampled, expanded_level(drawn))
        if self.reach is None:
            return low, high
        fall, rise = self.reach(counts)
        return np.where(defined, low - fall, low), np.where(defined, high + rise, high)

    def resampled(self, counts: Array) -> Array:
        """Return the measure of resamples, (samples, L_a, L_b), to first order in their `counts`.

        These are (samples, n): how often each row is drawn.
        """
        change = self.degree * (counts - 1)
        joint = self.joint.sum(0) + np.tensordot(change, self.joint, axes=1)
        left, right = (
            np.maximum(total + change @ side, SMALLEST_SHARE * total)
            for side, total in ((self.left, self.left.sum(0)), (self.right, self.right.sum(0)))
        )
        return np.clip(self._cosine(joint, left, right), -1, 1)

    def _cosine(self, joint: Array, left: Array, right: Array) -> Array:
        scale = np.sqrt(left[..., :, None] * right[..., None, :])
        defined = (scale > 0) & (self.reasons == "")
        return np.divide(joint, scale, where=defined, out=np.zeros_like(joint))


def explain(flaws_a: list[str | None], flaws_b: list[str | None]) -> Array:
    """Return a (L_a, L_b) array of sentences: what is wrong with a pair of layers, or ""."""

    def sentence(i: int, j: int) -> str:
        faults = [
            f"layer {index} of the {side} side {flaw}"
            for index, side, flaw in ((i, "first", flaws_a[i]), (j, "second", flaws_b[j]))
            if flaw
        ]
        return "Undefined: " + " and ".join(faults) + "." if faults else ""

    return np.array([[sentence(i, j) for j in range(len(flaws_b))] for i in range(len(flaws_a))])
