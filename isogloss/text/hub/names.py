"""How a text of the hub is named.

ntrex:en,zh,de                         a data set with a short name, and its languages
flores/dev:en,sw                       another part of it
hub:owner/name:en,zh                   any data set whose columns or files are called by language
hub:owner/name/config/split:a=en,b=zh  its configuration, its split, and columns by their names
…@revision:en,zh                       a revision, such as a commit
…:en,zh#1000                           its first 1,000 rows
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from isogloss.errors import TextError
from isogloss.text.hub.sets import BY_NAME, HubSet, page_of
from isogloss.text.readers.languages import language_codes

HUB = "hub"
OTHERS = "hub:owner/name/configuration/split:column=en,column=zh"
HOW = f"ntrex:en,zh, flores:en,zh, tatoeba:en,zh or {OTHERS}"
_NAME = re.compile(
    r"(?P<path>[\w.+-]+(?:/[\w.+-]+)*)(?:@(?P<revision>[\w./-]+))?"
    r":(?P<sides>[^:#@/\\]+)(?:#(?P<first>[0-9]{1,9}))?"
)


@dataclass(frozen=True)
class Side:
    """One language as it was asked for, and the column that has it, if that was named."""

    language: str
    column: str = ""

    @property
    def name(self) -> str:
        """What a column, a file or a configuration of it may be called."""
        return self.column or self.language


@dataclass(frozen=True)
class HubName:
    """A name taken apart; `known` is the set whose short name it has."""

    text: str
    known: HubSet | None
    repository: str
    config: str
    split: str
    revision: str | None
    sides: tuple[Side, ...]
    first: int | None

    @property
    def title(self) -> str:
        """What the data set is called."""
        return self.known.title if self.known else self.repository

    @property
    def page(self) -> str:
        """Where its card can be read."""
        return page_of(self.repository)

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that were asked for."""
        return language_codes([side.language for side in self.sides])

    @property
    def called(self) -> str:
        """What to call the text: briefly, without its languages."""
        own = self.known.name if self.known else self.repository.rpartition("/")[2]
        usual = self.known.split if self.known else ""
        return own if self.split in ("", usual) else f"{own}/{self.split}"


def is_hub_name(text: str) -> bool:
    """Whether a text's name is one of the hub, well formed or not."""
    start = re.split(r"[:/@]", text, maxsplit=1)[0].casefold()
    return start in BY_NAME or (start == HUB and text[len(HUB) : len(HUB) + 1] == ":")


def looks_like_a_name(text: str) -> bool:
    """Whether it is written as such names are, whatever set it names; few paths of files are."""
    return _NAME.fullmatch(text) is not None and "," in text and "." not in text.partition(":")[0]


def parse_hub_name(text: str) -> HubName:
    """Take a name apart."""
    text = text.strip()
    own = text[len(HUB) + 1 :] if text.casefold().startswith(f"{HUB}:") else ""
    found = _NAME.fullmatch(own or text)
    if found is None:
        known = BY_NAME.get(text.partition(":")[0].casefold())
        example = known.example if known else HOW
        raise TextError(f"{text} does not name its languages: write {example}.")
    first = None if found["first"] is None else int(found["first"])
    if first == 0:
        raise TextError(f"{text} asks for no rows: write a number from 1 after #.")
    sides = tuple(map(_side, found["sides"].split(",")))
    if len(sides) < 2 or not all(side.language for side in sides):
        raise TextError(f"{text} names fewer than two languages: write {HOW}.")
    parts = found["path"].split("/")
    if own:
        if not 2 <= len(parts) <= 4:
            raise TextError(f"{text} does not name a data set of the hub: write {HOW}.")
        config, split = [*parts[2:], "", ""][:2]
        repository, known = "/".join(parts[:2]), None
    else:
        known = BY_NAME.get(parts[0].casefold())
        if known is None or len(parts) > 2:
            raise TextError(f"There is no data set {found['path']}: write {HOW}.")
        if any(side.column for side in sides):
            raise TextError(
                f"{text} names columns, which {known.title} has no need of: write {known.example}."
            )
        repository, config, split = known.repository, "", [*parts[1:], known.split][0]
    return HubName(text, known, repository, config, split, found["revision"], sides, first)


def _side(text: str) -> Side:
    before, mark, after = text.partition("=")
    return Side(after.strip(), before.strip()) if mark else Side(before.strip())
