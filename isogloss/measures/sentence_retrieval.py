"""Can a sentence find its translation? Retrieval per layer, in both directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.formatting import Row
from isogloss.measures.labels import Labels
from isogloss.measures.nearest_neighbours import (
    DEFAULT_SCORE,
    make_space,
    nearest,
    rank_pairs,
)
from isogloss.measures.ranks import Ranks
from isogloss.measures.stacks import (
    Array,
    Layer,
    Stack,
    read_layer,
    require_layer_pairs,
    require_pairs,
)
from isogloss.measures.uncertainty import LEVEL, share_interval


@dataclass(frozen=True)
class Metric:
    """A figure made from ranks; `within` is the k of precision at k, 0 for reciprocal rank.

    `short` is what stands on a button.
    """

    name: str
    title: str
    short: str
    within: int
    explanation: str = ""


METRICS: tuple[Metric, ...] = (
    Metric("precision@1", "Found first", "P@1", 1),
    Metric("precision@5", "Among the first 5", "P@5", 5),
    Metric("precision@10", "Among the first 10", "P@10", 10),
    Metric("reciprocal_rank", "Mean reciprocal rank", "MRR", 0),
)
DIRECTIONS: tuple[str, str] = ("source to target", "target to source")


@dataclass(frozen=True)
class RetrievalScores:
    """How well rows find their translations, per layer, direction and metric.

    `values`, `low` and `high` are (L, 2, 4), in the order of `DIRECTIONS` and `METRICS`; `chance`
    (4,) is the exact expectation under shuffled pairs. `rows` is how many rows were searched.
    """

    score: str
    rows: int
    values: Array
    low: Array
    high: Array
    level: float
    chance: Array

    def curve(self, metric: str, direction: str | None = None) -> Array:
        """Return one metric by layer, (L,), in one direction or averaged over both."""
        index = [known.name for known in METRICS].index(metric)
        values = self.values[:, :, index]
        return values.mean(1) if direction is None else values[:, DIRECTIONS.index(direction)]

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer, direction and metric."""
        return [
            {
                **labels.stop(layer),
                "direction": DIRECTIONS[direction],
                "metric": METRICS[metric].name,
                "value": float(self.values[layer, direction, metric]),
                "low": float(self.low[layer, direction, metric]),
                "high": float(self.high[layer, direction, metric]),
                "chance": float(self.chance[metric]),
            }
            for layer, direction, metric in np.ndindex(self.values.shape)
        ]


@dataclass(frozen=True)
class Confusions:
    """What each row found: indices and scores (n, k), best first, and where its translation came.

    `ranks` and `own_scores` are (n,); a rank is an expectation over all orders of equal scores.
    """

    score: str
    direction: str
    found: Array
    scores: Array
    ranks: Array
    own_scores: Array

    @property
    def confused(self) -> Array:
        """The rows whose translation did not come first, the worst rank first."""
        wrong = np.flatnonzero(self.ranks > 1)
        return wrong[np.argsort(-self.ranks[wrong], kind="stable")]


def rank_metrics(ranks: Ranks) -> Array:
    """Turn ranks into what each row adds to each metric, (n, 4), each in 0…1."""
    columns = [
        ranks.within(metric.within) if metric.within else ranks.reciprocal() for metric in METRICS
    ]
    return np.stack(columns, axis=1)


def chance_metrics(rows: int) -> Array:
    """Return the expectation of each metric, (4,), if the translation were any of `rows` rows."""
    return rank_metrics(Ranks(np.arange(rows), np.zeros(rows, np.int64))).mean(0)


def score_pairs(
    X: Layer, Y: Layer, score: str = DEFAULT_SCORE, *, centre: bool = False
) -> tuple[Ranks, Ranks]:
    """Return the ranks of translations from X to Y and from Y to X."""
    X, Y = read_layer(X), read_layer(Y)
    require_pairs(len(X), len(Y))
    return rank_pairs(make_space(X, Y, score, centre))


def hits_and_blocked(X: Layer, Y: Layer, score: str = DEFAULT_SCORE) -> tuple[Array, Array]:
    """Return how far each pair finds its own, and how many others it alone keeps from theirs.

    Both (n,), means of both directions. A pair that was not there would not be found and would keep
    nobody, so hits less blocked are what a score gains by it, to first order: the jackknife's view,
    without which resampling would take as given among what a sentence looks for its translation.
    """
    X, Y = read_layer(X), read_layer(Y)
    require_pairs(len(X), len(Y))
    space = make_space(X, Y, score, False)
    hits, blocked = np.zeros((2, len(X)))
    for side, ranks in zip((space, space.flip()), rank_pairs(space), strict=True):
        alone = (ranks.better == 1) & (ranks.tied == 0)
        first = nearest(side, 1)[0][:, 0]
        hits += ranks.within(1) / 2
        blocked += np.bincount(first[alone], minlength=len(X)) / 2
    return hits, blocked


def score_layers(
    stack_a: Stack,
    stack_b: Stack,
    score: str = DEFAULT_SCORE,
    *,
    centre: bool = False,
    groups: Array | None = None,
) -> RetrievalScores:
    """Score retrieval between layer i of one stack and layer i of the other, for every i.

    `centre` removes each side's mean first. Intervals are those of shares,
    rows of one of `groups` (n,) taken together. Time L n² d; memory 4 n BLOCK
    bytes beyond one layer of each side.
    """
    require_layer_pairs(stack_a, stack_b)
    ranks = [score_pairs(X, Y, score, centre=centre) for X, Y in zip(stack_a, stack_b, strict=True)]
    return summarise_ranks(ranks, score, groups=groups)


def summarise_ranks(
    ranks: list[tuple[Ranks, Ranks]], score: str, *, groups: Array | None = None
) -> RetrievalScores:
    """Turn ranks of both directions, layer by layer, into metrics with intervals.

    Rows of one of `groups` (n,), the words of one sentence, say, are taken together.
    """
    hits = [np.stack([rank_metrics(one), rank_metrics(other)], 1) for one, other in ranks]
    intervals = [share_interval(layer, groups) for layer in hits]
    rows = len(ranks[0][0])
    return RetrievalScores(
        score=score,
        rows=rows,
        values=np.stack([layer.mean(0) for layer in hits]),
        low=np.stack([low for low, _ in intervals]),
        high=np.stack([high for _, high in intervals]),
        level=LEVEL,
        chance=chance_metrics(rows),
    )


def confusions(
    X: Layer,
    Y: Layer,
    k: int = 5,
    score: str = DEFAULT_SCORE,
    *,
    direction: str = DIRECTIONS[0],
) -> Confusions:
    """Return the k rows each row found, and the rank of the one it should have found."""
    if direction not in DIRECTIONS:
        raise IsoglossError(
            f"There is no direction {direction!r}; choose {' or '.join(map(repr, DIRECTIONS))}."
        )
    X, Y = read_layer(X), read_layer(Y)
    require_pairs(len(X), len(Y))
    space = make_space(X, Y, score)
    ranks = rank_pairs(space)[DIRECTIONS.index(direction)]
    if direction == DIRECTIONS[1]:
        space = space.flip()
    found, scores = nearest(space, k)
    return Confusions(score, direction, found, scores, ranks.expected(), space.pair_scores())
