"""The largest text there may be, 30 languages × 2,000 rows: own vectors, and the page Languages.

`python -m benchmarks.largest_text` makes vectors (random numbers, one token a sentence, 13 layers ×
384, float16: 600 MB), imports them, and asks what the page asks; each step in a process of its own,
whose time and largest memory are printed, memory beside the size of the states. The peer of the
import is a plain copy of its file in the same run.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.store import Store
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.languages.questions import EveryPair, LanguageTrees, SentenceCompany
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.text.language_names import LANGUAGES
from isogloss.text.parallel import ParallelText

QUESTIONS = (SentenceCompany, Constellations, EveryPair, LanguageTrees)


def text(languages: int, rows: int) -> ParallelText:
    codes = sorted(LANGUAGES)[:languages]
    sides = [[f"{code} {row}" for row in range(rows)] for code in codes]
    return ParallelText.of_sides("largest", tuple(codes), sides)


def write_files(place: Path, parallel: ParallelText, layers: int, width: int) -> None:
    import pandas as pd
    from safetensors.numpy import save_file

    random = np.random.default_rng(0)
    count = len(parallel) * len(parallel.languages)
    states = {
        f"layer.{n}": random.standard_normal((count, width), np.float32).astype(np.float16)
        for n in range(layers)
    }
    save_file(states, place / "states.safetensors")
    cells = [
        (row, side, 0, len(cell), cell)
        for side, cells in enumerate(parallel.sides)
        for row, cell in enumerate(cells)
    ]
    table = pd.DataFrame(cells, columns=["sentence", "side", "start", "end", "text"])
    table.to_parquet(place / "tokens.parquet")


def bring(place: Path, parallel: ParallelText) -> str:
    files = place / "states.safetensors", place / "tokens.parquet"
    return import_vectors(*files, parallel, "random numbers", Store(place, demo=None)).key


def ask(place: Path, key: str, question: type) -> None:
    question(key).answer(Store(place, demo=None))


def measured(work: Callable[..., Any], *given: object) -> tuple[Any, float, float]:
    """What work returns in a process of its own, its seconds, and the most memory it had in MB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (work, given))


def _measure(work: Callable[..., Any], given: Sequence[object]) -> tuple[Any, float, float]:
    began = time.perf_counter()
    found = work(*given)
    unit = 1 if sys.platform == "darwin" else 1 << 10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return found, time.perf_counter() - began, most / 1e6


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.largest_text")
    parser.add_argument("--languages", type=int, default=30)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--layers", type=int, default=13)
    parser.add_argument("--width", type=int, default=384)
    asked = read_arguments(parser, words, languages=3, rows=12, layers=2, width=8)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        parallel = text(asked.languages, asked.rows)
        write_files(place, parallel, asked.layers, asked.width)
        size = (place / "states.safetensors").stat().st_size / 1e6
        print(f"{asked.languages} languages × {asked.rows:,} rows: {size:,.0f} MB of states")
        began = time.perf_counter()
        shutil.copy(place / "states.safetensors", place / "copy")
        copied = time.perf_counter() - began
        key, seconds, most = measured(bring, place, parallel)
        ratio = f"{seconds / copied:.1f} × a copy of the file"
        print(f"import: {seconds:.1f} s ({ratio}), {most:,.0f} MB, {most / size:.2f} × the states")
        for question in QUESTIONS:
            _, seconds, most = measured(ask, place, key, question)
            print(f"{question.__name__}: {seconds:.1f} s, {most:,.0f} MB", flush=True)


if __name__ == "__main__":
    main()
