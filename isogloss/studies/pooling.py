"""From token states to word and sentence vectors, one layer at a time by memory map."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.coordinates import Coordinates, layer_statistics
from isogloss.models.tokens import TokenTable, token_ranges, words_of
from isogloss.options import Choice, option
from isogloss.studies.coordinates import token_statistics
from isogloss.studies.study import StateRows, Study
from isogloss.text.words import Word

Pooling = Literal["mean", "weighted", "max", "first", "last"]


STUDY_POOLINGS: dict[Pooling, Choice] = {
    "mean": Choice("Mean", "the mean of its tokens, special ones left out"),
    "weighted": Choice(
        "Weighted mean",
        "the mean of its tokens, special ones left out, the i-th counted i times: in a decoder "
        "later tokens have seen more (Muennighoff 2022)",
    ),
    "max": Choice(
        "Maximum", "the largest value of each feature over its tokens, special ones left out"
    ),
    "first": Choice(
        "First token", "the first token: [CLS] in BERT, the beginning-of-text token in a decoder"
    ),
    "last": Choice(
        "Last token", "the last ordinary token, which in a decoder has seen the whole sentence"
    ),
}


def pooling_option() -> Any:
    """The field of a question that says what stands for a sentence."""
    return option(
        "mean", "what stands for a sentence", title="Sentence vector", choices=STUDY_POOLINGS
    )


Points = Literal["word", "character", "token"]
POINTS: dict[Points, Choice] = {
    "word": Choice("Words", "the mean of a word's subwords, whatever the model's tokenisation"),
    "character": Choice("Characters", "words, but single characters where no spaces are written"),
    "token": Choice("Subwords", "the model's own tokens"),
}

_How = Literal["mean", "weighted", "max"]
_ROWS_AT_A_TIME = 16_384


@dataclass(frozen=True)
class PointTable:
    """What a map shows as points, a row each: words, characters or tokens of some sentences.

    `rows` (n, 2) is the range [first, last) of token rows that a point averages, `spans` (n, 2) its
    characters [start, end) in its sentence. `text`, `sentence`, `side` and `index` have shape (n,);
    `index` counts the points of a sentence, as gold alignments do for words.
    """

    unit: Points
    text: np.ndarray
    sentence: np.ndarray
    side: np.ndarray
    index: np.ndarray
    spans: np.ndarray
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.text)


def sentence_pair_vectors(
    study: Study, layer: int, pooling: Pooling, coordinates: Coordinates
) -> tuple[np.ndarray, np.ndarray]:
    """One vector per sentence of both sides, (n, width) each, in the chosen coordinates.

    The statistics are those of all the study's sentence vectors under the same pooling: a
    sentence's mean varies less than its tokens do, and a first token lies elsewhere altogether.
    """
    X, Y = (sentence_vectors(study, layer, side, pooling) for side in (0, 1))
    statistics = layer_statistics(X, Y)
    return statistics.apply(X, 0, coordinates), statistics.apply(Y, 1, coordinates)


def sentence_vectors(study: Study, layer: int, side: int, pooling: Pooling = "mean") -> np.ndarray:
    """One vector per sentence of `side` as the model has it; zeros for one without tokens.

    Shape (n, width), float32.
    """
    if pooling not in STUDY_POOLINGS:
        raise IsoglossError(
            f"Unknown pooling {pooling}: choose one of {', '.join(STUDY_POOLINGS)}."
        )
    ranges = sentence_ranges(study.tokens, len(study.bitext), side, pooling)
    how: _How = pooling if pooling in ("max", "weighted") else "mean"
    return study.scale * pool_rows(study.layer(layer), ranges, how)


def sentence_ranges(
    tokens: TokenTable, sentences: int, side: int, pooling: Pooling = "mean"
) -> np.ndarray:
    """The token rows [first, last) that a vector of each sentence is made of: (sentences, 2)."""
    mine = tokens.side == side
    chosen = np.flatnonzero(mine if pooling == "first" else mine & ~tokens.special)
    numbers = np.arange(sentences)
    first = np.searchsorted(tokens.sentence[chosen], numbers, side="left")
    last = np.searchsorted(tokens.sentence[chosen], numbers, side="right")
    if pooling == "first":
        last = np.minimum(last, first + 1)
    elif pooling == "last":
        first = np.maximum(first, last - 1)
    # Special tokens stand around a sentence and not within, so a range of the chosen rows is one
    # of all rows too.
    ranges = np.zeros((sentences, 2), np.int64)
    filled = last > first
    ranges[filled, 0] = chosen[first[filled]]
    ranges[filled, 1] = chosen[last[filled] - 1] + 1
    return ranges


def point_table(
    study: Study,
    points: Points = "word",
    sentences: np.ndarray | None = None,
    *,
    punctuation: bool = True,
) -> PointTable:
    """The words, characters or tokens of `sentences` (all by default), in reading order."""
    tokens = study.tokens
    wanted = np.arange(len(study.bitext)) if sentences is None else np.unique(sentences)
    bounds = np.append(tokens.sentence_starts(), len(tokens))
    place = {
        (int(tokens.side[start]), int(tokens.sentence[start])): (int(start), int(end))
        for start, end in pairwise(bounds)
    }
    found = [
        (point, sentence, side, index, first, last)
        for side in (0, 1)
        for sentence in map(int, wanted)
        if (side, sentence) in place
        for index, (point, first, last) in enumerate(
            _points(study, points, side, sentence, *place[side, sentence])
        )
        if last > first and (punctuation or any(map(str.isalnum, point.text)))
    ]
    if not found:
        raise IsoglossError("None of the chosen sentences has a word to show: choose others.")
    point_column, sentence_column, side_column, index_column, *ends = zip(*found, strict=True)
    return PointTable(
        unit=points,
        text=np.array([point.text for point in point_column], object),
        sentence=np.array(sentence_column, np.int32),
        side=np.array(side_column, np.int8),
        index=np.array(index_column, np.int32),
        spans=np.array([(point.start, point.end) for point in point_column], np.int32),
        rows=np.stack(ends, axis=1).astype(np.int64),
    )


def _points(
    study: Study, points: Points, side: int, sentence: int, start: int, end: int
) -> list[tuple[Word, int, int]]:
    """The points of one sentence, each with its range of token rows."""
    tokens = study.tokens
    if points == "token":
        return [
            (
                Word(str(tokens.text[row]), int(tokens.start[row]), int(tokens.end[row])),
                row,
                row + 1,
            )
            for row in range(start, end)
            if not tokens.special[row]
        ]
    words = words_of(study.bitext, sentence, side, points)
    spans = np.stack([tokens.start[start:end], tokens.end[start:end]], axis=1)
    ranges = token_ranges(spans, words) + start
    return [
        (word, int(first), int(last)) for word, (first, last) in zip(words, ranges, strict=True)
    ]


def point_vectors(
    study: Study, layer: int, table: PointTable, coordinates: Coordinates = "raw"
) -> np.ndarray:
    """The mean of each point's tokens at one layer: (n, width), float32.

    The statistics of the coordinates come from all tokens of the study, not from these points.
    """
    vectors = study.scale * pool_rows(study.layer(layer), table.rows, "mean")
    if coordinates == "raw":
        return vectors
    return token_statistics(study, layer).apply(vectors, table.side, coordinates)


def pool_rows(states: StateRows, ranges: np.ndarray, how: _How) -> np.ndarray:
    """The mean, weighted or not, or the maximum of each range [first, last) of rows: (n, width).

    `ranges` (n, 2) may overlap; an empty one gives zeros. Some thousand rows are read at a time.
    """
    counts = ranges[:, 1] - ranges[:, 0]
    pooled = np.zeros((len(ranges), states.shape[1]), np.float32)
    filled = np.flatnonzero(counts)
    read = np.cumsum(counts[filled])
    cuts = np.searchsorted(read, np.arange(_ROWS_AT_A_TIME, read[-1:].sum(), _ROWS_AT_A_TIME))
    for part in np.split(filled, cuts):
        if not len(part):
            continue
        starts = np.cumsum(counts[part]) - counts[part]
        rows = np.repeat(ranges[part, 0] - starts, counts[part]) + np.arange(counts[part].sum())
        block = np.asarray(states[rows], np.float32)
        if how == "weighted":
            block *= (1 + rows - np.repeat(ranges[part, 0], counts[part]))[:, None]
        pooled[part] = (np.maximum if how == "max" else np.add).reduceat(block, starts)
    if how != "max":
        total = counts if how == "mean" else counts * (counts + 1) / 2
        pooled[filled] /= total[filled, None]
    return pooled
