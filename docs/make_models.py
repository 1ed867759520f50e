"""Write docs/models.md: which kinds of models were read, from where, and how exactly.

    python -m docs.make_models

Each kind is built tiny with random weights, saved, read by our loading from a directory, by name
out of a hub's cache and from GGUF, and its states are compared with transformers' own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

from docs.making.tiny_models import KINDS, SENTENCES, Kind, save_gguf, save_in_hub_cache, save_tiny
from isogloss.models.files import quietly
from isogloss.models.forward import ForwardPasses, sort_by_length
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.tokens import tokenise
from isogloss.store import Store

MODELS = Path(__file__).with_name("models.md")
BY_HAND = "<!-- The table below is written by python -m docs.make_models. -->\n"
WAYS = ("directory", "name", "GGUF")


@dataclass(frozen=True)
class Tried:
    """A kind, how many parameters the model had, and the largest difference of a state by way."""

    kind: Kind
    parameters: int
    states: int
    normed: bool
    differences: dict[str, float | None]


def try_kind(kind: Kind, folder: Path) -> Tried:
    """Build a kind, read it every way there is, and compare its states with transformers'."""
    directory, store = folder / kind.file_name, Store(folder / "store", demo=())
    directory.mkdir()
    with quietly():
        parameters = save_tiny(kind, directory)
    save_in_hub_cache(directory, folder / "hub", f"tiny/{kind.file_name}")
    names = {"directory": str(directory), "name": f"tiny/{kind.file_name}"}
    if kind.gguf:
        path = folder / f"{kind.file_name}.gguf"
        with quietly():
            save_gguf(kind, directory, path)
        names["GGUF"] = str(path)
    differences: dict[str, float | None] = dict.fromkeys(WAYS)
    ids, expected = None, None
    with _hub_cache(folder / "hub"):
        for way, name in names.items():
            model = load_model(name, store, device="cpu")
            found = [list(each.ids) for each in tokenise(model, SENTENCES)]
            if ids is None or expected is None:
                ids, expected = found, _own_states(kind, directory, found)
            elif found != ids:
                raise AssertionError(f"{name} makes other tokens than {directory}")
            differences[way] = largest_difference(model, ids, expected)
    return Tried(kind, parameters, len(model.states), model.final_norm, differences)


def _own_states(kind: Kind, directory: Path, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Every sentence's hidden states as transformers gives them: (layers + 1, tokens, width)."""
    import torch
    import transformers

    with quietly():
        network = kind.class_in(transformers).from_pretrained(directory).eval()
    found = []
    for each in ids:
        with torch.inference_mode():
            given = network(input_ids=torch.tensor([each]), output_hidden_states=True)
        found.append(torch.cat(list(given.hidden_states)).numpy())
    return found


def largest_difference(
    model: LoadedModel, ids: Sequence[Sequence[int]], expected: Sequence[np.ndarray]
) -> float:
    """The largest difference between a state of ours, read in batches, and transformers' own.

    Of a model with a final norm transformers has no state of the last block: it is left out.
    """
    rows = [np.array(each) for each in ids]
    order = sort_by_length(np.array([len(each) for each in rows]), range(len(rows)))
    largest = 0.0
    for chosen, states in ForwardPasses(model, "float32", 1).read(rows, order, 64):
        ours = np.delete(states, -2, axis=0) if model.final_norm else states
        theirs = np.concatenate([expected[index] for index in chosen], axis=1)
        if ours.shape != theirs.shape:
            raise AssertionError(f"{model.name}: {ours.shape} where {theirs.shape} was expected")
        largest = max(largest, float(np.abs(ours - theirs).max()))
    return largest


@contextmanager
def _hub_cache(folder: Path) -> Iterator[None]:
    """Within, the hub's cache is this folder, and the hub itself is not asked."""
    from huggingface_hub import constants

    with (
        mock.patch.object(constants, "HF_HUB_CACHE", str(folder)),
        mock.patch.object(constants, "HF_HUB_OFFLINE", True),
    ):
        yield


def describe(tried: Sequence[Tried]) -> str:
    """The table."""
    lines = [
        "| kind | parameters | states | " + " | ".join(f"by {way}" for way in WAYS) + " |",
        "|---" * (3 + len(WAYS)) + "|",
    ]
    for each in tried:
        cells = [
            "—" if (found := each.differences[way]) is None else f"{found:.0e}" for way in WAYS
        ]
        norm = " with the final norm's" if each.normed else ""
        lines.append(
            f"| {each.kind.name} | {each.parameters:,} | {each.states}{norm} | "
            f"{' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        tried = [try_kind(kind, Path(folder)) for kind in KINDS]
    before, mark, _ = MODELS.read_text(encoding="utf-8").partition(BY_HAND)
    MODELS.write_text(before + mark + "\n" + describe(tried), encoding="utf-8")
    print(describe(tried))


if __name__ == "__main__":
    main()
