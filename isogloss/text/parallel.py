"""A parallel corpus: sentence pairs in two languages, perhaps with gold word alignments."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from isogloss.errors import CorpusError
from isogloss.text.words import segment

Link = tuple[int, int]
Words = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class GoldAlignment:
    """Links between word indices (source, target), counted from 0; sure ones are also possible."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            raise CorpusError("An alignment's sure links must be among its possible ones.")


@dataclass(frozen=True)
class Spread:
    """The mean, median and maximum of a count over all sentences."""

    mean: float
    median: float
    maximum: int


@dataclass(frozen=True)
class SideStatistics:
    """How long the sentences of one side are."""

    language: str
    characters: Spread
    words: Spread


@dataclass(frozen=True)
class CorpusStatistics:
    """A corpus in numbers; `duplicate_share` is the share of pairs that occurred before."""

    pairs: int
    sides: tuple[SideStatistics, SideStatistics]
    duplicate_share: float
    pairs_with_gold: int


@dataclass(frozen=True)
class ParallelCorpus:
    """Sentence pairs in two languages; everything optional is one entry per pair.

    `words` is the tokenisation that `gold` refers to, so a pair with gold always has words.
    """

    name: str
    languages: tuple[str, str]
    source: tuple[str, ...]
    target: tuple[str, ...]
    topics: tuple[str, ...] | None = None
    gold: tuple[GoldAlignment | None, ...] | None = None
    words: tuple[Words | None, ...] | None = None

    def __post_init__(self) -> None:
        for part in ("target", "topics", "gold", "words"):
            values = getattr(self, part)
            if values is not None and len(values) != len(self.source):
                raise CorpusError(
                    f"The corpus {self.name} has {len(self.source)} source sentences but "
                    f"{len(values)} of {part}; give one for each."
                )
        for index, gold in enumerate(self.gold or ()):
            words = self.words[index] if self.words else None
            if gold and (words is None or not _within(gold.possible, words)):
                raise CorpusError(
                    f"The gold alignment of pair {index + 1} in {self.name} points outside its "
                    "words; give the words it refers to."
                )

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal over everything but the name."""
        gold = [g and [sorted(g.sure), sorted(g.possible)] for g in self.gold or ()]
        content = [self.languages, self.source, self.target, self.topics, gold, self.words]
        encoded = json.dumps(content, separators=(",", ":")).encode("ascii")
        return hashlib.sha256(encoded).hexdigest()

    def side(self, side: int) -> tuple[str, ...]:
        """The sentences of side 0, the source, or 1, the target."""
        return (self.source, self.target)[side]

    def select(self, indices: Iterable[int]) -> "ParallelCorpus":
        """The corpus of the pairs at `indices`, in that order."""
        chosen = tuple(indices)
        return ParallelCorpus(
            name=self.name,
            languages=self.languages,
            source=tuple(self.source[i] for i in chosen),
            target=tuple(self.target[i] for i in chosen),
            topics=self.topics and tuple(self.topics[i] for i in chosen),
            gold=self.gold and tuple(self.gold[i] for i in chosen),
            words=self.words and tuple(self.words[i] for i in chosen),
        )

    def statistics(self) -> CorpusStatistics:
        """Sizes and lengths; words are counted as `isogloss.text.words.segment` cuts them."""
        if not len(self):
            raise CorpusError(f"The corpus {self.name} has no pairs; choose at least one.")
        first, second = (
            SideStatistics(
                language=language,
                characters=_spread([len(text) for text in texts]),
                words=_spread([len(segment(text, language)) for text in texts]),
            )
            for language, texts in zip(self.languages, (self.source, self.target), strict=True)
        )
        distinct = len(set(zip(self.source, self.target, strict=True)))
        return CorpusStatistics(
            pairs=len(self),
            sides=(first, second),
            duplicate_share=1 - distinct / len(self),
            pairs_with_gold=sum(gold is not None for gold in self.gold or ()),
        )


def _within(links: frozenset[Link], words: Words) -> bool:
    return all(0 <= i < len(words[0]) and 0 <= j < len(words[1]) for i, j in links)


def _spread(counts: list[int]) -> Spread:
    return Spread(mean=fmean(counts), median=median(counts), maximum=max(counts))
