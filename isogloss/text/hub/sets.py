"""The data sets that have a short name: where they are, whose they are, how they lie there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Layout = Literal["columns", "files", "pairs"]
"""A table with a column a language, a file a language, or a table for each pair with English."""


@dataclass(frozen=True)
class HubSet:
    """A row of sets.toml; `split` is the part that is read unless another is named."""

    name: str
    title: str
    repository: str
    layout: Layout
    split: str
    licence: str
    citation: str
    key: str
    about: str
    example: str
    gated: bool = False

    @property
    def page(self) -> str:
        return page_of(self.repository)


def page_of(repository: str) -> str:
    """Where a data set's card can be read."""
    return f"https://huggingface.co/datasets/{repository}"


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SETS = tuple(HubSet(**each) for each in _TABLE["set"])
BY_NAME = {each.name: each for each in SETS}
