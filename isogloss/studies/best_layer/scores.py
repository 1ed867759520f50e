"""Four scores of a study by layer, each with how its layers differ: from one bootstrap for all.

Words that are nearest to their translation, sentences that find theirs, similarity of a layer with
itself across the languages, and the error of word alignments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import Row
from isogloss.links.aligners import count_links
from isogloss.links.sources import badge_of
from isogloss.measures.best_layer import (
    RESAMPLES,
    LayerDifferences,
    differences_of_layers,
    resampled_ratios,
)
from isogloss.measures.coordinates import Coordinates
from isogloss.measures.labels import Labels
from isogloss.measures.linked_points import chance_nearest, partner_ranks
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE, unit_rows
from isogloss.measures.sentence_retrieval import chance_metrics, hits_and_blocked
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import (
    FEWEST_RESAMPLED,
    ratio_interval,
    resample_counts,
    share_interval,
    sums_by_unit,
)
from isogloss.store import Store
from isogloss.studies.links.points import scored_links
from isogloss.studies.links.words import independent_links, model_links
from isogloss.studies.paired_rows import MOST_SENTENCES_FOR_WORDS
from isogloss.studies.pooling import point_table, point_vectors, sentence_pair_vectors
from isogloss.studies.questions import Steps
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.text.parts import choose_spread
from isogloss.text.reading import GoldAlignment

NO_GOLD = (
    "There is nothing to compare alignments with: nobody aligned this text by hand, there is no "
    "lexicon for its languages, and links of the model itself are no evidence."
)
NO_WORDS = (
    "Words are not scored: nobody linked them by hand, there is no lexicon for these languages, "
    "and links of the model itself are no evidence."
)
JUMPS = "No test between layers: SVCCA jumps with the number of components that it keeps."


@dataclass(frozen=True)
class LayerScores:
    """A score by layer, (L,) each, NaN where `reasons` says why there is none.

    `low` and `high` are each layer's own interval, `chance` what shuffled pairs read.
    `differences` compares layers with each other. `rows` says how many `counted` things, sentence
    pairs or linked words, the score is of, `badge` whose links were used, "" where none were.
    """

    values: Array
    low: Array
    high: Array
    chance: Array
    reasons: Array
    differences: LayerDifferences
    rows: int
    counted: str
    badge: str = ""

    @property
    def is_there(self) -> bool:
        """Whether any layer has a score."""
        return self.differences.best >= 0

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer, with its difference from the best; none where no score is."""
        apart = self.differences
        if not self.is_there:
            return []
        return labels.by_layer(
            {
                "value": self.values,
                "low": self.low,
                "high": self.high,
                "chance": self.chance,
                "best_less_this": apart.values[apart.best],
                "difference_low": apart.low[apart.best],
                "difference_high": apart.high[apart.best],
            }
        )


def score_words(study: Study, coordinates: Coordinates, steps: Steps) -> LayerScores:
    """Linked words whose nearest word of the other language is their translation."""
    sentences = choose_spread(study.bitext, MOST_SENTENCES_FOR_WORDS)
    table = point_table(study, "word", sentences, punctuation=False)
    links = scored_links(study, table)
    linked = np.unique(links.pairs)
    if not links.evidence or not len(linked):
        return _missing(study, NO_WORDS, "linked words")

    def hits(layer: int) -> Array:
        vectors = unit_rows(point_vectors(study, layer, table, coordinates))
        return partner_ranks(vectors, table.side, links.pairs).within(1)

    found = _by_layer(study, steps, "looking for nearest words", hits)
    chance = chance_nearest(table.side, links.pairs)
    return _of_hits(found, table.sentence[linked], chance, "linked words", links.badge)


def score_sentences(study: Study, coordinates: Coordinates, steps: Steps) -> LayerScores:
    """Sentences whose translation is the nearest of the other language, mean of both directions."""

    def search(layer: int) -> Array:
        X, Y = sentence_pair_vectors(study, layer, "mean", coordinates)
        return np.stack(hits_and_blocked(X, Y, DEFAULT_SCORE), axis=1)

    found, blocked = np.moveaxis(_by_layer(study, steps, "searching", search), 2, 0)
    rows = len(found)
    chance = float(chance_metrics(rows)[0])
    return _of_hits(found, np.arange(rows), chance, "sentence pairs", blocked=blocked)


def _of_hits(
    hits: Array,
    units: Array,
    chance: float,
    counted: str,
    badge: str = "",
    blocked: Array | None = None,
) -> LayerScores:
    """The share of hits (n, L), rows of one of `units` drawn together.

    `blocked` (n, L) says how many others each row keeps from a hit, where that is known.
    """
    rows, layers = hits.shape
    low, high = share_interval(hits, units)
    gained = hits if blocked is None else hits - blocked + blocked.mean(axis=0)
    parts, wholes = sums_by_unit(gained, units), sums_by_unit(np.ones((rows, layers)), units)
    counts = resample_counts(len(parts), RESAMPLES)
    return LayerScores(
        hits.mean(axis=0),
        low,
        high,
        np.full(layers, chance),
        np.full(layers, ""),
        differences_of_layers(
            hits.mean(axis=0), resampled_ratios(parts, wholes, counts), len(parts), rows=rows
        ),
        rows,
        counted,
        badge,
    )


def score_similarity(
    study: Study, comparison: LayerComparison, store: Store, steps: Steps
) -> LayerScores:
    """How alike both languages are at each layer: the diagonal of a comparison of layers."""
    rows = comparison.rows(study, store)
    counted = "sentence pairs" if rows.unit == "sentence" else "word pairs"
    if len(rows.first) != len(rows.second):
        raise IsoglossError("Two models of different depth have no layers that are each other's.")
    units = len(np.unique(rows.sentence))
    counts = resample_counts(len(rows), RESAMPLES, groups=rows.sentence)
    columns, resampled = [], []
    shares = False
    for layer, (first, second) in enumerate(zip(rows.first, rows.second, strict=True)):
        steps.reach(layer, len(rows.first), f"comparing both languages at layer {layer}")
        found = contributions([first], [second], comparison.measure)
        if found.reach is not None:
            return _missing(study, JUMPS, counted)
        shares, reason = found.shares, str(found.reasons[0, 0])
        low, high = found.intervals(groups=rows.sentence)
        numbers = (found.values(), low, high, found.baseline.mean)
        columns.append((*(np.nan if reason else float(each[0, 0]) for each in numbers), reason))
        resampled.append(found.resampled(counts)[:, 0, 0] + (np.nan if reason else 0))
    values, lows, highs, chance = (
        np.array([column[place] for column in columns]) for place in range(4)
    )
    return LayerScores(
        values,
        lows,
        highs,
        chance,
        np.array([column[4] for column in columns], np.str_),
        differences_of_layers(
            values, np.stack(resampled, axis=1), units, rows=len(rows) if shares else None
        ),
        len(rows),
        counted,
        rows.badge,
    )


def score_alignments_by_layer(study: Study, coordinates: Coordinates, steps: Steps) -> LayerScores:
    """The error of the words that each layer aligns, against links no layer made; less is better.

    Those made by hand where they are enough to tell layers apart, else the best that there are.
    """
    gold, badge = _reference(study)
    sentences = np.array(sorted(gold), np.int64)
    if not len(sentences):
        return _missing(study, NO_GOLD, "sentence pairs")
    table = point_table(study, "word", sentences)
    by_hand = [gold[int(sentence)] for sentence in sentences]
    squares = np.array(
        [
            np.prod([((table.sentence == s) & (table.side == side)).sum() for side in (0, 1)])
            for s in sentences
        ]
    )

    def counts_of(layer: int) -> Array:
        found = model_links(study, layer, sentences, coordinates=coordinates)
        return count_links([found.get(int(s), frozenset()) for s in sentences], by_hand)

    # (sentences, layers, 4): links, sure ones, and how many were found of the sure and possible
    made = _by_layer(study, steps, "aligning words", counts_of)
    parts = made[:, :, :2].sum(axis=2) - made[:, :, 2:].sum(axis=2)
    wholes = made[:, :, :2].sum(axis=2)
    ends = [ratio_interval(parts[:, layer], wholes[:, layer]) for layer in range(parts.shape[1])]
    values = parts.sum(axis=0) / wholes.sum(axis=0)
    counts = resample_counts(len(sentences), RESAMPLES)
    resampled = resampled_ratios(parts, wholes, counts)
    return LayerScores(
        values,
        np.array([low for low, _ in ends]),
        np.array([high for _, high in ends]),
        _error_by_chance(made, by_hand, squares),
        np.full(len(values), ""),
        differences_of_layers(
            values, resampled, len(sentences), rows=int(wholes.sum(0).min()), lower_is_better=True
        ),
        len(sentences),
        "sentence pairs",
        badge,
    )


def _reference(study: Study) -> tuple[dict[int, GoldAlignment], str]:
    """What alignments are compared with, by sentence pair, and the badge of it."""
    gold = study.bitext.gold or ()
    by_hand = {row: links for row, links in enumerate(gold) if links is not None and links.sure}
    if len(by_hand) >= FEWEST_RESAMPLED:
        return by_hand, badge_of({"gold": len(by_hand)})
    sentences = choose_spread(study.bitext, MOST_SENTENCES_FOR_WORDS)
    found = independent_links(study, sentences)
    independent = {
        row: by_hand.get(row, GoldAlignment(links, links))
        for row, links in found.links.items()
        if links and found.source[row] != "own"
    }
    return independent, badge_of(found.counts)


def _error_by_chance(made: Array, gold: list[GoldAlignment], squares: Array) -> Array:
    """The error, by layer, were the words of each sentence shuffled: as many links, anywhere."""
    sure = np.array([len(links.sure) for links in gold])
    possible = np.array([len(links.sure | links.possible) for links in gold])
    links = made[:, :, 0]
    found = (links * ((sure + possible) / np.maximum(squares, 1))[:, None]).sum(axis=0)
    return np.asarray(1 - found / made[:, :, :2].sum(axis=(0, 2)))


def _by_layer(study: Study, steps: Steps, what: str, measure: Callable[[int], Array]) -> Array:
    """What each layer measures of each row, (rows, L, ...)."""
    found = []
    for layer in range(study.n_states):
        steps.reach(layer, study.n_states, f"{what} {study.states.place(layer)}")
        found.append(measure(layer))
    return np.stack(found, axis=1)


def _missing(study: Study, reason: str, counted: str) -> LayerScores:
    """No score at any layer, and why."""
    layers = study.n_states
    unknown = np.full(layers, np.nan)
    nothing = np.full((layers, layers), np.nan)
    return LayerScores(
        unknown,
        unknown,
        unknown,
        unknown,
        np.full(layers, reason),
        LayerDifferences(nothing, nothing, nothing, -1, np.nan, 0.95, 0),
        0,
        counted,
    )
