"""Axes on paper: from values to places on the page, and where ticks stand and what they say."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

PIXELS_A_TICK = {"x": 70, "y": 36}
"""The least room for a tick that Plotly would place by itself."""
AIR = 0.05
"""What an axis leaves on both sides of its data, of their span, where no range is given."""
_FORMAT = re.compile(r"^(,?)(?:\.(\d+))?(~?)([fgr%ds]?)$")


@dataclass(frozen=True)
class Scale:
    """An axis: its letter, what it is called in the figure, its layout, and its place in pixels.

    `low` and `high` are what stands at `start` and `end`; on a logarithmic axis they are powers of
    ten. `names` are the categories, in order, of an axis that has them.
    """

    letter: str
    layout: Mapping[str, Any]
    start: float
    end: float
    low: float
    high: float
    names: tuple[str, ...] = ()

    @property
    def is_log(self) -> bool:
        return self.layout.get("type") == "log"

    def value(self, value: Any) -> float:
        """A value as it is counted along the axis; NaN for what is none."""
        if value is None:
            return math.nan
        if isinstance(value, str) and value in self.names:
            return float(self.names.index(value))
        number = float(value)
        if not self.is_log:
            return number
        return math.log10(number) if number > 0 else math.nan

    def place(self, value: Any) -> float:
        """Where a value stands on the page."""
        return self.at(self.value(value))

    def at(self, counted: float) -> float:
        """The same for a value that is counted along the axis already."""
        share = (counted - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def part(self, share: float) -> float:
        """Where a share of the axis ends, from its lower end."""
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """The ticks inside the range: where they stand, counted along the axis, and their text."""
        values, texts = self.layout.get("tickvals"), self.layout.get("ticktext")
        if values is not None:
            places = [self.value(value) for value in values]
            written = texts if texts is not None else [self._say(v, values) for v in values]
            found = zip(places, map(str, written), strict=False)
        elif self.names:
            found = zip(map(float, range(len(self.names))), self.names, strict=True)
        else:
            chosen = self._choose()
            found = zip(
                map(self.value, chosen), (self._say(v, chosen) for v in chosen), strict=True
            )
        low, high = sorted((self.low, self.high))
        slack = 1e-6 * (high - low)
        return [(at, text) for at, text in found if low - slack <= at <= high + slack]

    def _choose(self) -> list[float]:
        low, high = sorted((self.low, self.high))
        if self.is_log:
            decades = range(math.floor(low), math.ceil(high) + 1)
            ticks = [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]
            return [tick for tick in ticks if low <= math.log10(tick) <= high]
        step = self.layout.get("dtick")
        if not step:
            room = abs(self.end - self.start) / PIXELS_A_TICK[self.letter]
            step = round_step((high - low) / max(min(room, self.layout.get("nticks") or 10), 1))
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        return [round(n * step, 12) for n in range(first, last + 1)]

    def _say(self, value: Any, among: Sequence[Any]) -> str:
        pattern = self.layout.get("tickformat") or ""
        if isinstance(value, str):
            return value
        if not pattern and all(float(each).is_integer() for each in among):
            return say_number(value, ",d" if abs(float(value)) >= 10_000 else "d")
        return say_number(value, pattern) + (self.layout.get("ticksuffix") or "")


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is no smaller."""
    if not least > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))


def say_number(value: Any, pattern: str) -> str:
    """A number in one of the patterns of d3 that our figures use.

    >>> [say_number(0.25, ".0%"), say_number(-1.5, ".1f"), say_number(1234.5, ",.3~r")]
    ['25%', '−1.5', '1,230']
    >>> [say_number(0.5, ".2~g"), say_number(2, "d"), say_number(0.1 + 0.2, "")]
    ['0.5', '2', '0.3']
    """
    number = float(value)
    read = _FORMAT.match(pattern)
    if read is None:
        raise ValueError(f"no figure has used the number format {pattern!r} before")
    comma, digits, trim, kind = read[1], int(read[2] or 6), bool(read[3]), read[4]
    if kind == "d":
        said = f"{number:{comma}.0f}"
    elif kind == "f":
        said = f"{number:{comma}.{digits}f}"
    elif kind == "%":
        said = f"{100 * number:{comma}.{digits}f}"
    elif kind == "r":
        places = digits - 1 - (math.floor(math.log10(abs(number))) if number else 0)
        said = f"{round(number, places):{comma}.{max(places, 0)}f}"
    else:
        said = f"{number:{comma}.{digits}g}"
        trim = trim or not kind
    if trim and "." in said and "e" not in said:
        said = said.rstrip("0").rstrip(".")
    return said.replace("-", "−") + ("%" if kind == "%" else "")


def fit_range(
    layout: Mapping[str, Any], values: Iterable[Any], *, from_zero: bool, air: bool
) -> tuple[float, float]:
    """The ends of an axis: as given, else around the values, counted along it."""
    given = layout.get("range")
    if given is not None and None not in given:
        return float(given[0]), float(given[1])
    is_log = layout.get("type") == "log"
    numbers = np.array([float(v) for v in values if v is not None], dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    if is_log:
        numbers = np.log10(numbers[numbers > 0])
    if not len(numbers):
        return 0.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    span = (high - low) or 1.0
    more = AIR * span if air else 0.0
    low, high = (
        low - (0 if from_zero and low == 0 else more),
        high + (0 if from_zero and high == 0 else more),
    )
    return (high, low) if layout.get("autorange") == "reversed" else (low, high)
