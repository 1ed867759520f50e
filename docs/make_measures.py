"""The list of similarity measures, written from the table: `python -m docs.make_measures`."""

from __future__ import annotations

from pathlib import Path

from isogloss.measures.similarity.table import SIMILARITY_MEASURES, Measure

MEASURES = Path(__file__).parent / "measures.md"
INTRODUCTION = """# The similarity measures

Written from `isogloss/measures/similarity/table.py` by `python -m docs.make_measures`. Every value
comes with an interval over sentences, with what shuffled pairs read (E₀), with the calibrated score
(s − E₀)/(s_max − E₀) (Gröger et al. 2026) and its p-value: how likely shuffled pairs read as much,
never too low. Where the moments under shuffling have a formula no shuffle is drawn, and p is
Cantelli's bound; elsewhere it is counted over 19 shuffles.
"""


def main() -> None:
    MEASURES.write_text(describe_measures(), encoding="utf-8")


def describe_measures() -> str:
    """Return the whole document."""
    return "\n".join([INTRODUCTION, *map(_describe, SIMILARITY_MEASURES.values())])


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
