"""A presenter's tour of a map: views in order, each with a sentence to say.

A tour is a text of one line a step, which is also how an address carries it:

    0; 12.40; Before any layer the two languages lie apart.
    8; 12.40; Here they meet.

The numbers are the stop on the slider and the pinned points.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_STEPS, LONGEST_SENTENCE = 40, 300
_LINE = re.compile(r"\s*(\d{1,6})\s*;([\d.\s]*);(.*)", re.ASCII)


@dataclass(frozen=True)
class TourStep:
    """One view of a tour: the stop, the pinned points and what to say."""

    layer: int
    pins: tuple[int, ...]
    sentence: str

    def __str__(self) -> str:
        return f"{self.layer}; {'.'.join(map(str, self.pins))}; {self.sentence}"


def write_tour(steps: Sequence[TourStep]) -> str:
    """Return the tour as text."""
    return "\n".join(map(str, steps))


def read_tour(text: str, stops: int, points: int) -> tuple[TourStep, ...]:
    """Return the steps of a text for a map of so many stops and points.

    Anyone may write an address, so lines that are no step are left out, a stop beyond the last is
    the last, and pins that are not on the map are dropped.
    """
    found = filter(None, map(_LINE.fullmatch, text.splitlines()))
    return tuple(
        TourStep(
            min(int(line[1]), stops - 1),
            tuple(int(pin) for pin in re.findall(r"\d{1,9}", line[2]) if int(pin) < points),
            " ".join(line[3].split())[:LONGEST_SENTENCE],
        )
        for line in list(found)[:MOST_STEPS]
    )
