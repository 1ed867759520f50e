"""Which points of a map are translations of each other, and how near they are at each layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.bootstrap import mean_interval
from isogloss.errors import IsoglossError
from isogloss.pooling import PointTable, point_table, point_vectors
from isogloss.retrieval import unit_rows
from isogloss.studies import Study
from isogloss.word_alignment import METHODS, align_words, score_alignments, word_similarities

GOLD = "gold"
"""Links made by hand where the corpus has them, computed ones elsewhere."""

FALLBACK_METHOD = "itermax"


@dataclass(frozen=True)
class LinkOptions:
    """How links are found: `method` is gold or a word aligner, `layer` the one it looks at."""

    method: str = GOLD
    layer: int = 0
    remove_language_means: bool = True

    def __post_init__(self) -> None:
        if self.method != GOLD and self.method not in METHODS:
            known = ", ".join((GOLD, *METHODS))
            raise IsoglossError(f"There is no way to link called {self.method!r}: use {known}.")


@dataclass(frozen=True)
class PointLinks:
    """Links (m, 2) from points of side 0 to points of side 1, and how many sentences gave them."""

    pairs: np.ndarray
    sentences_by_hand: int
    sentences_computed: int
    options: LinkOptions

    def describe(self) -> str:
        """How these links came about, in one sentence."""
        method = FALLBACK_METHOD if self.options.method == GOLD else self.options.method
        computed = f"computed by {METHODS[method].title.lower()} at layer {self.options.layer}"
        if not self.sentences_by_hand:
            return f"Links are {computed}."
        if not self.sentences_computed:
            return "Links were made by hand."
        return (
            f"Links of {self.sentences_by_hand} sentences were made by hand, "
            f"those of {self.sentences_computed} {computed}."
        )


@dataclass(frozen=True)
class LinkScores:
    """How well linked points find each other, at each of L + 1 layers.

    `ranks` (layers, points): the rank of a point's partner among all points of the other language
    by cosine, 1 the nearest, 0 for points without a partner. `nearest_share` (layers,): the share
    of linked points whose partner is the nearest, range 0 to 1, with a bootstrap interval over
    points. `error_rate` (layers,): alignment error of itermax against gold, or None without gold.
    """

    ranks: np.ndarray
    nearest_share: np.ndarray
    nearest_low: np.ndarray
    nearest_high: np.ndarray
    mean_rank: np.ndarray
    error_rate: np.ndarray | None


def default_link_layer(n_layers: int) -> int:
    """Two thirds up, where aligners read multilingual BERT (layer 8 of 12)."""
    return round(n_layers * 2 / 3)


def link_points(study: Study, table: PointTable, options: LinkOptions) -> PointLinks:
    """Find the links among the points of `table`; words are looked for within a sentence pair."""
    corpus = study.corpus
    vectors = _side_centred(study, table, options.layer, options.remove_language_means)
    by_hand = computed = 0
    pairs: list[tuple[int, int]] = []
    for sentence, (source, target) in _points_by_sentence(table).items():
        gold = corpus.gold[sentence] if corpus.gold is not None and table.unit == "word" else None
        if options.method == GOLD and gold is not None:
            position = [{int(table.index[p]): p for p in side} for side in (source, target)]
            pairs += [
                (position[0][i], position[1][j])
                for i, j in sorted(gold.sure)
                if i in position[0] and j in position[1]
            ]
            by_hand += 1
        elif source and target:
            method = FALLBACK_METHOD if options.method == GOLD else options.method
            similarity = word_similarities(vectors[source], vectors[target])
            pairs += [(source[i], target[j]) for i, j in sorted(align_words(similarity, method))]
            computed += 1
    links = np.array(pairs, np.int32).reshape(-1, 2)
    return PointLinks(links, by_hand, computed, options)


def score_links(
    study: Study,
    table: PointTable,
    links: PointLinks,
    on_layer: Callable[[int], None] = lambda layer: None,
) -> LinkScores:
    """Rank every point's partner at every layer; a point with several takes its nearest one."""
    centre = links.options.remove_language_means
    layers = range(study.n_states)
    ranks = np.zeros((len(layers), len(table)), np.uint16)
    # Gold links punctuation too, which a map may leave out, so error rates have their own table.
    gold_table = _gold_table(study, table)
    error_rates: list[float] = []
    for layer in layers:
        on_layer(layer)
        vectors = _side_centred(study, table, layer, centre)
        ranks[layer] = _partner_ranks(vectors, table.side, links.pairs)
        if gold_table is not None:
            error_rates.append(_error_rate(study, gold_table, layer, centre))
    linked = ranks[0] > 0
    nearest = (ranks[:, linked] == 1).astype(np.float64)
    if linked.any():
        share = nearest.mean(axis=1)
        low, high = mean_interval(nearest.T)
        mean_rank = ranks[:, linked].mean(axis=1)
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


def _side_centred(study: Study, table: PointTable, layer: int, centre: bool) -> np.ndarray:
    """Unit vectors of all points; each language's mean is removed first if asked."""
    vectors = point_vectors(study, layer, table)
    result = np.empty_like(vectors)
    for side in (0, 1):
        mine = table.side == side
        if mine.any():
            result[mine] = unit_rows(vectors[mine], centre)
    return result


def _points_by_sentence(table: PointTable) -> dict[int, tuple[list[int], list[int]]]:
    found: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for point, (sentence, side) in enumerate(zip(table.sentence, table.side, strict=True)):
        found[int(sentence)][int(side)].append(point)
    return found


def _partner_ranks(vectors: np.ndarray, side: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(points,) uint16: 1 + how many points of the other language are nearer than the partner."""
    ranks = np.zeros(len(vectors), np.int64)
    members = [np.flatnonzero(side == s) for s in (0, 1)]
    place = np.empty(len(vectors), np.int64)
    for mine in members:
        place[mine] = np.arange(len(mine))
    for own in (0, 1):
        if not len(pairs):
            break
        queries, row_of = np.unique(pairs[:, own], return_inverse=True)
        similarity = vectors[queries] @ vectors[members[1 - own]].T
        partner = similarity[row_of, place[pairs[:, 1 - own]]]
        best = np.full(len(queries), -np.inf, partner.dtype)
        np.maximum.at(best, row_of, partner)
        ranks[queries] = 1 + (similarity > best[:, None]).sum(axis=1)
    return np.minimum(ranks, np.iinfo(np.uint16).max).astype(np.uint16)


def _gold_table(study: Study, table: PointTable) -> PointTable | None:
    """All words of the shown sentences that have a gold alignment; None if there are none."""
    gold = study.corpus.gold
    if gold is None or table.unit != "word":
        return None
    sentences = [s for s in np.unique(table.sentence) if gold[int(s)] is not None]
    return point_table(study, "word", np.array(sentences)) if sentences else None


def _error_rate(study: Study, table: PointTable, layer: int, centre: bool) -> float:
    """Alignment error rate of the default aligner on sentences with gold."""
    assert study.corpus.gold is not None
    vectors = _side_centred(study, table, layer, centre)
    predicted, gold = [], []
    for sentence, (source, target) in _points_by_sentence(table).items():
        similarity = word_similarities(vectors[source], vectors[target])
        predicted.append(
            frozenset(
                (int(table.index[source[i]]), int(table.index[target[j]]))
                for i, j in align_words(similarity, FALLBACK_METHOD)
            )
        )
        gold.append(study.corpus.gold[sentence])
    rate = score_alignments(predicted, gold, samples=1).error_rate
    return 1.0 if rate is None else rate
