"""Do the two languages find each other? Scores on sentences that neither learned from.

Words: the share of tokens whose nearest among the other language's tokens is of the counterpart
word. Sentences: the share whose nearest, by the mean of its words, is the same sentence. Both by
cosine after each language's mean is removed, both ways, equals in random order. CKA is debiased.
Words that both languages have (anchors) are left out of all of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.lab.emergence.batches import SPECIALS, Numbering, hide, make_batch
from isogloss.lab.emergence.network import TwoLanguageBert
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.emergence.text import TwoLanguages
from isogloss.lab.training.drift import similarities
from isogloss.measures.nearest_neighbours import make_space
from isogloss.measures.ranks import rank_among
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.stacks import Array

WORDS_AT_MOST = 1_500
_LOSS_SEED = 20


@dataclass(frozen=True)
class Scores:
    """What one look finds, by layer and by direction (first to second, second to first).

    `words`, `sentences` (L + 1, 2), range 0 to 1; `words` is empty where the second language is no
    copy. `cka` (L + 1). `loss` is that of guessing held-out words, of either language, in nats.
    """

    words: tuple[tuple[float, ...], ...]
    sentences: tuple[tuple[float, ...], ...]
    cka: tuple[float, ...]
    loss: tuple[float, float]


@dataclass(frozen=True)
class Chance:
    """What a nearest neighbour drawn at random would find."""

    words: float | None
    sentences: float


class HeldOut:
    """The sentences held out, laid out once, to score a model on as often as wanted."""

    def __init__(self, text: TwoLanguages, numbering: Numbering) -> None:
        self._numbering, self._text = numbering, text
        sides = [(side.held_out, side.held_out_lengths) for side in (text.first, text.second)]
        self._batch = make_batch(numbering, sides)
        self.sentences = len(text.first.held_out)
        anchors = SPECIALS + np.array(sorted(text.anchor_words), int)
        scored = self._batch.is_word & ~np.isin(self._batch.tokens, anchors)
        # In the order of the sentences as written, so that both languages' tokens pair up.
        self._rows = []
        for side in (0, 1):
            rows = np.flatnonzero(scored & (self._batch.side == side))
            order = np.lexsort((self._batch.place[rows], self._batch.sentence[rows]))
            self._rows.append(rows[order])

    def score(self, model: TwoLanguageBert, random_words: bool) -> Scores:
        """Read the sentences and score every layer; the model is left as it was."""
        import torch

        with torch.inference_mode():
            layers = [layer.numpy() for layer in self._states(model)]
            loss = self._loss(model, random_words)
        means = [self._sentence_means(layer) for layer in layers]
        first, second = (np.stack([pair[side] for pair in means]) for side in (0, 1))
        return Scores(
            words=tuple(map(self._words, layers)) if self._text.counterpart is not None else (),
            sentences=tuple(
                tuple(
                    float(ranks.within(1).mean())
                    for ranks in score_pairs(x, y, "cosine", centre=True)
                )
                for x, y in zip(first, second, strict=True)
            ),
            cka=tuple(map(float, similarities(first, second))),
            loss=loss,
        )

    def chance(self) -> Chance:
        """What drawing the nearest at random would give."""
        if self._text.counterpart is None:
            return Chance(None, 1 / self.sentences)
        right = self._right()
        return Chance(float((right.mean(0).mean() + right.mean(1).mean()) / 2), 1 / self.sentences)

    def picture(self, model: TwoLanguageBert, sentences: int) -> Array:
        """States of the words of the first sentences, (L + 1, n, width), half precision.

        The first language's words come first, in the order of `picture_words`.
        """
        import torch

        rows = np.concatenate(self._picture_rows(sentences))
        with torch.inference_mode():
            return np.stack([layer.numpy()[rows] for layer in self._states(model)]).astype(
                np.float16
            )

    def picture_words(self, sentences: int) -> tuple[Array, Array, Array]:
        """Of each word of a picture: its language, its sentence and its token number."""
        rows = np.concatenate(self._picture_rows(sentences))
        batch = self._batch
        return batch.side[rows], batch.sentence[rows], batch.tokens[rows]

    def shown_words(self, sentences: int) -> ShownWords:
        """The words of a picture for whoever reads the map, in the order of `picture_words`."""
        sides, sentence_of, tokens = self.picture_words(sentences)
        pairs = len(sides) // 2 if self._text.counterpart is not None else 0
        return ShownWords(
            texts=tuple(map(self._spelled, tokens.tolist())),
            sides=tuple(sides.tolist()),
            sentence_of=tuple(sentence_of.tolist()),
            sentences=tuple(
                (self._sentence(0, row), self._sentence(1, row))
                for row in range(min(sentences, self.sentences))
            ),
            links=tuple((word, pairs + word) for word in range(pairs)),
            chance=asdict(self.chance()),
        )

    def _sentence(self, side: int, row: int) -> str:
        """A held-out sentence as the model reads it."""
        batch = self._batch
        here = (batch.side == side) & (batch.sentence == row) & batch.is_word
        return " ".join(map(self._spelled, batch.tokens[here].tolist()))

    def _spelled(self, token: int) -> str:
        """The word of a token number."""
        first = self._text.first.words
        number = token - SPECIALS
        return (
            first[number] if number < len(first) else self._text.second.words[number - len(first)]
        )

    def _picture_rows(self, sentences: int) -> list[Array]:
        return [rows[self._batch.sentence[rows] < sentences] for rows in self._rows]

    def _states(self, model: TwoLanguageBert) -> list[Any]:
        return model.states(self._batch.tokens, self._batch)

    def _loss(self, model: TwoLanguageBert, random_words: bool) -> tuple[float, float]:
        import torch
        from torch.nn import functional

        rng = np.random.default_rng(_LOSS_SEED)
        tokens, asked = hide(self._batch, self._numbering, rng, random_words=random_words)
        top = model.states(tokens, self._batch)[-1]
        logits = model.guess(top[torch.from_numpy(asked)])
        losses = functional.cross_entropy(
            logits, torch.from_numpy(self._batch.tokens[asked]), reduction="none"
        ).numpy()
        side = self._batch.side[asked]
        return float(losses[side == 0].mean()), float(losses[side == 1].mean())

    def _sentence_means(self, layer: Array) -> list[Array]:
        found = []
        for rows in self._rows:
            sums = np.zeros((self.sentences, layer.shape[1]))
            np.add.at(sums, self._batch.sentence[rows], layer[rows])
            counts = np.bincount(self._batch.sentence[rows], minlength=self.sentences)
            found.append(sums / np.maximum(counts, 1)[:, None])
        return found

    def _words(self, layer: Array) -> tuple[float, float]:
        first, second = (layer[rows[:WORDS_AT_MOST]] for rows in self._rows)
        space = make_space(first, second, "cosine", centre=True)
        cosines = space.X @ space.Y.T
        right = self._right()
        return (
            float(rank_among(cosines, right).within(1).mean()),
            float(rank_among(cosines.T, right.T).within(1).mean()),
        )

    def _right(self) -> Array:
        """Which tokens of the second language are of the word of each of the first, (n, n)."""
        first, second = (self._word_numbers(side) for side in (0, 1))
        assert self._text.counterpart is not None
        return np.asarray(self._text.counterpart[first][:, None] == second[None, :])

    def _word_numbers(self, side: int) -> Array:
        tokens = self._batch.tokens[self._rows[side][:WORDS_AT_MOST]]
        return np.asarray(tokens - SPECIALS - (self._numbering.words[0] if side else 0))
