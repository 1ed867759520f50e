"""Nouns that say the same in seven languages, written for Isogloss: a row is a concept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from isogloss.errors import TextError

NOUNS = Path(__file__).parents[1] / "bundled" / "concepts" / "nouns.tsv"

NAMES = {
    "en": "English",
    "zh": "中文",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "ru": "Русский",
    "ja": "日本語",
}
"""What each language calls itself, as a prompt says it."""


@dataclass(frozen=True)
class Concepts:
    """Words by language, one for each concept; a concept is called by its English word."""

    words: dict[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.words["en"])

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.words)

    def of(self, language: str) -> tuple[str, ...]:
        """The words of one language."""
        if language not in self.words:
            known = ", ".join(self.words)
            raise TextError(f"The word list has no language {language}: choose {known}.")
        return self.words[language]


@cache
def digest_of_concepts() -> str:
    """What identifies the list that ships, in the key of an answer about its words."""
    return hashlib.sha256(NOUNS.read_bytes()).hexdigest()[:16]


@cache
def bundled_concepts() -> Concepts:
    """The list that ships."""
    header, *rows = NOUNS.read_text(encoding="utf-8").splitlines()
    columns = zip(*(row.split("\t") for row in rows), strict=True)
    return Concepts(dict(zip(header.split("\t"), columns, strict=True)))
