"""Batches of both languages: what each token is, how sentences lie, and which words are hidden.

Sentences of a batch lie one after the other without padding, sorted by length, so that attention
needs no mask: each group of equal length is one plain call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.lab.emergence.conditions import Setup
from isogloss.lab.emergence.text import UNKNOWN, TwoLanguages
from isogloss.measures.stacks import Array

HIDDEN, REPLACED, KEPT = 0.2, 0.1, 0.1
"""Shares: words to guess; of these, how many become a random word, and how many stay."""
BEGIN, END, MASK = range(3)
SPECIALS = 6
"""The first half are shared, or the first language's; the second half are the second's own."""


@dataclass(frozen=True)
class Numbering:
    """Token numbers of both languages' words under a setup: specials, first's words, second's."""

    words: tuple[int, int]
    anchors: frozenset[int]
    own_specials: bool
    own_positions: bool
    turned_round: bool
    longest: int

    @classmethod
    def of(cls, text: TwoLanguages, setup: Setup) -> Numbering:
        return cls(
            (len(text.first.words), len(text.second.words)),
            text.anchor_words,
            setup.own_specials,
            setup.own_positions,
            setup.turned_round,
            text.first.train.shape[1] + 2,
        )

    @property
    def vocabulary(self) -> int:
        return SPECIALS + sum(self.words)

    @property
    def positions(self) -> int:
        return 2 * self.longest if self.own_positions else self.longest

    def special(self, which: int, side: int) -> int:
        """The token number of BEGIN, END or MASK in a language."""
        return which + (SPECIALS // 2 if side and self.own_specials else 0)

    def tokens(self, rows: Array, side: int) -> Array:
        """Token numbers of word numbers; UNKNOWN becomes the mask."""
        table = SPECIALS + np.arange(self.words[side] + 1) + (self.words[0] if side else 0)
        if side:
            anchors = np.array(sorted(self.anchors), int)
            table[anchors] = SPECIALS + anchors
        table[-1] = self.special(MASK, side)  # UNKNOWN is -1
        return np.asarray(table[rows])


@dataclass(frozen=True, eq=False)
class Batch:
    """Tokens of sentences one after the other, shortest first; everything has one entry a token.

    `groups` are (length, sentences); `side` is 0 or 1; `is_word` leaves out specials and unknown
    words; `sentence` is the row that a token comes from, within its language; `place` its place
    in the sentence as it was written.
    """

    groups: tuple[tuple[int, int], ...]
    tokens: Array
    positions: Array
    side: Array
    is_word: Array
    sentence: Array
    place: Array


def make_batch(numbering: Numbering, sides: Sequence[tuple[Array, Array]]) -> Batch:
    """Lay out sentences of both languages; `sides` has rows and lengths of each."""
    lengths = np.concatenate([lengths for _, lengths in sides])
    side_of = np.repeat([0, 1], [len(lengths) for _, lengths in sides])
    rows = np.concatenate([rows for rows, _ in sides])
    number = np.concatenate([np.arange(len(lengths)) for _, lengths in sides])
    parts: list[tuple[Array, ...]] = []
    groups = []
    for length in np.unique(lengths):
        for side in (0, 1):
            chosen = np.flatnonzero((lengths == length) & (side_of == side))
            if not len(chosen):
                continue
            words = rows[chosen, :length]
            place = np.broadcast_to(np.arange(-1, length + 1), (len(chosen), length + 2))
            if side and numbering.turned_round:
                words, place = words[:, ::-1], place[:, ::-1]
            tokens = np.empty((len(chosen), length + 2), np.int64)
            tokens[:, 0] = numbering.special(BEGIN, side)
            tokens[:, -1] = numbering.special(END, side)
            tokens[:, 1:-1] = numbering.tokens(words, side)
            is_word = np.zeros(tokens.shape, bool)
            is_word[:, 1:-1] = words != UNKNOWN
            positions = np.arange(length + 2)
            if side and numbering.own_positions:
                positions = positions + numbering.longest
            parts.append(
                (
                    tokens.ravel(),
                    np.broadcast_to(positions, tokens.shape).ravel(),
                    np.full(tokens.size, side),
                    is_word.ravel(),
                    np.repeat(number[chosen], length + 2),
                    place.ravel(),
                )
            )
        groups.append((int(length) + 2, int((lengths == length).sum())))
    return Batch(tuple(groups), *map(np.concatenate, zip(*parts, strict=True)))


def hide(
    batch: Batch, numbering: Numbering, rng: np.random.Generator, *, random_words: bool
) -> tuple[Array, Array]:
    """Tokens with some hidden, and the places of those to guess.

    Of the words to guess 8 in 10 become the mask, 1 in 10 a random word of either language, and 1
    in 10 stays; without random words these become the mask, too.
    """
    asked = np.flatnonzero(batch.is_word & (rng.random(len(batch.tokens)) < HIDDEN))
    if not len(asked):
        asked = np.flatnonzero(batch.is_word)[:1]
    fate = rng.random(len(asked))
    replaced = fate >= 1 - REPLACED if random_words else np.zeros(len(asked), bool)
    masked = (fate >= KEPT) & ~replaced
    tokens = batch.tokens.copy()
    for side in (0, 1):
        here = masked & (batch.side[asked] == side)
        tokens[asked[here]] = numbering.special(MASK, side)
    tokens[asked[replaced]] = rng.integers(SPECIALS, numbering.vocabulary, int(replaced.sum()))
    return tokens, asked
