"""Measure the bundled model's alignment at the moments kept from its training.

    python -m docs.making.trajectory --work DIR

For each kept moment and each layer: retrieval on the held-out Tatoeba pairs, and where a few dozen
sentences' words lie. Small results are kept beside the weights, not the weights of each moment.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from docs.making.export import export
from isogloss.bundled import BUNDLED_MODEL
from isogloss.measures.coordinates import DEFAULT_COORDINATES
from isogloss.measures.projection.layout import project_layers
from isogloss.models.loading import load_model
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.links.points import score_links, scored_links
from isogloss.studies.pooling import point_table, point_vectors
from isogloss.studies.study import Study
from isogloss.studies.training_surface import ARRAYS, FACTS
from isogloss.text.parts import choose_spread
from isogloss.text.reading import ParallelText, load_bundled

PAIRS = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.trajectory")
    parser.add_argument("--work", type=Path, required=True, help="the training's work directory")
    parser.add_argument("--to", type=Path, default=BUNDLED_MODEL)
    arguments = parser.parse_args()
    build(arguments.work, arguments.to)


def build(work: Path, destination: Path) -> None:
    """Measure every moment of training that was kept, the finished model last."""
    moments = [*sorted((work / "moments").glob("[0-9]*[0-9]")), work / "final"]
    facts = [json.loads((moment / "facts.json").read_text()) for moment in moments]
    whole = load_bundled("everyday.en-zh")
    text = whole.select(choose_spread(whole, PAIRS))
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "store", demo=None)
        studies = []
        for moment in moments:
            directory = Path(scratch) / moment.name
            export(work / "start", moment / "weights.pt", directory)
            studies.append(Study(extract(load_model(str(directory), store), text, store)))
        _write(studies, text, facts, destination)


def _write(
    studies: list[Study], text: ParallelText, facts: list[dict[str, object]], to: Path
) -> None:
    from safetensors.numpy import save_file

    table = point_table(studies[0], punctuation=False)
    links = scored_links(studies[-1], table)
    nearest = np.stack([score_links(study, table, links).nearest_share for study in studies])
    layers = range(studies[0].n_states)
    # Back and forth through the layers, so that each picture starts from a near one.
    path = [
        (moment, layer)
        for moment in range(len(studies))
        for layer in (layers if moment % 2 == 0 else reversed(layers))
    ]
    stack = [
        partial(point_vectors, studies[moment], layer, table, DEFAULT_COORDINATES)
        for moment, layer in path
    ]
    layout = project_layers(stack)
    coordinates = np.zeros((len(studies), len(layers), len(table), 2), np.float16)
    preservation = np.zeros((len(studies), len(layers)), np.float32)
    for place, (moment, layer) in enumerate(path):
        coordinates[moment, layer] = layout.positions[place]
        preservation[moment, layer] = layout.preservation[place]
    arrays: dict[str, np.ndarray] = {
        "retrieval": np.array([fact["retrieval"] for fact in facts], np.float32),
        "nearest_share": nearest.astype(np.float32),
        "coordinates": coordinates,
        "preservation": preservation,
        "links": links.pairs,
    }
    save_file(arrays, to / ARRAYS)
    rest = {
        "tokens": [fact["tokens"] for fact in facts],
        "texts": table.text.tolist(),
        "sides": table.side.tolist(),
        "sentence_of": table.sentence.tolist(),
        "sentences": list(zip(text.source, text.target, strict=True)),
    }
    (to / FACTS).write_text(json.dumps(rest, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
