"""Bilingual lexicons: how often words of two languages translated each other in other texts.

A lexicon file is gzipped, tab-separated text. Its header names the two languages; each further
line holds a word, a word of the other language, and how often the two were linked. A line with
one side empty says how often the other side's word was linked with nothing.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from isogloss.errors import TextError
from isogloss.text.readers.languages import language_code

if TYPE_CHECKING:
    from scipy import sparse

BUNDLED_DIRECTORY = Path(__file__).parents[1] / "bundled" / "lexicons"
NOTHING = ""
"""Stands for the missing counterpart of a word that is linked with nothing."""

# An unknown word counts as the longest known one that it merely adds an ending to.
SHORTEST_STEM = 4
LONGEST_ENDING = 3

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

Counts = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LinkCounts:
    """What a lexicon counted of m source words and n target words.

    `links` (m, n) counts links of two such words. The other fields are pairs, source and target:
    `linked` (m,), (n,) counts a word's links with all words of the lexicon, `unlinked` (m,), (n,)
    how often it was linked with nothing, and `all_unlinked` how often any word was.
    """

    links: sparse.csr_array
    linked: tuple[Counts, Counts]
    unlinked: tuple[Counts, Counts]
    all_unlinked: tuple[float, float]


@dataclass(frozen=True)
class Lexicon:
    """How often words of two languages were linked.

    `source` and `target` give each word in its plain form its row or column of `counts`; row 0
    and column 0 are NOTHING.
    """

    languages: tuple[str, str]
    source: dict[str, int]
    target: dict[str, int]
    counts: sparse.csr_array

    def __len__(self) -> int:
        return int(self.counts.nnz)

    def reversed(self) -> Lexicon:
        """Return the lexicon with source and target exchanged."""
        from scipy import sparse

        languages = (self.languages[1], self.languages[0])
        return Lexicon(languages, self.target, self.source, sparse.csr_array(self.counts.T))

    def look_up(self, source: Sequence[str], target: Sequence[str]) -> LinkCounts:
        """Return the counts of words in their plain form.

        An unknown word takes the mean of the counts of the known words it can be read as: its
        characters if it is Chinese, else the word or the hyphenated words it is an inflection of.
        """
        from scipy import sparse

        rows, columns = _selection(source, self.source), _selection(target, self.target)
        links, unlinked = self.counts[1:, 1:], (self.counts[:, [0]], self.counts[[0], :].T)
        return LinkCounts(
            links=sparse.csr_array(rows[:, 1:] @ links @ columns[:, 1:].T),
            linked=(rows[:, 1:] @ links.sum(axis=1), columns[:, 1:] @ links.sum(axis=0)),
            unlinked=(
                (rows @ unlinked[0]).toarray().ravel(),
                (columns @ unlinked[1]).toarray().ravel(),
            ),
            all_unlinked=(float(unlinked[0].sum()), float(unlinked[1].sum())),
        )


def plain_form(word: str) -> str:
    """Return a word without its differences of case and width, as lexicons list it."""
    return unicodedata.normalize("NFKC", word).casefold()


def load_lexicon(languages: tuple[str, str]) -> Lexicon | None:
    """Return the bundled lexicon from one language to the other, None if there is none."""
    first, second = (language_code(language) or language for language in languages)
    if (path := bundled_path(first, second)).exists():
        return _read_once(path)
    if (path := bundled_path(second, first)).exists():
        return _read_once(path).reversed()
    return None


def bundled_path(source: str, target: str) -> Path:
    """Return where the bundled lexicon of two languages is, if there is one."""
    return BUNDLED_DIRECTORY / f"{source}-{target}.tsv.gz"


def read_lexicon(path: Path) -> Lexicon:
    """Read a lexicon file; one that is damaged raises a TextError that says where."""
    try:
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, EOFError, ValueError) as error:
        raise _damaged(path, "it cannot be unpacked") from error
    header, *lines = text.splitlines() or [""]
    languages = header.split("\t")
    if len(languages) != 3:
        raise _damaged(path, "its first line does not name two languages")
    source, target = {NOTHING: 0}, {NOTHING: 0}
    rows, columns, counts = [], [], []
    for number, line in enumerate(lines, start=2):
        parts = line.split("\t")
        if len(parts) != 3 or parts[0] == parts[1] == NOTHING or not parts[2].isdecimal():
            raise _damaged(path, f"line {number} is not two words and a count")
        rows.append(source.setdefault(parts[0], len(source)))
        columns.append(target.setdefault(parts[1], len(target)))
        counts.append(float(parts[2]))
    from scipy import sparse

    shape = (len(source), len(target))
    table = sparse.csr_array((counts, (rows, columns)), shape=shape, dtype=np.float64)
    return Lexicon((languages[0], languages[1]), source, target, table)


@cache
def _read_once(path: Path) -> Lexicon:
    return read_lexicon(path)


def _damaged(path: Path, how: str) -> TextError:
    return TextError(f"The lexicon {path.name} is damaged: {how}; install Isogloss again.")


def _selection(words: Sequence[str], known: dict[str, int]) -> sparse.csr_array:
    """Return (len(words), len(known)) whose row w averages the known words that w is read as."""
    from scipy import sparse

    rows, columns, weights = [], [], []
    for row, word in enumerate(words):
        parts = [word] if word in known else _known_parts(word, known)
        rows += [row] * len(parts)
        columns += [known[part] for part in parts]
        weights += [1 / max(len(parts), 1)] * len(parts)
    return sparse.csr_array((weights, (rows, columns)), shape=(len(words), len(known)))


def _known_parts(word: str, known: dict[str, int]) -> list[str]:
    if _HAN.search(word):
        return [character for character in word if character in known]
    stems = (_stem(part, known) for part in word.split("-"))
    return [stem for stem in stems if stem is not None]


def _stem(word: str, known: dict[str, int]) -> str | None:
    shortest = max(SHORTEST_STEM, len(word) - LONGEST_ENDING)
    return next((word[:n] for n in range(len(word), shortest - 1, -1) if word[:n] in known), None)
