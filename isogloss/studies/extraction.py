"""Extraction: a parallel text goes in, every layer's token states come out, once, and stay.

Memory is bounded by the batch and not by the text: states go straight to their place in the
entry's file. A killed extraction continues where it was.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from isogloss.errors import ExtractionError, Stopped
from isogloss.models.forward import ForwardPasses, ScaleTooSmall, sort_by_length
from isogloss.models.loading import LoadedModel
from isogloss.models.presets import display_name
from isogloss.models.sources.finding import ModelFiles
from isogloss.models.states import BLOCKS
from isogloss.models.tokens import TOKENS, TokenTable, write_tokens
from isogloss.store import (
    STATES,
    Entry,
    Store,
    StoreError,
    create_states_file,
    open_states_file,
)
from isogloss.studies.safe_states import SafeStates
from isogloss.studies.study import ACTIVATIONS, MEANS, TEXT, write_stored_text
from isogloss.tasks import OnProgress, ShouldStop
from isogloss.text.reading import ParallelText
from isogloss.version import __version__

TOKEN_BUDGET: Mapping[str, int] = {"cpu": 512, "mps": 8_192, "cuda": 16_384}
"""Padded tokens in a batch by kind of device."""

MOST_SCALE = 4_096
"""Divided by more than this before they are rounded, states of the usual size would suffer."""

_FINISHED = "finished.txt"
SCALE = "scale.txt"
"""Where an entry keeps what its states were divided by, if that is not 1."""


Keep = Literal["tokens", "means"]
"""What stays: the states of all tokens, or of each sentence the mean of its ordinary tokens."""
KINDS: Mapping[Keep, str] = {"tokens": ACTIVATIONS, "means": MEANS}


@dataclass(frozen=True)
class ExtractionOptions:
    """How to run: none but `stored_as` and `keep` may change what is stored beyond rounding.

    Of a text in many languages the states of all tokens may be more than there is room for, and
    the means of its sentences are all that some questions ask for.
    """

    stored_as: Literal["float16", "float32"] = "float16"
    token_budget: int | None = None
    on_progress: OnProgress = field(default=lambda share, message: None, repr=False)
    should_stop: ShouldStop = field(default=lambda: False, repr=False)
    on_size: Callable[[int], None] = field(default=lambda size: None, repr=False)
    """Told before any work how many bytes of states there will be."""
    keep: Keep = "tokens"


def bytes_of_states(n_states: int, tokens: int, width: int, stored_as: str = "float16") -> int:
    """How large the states are on the disk."""
    return n_states * tokens * width * np.dtype(stored_as).itemsize


ReadStates = Callable[
    [LoadedModel, Sequence[np.ndarray], Sequence[int], ExtractionOptions, int],
    Iterator[tuple[Sequence[int], np.ndarray]],
]
"""Given a model, the token ids of all sentences, the order of those to read, longest first, and
what to divide states by, yields some sentences at a time and their (states, tokens, width).
It raises ScaleTooSmall where they cannot be stored so."""


def read_here(
    model: LoadedModel,
    ids: Sequence[np.ndarray],
    order: Sequence[int],
    options: ExtractionOptions,
    scale: int = 1,
) -> Iterator[tuple[Sequence[int], np.ndarray]]:
    """Read the sentences in this process, on the model's own device."""
    passes = ForwardPasses(model, options.stored_as, scale)
    return passes.read(ids, order, token_budget(model, options), options.should_stop)


def token_budget(model: LoadedModel, options: ExtractionOptions) -> int:
    """Padded tokens in a batch."""
    return options.token_budget or TOKEN_BUDGET[model.device.partition(":")[0]]


def activation_record(
    model: ModelFiles,
    text: ParallelText,
    *,
    precision: str,
    stored_as: str = "float16",
    final_norm: bool = False,
    keep: Keep = "tokens",
) -> dict[str, Any]:
    """Everything that decides the states: the address of the entry that holds them.

    Of models with a final norm, the top layer was once the state after it.
    """
    record = {
        "kind": KINDS[keep],
        "model": model.fingerprint,
        "corpus": text.content_hash,
        "precision": precision,
        "stored_as": stored_as,
    }
    return record | {"states": BLOCKS} if final_norm else record


def extract(
    model: LoadedModel,
    text: ParallelText,
    store: Store,
    options: ExtractionOptions | None = None,
    read: ReadStates | None = None,
) -> Entry:
    """Every layer's states for every token of the text, from the store or computed now.

    Layer 0 is the embedding output, layer i the output of block i; what a model with a final norm
    makes of the last one is a state of its own, above. `read` has it computed elsewhere.
    """
    read = read or read_here
    options = options or ExtractionOptions()
    record = activation_record(
        model.files,
        text,
        precision=model.precision,
        stored_as=options.stored_as,
        final_norm=model.final_norm,
        keep=options.keep,
    )
    facts = {
        "model": model.name,
        "corpus": text.name,
        "languages": list(text.languages),
        "pairs": len(text),
        "sentences": sum(map(bool, chain(*text.sides))),
        "n_layers": model.n_layers,
        "width": model.width,
        "is_decoder": model.is_decoder,
        "final_norm": model.states.final_norm,
        "device": model.device,
        "versions": software_versions(),
        **({"pools": model.files.pools} if model.files.pools else {}),
        **({"origin": text.origin.record()} if text.origin else {}),
    }

    def build(workspace: Path) -> dict[str, Any]:
        kind = _Extraction if options.keep == "tokens" else _MeansExtraction
        return kind(model, text, options, read, workspace).run()

    description = f"{display_name(model.name)} × {text.name}"
    return store.get_or_create(record, build, description=description, facts=facts)


def software_versions() -> dict[str, str]:
    """The versions that a stored result was made with."""
    from importlib.metadata import version

    return {
        "isogloss": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "transformers", "numpy")},
    }


class _Extraction:
    """One run of a model over a text, writing into a workspace that may hold a killed run's."""

    def __init__(
        self,
        model: LoadedModel,
        text: ParallelText,
        options: ExtractionOptions,
        read: ReadStates,
        workspace: Path,
    ) -> None:
        self.model, self.text, self.options, self.workspace = model, text, options, workspace
        self.read = read
        self.began = time.monotonic()
        self.tokens = write_tokens(model, text, workspace / TOKENS)
        self.lengths = np.array([len(ids) for ids in self.tokens.ids])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.total = int(self.starts[-1])
        self.done = 0
        if not self.total:
            raise ExtractionError(f"{text.name} gives {model.name} nothing to read: add text.")

    def run(self) -> dict[str, Any]:
        # The text is written last, so where it is, a kill came between that and the manifest.
        if not (self.workspace / TEXT).exists():
            self.compute()
        (self.workspace / _FINISHED).unlink(missing_ok=True)
        return {
            "tokens": self.total,
            "scale": self.scale,
            "seconds": round(time.monotonic() - self.began, 2),
            "truncated_sentences": self.tokens.truncated_sentences,
        }

    @cached_property
    def rows(self) -> np.ndarray:
        """Where what is kept of each sentence begins, and where the last ends."""
        return self.starts

    @property
    def scale(self) -> int:
        """What states are divided by, which a killed run may have found out."""
        path = self.workspace / SCALE
        return int(path.read_text()) if path.exists() else 1

    def enlarge_scale(self, problem: ScaleTooSmall) -> None:
        """Have all states divided by more, those that are there already, too: begin anew.

        So the scale is in the end the least that all states need, in whatever order they came.
        """
        if problem.needed > MOST_SCALE:
            raise ExtractionError(
                f"{problem.model_name} gave states too large for half precision: "
                "store them as float32."
            )
        for name in (STATES, _FINISHED):
            (self.workspace / name).unlink(missing_ok=True)
        unfinished = self.workspace / f"{SCALE}.unfinished"
        unfinished.write_text(str(problem.needed))
        os.replace(unfinished, self.workspace / SCALE)

    def compute(self) -> None:
        while True:
            try:
                self.compute_states()
                break
            except ScaleTooSmall as problem:
                self.enlarge_scale(problem)
        unfinished = self.workspace / f"{TEXT}.unfinished"
        write_stored_text(self.text, unfinished)
        os.replace(unfinished, self.workspace / TEXT)

    def compute_states(self) -> None:
        self.make_room()
        with SafeStates(self.workspace / STATES, self.workspace / _FINISHED) as safe:
            done = safe.finished
            todo = [i for i in range(len(self.lengths)) if i not in done and self.lengths[i]]
            self.done = self.total - int(self.lengths[todo].sum())
            self.run_batches(sort_by_length(self.lengths, todo), safe)

    def make_room(self) -> None:
        """Create the file of all states, unless a killed run left it."""
        path = self.workspace / STATES
        shape = (len(self.model.states), int(self.rows[-1]), self.model.width)
        self.options.on_size(bytes_of_states(*shape, self.options.stored_as))
        if path.exists():
            try:
                if open_states_file(path).shape == shape:
                    return
            except StoreError:  # damaged, as by a power cut before it was ever used
                path.unlink()
        (self.workspace / _FINISHED).unlink(missing_ok=True)
        create_states_file(
            path, n_states=shape[0], rows=shape[1], width=shape[2], dtype=self.options.stored_as
        )

    def run_batches(self, order: Sequence[int], safe: SafeStates) -> None:
        """Put the states of each batch in their place as they come, in whatever order."""
        self.report()
        read = self.read(self.model, self.tokens.ids, order, self.options, self.scale)
        for batch, values in read:
            self.place(batch, values, safe)
            self.report()
        if self.done < self.total:
            raise Stopped("The extraction was stopped; it continues from here when asked again.")

    def place(self, batch: Sequence[int], values: np.ndarray, safe: SafeStates) -> None:
        start = 0
        for index in batch:
            end = start + int(self.lengths[index])
            safe.write(int(self.rows[index]), self.kept(index, values[:, start:end]))
            start = end
        safe.add(batch, values.nbytes)
        self.done += start

    def kept(self, index: int, states: np.ndarray) -> np.ndarray:
        """What is kept of the states of a sentence, (states, tokens, width)."""
        return states

    def report(self) -> None:
        said = f"{self.done:,} of {self.total:,} tokens"
        self.options.on_progress(self.done / self.total, said)


class _MeansExtraction(_Extraction):
    """The same where only means stay: a row for every sentence that is there, side by side."""

    @cached_property
    def rows(self) -> np.ndarray:
        there = [bool(cell) for side in self.text.sides for cell in side]
        return np.concatenate([[0], np.cumsum(there)])

    @cached_property
    def special(self) -> np.ndarray:
        return TokenTable.read(self.workspace / TOKENS).special

    def kept(self, index: int, states: np.ndarray) -> np.ndarray:
        special = self.special[self.starts[index] : self.starts[index + 1]]
        ordinary = states[:, ~special].astype(np.float32)
        # Added up in the order in which pooling adds, so that both give the same bits.
        means = [np.add.reduce(layer, axis=0) / max(1, len(layer)) for layer in ordinary]
        return np.stack(means)[:, None]

    def run(self) -> dict[str, Any]:
        facts = super().run()
        (self.workspace / TOKENS).unlink(missing_ok=True)
        return facts
