"""The languages that are known here: their codes, their names, and where they come from.

The table is `isogloss/bundled/languages/languages.tsv`: the two-letter codes of ISO 639-1, and the
three-letter ones of NTREX's and FLORES's languages that have none of two.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).parents[1] / "bundled" / "languages" / "languages.tsv"


@dataclass(frozen=True)
class KnownLanguage:
    """A row: `also` are its other codes and names, in English and in itself.

    `offered` says whether forms list it; `path` has its family, branch and group if these are
    known.
    """

    code: str
    name: str
    offered: bool
    also: tuple[str, ...]
    path: tuple[str, ...]


def _read() -> dict[str, KnownLanguage]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {
        code: KnownLanguage(
            code, name, bool(offered), tuple(also.split()), tuple(filter(None, path))
        )
        for code, name, offered, also, *path in rows
    }


TABLE = _read()
LANGUAGES = tuple(code for code, language in TABLE.items() if language.offered)
"""The codes that forms offer."""


def language_of(code: str) -> KnownLanguage | None:
    """The language of a code, with or without script and region; None if it is not known here."""
    return TABLE.get(code.split("-")[0].lower())


def language_name(code: str) -> str:
    """The English name of a language code, or the code itself where it is not known here."""
    language = language_of(code)
    return language.name if language else code
