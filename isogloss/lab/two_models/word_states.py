"""What every layer of a model says of every word of some sentences, computed once and kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.lab.two_models.networks import Vectors
from isogloss.measures.stacks import Array
from isogloss.models.forward import ForwardPasses, sort_by_length
from isogloss.models.loading import LoadedModel
from isogloss.models.tokens import token_ranges, tokenise
from isogloss.store import STATES, Entry, Store, create_states_file
from isogloss.tasks import OnShare
from isogloss.text.words import Word

TOKENS_AT_ONCE = 2_048


@dataclass(frozen=True)
class Located:
    """Sentences and where their words stand; what a model is given to read."""

    name: str
    texts: tuple[str, ...]
    words: tuple[tuple[Word, ...], ...]

    @property
    def starts(self) -> Array:
        """The number of the first word of each sentence, and the number of all words."""
        return np.concatenate([[0], np.cumsum([len(each) for each in self.words])]).astype(int)

    @property
    def content_hash(self) -> str:
        places = [[(word.start, word.end) for word in each] for each in self.words]
        return hashlib.sha256(json.dumps([self.texts, places]).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class WordStates:
    """The mean of each word's tokens at every layer: an entry of the store, mapped not read."""

    entry: Entry
    starts: Array
    n_layers: int

    def rows(self, layer: int) -> Array:
        """The vectors of a layer, (words, width)."""
        return np.asarray(self.entry.layer(layer))

    def vectors(self, layer: int, change: Callable[[Array], Array]) -> Vectors:
        """The vectors of a layer after a change, as the networks read them.

        Normalised rows have length 1; the networks want about 1 in each dimension.
        """
        changed = change(self.rows(layer))
        return Vectors((changed * np.sqrt(changed.shape[1])).astype(np.float32), self.starts)


def word_states(
    model: LoadedModel,
    text: Located,
    store: Store,
    on_progress: OnShare = lambda share: None,
) -> WordStates:
    """The states of a text's words, from the store or computed; zeros where a word was cut off.

    The top layer is what the model hands on: of one with a final norm, what that gives.
    """
    starts = text.starts
    record = {
        "kind": "word states",
        "model": model.files.fingerprint,
        "text": text.content_hash,
        "precision": model.precision,
    }

    def build(workspace: Path) -> None:
        path = workspace / STATES
        path.unlink(missing_ok=True)
        states = create_states_file(
            path,
            n_states=len(model.states.handed_on),
            rows=int(starts[-1]),
            width=model.width,
            dtype="float32",
        )
        _compute(model, text, states, starts, on_progress)

    description = f"{model.name}, words of {text.name}"
    entry = store.get_or_create(record, build, description=description)
    return WordStates(entry, starts, model.n_layers)


def _compute(
    model: LoadedModel,
    text: Located,
    states: Array,
    starts: Array,
    on_progress: OnShare,
) -> None:
    sentences = tokenise(model, text.texts)
    ids = [np.array(sentence.ids) for sentence in sentences]
    lengths = np.array(list(map(len, ids)))
    order = sort_by_length(lengths, range(len(sentences)))
    passes = ForwardPasses(model, "float32", states=model.states.handed_on)
    done = 0
    for rows, found in passes.read(ids, order, TOKENS_AT_ONCE):
        for row, end in zip(rows, np.cumsum(lengths[rows]), strict=True):
            ranges = token_ranges(np.array(sentences[row].spans), text.words[row])
            tokens = found[:, end - lengths[row] : end]
            for word, (start, stop) in enumerate(ranges):
                if stop > start:
                    states[:, starts[row] + word] = tokens[:, start:stop].mean(axis=1)
        done += len(rows)
        on_progress(done / len(order))
