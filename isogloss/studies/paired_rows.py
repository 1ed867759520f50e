"""Rows that stand for the same text on two sides: sentences and their translations, or words.

A side is a *reading*: one study's model reading one language of its text. Two readings may come
from one study (a model reading both languages) or from two studies of the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.stacks import Array
from isogloss.options import Choice
from isogloss.studies.links.points import PointLinks, scored_links
from isogloss.studies.pooling import (
    PointTable,
    Pooling,
    point_table,
    point_vectors,
    sentence_pair_vectors,
)
from isogloss.studies.study import Study
from isogloss.text.parts import choose_spread

Unit = Literal["sentence", "word"]
UNITS: dict[Unit, Choice] = {
    "sentence": Choice("Sentences", "one pooled vector each"),
    "word": Choice(
        "Words",
        "each word in its sentence, paired with its translation: by hand where the text says so, "
        "else as a statistical aligner or another model links them. Where only the models on show "
        "could, words are not compared",
    ),
}

MOST_ROWS = 2_000
"""Beyond this many rows an interval is narrower than a colour can show, and time grows with n²."""

MOST_SENTENCES_FOR_WORDS = 400


@dataclass(frozen=True)
class Reading:
    """A study's model reading one side of its text."""

    study: Study
    side: int


@dataclass(frozen=True)
class PairedRows:
    """Two stacks of layers with paired rows, and what each row says.

    `sentence` (n,) is the pair of sentences that a row is or comes from; `texts` has the row's
    text on both sides. `available` counts the rows there were before taking `MOST_ROWS` of them.
    `links` tells how words were paired, and `badge` what stands beside numbers on them; both are ""
    where nothing had to be.
    """

    unit: Unit
    sentence: Array
    texts: tuple[tuple[str, str], ...]
    first: Sequence[Callable[[], Array]]
    second: Sequence[Callable[[], Array]]
    available: int
    links: str = ""
    badge: str = ""

    def __len__(self) -> int:
        return len(self.sentence)


def pair_rows(
    first: Reading,
    second: Reading,
    unit: Unit = "sentence",
    pooling: Pooling = "mean",
    coordinates: Coordinates = DEFAULT_COORDINATES,
    most: int = MOST_ROWS,
) -> PairedRows:
    """Return the rows that two readings of the same text have in common, at every layer.

    Each reading's vectors are in the chosen coordinates of its own study.
    """
    if first.study.text_key != second.study.text_key:
        raise IsoglossError(
            "The two studies are of different texts, so their rows do not pair up; "
            "extract both models on the same text."
        )
    if unit == "sentence":
        return _pair_sentences(first, second, pooling, coordinates, most)
    if unit == "word":
        return _pair_words(first, second, coordinates, most)
    raise IsoglossError(f"Rows are {' or '.join(UNITS)}, not {unit!r}.")


def _pair_sentences(
    first: Reading, second: Reading, pooling: Pooling, coordinates: Coordinates, most: int
) -> PairedRows:
    text = first.study.bitext
    chosen = _sample(len(text), most)

    def stack(reading: Reading) -> list[Callable[[], Array]]:
        def read(layer: int) -> Array:
            both = sentence_pair_vectors(reading.study, layer, pooling, coordinates)
            return both[reading.side][chosen]

        return [partial(read, layer) for layer in range(reading.study.n_states)]

    texts = text.side(first.side), text.side(second.side)
    return PairedRows(
        "sentence",
        chosen,
        tuple((texts[0][row], texts[1][row]) for row in chosen),
        stack(first),
        stack(second),
        len(text),
    )


def _pair_words(first: Reading, second: Reading, coordinates: Coordinates, most: int) -> PairedRows:
    table = _word_table(first.study)
    other = table if second.study == first.study else _word_table(second.study)
    links: PointLinks | None = None
    if first.side == second.side:
        points = np.flatnonzero(table.side == first.side)
        pairs = np.stack([points, points], axis=1)
    else:
        links = scored_links(first.study, table, beside=[second.study])
        if not links.evidence:
            raise IsoglossError(
                "The words of this text cannot be paired: nobody linked them by hand, there is no "
                "lexicon for its languages, and links of the model itself are no evidence. Compare "
                "sentences, or bring the text with a file of word alignments."
            )
        pairs = links.pairs if first.side == 0 else links.pairs[:, ::-1]
    place = {key: row for row, key in enumerate(_keys(other))}
    keys = _keys(table)
    shared = np.array(
        [(int(a), place[keys[b]]) for a, b in pairs if keys[b] in place], np.int64
    ).reshape(-1, 2)
    chosen = shared[_sample(len(shared), most)]
    rows = _rows(table, chosen[:, 0]), _rows(other, chosen[:, 1])

    def stack(study: Study, part: PointTable) -> list[Callable[[], Array]]:
        return [
            partial(point_vectors, study, layer, part, coordinates)
            for layer in range(study.n_states)
        ]

    return PairedRows(
        "word",
        rows[0].sentence,
        tuple(zip(map(str, rows[0].text), map(str, rows[1].text), strict=True)),
        stack(first.study, rows[0]),
        stack(second.study, rows[1]),
        len(shared),
        links.describe() if links else "",
        links.badge if links else "",
    )


def _word_table(study: Study) -> PointTable:
    sentences = choose_spread(study.bitext, MOST_SENTENCES_FOR_WORDS)
    return point_table(study, "word", sentences, punctuation=False)


def _keys(table: PointTable) -> list[tuple[int, int, int]]:
    """Where each word stands in the text, which is the same for every model."""
    columns = (table.sentence.tolist(), table.side.tolist(), table.index.tolist())
    return list(zip(*columns, strict=True))


def _rows(table: PointTable, rows: Array) -> PointTable:
    return PointTable(
        table.unit,
        table.text[rows],
        table.sentence[rows],
        table.side[rows],
        table.index[rows],
        table.spans[rows],
        table.rows[rows],
    )


def _sample(rows: int, most: int) -> Array:
    """Return up to `most` row numbers, the same ones for the same text, in order."""
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).permutation(rows)[:most])
