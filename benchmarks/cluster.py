"""Extraction and units on Ray against none: `python -m benchmarks.cluster [--toy]`.

Throughput of extraction here and with 1 and 2 workers on nodes of this machine; what Ray adds to a
shard and to a unit; and what the one process that writes can take. From these a projection, printed
as such, for 8 GPUs and a million pairs. A worker has one CPU, so its peer is this process with one
thread. Workers that share cores win nothing: run it on an idle machine with more cores than
workers.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.engines.choice import LOCAL, Engine
from isogloss.engines.pool import Pool
from isogloss.engines.ray_cluster import Share, connected
from isogloss.store import StatesWriter, Store, create_states_file
from isogloss.studies.extraction import ExtractionOptions
from isogloss.studies.named_extraction import extract_by_name
from isogloss.text.reading import load_bundled

LEAST_SHARDS = 30
SHARD_BYTES, ROWS_WRITTEN, ROWS_AT_ONCE = 16 << 20, 20_000, 512
GPUS, PAIRS, TOKENS_A_PAIR = 8, 1_000_000, 60
MBERT = (13, 768)
"""Layers of states and their width: the model that is projected for."""
GPU_TOKENS_A_SECOND = 40_000
"""Assumed of one GPU with mBERT in half precision; a projection's premise, not a measurement."""


class Echo:
    """A worker that does nothing but give back so many bytes."""

    def begin(self) -> None: ...

    def do(self, piece: tuple[int, int]) -> np.ndarray:
        return np.zeros(piece[1], np.uint8)

    def told(self) -> None: ...


def tokens_a_second(
    model: str, pairs: int, least_shards: int, engine: Engine, threads: int | None = None
) -> float:
    """Throughput of an extraction from its first states on, loading left out."""
    import torch

    torch.set_num_threads(threads or os.cpu_count() or 1)
    text = load_bundled("everyday.en-zh")
    text = text.select([i % len(text) for i in range(pairs)])
    marks: list[tuple[float, float]] = []

    def on_progress(share: float, message: str) -> None:
        marks.append((time.monotonic(), share))

    with tempfile.TemporaryDirectory() as place:
        options = ExtractionOptions(on_progress=on_progress)
        store = Store(Path(place), demo=None)
        found = extract_by_name(model, text, store, options, "cpu", engine=engine)
    # The first shards of all workers come back together, so a few tell nothing of the pace.
    if len(marks) < least_shards:
        raise SystemExit("Too few pairs to tell how fast they are read: ask for more with --pairs.")
    (began, first), (ended, last) = marks[1], marks[-1]
    return (last - first) * found.entry.facts["tokens"] / (ended - began)


def seconds_a_piece(engine: Engine, size: int, count: int) -> float:
    """How long a piece takes that is no work but to send `size` bytes, one worker at it."""
    with connected(engine):
        work = Pool(Echo, (), Share("cpu", 1, 0, 1)).work(
            [(i, size) for i in range(count)], lambda told: None, 2
        )
        next(work)
        began = time.monotonic()
        for done in work:
            done.value[::4096].max()  # every page is touched, so that the bytes are really here
        return (time.monotonic() - began) / (count - 1)


def bytes_a_second_written(rows: int) -> float:
    """How fast this process puts states into an entry's file."""
    block = np.ones((MBERT[0], ROWS_AT_ONCE, MBERT[1]), np.float16)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "states"
        create_states_file(path, n_states=MBERT[0], rows=rows, width=MBERT[1], dtype="float16")
        states = StatesWriter(path)
        began, written = time.monotonic(), 0
        for first in range(0, rows - ROWS_AT_ONCE, ROWS_AT_ONCE):
            states.write(first, block)
            written += block.nbytes
        states.sync()
        taken = time.monotonic() - began
        states.close()
        return written / taken


def project(megabytes_a_second: float) -> None:
    """What one driver would take for a text of a million pairs; nothing of it was measured."""
    each = MBERT[0] * MBERT[1] * 2
    wanted = GPUS * GPU_TOKENS_A_SECOND * each / 1e6
    total = PAIRS * TOKENS_A_PAIR * each / 1e12
    held = min(GPUS, megabytes_a_second / (GPU_TOKENS_A_SECOND * each / 1e6))
    hours = total * 1e6 / min(wanted, megabytes_a_second) / 3600
    print(
        f"projection: {GPUS} GPUs at an assumed {GPU_TOKENS_A_SECOND:,} tokens a second each give "
        f"{wanted:,.0f} MB a second of mBERT's states, {total:.1f} TB for {PAIRS:,} pairs. One "
        f"driver that takes {megabytes_a_second:,.0f} MB a second keeps {held:.1f} of them busy, "
        f"needs {hours:.1f} hours. Beyond that, workers would have to write to object storage "
        "themselves and the driver would keep the note of what is finished."
    )


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="mini-en-zh")
    parser.add_argument("--pairs", type=int, default=6_000)
    parser.add_argument("--pieces", type=int, default=60, help="of no work, to time Ray alone")
    parser.add_argument("--least-shards", type=int, default=LEAST_SHARDS, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=ROWS_WRITTEN, help="of states to be written")
    parser.add_argument("--nodes", type=int, default=2, help="most of one CPU each")
    toy = {"nodes": 1, "pairs": 300, "pieces": 3, "least_shards": 3, "rows": 3 * ROWS_AT_ONCE}
    options = read_arguments(parser, words, **toy)
    from ray.cluster_utils import Cluster

    reading = partial(tokens_a_second, options.model, options.pairs, options.least_shards)
    alone, local = reading(LOCAL, threads=1), reading(LOCAL)
    print(f"extraction here: {local:,.0f} tokens a second, with one thread {alone:,.0f}")
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        engine = Engine("ray", cluster.address)
        shard = seconds_a_piece(engine, SHARD_BYTES, options.pieces)
        unit = seconds_a_piece(engine, 1_000, options.pieces)
        print(
            f"Ray: {1e3 * shard:.1f} ms a shard of 16 MB, {1e3 * unit:.1f} ms a unit, no work in it"
        )
        for workers in range(1, options.nodes + 1):
            if workers > 1:
                cluster.add_node(num_cpus=1)
            found = reading(engine)
            print(
                f"extraction with {workers} of one CPU each on Ray: {found:,.0f} a second, "
                f"{found / local:.2f} × here, {found / alone:.2f} × one thread"
            )
    finally:
        cluster.shutdown()
    written = bytes_a_second_written(options.rows)
    print(f"this process: {SHARD_BYTES / shard / 1e6:,.0f} MB a second received, "
          f"{written / 1e6:,.0f} written")  # fmt: skip
    project(min(SHARD_BYTES / shard, written) / 1e6)


if __name__ == "__main__":
    main()
