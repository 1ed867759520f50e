"""Two languages to learn from nothing: English and a copy of it, or the two sides of real text.

Neither language has a word or a sentence of the other: the sentences are dealt out first, one half
to each, and a copy has words of its own. Sentences held out are kept in both, to be scored on.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isogloss.errors import RunError
from isogloss.lab.emergence.conditions import Setup
from isogloss.lab.emergence.sources import Sentence, SourceText
from isogloss.measures.stacks import Array

COPY = "copy"
UNKNOWN = -1
FEWEST_SENTENCES = 200
LARGEST_HELD_OUT_SHARE = 0.1
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"
_OWN_LETTERS = str.maketrans(
    _VOWELS + _CONSONANTS,
    "".join(letters[k:] + letters[:k] for letters, k in ((_VOWELS, 2), (_CONSONANTS, 7))),
)


@dataclass(frozen=True)
class Amounts:
    """How many words are known, how long a sentence may be, and how much is held out.

    `unknown` is how many words outside the vocabulary a sentence that is learned from may have;
    they stay hidden. Sentences held out have none.
    """

    words: int
    shortest: int
    longest: int
    unknown: int
    held_out: int


@dataclass(frozen=True, eq=False)
class Side:
    """A language: its words, and sentences as rows of word numbers, padded; UNKNOWN is hidden.

    `train` and `held_out` have shape (sentences, longest); lengths are (sentences,).
    """

    words: tuple[str, ...]
    train: Array
    train_lengths: Array
    held_out: Array
    held_out_lengths: Array


@dataclass(frozen=True, eq=False)
class TwoLanguages:
    """Two sides whose held-out rows say the same.

    `counterpart` (words of the first,) is the word of the second that each corresponds to, None in
    real text, where no word list says so. `anchor_words` are the same word in both.
    """

    first: Side
    second: Side
    counterpart: Array | None
    anchor_words: frozenset[int]

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of all that is learned from and scored on."""
        found = hashlib.sha256()
        for side in (self.first, self.second):
            found.update("\n".join(side.words).encode())
            for rows in (side.train, side.held_out):
                found.update(np.ascontiguousarray(rows, np.int32).tobytes())
        return found.hexdigest()


def deal_out(source: SourceText, amounts: Amounts, setup: Setup, seed: int) -> TwoLanguages:
    """Split a text into two languages that share no sentence, and sentences held out of both."""
    if setup.two_domains and len(source.domains) < 2:
        raise RunError("Two domains need two files, or docstrings: give another file.")
    vocabularies = _vocabularies(source, amounts)
    known = _usable_sentences(source, amounts, vocabularies)
    rng = np.random.default_rng((seed, 0))
    order = rng.permutation(len(known.rows))
    whole = [k for k in order if known.is_whole[k]]
    n_held = min(amounts.held_out, int(len(order) * LARGEST_HELD_OUT_SHARE))
    held = whole[:n_held]
    kept_out = set(held)
    rest = [k for k in order if k not in kept_out]
    if n_held < 2 or len(rest) < FEWEST_SENTENCES:
        raise RunError(
            f"Only {len(rest)} different sentences of {amounts.shortest} to {amounts.longest} "
            f"words have their words among the {amounts.words} commonest: give more text."
        )
    parts = _parts(rest, known.domain, setup)
    parts = [part[: max(FEWEST_SENTENCES // 2, round(len(part) * setup.text))] for part in parts]
    second = 1 if source.is_parallel else 0
    sides = []
    for side, part in ((0, parts[0]), (second, parts[1])):
        train = _padded([known.rows[k][side] for k in part], amounts.longest)
        test = _padded([known.rows[k][side] for k in held], amounts.longest)
        sides.append((*train, *test))
    first_words = vocabularies[0]
    own = vocabularies[1] if source.is_parallel else own_words(first_words)
    anchors = _anchors(len(first_words), setup.anchors, source, rng)
    return TwoLanguages(
        Side(first_words, *sides[0]),
        Side(own, *sides[1]),
        None if source.is_parallel else np.arange(len(own)),
        anchors,
    )


def shuffled(text: TwoLanguages, seed: int) -> TwoLanguages:
    """The same languages with wrong counterparts of words and sentences: what chance finds."""
    rng = np.random.default_rng((seed, 2))
    order = rng.permutation(len(text.second.held_out))
    second = replace(
        text.second,
        held_out=text.second.held_out[order],
        held_out_lengths=text.second.held_out_lengths[order],
    )
    words = None if text.counterpart is None else rng.permutation(len(text.counterpart))
    return replace(text, second=second, counterpart=words)


def own_words(words: Sequence[str]) -> tuple[str, ...]:
    """A word for each word that looks like one and is none of them: other letters for its own."""
    taken = set(words)
    found = []
    for word in words:
        new = word.translate(_OWN_LETTERS)
        if new == word:
            new += "\u2032"
        while new in taken:
            new += "a"
        taken.add(new)
        found.append(new)
    return tuple(found)


@dataclass(frozen=True)
class _Known:
    """Sentences as word numbers, each once; whether all words are known; where they come from."""

    rows: list[tuple[tuple[int, ...], ...]]
    is_whole: list[bool]
    domain: list[str]


def _fits(sentence: Sentence, amounts: Amounts) -> bool:
    return amounts.shortest <= len(sentence) <= amounts.longest


def _vocabularies(source: SourceText, amounts: Amounts) -> list[tuple[str, ...]]:
    """The commonest words of each language among sentences of the right length."""
    found = []
    for side in range(len(source.languages)):
        counts: Counter[str] = Counter()
        for rows in source.domains.values():
            for row in rows:
                if _fits(row[side], amounts):
                    counts.update(row[side])
        found.append(tuple(word for word, _ in counts.most_common(amounts.words)))
    return found


def _usable_sentences(
    source: SourceText, amounts: Amounts, vocabularies: Sequence[Sequence[str]]
) -> _Known:
    numbers = [{word: k for k, word in enumerate(words)} for words in vocabularies]
    seen: list[set[tuple[int, ...]]] = [set() for _ in numbers]
    known = _Known([], [], [])
    for name, rows in source.domains.items():
        for row in rows:
            if not all(_fits(sentence, amounts) for sentence in row):
                continue
            ids = tuple(
                tuple(number.get(word, UNKNOWN) for word in sentence)
                for number, sentence in zip(numbers, row, strict=True)
            )
            hidden = max(each.count(UNKNOWN) for each in ids)
            # Nothing that one side has read may be met again, in this language or the other.
            if hidden > amounts.unknown or any(a in b for a, b in zip(ids, seen, strict=True)):
                continue
            for each, met in zip(ids, seen, strict=True):
                met.add(each)
            known.rows.append(ids)
            known.is_whole.append(hidden == 0)
            known.domain.append(name)
    return known


def _parts(rest: Sequence[int], domain: Sequence[str], setup: Setup) -> list[list[int]]:
    """Sentences of either language: every second one, or by domain, the largest apart."""
    if not setup.two_domains:
        return [list(rest[0::2]), list(rest[1::2])]
    sizes = Counter(domain[k] for k in rest)
    owner: dict[str, int] = {}
    filled = [0, 0]
    for name, size in sizes.most_common():
        side = int(filled[0] > filled[1])
        owner[name] = side
        filled[side] += size
    return [[k for k in rest if owner[domain[k]] == side] for side in (0, 1)]


def _anchors(
    words: int, share: float, source: SourceText, rng: np.random.Generator
) -> frozenset[int]:
    if not share:
        return frozenset()
    if source.is_parallel:
        raise RunError("Shared words are for a copy: leave out anchors with real text.")
    return frozenset(map(int, rng.choice(words, round(words * share), replace=False)))


def _padded(sentences: Sequence[Sequence[int]], longest: int) -> tuple[Array, Array]:
    rows = np.full((len(sentences), longest), UNKNOWN, np.int32)
    for row, sentence in zip(rows, sentences, strict=True):
        row[: len(sentence)] = sentence
    return rows, np.array([len(sentence) for sentence in sentences], np.int32)
