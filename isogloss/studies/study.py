"""A study: a model's activations on a corpus, opened from the store for reading."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.models.presets import display_name
from isogloss.models.states import FinalNorm, LayerStates
from isogloss.models.tokens import TOKENS, TokenTable
from isogloss.store import Entry, Store
from isogloss.text.corpora import GoldAlignment, ParallelCorpus
from isogloss.text.readers.languages import languages_in_name

CORPUS = "corpus.json"
OWN_VECTORS = "vectors:"
"""What a study's record has before its digest where its states were computed elsewhere."""


@dataclass(frozen=True, repr=False)
class Study:
    """One model on one corpus: states by layer, the token table, and the text itself."""

    entry: Entry

    def __repr__(self) -> str:
        return f"<Study {self.key[:8]}: {self.title}>"

    @property
    def key(self) -> str:
        return self.entry.key

    @property
    def model(self) -> str:
        return str(self.entry.facts["model"])

    @property
    def title(self) -> str:
        """Model and text, as people call them."""
        return f"{display_name(self.model)} · {self.text_title}"

    @property
    def text_title(self) -> str:
        """The text's name, with its languages where the name does not have them."""
        name, pair = str(self.entry.facts["corpus"]), "–".join(self.languages)
        return name if set(self.languages) <= set(languages_in_name(name)) else f"{name} {pair}"

    @property
    def languages(self) -> tuple[str, str]:
        first, second = self.entry.facts["languages"]
        return first, second

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
    def scale(self) -> int:
        """What stored states are multiplied by to be the model's own."""
        return int(self.entry.facts["scale"])

    @property
    def is_decoder(self) -> bool:
        return bool(self.entry.facts["is_decoder"])

    @property
    def kind(self) -> str:
        """What computed the states, in a word or two."""
        if str(self.entry.record["model"]).startswith(OWN_VECTORS):
            return "vectors from elsewhere"
        return "decoder" if self.is_decoder else "encoder"

    @property
    def says_cut(self) -> str:
        """How many sentences the model could not read to their end; nothing where it read all."""
        return says_cut(self.entry)

    @cached_property
    def corpus(self) -> ParallelCorpus:
        return read_stored_corpus(self._whole().file(CORPUS))

    @cached_property
    def tokens(self) -> TokenTable:
        return TokenTable.read(self._whole().file(TOKENS))

    def _whole(self) -> Entry:
        """The entry, compared with its checksums, which nobody did who only listed it."""
        return open_study(self.entry.store, self.key).entry


def says_cut(entry: Entry) -> str:
    """How many sentences of a study were cut; nothing where none was, or it is not known."""
    count = int(entry.facts.get("truncated_sentences", 0))
    if not count:
        return ""
    total = 2 * int(entry.facts["pairs"])
    were = "sentence was" if count == 1 else "sentences were"
    return f"{count:,} of {total:,} {were} longer than the model takes, and cut there."


def list_studies(store: Store) -> tuple[Study, ...]:
    """Every study in the store, the newest first, those that ship with Isogloss last."""
    found = [Study(entry) for entry in store.entries() if _is_study(entry)]
    return tuple(
        sorted(found, key=lambda study: (not study.entry.demo, study.entry.created), reverse=True)
    )


def open_study(store: Store, key: str) -> Study:
    """The study with this key."""
    entry = store.get(key)
    if entry is None or not _is_study(entry):
        corrupt = [report for report in store.reports if key in report]
        missing = f"There is no study {key} in the cache: choose one from the list."
        raise IsoglossError(corrupt[-1] if corrupt else missing)
    return Study(entry)


def _is_study(entry: Entry) -> bool:
    return entry.record.get("kind") == "activations"


def write_corpus(corpus: ParallelCorpus, path: Path) -> None:
    """Keep the text beside its states, so that a study can be read without its source."""
    fields = {
        "name": corpus.name,
        "languages": corpus.languages,
        "source": corpus.source,
        "target": corpus.target,
        "topics": corpus.topics,
        "gold": corpus.gold
        and [gold and [sorted(gold.sure), sorted(gold.possible)] for gold in corpus.gold],
        "words": corpus.words,
    }
    path.write_text(json.dumps(fields, ensure_ascii=False), encoding="utf-8")


def read_stored_corpus(path: Path) -> ParallelCorpus:
    """The corpus as `write_corpus` kept it."""
    fields = as_tuples(json.loads(path.read_text(encoding="utf-8")))
    gold = fields.pop("gold")
    return ParallelCorpus(
        **fields,
        gold=gold and tuple(links and GoldAlignment(*map(frozenset, links)) for links in gold),
    )


def as_tuples(value: Any) -> Any:
    """JSON's lists as the tuples they were, at any depth."""
    if isinstance(value, dict):
        return {name: as_tuples(item) for name, item in value.items()}
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value
