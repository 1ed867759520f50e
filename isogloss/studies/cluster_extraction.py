"""Extraction on a Ray cluster: shards of sentences go out, states come back and are written here.

Batches are made up as they are for one machine, so that the states are the same to the last bit on
the same kind of device. Nodes need Isogloss and no shared file system: a model that is a directory
here is sent to those that do not have it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.engines.pool import Pool
from isogloss.engines.ray_cluster import Share, node_store
from isogloss.errors import EngineError, ModelError, Stopped
from isogloss.models.files import fingerprint
from isogloss.models.forward import ForwardPasses, next_batch
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.sources.finding import ModelFiles, find_model
from isogloss.studies.extraction import ExtractionOptions, bytes_of_states, token_budget
from isogloss.version import __version__

SHARD_BYTES = 16 << 20
"""What a shard's states take at the least: small ones would spend their time on the way."""
SHARDS_AT_ONCE = 2
"""For each worker: one to read, one to go on with."""

Shard = tuple[int, ...]


@dataclass(frozen=True)
class SentModel:
    """A model as a node gets it: by name, and as files where only this machine may have them."""

    files: ModelFiles
    content: dict[str, Any] | None
    device: str
    precision: str
    stored_as: str
    scale: int
    version: str = __version__


@dataclass(frozen=True)
class ClusterReading:
    """Reads sentences on the workers that `share` describes; for `extract`, as its `read`."""

    share: Share

    def __call__(
        self,
        model: LoadedModel,
        ids: Sequence[np.ndarray],
        order: Sequence[int],
        options: ExtractionOptions,
        scale: int = 1,
    ) -> Iterator[tuple[Sequence[int], np.ndarray]]:
        import ray

        sent = SentModel(
            model.files,
            _content(model.files),
            model.device,
            model.precision,
            options.stored_as,
            scale,
        )
        budget = token_budget(model, options)
        pool = Pool(ShardReader, (ray.put(sent), budget), self.share)
        shards = [
            (shard, [ids[index] for index in shard])
            for shard in make_shards(
                order,
                ids,
                budget,
                bytes_of_states(len(model.states), 1, model.width, options.stored_as),
            )
        ]

        def tick(told: list[Any]) -> None:
            if options.should_stop():
                raise Stopped("The extraction was stopped; it continues when asked again.")

        for done in pool.work(shards, tick, SHARDS_AT_ONCE):
            if done.problem is not None:
                raise done.problem
            yield done.piece[0], done.value


def make_shards(
    order: Sequence[int], ids: Sequence[np.ndarray], budget: int, bytes_a_token: int
) -> list[Shard]:
    """Cut `order` into shards of whole batches, each of which gives `SHARD_BYTES` or more."""
    lengths = np.array([len(each) for each in ids])
    shards: list[Shard] = []
    shard: list[int] = []
    first = 0
    while first < len(order):
        batch = next_batch(order, lengths, first, budget)
        first += len(batch)
        shard += batch
        if int(lengths[shard].sum()) * bytes_a_token >= SHARD_BYTES or first == len(order):
            shards.append(tuple(shard))
            shard = []
    return shards


def _content(files: ModelFiles) -> dict[str, Any] | None:
    """The files of a model that is a directory, each as an object that a node may fetch.

    Presets and the hub's models are found by every node itself.
    """
    import ray

    name = files.name.removeprefix("random:").partition("#")[0]
    if not os.path.isdir(os.path.expanduser(name)):
        return None
    found = [path for path in sorted(files.directory.iterdir()) if path.is_file()]
    return {path.name: ray.put(path.read_bytes()) for path in found}


class ShardReader:
    """The worker: has the model loaded once, on its GPU or its share of CPUs."""

    def __init__(self, sent: SentModel, budget: int) -> None:
        self._sent, self._budget = sent, budget
        self._passes: ForwardPasses | None = None

    def begin(self) -> None:
        """Load the model, after a look at whether it is the one that was asked for."""
        sent = self._sent
        if sent.version != __version__:
            raise EngineError(
                f"A node of the cluster has Isogloss {__version__}, and {sent.version} is asking: "
                "install the same on both."
            )
        store = node_store()
        files = _unpacked(sent, store.root) if sent.content else find_model(sent.files.name, store)
        if files.fingerprint != sent.files.fingerprint:
            raise ModelError(
                f"A node of the cluster has another {sent.files.name} than this machine: name its "
                "revision (NAME@REVISION), or install the same package on both."
            )
        model = load_model(files, store, device=sent.device, precision=sent.precision)
        self._passes = ForwardPasses(model, sent.stored_as, sent.scale)

    def do(self, piece: tuple[Shard, Sequence[np.ndarray]]) -> np.ndarray:
        """The states of a shard's sentences, one after the other."""
        assert self._passes is not None
        _, ids = piece
        read = self._passes.read(ids, range(len(ids)), self._budget)
        states = [values for _, values in read]
        return states[0] if len(states) == 1 else np.concatenate(states, axis=1)

    def told(self) -> None:
        """Nothing: shards that come back say how far it is."""


def _unpacked(sent: SentModel, root: Path) -> ModelFiles:
    """The files that were sent, as a directory of this node; those it has already are taken."""
    import ray

    files = sent.files
    weights = files.random_seed is None
    wanted = files.fingerprint.split()[-1]
    if files.directory.is_dir() and fingerprint(files.directory, weights=weights) == wanted:
        return files
    directory = root / "models" / wanted
    if not directory.is_dir():
        half = directory.with_name(f"{wanted}.{os.getpid()}")
        half.mkdir(parents=True)
        for name, reference in (sent.content or {}).items():
            (half / name).write_bytes(ray.get(reference))
        try:
            os.replace(half, directory)
        except OSError:  # another worker of this node was quicker
            if not directory.is_dir():
                raise
    return ModelFiles(files.name, directory, files.fingerprint, files.random_seed)
