"""Names full of markup, and a study of which every name is one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from isogloss.store import Store
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText

MARKUP = (
    "![x](http://e/x.png) <img src=x onerror=alert(1)> **b** $xyz$ :red[x] [l](http://e) <b>c</b>"
)


def hostile_sides() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sentences in two languages, each full of markup."""
    words = MARKUP.split()
    first = [MARKUP, *(f"=word {word} {i}" for i, word in enumerate(words)), ":smile: a", "b b"]
    return tuple(first), tuple(f"{sentence} ." for sentence in first)


def hostile_study(folder: Path, store: Store) -> Study:
    """Vectors of somebody's own for these sentences; the files are written into `folder`."""
    source, target = hostile_sides()
    bitext = ParallelText(
        name=f"text {MARKUP}",
        languages=(f"Old {MARKUP}", f"New {MARKUP}"),
        source=source,
        target=target,
        topics=tuple(f"topic {i % 2} {MARKUP}" for i in range(len(source))),
    )
    rows = [
        {"sentence": n, "side": side, "start": m.start(), "end": m.end(), "text": m[0]}
        for side in (0, 1)
        for n, sentence in enumerate(bitext.side(side))
        for m in re.finditer(r"\S+", sentence)
    ]
    numbers = np.random.default_rng(0)
    layers = {
        f"layer.{i}": numbers.normal(size=(len(rows), 8)).astype(np.float32) for i in range(3)
    }
    np.savez(folder / "states.npz", **layers)
    (folder / "tokens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = folder / "states.npz", folder / "tokens.jsonl"
    return Study(import_vectors(*files, bitext, f"model {MARKUP}", store))
