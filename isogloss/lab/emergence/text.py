"""Two languages to learn from nothing: English and a copy of it, or the two sides of real text.

Neither language has a word or a sentence of the other: the sentences are dealt out first, one half
to each, and a copy has words of its own. Sentences held out are kept in both, to be scored on.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import CorpusError, RunError
from isogloss.lab.emergence.conditions import Setup
from isogloss.lab.emergence.docstrings import docstring_versions, read_docstrings
from isogloss.measures.stacks import Array
from isogloss.text.corpora import BUNDLED_NAMES, load_bundled, read_corpus
from isogloss.text.monolingual import read_source as read_monolingual
from isogloss.text.words import segment

DOCSTRINGS = "docstrings"
COPY = "copy"
UNKNOWN = -1
FEWEST_SENTENCES = 200
LARGEST_HELD_OUT_SHARE = 0.1
_MOST_BYTES = 500_000_000
_MOST_PAIRS = 2_000_000
_MARKS = frozenset(".,?!;:。，？！；：、")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"
_OWN_LETTERS = str.maketrans(
    _VOWELS + _CONSONANTS,
    "".join(letters[k:] + letters[:k] for letters, k in ((_VOWELS, 2), (_CONSONANTS, 7))),
)

Sentence = tuple[str, ...]


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
class SourceText:
    """Sentences as words by domain, `sides` languages each: (text,) or (text, translation)."""

    languages: tuple[str, ...]
    domains: Mapping[str, Sequence[tuple[Sentence, ...]]]
    facts: Mapping[str, Any]

    @property
    def is_parallel(self) -> bool:
        return len(self.languages) == 2


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


def read_source(
    sources: Sequence[str],
    languages: Sequence[str],
    say: Callable[[str], None] = lambda domain: None,
) -> SourceText:
    """Read what to learn from: `docstrings`, or files of text or parallel text, one domain each.

    `languages` are one for a copy, two for real text, which has to be parallel. `say` hears of each
    domain as it begins.
    """
    if tuple(sources) == (DOCSTRINGS,):
        if len(languages) > 1:
            raise RunError("Docstrings are English only: give parallel text for two languages.")
        found = read_docstrings(say)
        domains: dict[str, list[tuple[Sentence, ...]]] = {
            name: [(split_words(text, "en"),) for text in texts] for name, texts in found.items()
        }
        return SourceText(
            ("en",), domains, {"source": DOCSTRINGS, "packages": docstring_versions()}
        )
    if not sources or DOCSTRINGS in sources:
        raise RunError("Give docstrings alone, or one file or more.")
    domains = {}
    files = {}
    for source in sources:
        name = Path(source).name
        say(name)
        rows = list(_read_file(source, languages))
        domains[name] = [
            tuple(split_words(text, code) for text, code in zip(row, languages, strict=True))
            for row in rows
        ]
        files[name] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return SourceText(tuple(languages), domains, {"source": "files", "files": files})


def _read_file(source: str, languages: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The sentences of a file in the languages asked for; plain text has one a line."""
    bundled = source in BUNDLED_NAMES and not Path(source).exists()
    if not bundled and not Path(source).is_file():
        raise RunError(f"There is no file {source}: give docstrings or a file of sentences.")
    if bundled:
        corpus = load_bundled(source)
    else:
        try:
            read = read_corpus(
                source, skip_bad_rows=True, limit_bytes=_MOST_BYTES, limit_pairs=_MOST_PAIRS
            )
        except CorpusError:
            if len(languages) > 1:
                raise
            yield from zip(read_monolingual(source, languages[0])[languages[0]], strict=True)
            return
        corpus = read.corpus
    sides = dict(zip(corpus.languages, corpus.sides, strict=True))
    missing = [code for code in languages if code not in sides]
    if missing:
        raise RunError(
            f"{Path(source).name} has text in {' and '.join(sides)} but none in {missing[0]}: "
            "give another file or another language."
        )
    rows = zip(*(sides[code] for code in languages), strict=True)
    yield from (row for row in rows if all(row))


def split_words(text: str, language: str) -> Sentence:
    """The words of a sentence in small letters; of other marks only those that end or part it."""
    words = (word.text.lower().replace("’", "'") for word in segment(text, language))
    return tuple(word for word in words if word in _MARKS or any(map(str.isalnum, word)))


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
