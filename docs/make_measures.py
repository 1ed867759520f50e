"""The list of similarity measures, written from the table: `python -m docs.make_measures`."""

from __future__ import annotations

from pathlib import Path

from isogloss.measures.similarity.shuffling import COSTLY_SHUFFLES, MOST_SHUFFLED, SHUFFLES
from isogloss.measures.similarity.table import SIMILARITY_MEASURES, Measure
from isogloss.measures.uncertainty import FEWEST_RESAMPLED

MEASURES = Path(__file__).parent / "measures.md"
INTRODUCTION = """# The similarity measures

Written from `isogloss/measures/similarity/table.py` by `python -m docs.make_measures`. Every value
comes with an interval over sentences (from {fewest} of them on; how often intervals hold the truth
is in [coverage.md](coverage.md)), with what shuffled pairs read, with the calibrated score
max(0, (s − τ)/(s_max − τ)), where τ is what shuffled pairs exceed in 5 % of cases (Gröger, Wen &
Brbić 2026, arXiv 2602.14486, algorithm 1), and with a p-value: how likely shuffled pairs read as
much.

Mean and deviation under shuffling are exact where they have a formula. τ and p are counted over
{shuffles} shuffles that all pairs of layers share, of {rows} sentences at most, whose deviations
are moved to the exact mean and variance of all ({costly} of all sentences for neuron-wise
correlation, SVCCA and Procrustes). Where no shuffle reads as much and the variance is exact, p is
Cantelli's bound if that is lower. The best of many cells or layers has a τ and a p of its own,
from the largest that each shuffle reads among as many (their algorithm 2). Texts that are streamed
draw no shuffle: Cantelli's bound stands for both, with Bonferroni's for the best.
"""


def main() -> None:
    MEASURES.write_text(describe_measures(), encoding="utf-8")


def describe_measures() -> str:
    """Return the whole document."""
    introduction = INTRODUCTION.format(
        fewest=FEWEST_RESAMPLED, shuffles=SHUFFLES, costly=COSTLY_SHUFFLES, rows=MOST_SHUFFLED
    )
    return "\n".join([introduction, *map(_describe, SIMILARITY_MEASURES.values())])


def _describe(measure: Measure) -> str:
    lines = [
        f"## {measure.title} (`{measure.name}`)\n\n{measure.explanation}\n",
        f"$${measure.formula}$$\n",
        f"- From {measure.lowest:g} to {measure.highest:g}.",
        f"- Unchanged by: {measure.invariant[0].lower()}{measure.invariant[1:]}",
        f"- Can't tell: {measure.blind_to[0].lower()}{measure.blind_to[1:]}",
        f"- {measure.paper}.\n",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
