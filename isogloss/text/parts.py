"""Which part of a text a map shows: spread over it, from the start, at random, by topic or word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.options import check_options, option, titled
from isogloss.text.reading import ParallelText

Way = Literal["spread", "first", "random", "topic", "search"]
WAYS: dict[Way, str] = {
    "spread": "Spread over the text",
    "first": "From the start",
    "random": "At random",
    "topic": "One topic",
    "search": "Pairs that contain a word",
}


SENTENCE_STEPS = (10, 20, 40, 60, 100, 150, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""What a slider of sentence pairs offers."""


@dataclass(frozen=True)
class TextPart:
    """Up to `pairs` sentence pairs, chosen in one of `WAYS`; only that way's own field counts."""

    pairs: int = option(
        40, "how many sentence pairs are shown", title="Sentence pairs", values=SENTENCE_STEPS
    )
    way: Way = option("spread", "", title="Which pairs", address="part", choices=titled(WAYS))
    seed: int = option(0, "", title="Seed", least=0, most=999_999_999)
    topic: str = option("", "", title="Topic")
    search: str = option("", "", title="Contains")

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise IsoglossError("A map needs at least one sentence pair.")
        check_options(self)

    def choose(self, text: ParallelText) -> np.ndarray:
        """Return the numbers of the chosen pairs, in the order of the text."""
        candidates = self._candidates(text)
        if not len(candidates):
            what = f"the topic {self.topic!r}" if self.way == "topic" else f"{self.search!r} in it"
            raise IsoglossError(f"No pair of this text has {what}: choose another.")
        if self.way == "spread":
            return choose_spread(text, self.pairs)
        if self.way == "random":
            order = np.random.default_rng(self.seed).permutation(candidates)
            return np.sort(order[: self.pairs])
        return candidates[: self.pairs]

    def _candidates(self, text: ParallelText) -> np.ndarray:
        rows = range(len(text))
        if self.way == "topic":
            topics = text.topics or ("",) * len(text)
            return np.array([row for row in rows if topics[row] == self.topic], np.int64)
        if self.way == "search":
            wanted = self.search.casefold()
            found = [
                row
                for row in rows
                if wanted in text.source[row].casefold() or wanted in text.target[row].casefold()
            ]
            return np.array(found, np.int64)
        return np.arange(len(text))

    def describe(self, text: ParallelText) -> str:
        """Say which part of the text is shown: "40 of 1,997 pairs, spread over the text"."""
        shown = len(self.choose(text))
        if shown == len(text):
            return f"all {shown:,} pairs"
        how = {
            "spread": _SPREAD_SAID[_spread_by(text)],
            "first": "from the start",
            "random": f"at random (seed {self.seed})",
            "topic": f"of the topic {self.topic}",
            "search": f"that contain “{self.search}”",
        }[self.way]
        return f"{shown:,} of {len(text):,} pairs, {how}"


Spread = Literal["text", "topics", "gold"]
_SPREAD_SAID: dict[Spread, str] = {
    "text": "spread over the text",
    "topics": "from all topics in turn",
    "gold": "those aligned by hand first, from the start",
}


def way_title(way: Way, text: ParallelText) -> str:
    """What a way to choose pairs does with this text."""
    if way != "spread":
        return WAYS[way]
    return {
        "text": WAYS[way],
        "topics": "From all topics in turn",
        "gold": "Aligned by hand first",
    }[_spread_by(text)]


def _spread_by(text: ParallelText) -> Spread:
    """What decides on the pairs of a spread part."""
    if text.topics is not None:
        return "topics"
    return "text" if text.gold is None else "gold"


def choose_spread(text: ParallelText, count: int) -> np.ndarray:
    """Return up to `count` pairs, the topics in turn and those with a gold alignment first.

    Without topics and gold, they are evenly spaced over the text; with gold alone they are the
    first that have it, then the first others. `describe` says which.
    """
    if text.topics is None and text.gold is None:
        return np.unique(np.linspace(0, len(text) - 1, min(count, len(text))).astype(int))
    topics: dict[str, list[int]] = {}
    gold = text.gold or (None,) * len(text)
    for index in sorted(range(len(text)), key=lambda i: (gold[i] is None, i)):
        topics.setdefault(text.topics[index] if text.topics else "", []).append(index)
    queues = [iter(indices) for indices in topics.values()]
    chosen: list[int] = []
    while queues and len(chosen) < count:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            elif len(chosen) < count:
                chosen.append(following)
    return np.array(sorted(chosen))
