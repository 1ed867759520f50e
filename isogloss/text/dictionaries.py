"""Bilingual dictionaries in MUSE's format: one `word translation` a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import TextError


@dataclass(frozen=True)
class BilingualDictionary:
    """The accepted translations of each word, in the order of the file."""

    translations: dict[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.translations)

    def reversed(self) -> BilingualDictionary:
        """Return the dictionary read from the other language."""
        return collect_entries(
            (target, source) for source, targets in self.translations.items() for target in targets
        )


def collect_entries(entries: Iterable[tuple[str, str]]) -> BilingualDictionary:
    """Gather (word, translation) pairs; a word may have several translations."""
    translations: dict[str, dict[str, None]] = {}
    for word, translation in entries:
        translations.setdefault(word, {})[translation] = None
    return BilingualDictionary({word: tuple(found) for word, found in translations.items()})


def parse_dictionary(text: str, name: str = "the dictionary") -> BilingualDictionary:
    """Read lines of a word and its translation, separated by a tab or, as in MUSE, a space.

    With a tab either part may hold spaces; empty lines are skipped.
    """
    entries = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip():
            continue
        parts = [part.strip() for part in (line.split("\t") if "\t" in line else line.split())]
        if len(parts) != 2 or not all(parts):
            raise TextError(
                f"Line {number} of {name} has {len(parts)} parts, not a word and its translation; "
                "write two words separated by a tab or one space."
            )
        entries.append((parts[0], parts[1]))
    if not entries:
        raise TextError(
            f"{name[0].upper()}{name[1:]} has no entries; give one `word translation` a line."
        )
    return collect_entries(entries)


def read_dictionary(path: str | Path) -> BilingualDictionary:
    """Read a dictionary file in UTF-8."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TextError(f"The dictionary {path.name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TextError(f"The dictionary {path.name} is not UTF-8; save it as UTF-8.") from error
    return parse_dictionary(text, path.name)
