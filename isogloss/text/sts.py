"""Semantic textual similarity: do a model's similarities of sentence pairs follow people's?

A file has one pair per line and the score people gave it, the higher the more alike (Cer et al.
2017, SemEval task 1, https://aclanthology.org/S17-2001). What is reported is a correlation, so any
scale will do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

from isogloss.errors import StsError
from isogloss.text.readers.decoding import decode_file
from isogloss.text.readers.files import load_file, plain_name
from isogloss.text.readers.languages import languages_in_name
from isogloss.text.readers.rows import header_places, mend_torn_rows, split_lines, without_blank_end
from isogloss.text.reading import LIMITS

BUNDLED_DIRECTORY = Path(__file__).parents[1] / "bundled" / "sts"
BUNDLED_LANGUAGES = ("en", "zh")
FEWEST_PAIRS = 3

SIMILARITIES: dict[str, str] = {
    "cosine": "Cosine",
    "manhattan": "Manhattan",
    "euclidean": "Euclidean",
    "dot": "Dot product",
}
"""The library's name of each similarity of two vectors, and its title; distances are negated."""

COLUMNS = {
    "sentence1": ("sentence1", "sentence_1"),
    "sentence2": ("sentence2", "sentence_2"),
    "score": ("score", "similarity_score", "relatedness_score"),
}
# The STS Benchmark's own files have no header: genre, file, year, number, score, two sentences,
# and in some lines where these come from.
_BENCHMARK_PLACES, _BENCHMARK_COLUMNS = (5, 6, 4), 7


@dataclass(frozen=True)
class StsSet:
    """Pairs of sentences and how alike people find them; `name` is for people."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the texts and scores, whatever the file was called."""
        content = json.dumps([self.first, self.second, self.scores])
        return hashlib.sha256(content.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class StsCorrelation:
    """Pearson's r and Spearman's rho with people's scores; None where one side never varies."""

    pearson: float | None
    spearman: float | None


def load_sts(files: Sequence[str | PathLike[str]] = ()) -> tuple[StsSet, ...]:
    """The sets in `files`, the bundled ones if there are none.

    Two files in two languages with the same scores line by line are translations of one another,
    and give a third set across the languages.
    """
    paths = [Path(file) for file in files] or [
        BUNDLED_DIRECTORY / f"sts.{language}.tsv" for language in BUNDLED_LANGUAGES
    ]
    sets = [read_sts_file(path) for path in paths]
    names = [one.name for one in sets]
    if doubled := [name for name in names if names.count(name) > 1]:
        raise StsError(f"Two STS files are both called {doubled[0]}; rename one of them.")
    pairs = [(one, other) for place, one in enumerate(sets) for other in sets[place + 1 :]]
    across = [cross(one, other) for one, other in pairs if one.scores == other.scores]
    return (*sets, *across)


def cross(one: StsSet, other: StsSet) -> StsSet:
    """Each first sentence of one set with the second of the other, and the other way round."""
    return StsSet(
        name=f"{one.name}–{other.name}",
        first=one.first + other.first,
        second=other.second + one.second,
        scores=one.scores + other.scores,
    )


def read_sts_file(path: str | PathLike[str]) -> StsSet:
    """The pairs of a file, plain or gzipped, called after its language or else its name.

    Tab-separated with a header that names sentence1, sentence2 and score; without one, these three
    columns, or the seven and more of the STS Benchmark.
    """
    file = decode_file(load_file(path, LIMITS.bytes))
    rows: list[tuple[str, str, float]] = []
    parse: Callable[[list[str]], tuple[str, str, float]] | None = None
    text = mend_torn_rows(without_blank_end(file.text))
    for number, line in enumerate(split_lines(text), start=1):
        cells = line.split("\t")
        try:
            if parse is None:
                places, is_header = _find_places(cells)
                parse = _parser(places)
                if is_header:
                    continue
            rows.append(parse(cells))
        except ValueError as problem:
            raise StsError(f"{file.name}, line {number}: {problem}; mend this line.") from None
    if len(rows) < FEWEST_PAIRS:
        raise StsError(
            f"{file.name} has {len(rows)} pairs where a correlation needs at least {FEWEST_PAIRS}; "
            "give it one sentence1, sentence2 and score a line."
        )
    first, second, scores = zip(*rows, strict=True)
    if len(set(scores)) == 1:
        raise StsError(
            f"All pairs of {file.name} have the score {scores[0]:g}, with which nothing can "
            "correlate; give pairs that people judged differently."
        )
    languages = languages_in_name(file.name)
    own = plain_name(file.name).rsplit(".", 1)[0]
    return StsSet(languages[0] if len(languages) == 1 else own, first, second, scores)


def _find_places(cells: list[str]) -> tuple[tuple[int, int, int], bool]:
    """Where sentences and score stand, and whether this first line is a header."""
    found = header_places(cells, COLUMNS)
    if all(place is None for place in found.values()):
        return (_BENCHMARK_PLACES if len(cells) >= _BENCHMARK_COLUMNS else (0, 1, 2)), False
    for column, place in found.items():
        if place is None:
            raise ValueError(f"the header has no column {' or '.join(COLUMNS[column])}")
    first, second, score = (place for place in found.values() if place is not None)
    return (first, second, score), True


def _parser(places: tuple[int, int, int]) -> Callable[[list[str]], tuple[str, str, float]]:
    def parse(cells: list[str]) -> tuple[str, str, float]:
        if len(cells) <= max(places):
            raise ValueError(
                f"it has {len(cells)} columns separated by tabs instead of {max(places) + 1}"
            )
        first, second, score = (cells[place].strip() for place in places)
        if not first or not second:
            raise ValueError(f"its {'first' if not first else 'second'} sentence is empty")
        try:
            value = float(score)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError("its score is not a number")
        return first, second, value

    return parse
