"""What is learned from: the English of what is installed, or files, as sentences in words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import RunError, TextError
from isogloss.lab.emergence.docstrings import docstring_versions, read_docstrings
from isogloss.text.monolingual import read_source as read_monolingual
from isogloss.text.reading import BUNDLED_NAMES, load_bundled, read_files
from isogloss.text.words import segment

DOCSTRINGS = "docstrings"
_MOST_BYTES = 500_000_000
_MOST_PAIRS = 2_000_000
_MARKS = frozenset(".,?!;:。，？！；：、")

Sentence = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SourceText:
    """Sentences as words by domain, `sides` languages each: (text,) or (text, translation)."""

    languages: tuple[str, ...]
    domains: Mapping[str, Sequence[tuple[Sentence, ...]]]
    facts: Mapping[str, Any]

    @property
    def is_parallel(self) -> bool:
        return len(self.languages) == 2


def read_source(
    sources: Sequence[str],
    languages: Sequence[str],
    say: Callable[[str], None] = lambda domain: None,
) -> SourceText:
    """Read what to learn from: `docstrings`, or files of text or parallel text, one domain each.

    `languages` are one for a copy, two for real text, which has to be parallel. `say` hears of each
    domain as it begins.
    """
    if tuple(sources) == (DOCSTRINGS,):
        if len(languages) > 1:
            raise RunError("Docstrings are English only: give parallel text for two languages.")
        found = read_docstrings(say)
        domains: dict[str, list[tuple[Sentence, ...]]] = {
            name: [(split_words(text, "en"),) for text in texts] for name, texts in found.items()
        }
        return SourceText(
            ("en",), domains, {"source": DOCSTRINGS, "packages": docstring_versions()}
        )
    if not sources or DOCSTRINGS in sources:
        raise RunError("Give docstrings alone, or one file or more.")
    domains = {}
    files = {}
    for source in sources:
        name = Path(source).name
        say(name)
        rows = list(_read_file(source, languages))
        domains[name] = [
            tuple(split_words(text, code) for text, code in zip(row, languages, strict=True))
            for row in rows
        ]
        files[name] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return SourceText(tuple(languages), domains, {"source": "files", "files": files})


def _read_file(source: str, languages: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The sentences of a file in the languages asked for; plain text has one a line."""
    bundled = source in BUNDLED_NAMES and not Path(source).exists()
    if not bundled and not Path(source).is_file():
        raise RunError(f"There is no file {source}: give docstrings or a file of sentences.")
    if bundled:
        text = load_bundled(source)
    else:
        try:
            read = read_files(
                source, skip_bad_rows=True, limit_bytes=_MOST_BYTES, limit_pairs=_MOST_PAIRS
            )
        except TextError:
            if len(languages) > 1:
                raise
            yield from zip(read_monolingual(source, languages[0])[languages[0]], strict=True)
            return
        text = read.text
    sides = dict(zip(text.languages, text.sides, strict=True))
    missing = [code for code in languages if code not in sides]
    if missing:
        raise RunError(
            f"{Path(source).name} has text in {' and '.join(sides)} but none in {missing[0]}: "
            "give another file or another language."
        )
    rows = zip(*(sides[code] for code in languages), strict=True)
    yield from (row for row in rows if all(row))


def split_words(text: str, language: str) -> Sentence:
    """The words of a sentence in small letters; of other marks only those that end or part it."""
    words = (word.text.lower().replace("’", "'") for word in segment(text, language))
    return tuple(word for word in words if word in _MARKS or any(map(str.isalnum, word)))
