"""Pairs of sentences as a model takes them: token ids, which sentence each is of, and the label."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.models.loading import LoadedModel
from isogloss.text.nli import NliSet


@dataclass(frozen=True)
class PairExamples:
    """n labelled pairs; `ids[i]` and `segments[i]` have one entry for each token of pair i.

    A segment is 0 for the premise, 1 for the hypothesis, -1 for special tokens.
    """

    language: str
    ids: tuple[np.ndarray, ...]
    segments: tuple[np.ndarray, ...]
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        return np.array([len(each) for each in self.ids])

    @property
    def content_hash(self) -> str:
        """SHA-256 of all token ids, pair by pair."""
        digest = hashlib.sha256()
        for each in self.ids:
            digest.update(len(each).to_bytes(4, "little") + each.astype("<i4").tobytes())
        return digest.hexdigest()


def encode_pairs(model: LoadedModel, pairs: NliSet, max_tokens: int) -> PairExamples:
    """Tokenise pairs: encoders read them as their tokenizer joins two texts, decoders as two lines.

    The longer text of a pair is cut where both together exceed `max_tokens`.
    """
    limit = min(max_tokens, model.max_tokens)
    encode = _encode_for_decoder if model.is_decoder else _encode_for_encoder
    ids, segments = encode(model.tokenizer, pairs, limit)
    return PairExamples(pairs.language, ids, segments, np.array(pairs.labels, np.int64))


_Rows = tuple[np.ndarray, ...]


def _encode_for_encoder(tokenizer: Any, pairs: NliSet, limit: int) -> tuple[_Rows, _Rows]:
    encoded = tokenizer(
        list(pairs.premises), list(pairs.hypotheses), truncation=True, max_length=limit
    )
    ids = tuple(np.array(each.ids, np.int32) for each in encoded.encodings)
    segments = tuple(
        np.array([-1 if place is None else place for place in each.sequence_ids], np.int8)
        for each in encoded.encodings
    )
    return ids, segments


def _encode_for_decoder(tokenizer: Any, pairs: NliSet, limit: int) -> tuple[_Rows, _Rows]:
    first, second = (
        tokenizer(list(texts), add_special_tokens=False).input_ids
        for texts in (pairs.premises, [f"\n{text}" for text in pairs.hypotheses])
    )
    begin = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    ids, segments = [], []
    for premise, hypothesis in zip(first, second, strict=True):
        room = limit - len(begin)
        while len(premise) + len(hypothesis) > room:
            longer = premise if len(premise) >= len(hypothesis) else hypothesis
            longer.pop()
        ids.append(np.array([*begin, *premise, *hypothesis], np.int32))
        segments.append(
            np.array([-1] * len(begin) + [0] * len(premise) + [1] * len(hypothesis), np.int8)
        )
    return tuple(ids), tuple(segments)


def token_batches(lengths: np.ndarray, budget: int) -> Iterator[np.ndarray]:
    """All rows once, longest first, in batches of at most `budget` padded tokens."""
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        count = max(1, budget // max(int(lengths[order[first]]), 1))
        yield order[first : first + count]
        first += count


def shuffled_batches(lengths: np.ndarray, size: int, seed: int) -> list[np.ndarray]:
    """All rows once, in random batches of rows of like length: within pools of 32 batches.

    Padding is what a batch wastes; pools keep the batches random while little is wasted.
    """

    def cut(pool: np.ndarray) -> list[np.ndarray]:
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        return [pool[i : i + size] for i in range(0, len(pool), size)]

    return _batches_of_pools(len(lengths), size * 32, cut, seed)


def shuffled_token_batches(lengths: np.ndarray, budget: int, seed: int) -> list[np.ndarray]:
    """All rows once, in random batches of rows of like length and at most `budget` padded tokens.

    Batches are cut within random pools of about 32 of them, so they stay random while little is
    padded. None has a single row, in which nothing could be compared.
    """
    budget = max(budget, 2 * int(lengths.max()))

    def cut(pool: np.ndarray) -> list[np.ndarray]:
        return [pool[rows] for rows in token_batches(lengths[pool], budget)]

    pool_size = max(2, round(32 * budget / lengths.mean()))
    return _batches_of_pools(len(lengths), pool_size, cut, seed)


def _batches_of_pools(
    rows: int, pool_size: int, cut: Callable[[np.ndarray], list[np.ndarray]], seed: int
) -> list[np.ndarray]:
    """Deal rows into random pools, cut each into batches, and shuffle these."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(rows)
    batches: list[np.ndarray] = []
    for first in range(0, len(order), pool_size):
        batches += cut(order[first : first + pool_size])
        if len(batches) > 1 and len(batches[-1]) == 1:  # nothing can be compared within one row
            lonely = batches.pop()
            batches[-1] = np.concatenate([batches[-1], lonely])
    return [batches[i] for i in generator.permutation(len(batches))]


def share_of_padding(lengths: np.ndarray, batches: Sequence[np.ndarray]) -> float:
    """The share of the tokens in padded batches that are padding, 0 to 1."""
    real = sum(int(lengths[rows].sum()) for rows in batches)
    return 1 - real / sum(len(rows) * int(lengths[rows].max()) for rows in batches)


def padded(rows: Sequence[np.ndarray], fill: int) -> np.ndarray:
    """Rows of different lengths as one array (rows, longest), filled up at the right."""
    longest = max(len(row) for row in rows)
    result = np.full((len(rows), longest), fill, np.int64)
    for place, row in zip(result, rows, strict=True):
        place[: len(row)] = row
    return result
