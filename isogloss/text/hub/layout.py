"""Which files of a data set have a text, told before any of them is fetched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.errors import TextError
from isogloss.formatting import human_size
from isogloss.text.hub.names import HubName, Side
from isogloss.text.hub.repository import Repository, has_word, some
from isogloss.text.readers.files import format_bytes
from isogloss.text.readers.languages import language_code, language_of_file

MOST_FETCHED = 200_000_000
"""Bytes that are fetched of a data set for one text."""
_USUAL_SCRIPT = {"zh": "Hans"}
"""Which of a language's scripts is meant by its code alone, where a data set has both."""


@dataclass(frozen=True)
class FoundFiles:
    """The files to read; of a table also the column of each language."""

    files: tuple[str, ...]
    columns: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


def find_files(name: HubName, repository: Repository) -> FoundFiles:
    """Find the files; raises what keeps the text from being read."""
    layout = name.known.layout if name.known else ""
    if layout == "pairs":
        found = _pair_with_english(name, repository)
    else:
        own = {} if layout == "columns" else _files_by_language(name, repository)
        if len(own) == len(name.sides):
            found = FoundFiles(tuple(own.values()), languages=name.languages)
        elif layout == "files":
            raise _no_language(name, repository, own)
        else:
            files = repository.table_files(name.config, name.split)
            found = FoundFiles(
                tuple(files), tuple(side.name for side in name.sides), name.languages
            )
    size = sum(repository.sizes[path] or 0 for path in found.files)
    if size > MOST_FETCHED:
        raise TextError(
            f"{name.text} would fetch {human_size(size)} in {len(found.files)} files, over the "
            f"limit of {format_bytes(MOST_FETCHED)}: name a smaller split, or fetch the files and "
            "give a part of them."
        )
    return found


def _files_by_language(name: HubName, repository: Repository) -> dict[Side, str]:
    """The file of each language, of those whose paths have the asked words; all or some."""
    if any(side.column for side in name.sides):
        return {}
    words = [word for word in (name.config, name.split) if word]
    tags: dict[str, str] = {}
    for path in repository.data_files:
        tag = language_of_file(path.rpartition("/")[2]) or _stem(path)
        if all(has_word(path, word) for word in words):
            tags.setdefault(tag, path)
    found = {}
    for side in name.sides:
        called = called_there(side.language, list(tags), name)
        if called is not None:
            found[side] = tags[called]
    return found


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def called_there(language: str, tags: Sequence[str], name: HubName) -> str | None:
    """What a data set calls a language, None if it has none of it."""
    exact = [tag for tag in tags if _key(tag) == _key(language)]
    if exact:
        return exact[0]
    code = language_code(language)
    same = [tag for tag in tags if code is not None and language_code(tag) == code]
    usual = [tag for tag in same if tag.endswith(_USUAL_SCRIPT.get(code or "", "?"))]
    if len(same) > 1 and len(usual) != 1:
        raise TextError(f"{name.title} has {' and '.join(same)} for {language}: name one of them.")
    return next(iter(usual or same), None)


def _key(tag: str) -> str:
    return tag.casefold().replace("-", "_")


def _no_language(name: HubName, repository: Repository, own: dict[Side, str]) -> TextError:
    missing = next(side.language for side in name.sides if side not in own)
    if repository.offline:
        return TextError(
            f"{name.title} is on this machine without {missing}, and the hub cannot be reached: "
            "fetch it once where there is a network."
        )
    there = sorted(_stem(path) for path in repository.data_files if has_word(path, name.split))
    if not there:
        return TextError(f"{name.title} has no part called {name.split}: see {name.page}.")
    return TextError(
        f"{name.title} has no {missing} in {name.split}; it has {some(there)}: {name.page} "
        "lists all."
    )


def _pair_with_english(name: HubName, repository: Repository) -> FoundFiles:
    """A table of two columns for each language and English: sentence1 and sentence2."""
    codes = name.languages
    if len(codes) != 2 or "en" not in codes or codes[0] == codes[1]:
        raise TextError(
            f"{name.title} has pairs of one language and English: write {name.known.example}."
            if name.known
            else f"{name.text} is not understood."
        )
    pairs = list(repository.configurations) or sorted(
        {found for path in repository.sizes for found in re.findall(r"\b[a-z]{3}-eng\b", path)}
    )
    other = next(side.language for side in name.sides if language_code(side.language) != "en")
    tag = called_there(other, [pair.partition("-")[0] for pair in pairs], name)
    if tag is None:
        raise TextError(
            f"{name.title} has no {other}; it has {some([p.partition('-')[0] for p in pairs])}: "
            f"{name.page} lists all."
        )
    files = repository.table_files(f"{tag}-eng", name.split)
    columns = ["sentence2" if code == "en" else "sentence1" for code in codes]
    return FoundFiles(tuple(files), tuple(columns), codes)
