"""The token map: points of two languages laid out at every layer, their links and their scores.

The layout is the costly part and the links depend on it in nothing, so the two are kept apart, each
computed once and stored under the study it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import isogloss
from cache import Store
from isogloss.corpora import ParallelCorpus
from isogloss.errors import IsoglossError
from isogloss.links import LinkOptions, LinkScores, PointLinks, link_points, score_links
from isogloss.pooling import Points, PointTable, point_table, point_vectors
from isogloss.projection import LayerLayout, ProjectionOptions, project_layers
from isogloss.studies import Study

VERSION = 1
"""Raised when a change here changes what is stored."""

_ARRAYS = "arrays.safetensors"
_REST = "rest.json"


@dataclass(frozen=True)
class MapOptions:
    """What a map shows: `sentences` is how many pairs, spread over the topics."""

    points: Points = "word"
    sentences: int = 40
    projection: ProjectionOptions = field(default_factory=ProjectionOptions)
    links: LinkOptions = field(default_factory=LinkOptions)

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise IsoglossError("A map needs at least one sentence pair.")


@dataclass(frozen=True)
class TokenMap:
    """Everything the scrubber shows of a study."""

    table: PointTable
    layout: LayerLayout
    links: PointLinks
    scores: LinkScores
    options: MapOptions


def choose_sentences(corpus: ParallelCorpus, count: int) -> np.ndarray:
    """Up to `count` pairs, the topics in turn and those with a gold alignment first."""
    topics: dict[str, list[int]] = {}
    gold = corpus.gold or (None,) * len(corpus)
    for index in sorted(range(len(corpus)), key=lambda i: (gold[i] is None, i)):
        topics.setdefault(corpus.topics[index] if corpus.topics else "", []).append(index)
    queues = [iter(indices) for indices in topics.values()]
    chosen: list[int] = []
    while queues and len(chosen) < count:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            elif len(chosen) < count:
                chosen.append(following)
    return np.array(sorted(chosen))


def layout_record(options: MapOptions) -> dict[str, Any]:
    """The address of a layout under its study."""
    return {
        "kind": "layout",
        "version": VERSION,
        "points": options.points,
        "sentences": options.sentences,
        **asdict(options.projection),
    }


def links_record(options: MapOptions) -> dict[str, Any]:
    """The address of links and their scores under their study."""
    return {
        "kind": "links",
        "version": VERSION,
        "points": options.points,
        "sentences": options.sentences,
        **asdict(options.links),
    }


def find_map(study: Study, options: MapOptions) -> TokenMap | None:
    """The map if it has been computed before."""
    layout = study.entry.derived(layout_record(options))
    links = study.entry.derived(links_record(options))
    if layout is None or links is None:
        return None
    found_links, scores = _read_links(links.path)
    table = _points_of(study, options)
    return TokenMap(table, _read_layout(layout.path), found_links, scores, options)


def make_map(
    study: Study,
    store: Store,
    options: MapOptions,
    progress: Callable[[float, str], None] = lambda share, message: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> TokenMap:
    """The map, computed and kept if it was not there."""
    table = _points_of(study, options)

    def build_links(workspace: Path) -> None:
        links = link_points(study, table, options.links)
        total = study.n_states

        def on_layer(layer: int) -> None:
            progress(0.15 * layer / total, f"Ranking translations at layer {layer}")

        _write_links(links, score_links(study, table, links, on_layer), workspace)

    def build_layout(workspace: Path) -> None:
        stack = [partial(point_vectors, study, layer, table) for layer in range(study.n_states)]

        def on_step(share: float, message: str) -> None:
            progress(0.15 + 0.85 * share, message)

        layout = project_layers(stack, table.side, options.projection, on_step, should_stop)
        _write_layout(layout, workspace)

    facts = {"isogloss": isogloss.__version__}
    store.get_or_create_derived(
        study.entry, links_record(options), build_links, description="links", facts=facts
    )
    store.get_or_create_derived(
        study.entry, layout_record(options), build_layout, description="layout", facts=facts
    )
    found = find_map(study, options)
    assert found is not None
    return found


def _points_of(study: Study, options: MapOptions) -> PointTable:
    """The points on the map; punctuation would only be in the way."""
    sentences = choose_sentences(study.corpus, options.sentences)
    return point_table(study, options.points, sentences, punctuation=False)


def provenance(study: Study, token_map: TokenMap) -> dict[str, str]:
    """How a map was made, for every file that leaves the app."""
    options, facts = token_map.options, study.entry.facts
    projection = token_map.layout.options
    details = {
        "pca": "",
        "tsne": f", perplexity {projection.perplexity}",
        "umap": f", {projection.neighbours} neighbours",
    }[projection.method]
    return {
        "model": str(facts["model"]),
        "model fingerprint": str(study.entry.record["model"])[:40],
        "corpus": f"{facts['corpus']} ({facts['pairs']} pairs)",
        "corpus hash": str(study.entry.record["corpus"])[:16],
        "points": f"{len(token_map.table)} {options.points}s of {options.sentences} sentence pairs",
        "projection": f"{projection.method}{details}, seed {projection.seed}",
        "language means": "removed" if projection.remove_language_means else "kept",
        "links": token_map.links.describe(),
        "states": f"{study.entry.record['precision']}, stored as {study.entry.record['stored_as']}",
        "made with": f"Isogloss {facts['versions']['isogloss']}",
        "study": study.key,
    }


def _write_layout(layout: LayerLayout, workspace: Path) -> None:
    from safetensors.numpy import save_file

    arrays = {"coordinates": layout.coordinates, "preservation": layout.preservation}
    save_file(arrays, workspace / _ARRAYS)
    rest = {"chance": layout.chance, "options": asdict(layout.options)}
    (workspace / _REST).write_text(json.dumps(rest))


def _read_layout(path: Path) -> LayerLayout:
    from safetensors.numpy import load_file

    arrays, rest = load_file(path / _ARRAYS), json.loads((path / _REST).read_text())
    options = ProjectionOptions(**rest["options"])
    return LayerLayout(arrays["coordinates"], arrays["preservation"], rest["chance"], options)


def _write_links(links: PointLinks, scores: LinkScores, workspace: Path) -> None:
    from safetensors.numpy import save_file

    arrays = {name: value for name, value in vars(scores).items() if value is not None}
    save_file({**arrays, "pairs": links.pairs}, workspace / _ARRAYS)
    rest = {
        "options": asdict(links.options),
        "sentences_by_hand": links.sentences_by_hand,
        "sentences_computed": links.sentences_computed,
    }
    (workspace / _REST).write_text(json.dumps(rest))


def _read_links(path: Path) -> tuple[PointLinks, LinkScores]:
    from safetensors.numpy import load_file

    arrays, rest = load_file(path / _ARRAYS), json.loads((path / _REST).read_text())
    pairs = arrays.pop("pairs")
    options = LinkOptions(**rest.pop("options"))
    error_rate = arrays.pop("error_rate", None)
    return PointLinks(pairs, options=options, **rest), LinkScores(error_rate=error_rate, **arrays)
