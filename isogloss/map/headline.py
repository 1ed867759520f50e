"""The one score that stands for a map: of its words where links allow it, else of sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isogloss.formatting import percent
from isogloss.links.sources import NO_LINKS_NEEDED
from isogloss.map.maps import LinksAndScores, TokenMap
from isogloss.measures.linked_points import chance_nearest, linked_shares
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import METRICS, RetrievalScores
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.studies.retrieval import say_if_all_found, say_if_chance, say_if_few

WORDS, SENTENCES = "translations that are nearest", "sentences that find their translation"


@dataclass(frozen=True)
class Headline:
    """A score by layer, (layers,) each with its interval; `badge` says what it rests on.

    It is the share of `count` words or sentences (`what`) that `do` something. `random` is the same
    of a model whose weights are random, where one has read the text. `caveats` are what the score
    cannot bear, a sentence each; usually none.
    """

    name: str
    badge: str
    about: str
    values: Array
    low: Array
    high: Array
    chance: float
    count: int
    what: str
    do: str
    random: Array | None = None
    caveats: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} ({self.badge})"

    def describe(self, states: LayerStates) -> str:
        """Where it is highest, with its interval there; at several layers, that it is so."""
        best = int(self.values.argmax())
        ends = f"95 % interval {self.low[best]:.2f} to {self.high[best]:.2f}"
        tops = int(np.isclose(self.values, self.values[best]).sum())
        where = f"{states.place(best)}, where it is highest"
        if tops > 1:
            where = f"at {tops} of {len(self.values)} layers, the first {states.place(best)}"
        return f"{self}: {self.values[best]:.2f} ({ends}) {where}"

    def finding(self, states: LayerStates) -> str:
        """What was found, in a sentence of Markdown: at first, at best, and where nothing is known.

        Where the first layer is the best one, the last is what it is compared with.
        """
        best = int(self.values.argmax())
        ends = f"{100 * self.low[best]:.0f} to {100 * self.high[best]:.0f}"
        shares = [f"**{percent(value, 0)}**" for value in self.values]
        shares[best] += f" ({ends})"
        where = [states.place(layer) for layer in range(len(shares))]
        tops = int(np.isclose(self.values, self.values[best]).sum())
        where[best] += f" and {tops - 1} more" if tops > 1 else ""
        found = f"{shares[0]} of {self.count:,} {self.what} {self.do} {where[0]}"
        other = best or len(shares) - 1
        if best or not np.isclose(self.values[other], self.values[0]):
            found += f", {shares[other]} {where[other]}"
        return f"{found}; {self._says_luck()}."

    def _says_luck(self) -> str:
        """What the same reads where nothing was learned, or by chance alone."""
        if self.random is None:
            whole = abs(100 * self.chance - round(100 * self.chance)) < 0.05
            return f"by chance {percent(self.chance, 0 if whole and self.chance >= 0.01 else 1)}"
        return f"in a random model at most {percent(float(self.random.max()), 0)}"


def headline(token_map: TokenMap, random: LinksAndScores | None = None) -> Headline | None:
    """The score of a map; None for a single pair whose words cannot be scored.

    `random` is what the same map of a model with random weights rests on.
    """
    found = None
    if token_map.scores is not None:
        found = _of_words(token_map)
    elif token_map.sentences is not None:
        found = _of_sentences(token_map.sentences)
    if found is None or random is None:
        return found
    return replace(found, random=_curve_like(token_map, random))


def _curve_like(token_map: TokenMap, words: LinksAndScores) -> Array | None:
    """The score of another model by layer, if it is of the same kind and on the same links."""
    if token_map.scores is None:
        return None if words.sentences is None else words.sentences.curve("precision@1")
    same = np.array_equal(words.scored.pairs, token_map.scored.pairs)
    return words.scores.nearest_share if words.scores is not None and same else None


def _of_words(token_map: TokenMap) -> Headline:
    scores, side, pairs = token_map.scores, token_map.table.side, token_map.scored.pairs
    assert scores is not None
    first, second = linked_shares(side, pairs)
    return Headline(
        WORDS,
        token_map.scored.badge,
        "The share of linked words whose nearest neighbour in the other language, in the full "
        f"space, is their translation. {percent(first, 0)} of the words of the first language and "
        f"{percent(second, 0)} of the second are linked; the others are not scored",
        scores.nearest_share,
        scores.nearest_low,
        scores.nearest_high,
        chance_nearest(side, pairs),
        sum(len(np.unique(pairs[:, end])) for end in (0, 1)),
        f"linked {token_map.table.unit}s",
        "lie nearest to their translation",
    )


def _of_sentences(scores: RetrievalScores) -> Headline:
    first = [metric.name for metric in METRICS].index("precision@1")
    return Headline(
        f"{SENTENCES} among {scores.rows:,}",
        NO_LINKS_NEEDED,
        f"The share of the text's {scores.rows:,} sentences that find their translation first "
        f"({SCORES[scores.score].title}, mean of both directions). Words are not scored: no links "
        "but this model's own are to be had",
        scores.curve("precision@1"),
        scores.low[:, :, first].mean(1),
        scores.high[:, :, first].mean(1),
        float(scores.chance[first]),
        scores.rows,
        "sentences",
        "find their translation first",
        caveats=tuple(
            filter(None, (say(scores) for say in (say_if_few, say_if_chance, say_if_all_found)))
        ),
    )
