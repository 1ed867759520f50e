"""The mean of every sentence in every language of a study, at every layer: one array a language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from isogloss.measures.stacks import Array
from isogloss.models.tokens import TOKENS, TokenTable
from isogloss.store import STATES, Entry, StatesWriter, Store, create_states_file
from isogloss.studies.pooling import pool_rows, sentence_ranges
from isogloss.studies.questions import Steps
from isogloss.studies.study import MEANS, Study
from isogloss.tasks import OnProgress, ShouldStop
from isogloss.text.reading import ParallelText

_RECORD = {"kind": MEANS, "version": 1}


@dataclass(frozen=True)
class SentenceMeans:
    """The mean of each sentence's ordinary tokens, as the model has them, read off the disk.

    `entry` has a row of states for every sentence that is there, language by language. Nothing is
    centred or standardised: `layer_statistics` of `isogloss.measures.coordinates` does that.
    """

    study: Study
    entry: Entry

    @property
    def text(self) -> ParallelText:
        return self.study.text

    @property
    def languages(self) -> tuple[str, ...]:
        return self.text.languages

    @property
    def n_states(self) -> int:
        return self.study.n_states

    def filled(self, language: str) -> Array:
        """Whether each row of the text has a sentence in a language: (rows,) of bool."""
        return self._there[self.text.side_of(language)]

    def layer(self, language: str, layer: int) -> Array:
        """The means of a language at one layer, zeros where there is no sentence: (rows, width)."""
        side = self.text.side_of(language)
        first, last = self._ends[side : side + 2]
        states = self.entry.layer(layer)[first:last]
        means = np.zeros((len(self.text), states.shape[1]), np.float32)
        means[self._there[side]] = states
        return self.study.scale * means

    def of(self, language: str) -> Array:
        """The means of a language at every layer: (layers, rows, width), float32."""
        return np.stack([self.layer(language, layer) for layer in range(self.n_states)])

    @cached_property
    def _there(self) -> Array:
        """Which cells have a sentence: (languages, rows)."""
        return np.array([[bool(cell) for cell in side] for side in self.text.sides], bool)

    @cached_property
    def _ends(self) -> Array:
        """Where each language's rows begin, and where the last ends: (languages + 1,)."""
        return np.concatenate([[0], np.cumsum(self._there.sum(axis=1))])


def find_sentence_means(study: Study) -> SentenceMeans | None:
    """The means of a study's sentences if they were computed before."""
    if not study.keeps_tokens:
        return SentenceMeans(study, study.entry)
    made = study.entry.derived(_RECORD)
    return None if made is None else SentenceMeans(study, made)


def sentence_means(
    study: Study,
    store: Store,
    progress: OnProgress = lambda share, message: None,
    should_stop: ShouldStop = lambda: False,
) -> SentenceMeans:
    """The means of a study's sentences, kept beside it; computed now if they were not there."""
    found = find_sentence_means(study)
    if found is not None:
        return found
    steps = Steps(progress, should_stop)

    def build(workspace: Path) -> None:
        _write_means(study, workspace / STATES, steps)

    made = store.get_or_create_derived(study.entry, _RECORD, build, description=MEANS)
    return SentenceMeans(study, made)


def _write_means(study: Study, path: Path, steps: Steps) -> None:
    """Write the means of one language after the other, so that no more than one is in memory."""
    text, entry = study.text, study.entry
    there = [np.array([bool(cell) for cell in side], bool) for side in text.sides]
    path.unlink(missing_ok=True)  # of a killed run
    create_states_file(
        path,
        n_states=study.n_states,
        rows=int(sum(side.sum() for side in there)),
        width=int(entry.facts["width"]),
        dtype=entry.record["stored_as"],
    )
    tokens = TokenTable.read(entry.file(TOKENS))
    writer, first = StatesWriter(path), 0
    try:
        for side, language in enumerate(text.languages):
            steps.reach(side, len(text.languages), f"Taking the means of sentences in {language}")
            ranges = sentence_ranges(tokens, len(text), side)[there[side]]
            for layer in range(study.n_states):
                means = pool_rows(entry.layer(layer), ranges, "mean")
                writer.write_layer(layer, first, means)
            first += len(ranges)
        writer.sync()
    finally:
        writer.close()
