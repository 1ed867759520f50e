"""A presenter's tour: views in order, each with a sentence to say.

A tour is a text of one line a step, which is also how an address carries it:

    0; 12.40; Before any layer the two languages lie apart.
    8 ?study=eada101341fa&color=alignment; 12.40; Here they meet.
    8 similarity?study=eada101341fa; ; So do whole sentences.

The numbers are the stop on the slider and the pinned points. Between them may stand the address of
the view: the page, what it shows, and how the map is looked at. A step without one is a view of
the map that the tour belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

MOST_STEPS, LONGEST_SENTENCE = 40, 300
_LINE = re.compile(
    r"\s*(\d{1,6})(?: +([a-z_]{0,40}\?[\w.~%&=+-]{0,1500}))?\s*;([\d.\s]*);(.*)", re.ASCII
)
LOOK = ("color", "lines", "words", "curves")
"""What an address says about how a map is looked at, beside layer and pins."""
NOT_THE_PLACE = ("layer", "pins", *LOOK, "talk", "tour", "step")
"""What does not change which page is shown, and what on it."""


@dataclass(frozen=True)
class TourStep:
    """One view of a tour: the stop, the pinned points and what to say.

    `where` is the page with what it shows, "?study=…" on the map, and empty where a step is of the
    map at hand. Then it says nothing of colours, lines, words and curves either, and they stay.
    """

    layer: int
    pins: tuple[int, ...]
    sentence: str
    where: str = ""
    color_by: str = "language"
    links: bool = True
    labels: bool = True
    curves: tuple[int, ...] = ()

    def __str__(self) -> str:
        at = f"{self.layer} {self.address}" if self.where else f"{self.layer}"
        return f"{at}; {'.'.join(map(str, self.pins))}; {self.sentence}"

    @property
    def address(self) -> str:
        """The page with what it shows, and how the map is looked at."""
        look = {
            "color": "" if self.color_by == "language" else self.color_by,
            "lines": "" if self.links else "0",
            "words": "" if self.labels else "0",
            "curves": ".".join(map(str, self.curves)),
        }
        page, _, query = self.where.partition("?")
        asked = dict(parse_qsl(query)) | {name: value for name, value in look.items() if value}
        return f"{page}?{urlencode(asked)}"

    @property
    def page(self) -> str:
        """The page's name in an address, empty for the map's."""
        return self.where.partition("?")[0]

    def is_elsewhere(self, here: str) -> bool:
        """Whether it shows something else than the place `here`."""
        return bool(self.where) and self.where != here


def place(page: str, query: Mapping[str, str]) -> str:
    """What an address shows, without how it is looked at: "?study=eada101341fa"."""
    kept = {name: value for name, value in query.items() if name not in NOT_THE_PLACE}
    return f"{page}?{urlencode(sorted(kept.items()))}"


def write_tour(steps: Sequence[TourStep]) -> str:
    """Return the tour as text."""
    return "\n".join(map(str, steps))


def read_tour(
    text: str, stops: int, points: int, here: str = "", colors: Sequence[str] = ("language",)
) -> tuple[TourStep, ...]:
    """Return the steps of a text for a map of so many stops and points, shown at the place `here`.

    Anyone may write an address, so lines that are no step are left out, a stop beyond the last is
    the last, and pins that are not on the map are dropped. What is elsewhere may have more.
    """
    found = filter(None, map(_LINE.fullmatch, text.splitlines()))
    steps = (_step(line, colors) for line in list(found)[:MOST_STEPS])
    return tuple(
        step if step.is_elsewhere(here) else _within(step, stops, points) for step in steps
    )


def _within(step: TourStep, stops: int, points: int) -> TourStep:
    pins = tuple(pin for pin in step.pins if pin < points)
    return replace(step, layer=min(step.layer, stops - 1), pins=pins)


def _step(line: re.Match[str], colors: Sequence[str]) -> TourStep:
    page, _, query = (line[2] or "").partition("?")
    asked = dict(parse_qsl(query))
    color = asked.get("color", "")
    return TourStep(
        int(line[1]),
        _numbers(line[3]),
        " ".join(line[4].split())[:LONGEST_SENTENCE],
        where=place(page, asked) if line[2] else "",
        color_by=color if color in colors else "language",
        links=asked.get("lines") != "0",
        labels=asked.get("words") != "0",
        curves=_numbers(asked.get("curves", "")),
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", text, re.ASCII))
