"""Alignment over training, kept from the training's moments: `… isogloss.bundled.trajectory`.

For each kept moment and each layer: retrieval on the held-out Tatoeba pairs, and where a few dozen
sentences' words lie. Small results are kept beside the weights, not the weights of each moment.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from cache import Store
from isogloss.activations import extract
from isogloss.bundled import BUNDLED_MODEL
from isogloss.bundled.export import export
from isogloss.corpora import ParallelCorpus, load_bundled
from isogloss.errors import ModelError
from isogloss.links import LinkOptions, default_link_layer, link_points, score_links
from isogloss.models import load_model
from isogloss.pooling import point_table, point_vectors
from isogloss.projection import project_layers
from isogloss.studies import Study
from isogloss.token_maps import choose_sentences

PAIRS = 24
_ARRAYS, _FACTS = "trajectory.safetensors", "trajectory.json"


@dataclass(frozen=True)
class Trajectory:
    """Training seen at some moments, m of them, through L + 1 layers and n words.

    `tokens` (m,) seen so far; `retrieval` and `nearest_share` (m, L + 1), range 0 to 1;
    `coordinates` (m, L + 1, n, 2); `texts`, `sides` and `sentence_of` have n entries.
    """

    tokens: tuple[int, ...]
    retrieval: np.ndarray
    nearest_share: np.ndarray
    coordinates: np.ndarray
    preservation: np.ndarray
    links: np.ndarray
    texts: tuple[str, ...]
    sides: tuple[int, ...]
    sentence_of: tuple[int, ...]
    sentences: tuple[tuple[str, str], ...]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m isogloss.bundled.trajectory"
    )
    parser.add_argument("--work", type=Path, required=True, help="the training's work directory")
    parser.add_argument("--to", type=Path, default=BUNDLED_MODEL)
    arguments = parser.parse_args()
    build(arguments.work, arguments.to)


def build(work: Path, destination: Path) -> None:
    """Measure every moment of training that was kept, the finished model last."""
    moments = [*sorted((work / "moments").glob("[0-9]*[0-9]")), work / "final"]
    facts = [json.loads((moment / "facts.json").read_text()) for moment in moments]
    whole = load_bundled("everyday.en-zh")
    corpus = whole.select(choose_sentences(whole, PAIRS))
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "store", demo=None)
        studies = []
        for moment in moments:
            directory = Path(scratch) / moment.name
            export(work / "start", moment / "weights.pt", directory)
            studies.append(Study(extract(load_model(str(directory), store), corpus, store)))
        _write(studies, corpus, facts, destination)


def _write(
    studies: list[Study], corpus: ParallelCorpus, facts: list[dict[str, object]], to: Path
) -> None:
    from safetensors.numpy import save_file

    table = point_table(studies[0], punctuation=False)
    options = LinkOptions(layer=default_link_layer(studies[0].n_layers))
    links = link_points(studies[-1], table, options)
    nearest = np.stack([score_links(study, table, links).nearest_share for study in studies])
    layers = range(studies[0].n_states)
    # Back and forth through the layers, so that each picture starts from a near one.
    path = [
        (moment, layer)
        for moment in range(len(studies))
        for layer in (layers if moment % 2 == 0 else reversed(layers))
    ]
    stack = [partial(point_vectors, studies[moment], layer, table) for moment, layer in path]
    layout = project_layers(stack, table.side)
    coordinates = np.zeros((len(studies), len(layers), len(table), 2), np.float16)
    preservation = np.zeros((len(studies), len(layers)), np.float32)
    for place, (moment, layer) in enumerate(path):
        coordinates[moment, layer] = layout.coordinates[place]
        preservation[moment, layer] = layout.preservation[place]
    arrays: dict[str, np.ndarray] = {
        "retrieval": np.array([fact["retrieval"] for fact in facts], np.float32),
        "nearest_share": nearest.astype(np.float32),
        "coordinates": coordinates,
        "preservation": preservation,
        "links": links.pairs,
    }
    save_file(arrays, to / _ARRAYS)
    rest = {
        "tokens": [fact["tokens"] for fact in facts],
        "texts": table.text.tolist(),
        "sides": table.side.tolist(),
        "sentence_of": table.sentence.tolist(),
        "sentences": list(zip(corpus.source, corpus.target, strict=True)),
    }
    (to / _FACTS).write_text(json.dumps(rest, ensure_ascii=False), encoding="utf-8")


def read_trajectory(directory: Path = BUNDLED_MODEL) -> Trajectory:
    """The trajectory that ships beside the bundled model."""
    from safetensors.numpy import load_file

    if not (directory / _FACTS).is_file():
        raise ModelError(f"{directory} holds no training trajectory: install Isogloss again.")
    rest = json.loads((directory / _FACTS).read_text(encoding="utf-8"))
    return Trajectory(
        tokens=tuple(rest["tokens"]),
        texts=tuple(rest["texts"]),
        sides=tuple(rest["sides"]),
        sentence_of=tuple(rest["sentence_of"]),
        sentences=tuple((source, target) for source, target in rest["sentences"]),
        **load_file(directory / _ARRAYS),
    )


if __name__ == "__main__":
    main()
