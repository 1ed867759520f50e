"""The one score that stands for a map: of its words where links allow it, else of sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.links.sources import NO_LINKS_NEEDED
from isogloss.map.maps import TokenMap
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import METRICS, RetrievalScores
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.studies.links.points import chance_nearest, linked_shares
from isogloss.studies.retrieval import say_if_all_found, say_if_few

WORDS, SENTENCES = "translations that are nearest", "sentences that find their translation"


@dataclass(frozen=True)
class Headline:
    """A score by layer, (layers,) each with its interval; `badge` says what it rests on.

    `caveats` are what it cannot bear, a sentence each; usually none.
    """

    name: str
    badge: str
    about: str
    values: Array
    low: Array
    high: Array
    chance: float
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


def headline(token_map: TokenMap) -> Headline | None:
    """The score of a map; None for a single pair whose words cannot be scored."""
    if token_map.scores is not None:
        return _of_words(token_map)
    return None if token_map.sentences is None else _of_sentences(token_map.sentences)


def _of_words(token_map: TokenMap) -> Headline:
    scores, side, pairs = token_map.scores, token_map.table.side, token_map.scored.pairs
    assert scores is not None
    first, second = linked_shares(side, pairs)
    return Headline(
        WORDS,
        token_map.scored.badge,
        "The share of linked words whose nearest neighbour in the other language, in the full "
        f"space, is their translation. {first:.0%} of the words of the first language and "
        f"{second:.0%} of the second are linked; the others are not scored",
        scores.nearest_share,
        scores.nearest_low,
        scores.nearest_high,
        chance_nearest(side, pairs),
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
        tuple(filter(None, (say_if_few(scores), say_if_all_found(scores)))),
    )
