"""Vectors of word types, and how often they find a word's translation in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE, make_space
from isogloss.measures.procrustes import TRAIN_SHARE, OrthogonalMap, learn_mapping
from isogloss.measures.ranks import Ranks, rank_among
from isogloss.measures.sentence_retrieval import METRICS, rank_metrics
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL, share_interval
from isogloss.text.dictionaries import BilingualDictionary


@dataclass(frozen=True)
class WordTypes:
    """One vector a word type: `words` (m), `vectors` (m, d)."""

    words: tuple[str, ...]
    vectors: Array


@dataclass(frozen=True)
class WordTranslation:
    """Precision and reciprocal rank over the tested words of a dictionary.

    `values`, `low`, `high`, `chance` are (4,), in the order of `alignment.METRICS`. `ranks[word]`
    is where the best of its translations came, ties in random order. `covered` of the dictionary's
    `entries` words have vectors on both sides; of these `tested` were tested and the rest learned
    from.
    """

    score: str
    values: Array
    low: Array
    high: Array
    level: float
    chance: Array
    ranks: dict[str, float]
    entries: int
    covered: int
    tested: int
    candidates: int


def average_types(words: Sequence[str], vectors: Array) -> WordTypes:
    """Average the vectors (tokens, d) of all occurrences of each word, as Conneau et al. (2020).

    Types come in order of first occurrence.
    """
    if len(words) != len(vectors):
        raise IsoglossError(f"There are {len(words)} words for {len(vectors)} vectors.")
    positions: dict[str, int] = {}
    index = np.array([positions.setdefault(word, len(positions)) for word in words], np.int64)
    counts = np.bincount(index, minlength=len(positions))
    sums = np.zeros((len(positions), vectors.shape[1]))
    np.add.at(sums, index, vectors)
    return WordTypes(tuple(positions), (sums / counts[:, None]).astype(np.float32))


def translate_words(
    source: WordTypes,
    target: WordTypes,
    dictionary: BilingualDictionary,
    score: str = DEFAULT_SCORE,
    *,
    mapped: bool = True,
) -> WordTranslation:
    """Look each word of a dictionary up among all target types, as MUSE does.

    A word counts as found within k when any accepted translation is among its k best, the other
    accepted ones not counting against it. With `mapped`, an orthogonal map is learned from a share
    of the words and only the others are tested; without, all are tested in the space as it is.
    """
    entries = _locate(source, target, dictionary)
    if len(entries) < (4 if mapped else 1):
        raise IsoglossError(
            f"Only {len(entries)} of {len(dictionary)} dictionary words occur with a translation "
            "in the text; give a dictionary that fits the text, or more text."
        )
    order = np.random.default_rng(0).permutation(len(entries))
    learned = min(max(round(TRAIN_SHARE * len(entries)), 1), len(entries) - 1) if mapped else 0
    X, Y = source.vectors, target.vectors
    if mapped:
        mapping = _learn(X, Y, [entries[k] for k in order[:learned]])
        X, Y = mapping.map_source(X), mapping.place_target(Y)
    tested = [entries[k] for k in sorted(order[learned:])]
    space = make_space(X, Y, score).select(np.array([word for word, _ in tested]))
    right = np.zeros((len(tested), len(target.words)), bool)
    for row, (_, accepted) in enumerate(tested):
        right[row, accepted] = True
    parts = [rank_among(block, right[part]) for part, block in space.blocks()]
    ranks = Ranks(
        np.concatenate([part.better for part in parts]),
        np.concatenate([part.tied for part in parts]),
    )
    hits = rank_metrics(ranks)
    low, high = share_interval(hits)
    return WordTranslation(
        score=score,
        values=hits.mean(0),
        low=low,
        high=high,
        level=LEVEL,
        chance=_chance([len(accepted) for _, accepted in tested], len(target.words)),
        ranks={
            source.words[word]: float(rank)
            for (word, _), rank in zip(tested, ranks.expected(), strict=True)
        },
        entries=len(dictionary),
        covered=len(entries),
        tested=len(tested),
        candidates=len(target.words),
    )


def _locate(
    source: WordTypes, target: WordTypes, dictionary: BilingualDictionary
) -> list[tuple[int, Array]]:
    """Return (source row, target rows) for every dictionary word that has vectors on both sides."""
    rows = {word: row for row, word in enumerate(source.words)}
    columns = {word: column for column, word in enumerate(target.words)}
    entries = []
    for word, translations in dictionary.translations.items():
        accepted = [columns[found] for found in translations if found in columns]
        if word in rows and accepted:
            entries.append((rows[word], np.array(accepted)))
    return entries


def _learn(X: Array, Y: Array, entries: list[tuple[int, Array]]) -> OrthogonalMap:
    """Learn from every (word, translation) pair of the given entries."""
    pairs = [(row, column) for row, columns in entries for column in columns]
    rows, columns = np.array(pairs).T
    return learn_mapping(X[rows], Y[columns])


def _chance(accepted: Sequence[int], candidates: int) -> Array:
    r"""Return the metrics' expectation, (4,), if candidates came in random order.

    Of m candidates, a are right: $P(\text{rank} > r) = \prod_{i<r} (m - a - i) / (m - i)$.
    """
    total = np.zeros(len(METRICS))
    for right, words in zip(*np.unique(accepted, return_counts=True), strict=True):
        later = np.arange(candidates - right + 1)
        survival = np.cumprod((candidates - right - later) / (candidates - later))
        share = -np.diff(survival, prepend=1.0)
        total += words * (share @ rank_metrics(Ranks(later, np.zeros_like(later))))
    return total / len(accepted)
