"""The colours of the app, its figures and its exports: `palette.json`, which the map reads, too.

They stay apart for colour-blind eyes and are tuned for light and dark paper each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PALETTE = Path(__file__).with_suffix(".json")
Colors = tuple[str, ...]


@dataclass(frozen=True)
class Palette:
    """The colours on one paper."""

    sides: Colors
    """The two languages, wherever they are shown."""
    categories: Colors
    """Sentences and topics on the map."""
    aligned: Colors
    """How near a word's translation is, a colour for each of RANK_NAMES."""
    none: str
    """What has no category, or no score."""
    quiet: str
    """What should be read second."""
    many: Colors
    """The languages of a text that has more than two."""
    more: Colors
    """Further languages: they stay apart from the two and from one another."""
    methods: Colors
    """What is no language: set-ups, objectives."""
    sequential: Colors
    """From low, which recedes into the paper, to high."""
    below: Colors
    above: Colors
    """Differences, in other hues than the languages', or one would look like a language."""


def _palette(colors: Mapping[str, Any]) -> Palette:
    fields: dict[str, Any] = {
        name: each if isinstance(each, str) else tuple(each) for name, each in colors.items()
    }
    return Palette(**fields)


_found = json.loads(PALETTE.read_text(encoding="utf-8"))
PALETTES: dict[Literal["light", "dark"], Palette] = {
    "light": _palette(_found["light"]),
    "dark": _palette(_found["dark"]),
}
RANK_BOUNDS: tuple[int, ...] = tuple(_found["ranks"]["bounds"])
"""Ranks up to each share a colour; the last colour takes the rest."""
RANK_NAMES: Colors = tuple(_found["ranks"]["names"])
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = tuple(
    tuple((across, down) for across, down in corners) for corners in _found["shapes"]
)
"""The corners of the map's markers in radii, y downwards; without any it is a circle."""
