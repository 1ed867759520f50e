"""Outputs of frozen layers never change: they are computed once and training starts from them.

The states of layer N, kept in the store, serve every epoch and every seed; those of the next N are
computed from them, so that a whole run passes through each frozen block once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.models.blocks import run_to_layer, starting_above
from isogloss.models.loading import LoadedModel
from isogloss.models.pair_examples import PairExamples, padded, token_batches
from isogloss.store import STATES, Entry, Store, create_states_file
from isogloss.tasks import OnShare

TOKENS_AT_ONCE = 2_048
BYTES_A_NUMBER = 4
DEFAULT_BUDGET_GB = 6.0
"""Disk that frozen states may take, two layers of them at a time."""


@dataclass(frozen=True)
class FrozenStates:
    """The states of one layer for every token of some examples, a memory map (tokens, width)."""

    entry: Entry
    layer: int
    states: np.ndarray
    starts: np.ndarray

    def batch(self, rows: Sequence[int] | np.ndarray) -> Any:
        """The states of some examples as a tensor (rows, longest, width), zeros where padded."""
        import torch

        lengths = [int(self.starts[row + 1] - self.starts[row]) for row in rows]
        result = torch.zeros((len(lengths), max(lengths), self.states.shape[1]))
        for place, row, length in zip(result, rows, lengths, strict=True):
            first = int(self.starts[row])
            place[:length] = torch.from_numpy(np.array(self.states[first : first + length]))
        return result


def bytes_needed(examples: Sequence[PairExamples], width: int) -> int:
    """What the states of one layer take, and those of the layer below while they are made."""
    tokens = sum(int(each.lengths.sum()) for each in examples)
    return 2 * tokens * width * BYTES_A_NUMBER


def frozen_states(
    model: LoadedModel,
    examples: PairExamples,
    layer: int,
    store: Store,
    below: FrozenStates | None = None,
    on_progress: OnShare = lambda share: None,
) -> FrozenStates:
    """The states of `layer`, from the store or computed, from those of a layer `below` if given."""
    starts = np.concatenate([[0], np.cumsum(examples.lengths)])
    record = {
        "kind": "frozen states",
        "model": model.files.fingerprint,
        "text": examples.content_hash,
        "layer": layer,
        "precision": model.precision,
    }

    def build(workspace: Path) -> None:
        path = workspace / STATES
        path.unlink(missing_ok=True)
        rows, width = int(starts[-1]), model.width
        states = create_states_file(path, n_states=1, rows=rows, width=width, dtype="float32")[0]
        _compute(model, examples, layer, below, states, starts, on_progress)

    description = f"{model.name}, layer {layer} of {len(examples)} {examples.language} pairs"
    entry = store.get_or_create(record, build, description=description)
    return FrozenStates(entry, layer, entry.layer(0), starts)


def discard(states: FrozenStates, store: Store) -> None:
    """Remove states that nothing will start from any more."""
    if store.get(states.entry.key) is not None:
        store.remove(states.entry.key)


def _compute(
    model: LoadedModel,
    examples: PairExamples,
    layer: int,
    below: FrozenStates | None,
    states: np.ndarray,
    starts: np.ndarray,
    on_progress: OnShare,
) -> None:
    import torch

    done = 0
    network = model.network.eval()
    start = starting_above(network, below.layer) if below is not None else None
    give = start.__enter__() if start is not None else None
    try:
        for rows in token_batches(examples.lengths, TOKENS_AT_ONCE):
            inputs = model_inputs(model, examples, rows)
            with torch.inference_mode():
                if give is not None and below is not None:
                    give(below.batch(rows).to(model.device))
                found = run_to_layer(network, layer, **inputs).float().cpu().numpy()
            for place, row in enumerate(rows):
                first, last = starts[row], starts[row + 1]
                states[first:last] = found[place, : last - first]
            done += len(rows)
            on_progress(done / len(examples))
    finally:
        if start is not None:
            start.__exit__(None, None, None)


def model_inputs(
    model: LoadedModel, examples: PairExamples, rows: Sequence[int] | np.ndarray
) -> dict[str, Any]:
    """What the network is called with for some examples, padded to the longest."""
    import torch

    ids = padded([examples.ids[row] for row in rows], padding_id(model))
    lengths = np.array([len(examples.ids[row]) for row in rows])
    mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
    inputs: dict[str, Any] = {
        "input_ids": torch.from_numpy(ids).to(model.device),
        "attention_mask": torch.from_numpy(mask).to(model.device),
    }
    if model.is_decoder:
        inputs["use_cache"] = False
    elif _marks_second_text(model):
        # The separator after the hypothesis counts to it, as in the model's own training.
        second = np.array([_second_segment(examples.segments[row], ids.shape[1]) for row in rows])
        inputs["token_type_ids"] = torch.from_numpy(second).to(model.device)
    return inputs


def _marks_second_text(model: LoadedModel) -> bool:
    """Whether the model was given another token type for the second of two texts.

    Some never were, though their configuration has room for it: the tokenizer knows.
    """
    if getattr(model.network.config, "type_vocab_size", 0) < 2:
        return False
    return 1 in model.tokenizer("a", "b").encodings[0].type_ids


def padding_id(model: LoadedModel) -> int:
    """What batches are filled up with; a mask hides it."""
    return int(model.tokenizer.pad_token_id or 0)


def _second_segment(segments: np.ndarray, length: int) -> np.ndarray:
    result = np.zeros(length, np.int64)
    hypothesis = np.flatnonzero(segments == 1)
    if len(hypothesis):
        result[hypothesis[0] : len(segments)] = 1
    return result
