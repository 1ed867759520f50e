"""A parallel text: sentences in two or more languages, row by row, perhaps with word alignments."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median

from isogloss.errors import TextError
from isogloss.text.hub.origin import Origin
from isogloss.text.language_names import language_name
from isogloss.text.words import segment

Link = tuple[int, int]
Words = tuple[tuple[str, ...], ...]

MOST_SIDES = 30
"""Languages that one text may have."""


@dataclass(frozen=True)
class GoldAlignment:
    """Links between word indices (source, target), counted from 0; sure ones are also possible."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            raise TextError("An alignment's sure links must be among its possible ones.")


@dataclass(frozen=True)
class Spread:
    """The mean, median and maximum of a count over all sentences."""

    mean: float
    median: float
    maximum: int


@dataclass(frozen=True)
class SideStatistics:
    """How many sentences of one side there are, and how long."""

    language: str
    sentences: int
    characters: Spread
    words: Spread


@dataclass(frozen=True)
class TextStatistics:
    """A text in numbers; `duplicate_share` is the share of rows that occurred before.

    `same_share` is the share of rows in which two languages have the very same sentence: where it
    is high, what finds translations finds copies.
    """

    pairs: int
    sides: tuple[SideStatistics, ...]
    duplicate_share: float
    same_share: float
    pairs_with_gold: int


@dataclass(frozen=True)
class ParallelText:
    """Sentences in two or more languages; a row has one sentence in each, all saying the same.

    `source` and `target` are the sides of the first two languages, `more` those of the others. An
    empty string stands for a sentence that is not there. Everything optional is one entry per row:
    `words` has each side's words, none for a side whose words are not given; `gold` links words of
    the first two sides, so a row with gold always has those words. `origin` says where it was
    fetched, if it was.

    What compares two languages takes a `pair`, which has two sides and every row in which both
    have a sentence.
    """

    name: str
    languages: tuple[str, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    topics: tuple[str, ...] | None = None
    gold: tuple[GoldAlignment | None, ...] | None = None
    words: tuple[Words | None, ...] | None = None
    more: tuple[tuple[str, ...], ...] = ()
    origin: Origin | None = None

    def __post_init__(self) -> None:
        if len(self.languages) != 2 + len(self.more):
            raise TextError(
                f"The text {self.name} names {len(self.languages)} languages but has "
                f"{2 + len(self.more)} sides; name one for each."
            )
        if len(self.languages) > MOST_SIDES:
            raise TextError(
                f"The text {self.name} is in {len(self.languages)} languages, over the limit of "
                f"{MOST_SIDES}; choose among them."
            )
        doubled = [code for code in self.languages if self.languages.count(code) > 1]
        if self.more and doubled:
            raise TextError(
                f"The text {self.name} has the language {doubled[0]} twice; leave one out, or "
                "name the two apart, such as pt-BR and pt-PT."
            )
        for part in ("target", "topics", "gold", "words"):
            values = getattr(self, part)
            if values is not None and len(values) != len(self.source):
                raise TextError(
                    f"The text {self.name} has {len(self.source)} source sentences but "
                    f"{len(values)} of {part}; give one for each."
                )
        for language, side in zip(self.languages[2:], self.more, strict=True):
            if len(side) != len(self.source):
                raise TextError(
                    f"The text {self.name} has {len(self.source)} source sentences but "
                    f"{len(side)} in {language}; give one for each, empty where there is none."
                )
        for index, gold in enumerate(self.gold or ()):
            words = self.words[index] if self.words else None
            if gold and (words is None or not _within(gold.possible, words)):
                raise TextError(
                    f"The gold alignment of pair {index + 1} in {self.name} points outside its "
                    "words; give the words it refers to."
                )

    @classmethod
    def of_sides(
        cls,
        name: str,
        languages: Sequence[str],
        sides: Sequence[Sequence[str]],
        *,
        topics: tuple[str, ...] | None = None,
    ) -> "ParallelText":
        """The text of these sides, one a language, each with one entry per row."""
        if len(sides) < 2:
            raise TextError(f"The text {name} has one side; a parallel text has two or more.")
        first, second, *more = map(tuple, sides)
        return cls(name, tuple(languages), first, second, topics, more=tuple(more))

    def require_sentences(self) -> None:
        """Refuse a text with a language in which there is no sentence at all."""
        for language, side in zip(self.languages, self.sides, strict=True):
            if side and not any(side):
                raise TextError(
                    f"{self.name} has no sentence in {language_name(language)} ({language}); "
                    "leave that language out."
                )

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal over everything but name and origin."""
        gold = [g and [sorted(g.sure), sorted(g.possible)] for g in self.gold or ()]
        content = [self.languages, *self.sides, self.topics, gold, self.words]
        encoded = json.dumps(content, separators=(",", ":")).encode("ascii")
        return hashlib.sha256(encoded).hexdigest()

    @property
    def first_two(self) -> tuple[str, str]:
        """The languages of `source` and `target`: both there are, in what compares two."""
        return self.languages[0], self.languages[1]

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The sentences of every language, in the order of `languages`."""
        return (self.source, self.target, *self.more)

    def side(self, side: int) -> tuple[str, ...]:
        """The sentences of one side: 0 is the source, 1 the target."""
        return self.sides[side]

    def side_of(self, language: str) -> int:
        """The number of a language's side."""
        if language not in self.languages:
            raise TextError(f"{self.name} has no {language}; it is in {', '.join(self.languages)}.")
        return self.languages.index(language)

    def rows_with(self, *sides: int) -> tuple[int, ...]:
        """The rows in which each of these sides has a sentence."""
        chosen = [self.sides[side] for side in sides]
        return tuple(row for row, cells in enumerate(zip(*chosen, strict=True)) if all(cells))

    def pair(self, first: str, second: str) -> "ParallelText":
        """The text of two of its languages: every row in which both have a sentence.

        Its hash is that of the same two sides read from a file of their own.
        """
        return self.pair_of_sides(self.side_of(first), self.side_of(second))

    def pair_of_sides(self, first: int, second: int) -> "ParallelText":
        """The same by the numbers of two sides."""
        if first == second:
            raise TextError(
                f"A pair is of two languages, not of {self.languages[first]} with itself."
            )
        rows = self.rows_with(first, second)
        if (first, second) == (0, 1) and not self.more and len(rows) == len(self):
            return self
        gold, words = None, None
        if self.gold is not None and {first, second} == {0, 1}:
            gold = tuple(_turned(self.gold[row], first > second) for row in rows)
        if self.words is not None:
            words = tuple(_words_of_pair(self.words[row], first, second) for row in rows)
        return ParallelText(
            name=self.name,
            languages=(self.languages[first], self.languages[second]),
            source=tuple(self.sides[first][row] for row in rows),
            target=tuple(self.sides[second][row] for row in rows),
            topics=self.topics and tuple(self.topics[row] for row in rows),
            gold=gold if gold and any(gold) else None,
            words=words if words and any(words) else None,
            origin=self.origin,
        )

    def select(self, indices: Iterable[int]) -> "ParallelText":
        """The text of the rows at `indices`, in that order."""
        chosen = tuple(indices)
        return replace(
            self,
            source=tuple(self.source[i] for i in chosen),
            target=tuple(self.target[i] for i in chosen),
            topics=self.topics and tuple(self.topics[i] for i in chosen),
            gold=self.gold and tuple(self.gold[i] for i in chosen),
            words=self.words and tuple(self.words[i] for i in chosen),
            more=tuple(tuple(side[i] for i in chosen) for side in self.more),
        )

    @property
    def same_share(self) -> float:
        """The share of rows in which two languages have the very same sentence."""
        rows = ([text for text in row if text] for row in zip(*self.sides, strict=True))
        return sum(len(set(row)) < len(row) for row in rows) / len(self)

    def statistics(self) -> TextStatistics:
        """Sizes and lengths; words are counted as `isogloss.text.words.segment` cuts them."""
        if not len(self):
            raise TextError(f"The text {self.name} has no pairs; choose at least one.")
        return TextStatistics(
            pairs=len(self),
            sides=tuple(map(_side_statistics, self.languages, self.sides)),
            duplicate_share=1 - len(set(zip(*self.sides, strict=True))) / len(self),
            same_share=self.same_share,
            pairs_with_gold=sum(gold is not None for gold in self.gold or ()),
        )


def _side_statistics(language: str, side: tuple[str, ...]) -> SideStatistics:
    texts = [text for text in side if text]
    return SideStatistics(
        language=language,
        sentences=len(texts),
        characters=_spread([len(text) for text in texts]),
        words=_spread([len(segment(text, language)) for text in texts]),
    )


def _turned(gold: GoldAlignment | None, turn: bool) -> GoldAlignment | None:
    """The same links, from the second side to the first if they are to be turned round."""
    if gold is None or not turn:
        return gold
    sure, possible = (frozenset((j, i) for i, j in links) for links in (gold.sure, gold.possible))
    return GoldAlignment(sure, possible)


def _words_of_pair(words: Words | None, first: int, second: int) -> Words | None:
    pair = (words[first], words[second]) if words else None
    return pair if pair and any(pair) else None


def _within(links: frozenset[Link], words: Words) -> bool:
    return all(0 <= i < len(words[0]) and 0 <= j < len(words[1]) for i, j in links)


def _spread(counts: list[int]) -> Spread:
    counts = counts or [0]
    return Spread(mean=fmean(counts), median=median(counts), maximum=max(counts))
