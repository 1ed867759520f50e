"""The data sets that have a short name: where the hub has them, whose they are, how they lie there.

Licences and papers are those that the makers' own pages give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Layout = Literal["columns", "files", "pairs"]
"""A table with a column a language, a file a language, or a table for each pair with English."""


@dataclass(frozen=True)
class HubSet:
    """A data set by name; `split` is the part that is read unless another is named."""

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


SETS = (
    HubSet(
        "ntrex",
        "NTREX-128",
        "mteb/NTREXBitextMining",
        "columns",
        "test",
        "CC BY-SA 4.0",
        "Federmann, Kocmi and Xin 2022",
        "federmann2022",
        "1,997 sentences of news, translated from English by people into about 120 languages",
        "ntrex:en,zh,de",
    ),
    HubSet(
        "flores",
        "FLORES+",
        "openlanguagedata/flores_plus",
        "files",
        "devtest",
        "CC BY-SA 4.0",
        "NLLB Team et al. 2024",
        "nllb2024",
        "1,012 sentences of Wikinews, Wikijunior and Wikivoyage (997 as flores/dev) in about 200 "
        "languages",
        "flores:en,zh,sw",
        gated=True,
    ),
    HubSet(
        "tatoeba",
        "Tatoeba",
        "mteb/tatoeba-bitext-mining",
        "pairs",
        "test",
        "CC BY 2.0",
        "Artetxe and Schwenk 2019",
        "artetxe2019laser",
        "up to 1,000 short sentences between English and each of 112 languages",
        "tatoeba:en,zh",
    ),
)
BY_NAME = {each.name: each for each in SETS}
