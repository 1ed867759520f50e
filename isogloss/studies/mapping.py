"""What an orthogonal mapping adds: learned on one part of a study's text, tested on the rest."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from isogloss.bundled import MODEL_PAIR
from isogloss.errors import IsoglossError
from isogloss.links.sources import PAIRED_WORDS_VERSION
from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE, score_option
from isogloss.measures.procrustes import score_mappings, split_rows
from isogloss.measures.sentence_retrieval import RetrievalScores, score_layers
from isogloss.measures.stacks import Array
from isogloss.measures.word_translation import WordTypes, average_types, translate_words
from isogloss.options import DIGITS, option
from isogloss.store import Store
from isogloss.store.results import read_result
from isogloss.studies.paired_rows import PairedRows, Reading, pair_rows
from isogloss.studies.pooling import PointTable, Pooling, point_table, point_vectors, pooling_option
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study, open_study
from isogloss.text.dictionaries import collect_entries
from isogloss.text.parts import choose_spread

MappingLevel = Literal["sentence", "word", "type"]
LEVELS: dict[MappingLevel, str] = {
    "sentence": "Sentences",
    "word": "Words in context",
    "type": "Word types",
}
PAIR_SCORES: dict[MappingLevel, str] = {"sentence": "cosine", "type": "csls", "word": "csls"}
"""What was measured between the two models whose answers ship; scores as in Conneau et al. 2020."""
PAIR_FACTS = "facts.json"
FEWEST_PAIRS = 8
MOST_SENTENCES = 1_000


@dataclass(frozen=True)
class MappingScores:
    """Retrieval among the tested rows after the mapping, and before it for comparison.

    `before` is None between two models, whose spaces have nothing in common without a mapping.
    `badge` says beside the number whose links paired the words; "" of sentences.
    """

    after: RetrievalScores
    before: RetrievalScores | None
    learned_from: int
    tested_on: int
    badge: str = ""


@dataclass(frozen=True)
class MappedRetrieval(Question[MappingScores]):
    """A Procrustes mapping per layer from the source's space onto the target's.

    `other` is the study whose model reads the target, "" for the same one. Models of different
    depth meet at the same share of their depth. At the level of types the vectors of all
    occurrences of a word are averaged; at layer 0 that is the embedding output, the word's table
    entry with positions averaged away.
    """

    other: str = option(
        "",
        "The model that reads the second language. Another model may have another width; of "
        "another depth, layers meet at the same share of the way up.",
        title="Onto the space of",
        address="onto",
        digits=DIGITS,
    )
    level: MappingLevel = "sentence"
    score: str = score_option()
    pooling: Pooling = pooling_option()
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "mapped retrieval"
    VERSION: ClassVar[int] = 3
    ANSWER: ClassVar[type] = MappingScores

    def record(self) -> dict[str, Any]:
        paired = {} if self.level == "sentence" else {"paired_words": PAIRED_WORDS_VERSION}
        return super().record() | paired

    def compute(self, study: Study, store: Store, steps: Steps) -> MappingScores:
        other = open_study(store, self.other) if self.other else study
        unit: Literal["sentence", "word"] = "sentence" if self.level == "sentence" else "word"
        rows = pair_rows(Reading(study, 0), Reading(other, 1), unit, self.pooling, self.coordinates)
        if len(rows) < FEWEST_PAIRS:
            raise IsoglossError(
                f"Only {len(rows)} pairs of {unit}s: a mapping needs at least {FEWEST_PAIRS} to "
                "learn from some and be tested on the others; give more text."
            )
        meeting = [
            (layer, study.states.counterpart(layer, other.states))
            for layer in range(study.n_states)
        ]
        done = 0

        def announced(read: Callable[[], Array]) -> Callable[[], Array]:
            def read_and_tell() -> Array:
                nonlocal done
                done += 1
                steps.reach(min(done, total), total, "one layer after another")
                return read()

            return read_and_tell

        total = 4 * len(meeting)
        first = [announced(rows.first[layer]) for layer, _ in meeting]
        second = [announced(rows.second[layer]) for _, layer in meeting]
        if self.level == "type":
            pairs, first, second = _pair_types(rows, first, second)
            groups = np.arange(len(pairs))
        else:
            groups = rows.sentence
        train, test = split_rows(len(groups), groups=groups)
        after = score_mappings(first, second, train, test, self.score, groups=groups)
        before = (
            score_layers(
                _only(first, test),
                _only(second, test),
                self.score,
                centre=True,
                groups=groups[test],
            )
            if other == study
            else None
        )
        return MappingScores(after, before, len(train), len(test), rows.badge)


def model_pair_facts(directory: Path = MODEL_PAIR) -> dict[str, Any]:
    """Which two models of one language each, and which text, the answers that ship are of."""
    facts: dict[str, Any] = json.loads((directory / PAIR_FACTS).read_text(encoding="utf-8"))
    return facts


def shipped_mapping(level: MappingLevel, directory: Path = MODEL_PAIR) -> MappingScores:
    """What a mapping between two models of one language each gave; their states do not ship."""
    found: MappingScores = read_result(MappingScores, directory / level)
    return found


def _only(stack: list[Callable[[], Array]], rows: Array) -> list[Callable[[], Array]]:
    def read_some(read: Callable[[], Array]) -> Array:
        return read()[rows]

    return [partial(read_some, read) for read in stack]


def _pair_types(
    rows: PairedRows, first: list[Callable[[], Array]], second: list[Callable[[], Array]]
) -> tuple[list[tuple[str, str]], list[Callable[[], Array]], list[Callable[[], Array]]]:
    """Average rows by word type; each source word pairs with its most frequent translation."""
    texts = [(a.lower(), b.lower()) for a, b in rows.texts]
    counts = Counter(texts)
    best: dict[str, str] = {}
    for (source, target), _ in counts.most_common():
        best.setdefault(source, target)
    # A target word may translate several source words; only its commonest partner keeps it.
    owner: dict[str, str] = {}
    for (source, target), _ in counts.most_common():
        if best[source] == target:
            owner.setdefault(target, source)
    pairs = sorted((source, target) for target, source in owner.items())
    if len(pairs) < FEWEST_PAIRS:
        raise IsoglossError(
            f"Only {len(pairs)} different words pair up: a mapping between word types needs at "
            f"least {FEWEST_PAIRS}; give more text."
        )

    def averaged(read: Callable[[], Array], side: int) -> Callable[[], Array]:
        def types() -> Array:
            found = average_types([text[side] for text in texts], read())
            row_of = {word: row for row, word in enumerate(found.words)}
            return np.asarray(found.vectors[[row_of[pair[side]] for pair in pairs]])

        return types

    return (
        pairs,
        [averaged(read, 0) for read in first],
        [averaged(read, 1) for read in second],
    )


@dataclass(frozen=True)
class TranslationScores:
    """Word translation by layer against a dictionary.

    `values`, `low`, `high` are (L, 4) in the order of `alignment.METRICS`, `chance` is (4,).
    """

    values: Array
    low: Array
    high: Array
    level: float
    chance: Array
    entries: int
    covered: int
    tested: int
    candidates: int


@dataclass(frozen=True)
class DictionaryTranslation(Question[TranslationScores]):
    """Each word of a dictionary looks for its translation among all words of the text."""

    entries: tuple[tuple[str, str], ...] = ()
    score: str = DEFAULT_SCORE
    mapped: bool = True

    KIND: ClassVar[str] = "dictionary translation"
    ANSWER: ClassVar[type] = TranslationScores

    def record(self) -> dict[str, Any]:
        """The dictionary enters the address by its hash."""
        content = "\n".join("\t".join(entry) for entry in self.entries)
        digest = hashlib.sha256(content.encode()).hexdigest()
        return super().record() | {"entries": digest}

    def compute(self, study: Study, store: Store, steps: Steps) -> TranslationScores:
        dictionary = collect_entries(self.entries)
        sentences = choose_spread(study.bitext, MOST_SENTENCES)
        table = point_table(study, "word", sentences, punctuation=False)
        results = []
        for layer in steps.layers(study, "looking words up at layer {}"):
            source, target = _word_types(study, table, layer)
            results.append(
                translate_words(source, target, dictionary, self.score, mapped=self.mapped)
            )
        last = results[-1]
        return TranslationScores(
            values=np.stack([result.values for result in results]),
            low=np.stack([result.low for result in results]),
            high=np.stack([result.high for result in results]),
            level=last.level,
            chance=last.chance,
            entries=last.entries,
            covered=last.covered,
            tested=last.tested,
            candidates=last.candidates,
        )


def _word_types(study: Study, table: PointTable, layer: int) -> tuple[WordTypes, WordTypes]:
    """The averaged vectors of all words of both sides, in lower case as MUSE writes them."""
    vectors = point_vectors(study, layer, table)
    words = np.array([str(text).lower() for text in table.text], object)
    first, second = (
        average_types(words[table.side == side].tolist(), vectors[table.side == side])
        for side in (0, 1)
    )
    return first, second
