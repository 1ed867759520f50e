"""A study: a model's activations on a text, opened from the store for reading."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.labels import Labels
from isogloss.models.presets import display_name
from isogloss.models.states import FinalNorm, LayerStates
from isogloss.models.tokens import TOKENS, TokenTable
from isogloss.store import Entry, Store
from isogloss.store.names import given_name
from isogloss.text.hub.origin import Origin
from isogloss.text.language_names import language_name
from isogloss.text.readers.languages import languages_in_name
from isogloss.text.reading import GoldAlignment, ParallelText
from isogloss.text.words import CUT_ANEW, primary

TEXT = "corpus.json"
ACTIVATIONS = "activations"
"""The kind of an entry with the states of a text's tokens."""
MEANS = "sentence means"
"""The kind of an entry with the means of a text's sentences, and nothing of their tokens."""
FIRST_TWO = (0, 1)
PAIR_MARK = ":"
"""Stands in a study's key between that of its entry and the numbers of the two sides."""
OWN_VECTORS = "vectors:"
"""What a study's record has before its digest where its states were computed elsewhere."""


@dataclass(frozen=True, repr=False)
class Study:
    """One model on one text: states by layer, the token table, and the text itself.

    A text may be in many languages, and whatever compares two looks at a study through a pair of
    them: the first two, unless `pair` chose others. So `languages`, `bitext`, `tokens` and `layer`
    are those of the pair, as if the text had no other side; `text` and `all_languages` are all of
    it, and `isogloss.studies.languages.sentence_means` reads all languages at once.
    """

    entry: Entry
    sides: tuple[int, int] = FIRST_TWO

    def __repr__(self) -> str:
        return f"<Study {self.entry.key[:8]}: {self.title}>"

    @property
    def key(self) -> str:
        """What `open_study` takes: the entry's key, and the pair where it is not the first two."""
        if self.sides == FIRST_TWO:
            return self.entry.key
        return f"{self.entry.key}{PAIR_MARK}{self.sides[0]}-{self.sides[1]}"

    @property
    def model(self) -> str:
        return str(self.entry.facts["model"])

    @property
    def title(self) -> str:
        """Model and text, as people call them."""
        return f"{display_name(self.model)} · {self.text_title}"

    @property
    def text_title(self) -> str:
        """The text's name, or what it was renamed to, with the pair unless the name has it."""
        name = given_name(self.entry.store, self.entry.key) or str(self.entry.facts["corpus"])
        pair = "–".join(self.languages)
        return name if set(self.languages) <= set(languages_in_name(name)) else f"{name} {pair}"

    @property
    def all_languages(self) -> tuple[str, ...]:
        """Every language of the text."""
        return tuple(self.entry.facts["languages"])

    @property
    def languages(self) -> tuple[str, str]:
        """The two languages that are compared."""
        every = self.all_languages
        return every[self.sides[0]], every[self.sides[1]]

    def pair(self, first: str, second: str) -> Study:
        """The same study, looked at through two of its languages."""
        every = self.all_languages
        for code in (first, second):
            if code not in every:
                known = ", ".join(every)
                raise IsoglossError(f"{self.title} has no {code}; its languages are {known}.")
        if first == second:
            raise IsoglossError(f"A pair is of two languages, not of {first} with itself.")
        return replace(self, sides=(every.index(first), every.index(second)))

    def pairs(self) -> tuple[Study, ...]:
        """The study looked at through every two of its languages, either way round."""
        return tuple(self.pair(*two) for two in permutations(self.all_languages, 2))

    def pair_called(self, name: str) -> Study:
        """The same by what an address or a command calls a pair: "de-sw"."""
        for each in self.pairs():
            if each.pair_name == name:
                return each
        # A key has the numbers of the sides in place of the languages.
        return open_study(self.entry.store, f"{self.entry.key}{PAIR_MARK}{name}")

    @property
    def pair_name(self) -> str:
        """What an address or a command calls the pair."""
        return "-".join(self.languages)

    @property
    def pair_record(self) -> dict[str, Any]:
        """What a question's record has of the pair: nothing where it is the first two."""
        return {} if self.sides == FIRST_TWO else {"pair": list(self.languages)}

    @property
    def answer_record(self) -> dict[str, Any]:
        """What the record of an answer has beside its question: the pair, and how it is cut.

        Where neither says anything new, nothing, so that older answers are found.
        """
        cut_anew = any(primary(code) in CUT_ANEW for code in self.languages)
        return self.pair_record | ({"words": 2} if cut_anew else {})

    @property
    def text_key(self) -> str:
        """The same for all studies of the same sentences in the same two languages."""
        if len(self.all_languages) == 2 and self.sides == FIRST_TWO:
            return str(self.entry.record["corpus"])
        return self.bitext.content_hash

    @property
    def n_layers(self) -> int:
        return int(self.entry.facts["n_layers"])

    @cached_property
    def states(self) -> LayerStates:
        """What can be shown, by number and name: the layers, and perhaps what the final norm gives.

        Before 0.4 a decoder's top layer was what its final norm gives, and nothing was noted.
        """
        facts = self.entry.facts
        noted: FinalNorm = facts.get("final_norm", "on top" if self.is_decoder else "none")
        return LayerStates(self.n_layers, noted)

    @property
    def n_states(self) -> int:
        """How many states there are of each token."""
        return len(self.states)

    @property
    def labels(self) -> Labels:
        """What tables and charts call the two languages, and the layers."""
        first, second = map(language_name, self.languages)
        return Labels(self.languages, (first, second), self.states, self.states)

    @property
    def scale(self) -> int:
        """What stored states are multiplied by to be the model's own."""
        return int(self.entry.facts["scale"])

    @property
    def is_decoder(self) -> bool:
        return bool(self.entry.facts["is_decoder"])

    @property
    def kind(self) -> str:
        """What computed the states, in a word or two."""
        if self.is_own_vectors:
            return "vectors from elsewhere"
        return "decoder" if self.is_decoder else "encoder"

    @property
    def is_own_vectors(self) -> bool:
        """Whether the states were brought, so that no model is known that could read again."""
        return str(self.entry.record["model"]).startswith(OWN_VECTORS)

    @property
    def says_cut(self) -> str:
        """How many sentences the model could not read to their end; nothing where it read all."""
        return says_cut(self.entry)

    @property
    def origin(self) -> Origin | None:
        """Where the text was fetched from, if it was."""
        record = self.entry.facts.get("origin")
        return Origin.of_record(record) if record else None

    @property
    def keeps_tokens(self) -> bool:
        """Whether states of tokens are kept, and not only the means of sentences."""
        return self.entry.record["kind"] == ACTIVATIONS

    @cached_property
    def text(self) -> ParallelText:
        """The text in all its languages."""
        return read_stored_text(self._whole().file(TEXT))

    @cached_property
    def bitext(self) -> ParallelText:
        """The text of the pair: every row in which both languages have a sentence."""
        return self.text.pair_of_sides(*self.sides)

    @cached_property
    def tokens(self) -> TokenTable:
        """The tokens of the pair, numbered as `bitext` is."""
        return self._tokens_and_rows[0]

    def layer(self, layer: int) -> StateRows:
        """The states of the pair's tokens at one layer, as they are stored: a row each."""
        rows, states = self._tokens_and_rows[1], self.entry.layer(layer)
        return states if rows is None else _Rows(states, rows)

    @cached_property
    def _tokens_and_rows(self) -> tuple[TokenTable, np.ndarray | None]:
        """The pair's tokens, and which rows of the states they are, None for all in order."""
        if not self.keeps_tokens:
            raise IsoglossError(
                f"{self.title} keeps the means of its sentences and no tokens: extract the tokens "
                f"of {' and '.join(self.languages)} first."
            )
        path = self._whole().file(TOKENS)
        if self.bitext is self.text:
            return TokenTable.read(path), None
        return TokenTable.read_pair(path, self.sides, np.array(self.text.rows_with(*self.sides)))

    def _whole(self) -> Entry:
        """The entry, compared with its checksums, which nobody did who only listed it."""
        return open_study(self.entry.store, self.entry.key).entry


class StateRows(Protocol):
    """States of tokens at one layer, read by row numbers or slices as an array is."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, rows: Any) -> np.ndarray: ...


@dataclass(frozen=True)
class _Rows:
    """Some rows of a layer, which stays on the disk until rows are asked for."""

    states: np.ndarray
    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.rows), *self.states.shape[1:])

    def __getitem__(self, rows: Any) -> np.ndarray:
        chosen: np.ndarray = self.states[self.rows[rows]]
        return chosen


def says_cut(entry: Entry) -> str:
    """How many sentences of a study were cut; nothing where none was, or it is not known."""
    count = int(entry.facts.get("truncated_sentences", 0))
    if not count:
        return ""
    total = int(entry.facts.get("sentences", 2 * int(entry.facts["pairs"])))
    were = "sentence was" if count == 1 else "sentences were"
    return f"{count:,} of {total:,} {were} longer than the model takes, and cut there."


def list_studies(store: Store) -> tuple[Study, ...]:
    """Every study with tokens in the store, the newest first, those that ship last."""
    return _studies_of(store, ACTIVATIONS)


def list_means(store: Store) -> tuple[Study, ...]:
    """The studies that keep the means of sentences alone, in the same order."""
    return _studies_of(store, MEANS)


def _studies_of(store: Store, kind: str) -> tuple[Study, ...]:
    found = [Study(entry) for entry in store.entries() if entry.record.get("kind") == kind]
    return tuple(
        sorted(found, key=lambda study: (not study.entry.demo, study.entry.created), reverse=True)
    )


def told_apart(
    studies: Iterable[Study], title: Callable[[Study], str] = lambda study: study.title
) -> dict[str, str]:
    """The title of each study by its key; equal ones get what tells them apart.

    That is how many pairs they have, else when they were made, else how their keys begin.
    """
    differences: tuple[Callable[[Study], str], ...] = (
        lambda study: f"{study.entry.facts['pairs']} pairs",
        lambda study: study.entry.created[:16].replace("T", " "),
        lambda study: study.key[:8],
    )
    alike: dict[str, list[Study]] = {}
    for study in studies:
        alike.setdefault(title(study), []).append(study)
    titles = {}
    for shared, group in alike.items():
        tell = next((t for t in differences if len({t(s) for s in group}) == len(group)), None)
        for study in group:
            more = f" · {tell(study)}" if tell is not None and len(group) > 1 else ""
            titles[study.key] = f"{shared}{more}"
    return titles


def open_study(store: Store, key: str) -> Study:
    """The study with this key, which may name the pair that it is looked at through."""
    own, mark, pair = key.partition(PAIR_MARK)
    entry = store.get(own)
    if entry is None or entry.record.get("kind") not in (ACTIVATIONS, MEANS):
        corrupt = [report for report in store.reports if own in report]
        missing = f"There is no study {own} in the store: choose one from the list."
        raise IsoglossError(corrupt[-1] if corrupt else missing)
    if not mark:
        return Study(entry)
    sides = re.fullmatch("([0-9]{1,3})-([0-9]{1,3})", pair)
    count = len(entry.facts["languages"])
    if not sides or not max(int(sides[1]), int(sides[2])) < count or sides[1] == sides[2]:
        known = ", ".join(entry.facts["languages"])
        raise IsoglossError(
            f"The study {own[:12]} has no pair {pair[:20]!r}: join two of its languages by a "
            f"hyphen, out of {known}."
        )
    return Study(entry, (int(sides[1]), int(sides[2])))


def write_stored_text(text: ParallelText, path: Path) -> None:
    """Keep the text beside its states, so that a study can be read without its source."""
    fields = {
        "name": text.name,
        "languages": text.languages,
        "source": text.source,
        "target": text.target,
        "topics": text.topics,
        "gold": text.gold
        and [gold and [sorted(gold.sure), sorted(gold.possible)] for gold in text.gold],
        "words": text.words,
        **({"more": text.more} if text.more else {}),
        **({"origin": text.origin.record()} if text.origin else {}),
    }
    path.write_text(json.dumps(fields, ensure_ascii=False), encoding="utf-8")


def read_stored_text(path: Path) -> ParallelText:
    """The text as `write_stored_text` kept it."""
    fields = as_tuples(json.loads(path.read_text(encoding="utf-8")))
    gold, origin = fields.pop("gold"), fields.pop("origin", None)
    return ParallelText(
        **fields,
        origin=origin and Origin.of_record(origin),
        gold=gold and tuple(links and GoldAlignment(*map(frozenset, links)) for links in gold),
    )


def as_tuples(value: Any) -> Any:
    """JSON's lists as the tuples they were, at any depth."""
    if isinstance(value, dict):
        return {name: as_tuples(item) for name, item in value.items()}
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value
