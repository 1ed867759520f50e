"""Which points of a map are translations of each other, and how near they are at each layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.links.aligners import (
    ALIGNERS,
    DEFAULT_ALIGNER,
    Links,
    score_alignments,
)
from isogloss.links.sources import badge_of, describe_sources, is_evidence
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.linked_points import each_others_nearest, partner_ranks
from isogloss.measures.nearest_neighbours import unit_rows
from isogloss.measures.uncertainty import share_interval
from isogloss.models.tokens import words_of
from isogloss.options import Choice, check_options, option
from isogloss.studies.links.words import independent_links, model_links
from isogloss.studies.pooling import PointTable, point_vectors
from isogloss.studies.study import Study

INDEPENDENT = "independent"
"""Links that the model on show did not make, as far as there are any: those that are scored."""


@dataclass(frozen=True)
class LinkOptions:
    """Which links are drawn: the scored ones, or those a word aligner reads off this model."""

    method: str = option(
        INDEPENDENT,
        "Scores use links that this model did not make: by hand, else by a statistical aligner, "
        "else by another model. Where none can be had, words are not scored, and lines join words "
        "that are each other's nearest at the layer shown. For the eye, links can also be read off "
        "one layer of this model, as in SimAlign (Jalili Sabet et al. 2020); they flatter that "
        "layer and are never scored.",
        title="Links drawn",
        address="links",
        called="way to link",
        choices={
            INDEPENDENT: Choice("Those that are scored"),
            **{name: Choice(f"{each.title}, this model") for name, each in ALIGNERS.items()},
        },
    )
    layer: int = option(
        0, "", title="Layer that these links are read off", address="linklayer", least=0
    )

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True)
class PointLinks:
    """Links (m, 2) from points of side 0 to points of side 1.

    `sources` tells for how many sentence pairs links are by hand ("gold"), by the statistical
    "aligner", of the "other model", or of the model itself ("own"), as `LINK_SOURCES` has them.
    """

    pairs: np.ndarray
    sources: Mapping[str, int]

    @property
    def evidence(self) -> bool:
        """Whether there are links to score on: some that the model on show did not make."""
        return len(self.pairs) > 0 and is_evidence(self.sources)

    @property
    def badge(self) -> str:
        """What stands beside every number on these links."""
        return badge_of(self.sources)

    def describe(self) -> str:
        """Where these links come from, in a sentence or two."""
        return describe_sources(self.sources, links=len(self.pairs) > 0)


@dataclass(frozen=True)
class LinkScores:
    """How well linked points find each other, at each of L + 1 layers.

    `ranks` (layers, points): the expected rank of a point's partner among all points of the other
    language by cosine, 1 the nearest, 0 for points without a partner; equals are in random order.
    `nearest_share` (layers,): the share of linked points whose partner is the nearest, range 0 to
    1, with an interval over sentences. `error_rate` (layers,): alignment error of the
    default aligner against gold, or None without gold.
    """

    ranks: np.ndarray
    nearest_share: np.ndarray
    nearest_low: np.ndarray
    nearest_high: np.ndarray
    mean_rank: np.ndarray
    error_rate: np.ndarray | None


def scored_links(study: Study, table: PointTable, beside: Sequence[Study] = ()) -> PointLinks:
    """Return the links among the points of `table` that scores are computed on.

    None of them was made by the model of `study`, nor by those of the studies `beside` it.
    """
    found = independent_links(study, np.unique(table.sentence), beside)
    return PointLinks(point_pairs(study, table, found.links), found.counts)


def drawn_links(
    study: Study, table: PointTable, options: LinkOptions, scored: PointLinks
) -> PointLinks:
    """Return the links that are drawn: the scored ones unless the options ask for others."""
    if options.method == INDEPENDENT:
        return scored
    sentences = np.unique(table.sentence)
    links = model_links(study, options.layer, sentences, options.method)
    return PointLinks(point_pairs(study, table, links), {"own": len(sentences)})


def point_pairs(study: Study, table: PointTable, links: Mapping[int, Links]) -> np.ndarray:
    """Links between words as links between points; parts of words link to all parts of the other.

    Shape (m, 2), the first column of side 0.
    """
    points: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for point, word in _word_of_points(study, table):
        points[int(table.sentence[point]), int(table.side[point]), word].append(point)
    pairs = [
        (a, b)
        for sentence in sorted(links)
        for i, j in sorted(links[sentence])
        for a in points.get((sentence, 0, i), ())
        for b in points.get((sentence, 1, j), ())
    ]
    return np.array(pairs, np.int32).reshape(-1, 2)


def _word_of_points(study: Study, table: PointTable) -> list[tuple[int, int]]:
    """Each point with the index of its word; a point that spans two words counts for both."""
    if table.unit == "word":
        return list(enumerate(table.index.tolist()))
    found: list[tuple[int, int]] = []
    places = np.stack([table.sentence, table.side], axis=1)
    for sentence, side in np.unique(places, axis=0).tolist():
        words = words_of(study.bitext, sentence, side)
        for point in np.flatnonzero((table.sentence == sentence) & (table.side == side)):
            start, end = table.spans[point]
            found += [
                (int(point), index)
                for index, word in enumerate(words)
                if word.start < end and start < word.end
            ]
    return found


def score_links(
    study: Study,
    table: PointTable,
    links: PointLinks,
    coordinates: Coordinates = DEFAULT_COORDINATES,
    on_layer: Callable[[int], None] = lambda layer: None,
) -> LinkScores:
    """Rank every point's partner at every layer; a point with several takes its nearest one."""
    layers = range(study.n_states)
    linked = np.unique(links.pairs)
    ranks = np.zeros((len(layers), len(table)), np.float32)
    nearest = np.zeros((len(linked), len(layers)))
    # Gold links punctuation too, which a map may leave out, so error rates have their own table.
    gold_sentences = _sentences_with_gold(study, table)
    error_rates: list[float] = []
    for layer in layers:
        on_layer(layer)
        vectors = unit_rows(point_vectors(study, layer, table, coordinates))
        found = partner_ranks(vectors, table.side, links.pairs)
        ranks[layer, linked] = found.expected()
        nearest[:, layer] = found.within(1)
        if len(gold_sentences):
            error_rates.append(_error_rate(study, gold_sentences, layer, coordinates))
    if len(linked):
        low, high = share_interval(nearest, table.sentence[linked])
        share, mean_rank = nearest.mean(axis=0), ranks[:, linked].mean(axis=1)
    else:
        share = low = high = mean_rank = np.zeros(len(layers))
    return LinkScores(
        ranks=ranks,
        nearest_share=share,
        nearest_low=low,
        nearest_high=high,
        mean_rank=mean_rank,
        error_rate=np.array(error_rates) if error_rates else None,
    )


def mutual_nearest(
    study: Study,
    table: PointTable,
    coordinates: Coordinates = DEFAULT_COORDINATES,
    on_layer: Callable[[int], None] = lambda layer: None,
) -> np.ndarray:
    """Return the points of the two languages that are each other's nearest at each layer.

    Shape (m, 3): layer, point of side 0, point of side 1; nearness is the cosine. These may be
    looked at and say nothing about translation.
    """
    found = []
    for layer in range(study.n_states):
        on_layer(layer)
        vectors = unit_rows(point_vectors(study, layer, table, coordinates))
        pairs = each_others_nearest(vectors, table.side)
        found.append(np.insert(pairs, 0, layer, axis=1))
    return np.concatenate(found).astype(np.int32)


def _sentences_with_gold(study: Study, table: PointTable) -> np.ndarray:
    """The shown sentences that have a gold alignment; none unless the points are words."""
    gold = study.bitext.gold
    if gold is None or table.unit != "word":
        return np.array([], np.int64)
    return np.array([s for s in np.unique(table.sentence) if gold[int(s)] is not None], np.int64)


def _error_rate(study: Study, sentences: np.ndarray, layer: int, coordinates: Coordinates) -> float:
    """Alignment error rate of the default aligner on sentences with gold."""
    assert study.bitext.gold is not None
    found = model_links(study, layer, sentences, DEFAULT_ALIGNER, coordinates)
    gold = [study.bitext.gold[int(sentence)] for sentence in sentences]
    predicted = [found.get(int(sentence), frozenset()) for sentence in sentences]
    rate = score_alignments(predicted, gold).error_rate
    return 1.0 if rate is None else rate
