"""What `benchmarks.coverage` draws: texts, seeds and curves of which the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from isogloss.lab.sentences.results import relative_reduction
from isogloss.measures.association import DRAWS, associate, draw_cases
from isogloss.measures.correlation import fisher_interval
from isogloss.measures.language_probe import probe_layers
from isogloss.measures.sentence_retrieval import score_layers
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import (
    SAMPLES,
    estimate,
    percentile_interval,
    ratio_interval,
    resample_counts,
    share_interval,
    wilson_interval,
)

Ends = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """One draw: the value that is shown, its interval now, and by the plain formula."""

    value: float
    now: Ends
    before: Callable[[], Ends] | None = None


def resampled_share(hits: Array, groups: Array | None = None) -> Ends:
    """The share's interval until 0.3.0: percentiles of resampled rows, or groups of them."""
    counts = resample_counts(len(hits), SAMPLES, 0, groups)
    low, high = percentile_interval(counts @ hits / counts.sum(axis=1))
    trials = len(hits) if groups is None else len(np.unique(groups))
    if hits.mean() in (0, 1):
        low, high = wilson_interval(hits.mean() * trials, trials)
    return float(low), float(high)


def share_of_hits(hits: Array, groups: Array | None = None) -> Drawn:
    low, high = share_interval(hits[:, None], groups)
    return Drawn(float(hits.mean()), (low[0], high[0]), partial(resampled_share, hits, groups))


def sentence_hits(n: int, p: float, generator: np.random.Generator) -> Drawn:
    return share_of_hits((generator.random(n) < p).astype(float))


def word_hits(sentences: int, p: float, alike: float, generator: np.random.Generator) -> Drawn:
    """Four to twelve words a sentence, whose hits correlate by `alike` within it."""
    weight = (1 - alike) / alike
    own = generator.beta(p * weight, (1 - p) * weight, sentences)
    sentence = np.repeat(np.arange(sentences), generator.integers(4, 13, sentences))
    return share_of_hits((generator.random(len(sentence)) < own[sentence]).astype(float), sentence)


def reciprocal_ranks(n: int, generator: np.random.Generator) -> Drawn:
    X, Y = two_sides(n, 1.0, generator)
    found = score_layers([X], [Y], "cosine")
    low, high = found.low[0, 0, 3], found.high[0, 0, 3]
    return Drawn(float(found.values[0, 0, 3]), (low, high))


def alignment_error(sentences: int, error: float, generator: np.random.Generator) -> Drawn:
    """Links of sentences of four to twelve words, of which some sentences go wrong more."""
    wholes = 2 * generator.integers(4, 13, sentences)
    own = generator.beta(8 * (1 - error), 8 * error, sentences)
    parts = generator.binomial(wholes, own)
    low, high = ratio_interval(parts, wholes)

    def plain() -> Ends:
        counts = resample_counts(sentences)
        low, high = percentile_interval((counts @ parts) / (counts @ wholes))
        return float(low), float(high)

    return Drawn(float(parts.sum() / wholes.sum()), (low, high), plain)


DIRECTIONS = np.random.default_rng(1).normal(size=(3, 6, 16))


def two_sides(n: int, noise: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """Rows of two sides that share six directions and add noise of their own, (n, 16) each."""
    shared = generator.normal(size=(n, 6))
    turned = 0.6 * DIRECTIONS[0] + 0.8 * DIRECTIONS[1]
    X = shared @ DIRECTIONS[0] + noise * generator.normal(size=(n, 16))
    return X, shared @ turned + noise * generator.normal(size=(n, 16))


def similarity(measure: str, n: int, noise: float, generator: np.random.Generator) -> Drawn:
    X, Y = two_sides(n, noise, generator)
    return similarity_of(contributions([X], [Y], measure))


def mutual(n: int, noise: float, generator: np.random.Generator) -> Drawn:
    """MEXA of two sides that share their directions, so that most sentences find each other."""
    shared = generator.normal(size=(n, 6)) @ DIRECTIONS[0]
    X, Y = (shared + noise * generator.normal(size=shared.shape) for _ in range(2))
    return similarity_of(contributions([X], [Y], "mexa"))


def similarity_of_words(measure: str, sentences: int, generator: np.random.Generator) -> Drawn:
    """Six words a sentence, which share half of what they have."""
    X, Y = two_sides(6 * sentences, 1.0, generator)
    own = np.repeat(np.arange(sentences), 6)
    common = [side[::6][own] for side in two_sides(6 * sentences, 1.0, generator)]
    shares = contributions([X + common[0]], [Y + common[1]], measure)
    return similarity_of(shares, own)


def similarity_of(shares: Contributions, groups: Array | None = None) -> Drawn:
    low, high = shares.intervals(groups=groups)
    value = float(shares.values()[0, 0])
    return Drawn(value, (low[0, 0], high[0, 0]), partial(plain_similarity, shares, groups))


def plain_similarity(shares: Contributions, groups: Array | None) -> Ends:
    """The interval until 0.3.0: percentiles of the resampled sums, whatever the measure."""
    change = shares.degree * (resample_counts(len(shares.joint), groups=groups) - 1)
    sums = [
        side.sum(0).ravel()[0] + change @ side.reshape(len(side), -1)[:, 0]
        for side in (shares.joint, shares.left, shares.right)
    ]
    values = np.clip(sums[0] / np.sqrt(np.maximum(sums[1] * sums[2], 1e-12)), -1, 1)
    low, high = percentile_interval(values)
    return float(low), float(high)


def telling_languages(n: int, apart: float, generator: np.random.Generator) -> Drawn:
    """The language probe of two sides whose means lie so far apart along one of 16 features."""
    X, Y = two_sides(n, 1.0, generator)
    Y[:, 0] += apart * Y[:, 0].std()
    found = probe_layers([X], [Y])
    return Drawn(float(found.accuracy[0]), (float(found.low[0]), float(found.high[0])))


def difference_of_models(n: int, generator: np.random.Generator) -> Drawn:
    """Two models on one text: the cautious interval that the heatmap of differences shows."""
    found = [
        contributions([X], [Y], "debiased_cka")
        for X, Y in (two_sides(n, noise, generator) for noise in (0.5, 1.5))
    ]
    (low, high), (other_low, other_high) = ([end[0, 0] for end in f.intervals()] for f in found)
    values = [float(each.values()[0, 0]) for each in found]
    return Drawn(values[0] - values[1], (low - other_high, high - other_low))


def curves(layers: int, r: float, generator: np.random.Generator) -> Drawn:
    x, y = generator.normal(size=(2, layers))
    found = float(np.corrcoef(x, r * x + np.sqrt(1 - r * r) * y)[0, 1])
    ends = fisher_interval(found, layers)
    assert ends is not None
    return Drawn(found, ends)


def over_languages(n: int, r: float, pairs: int, generator: np.random.Generator) -> Drawn:
    """Languages of which one thing is known and accuracy on so many test pairs measured."""
    x, y = generator.normal(size=(2, n))
    share = 0.62 + 0.03 * (r * x + np.sqrt(1 - r * r) * y)
    measured = generator.binomial(pairs, share) / pairs
    again = generator.binomial(pairs, measured, size=(DRAWS, n)) / pairs
    found = associate(x[None], measured, draw_cases(again))
    plain = fisher_interval(float(found.value[0]), n)
    assert plain is not None
    return Drawn(float(found.value[0]), (float(found.low[0]), float(found.high[0])), lambda: plain)


def seeds(n: int, generator: np.random.Generator) -> Drawn:
    values = generator.normal(size=n)
    found = estimate(values)
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(n)
    return Drawn(
        found.mean, (found.low, found.high), lambda: (found.mean - half, found.mean + half)
    )


def accuracy(n: int, p: float, generator: np.random.Generator) -> Drawn:
    correct = generator.binomial(n, p)
    low, high = wilson_interval(correct, n)
    share = correct / n
    half = 1.96 * np.sqrt(share * (1 - share) / n)
    return Drawn(share, (float(low), float(high)), lambda: (share - half, share + half))


def paired_gain(n: int, generator: np.random.Generator) -> Drawn:
    """Two classifiers right in .80 and .77 of the same test pairs, most of them alike."""
    both = generator.random(n)
    first, second = both < 0.80, (both + 0.1 * generator.random(n)) % 1 < 0.77
    differences = first.astype(float) - second
    mean, half = differences.mean(), 1.96 * differences.std(ddof=1) / np.sqrt(n)
    return Drawn(float(mean), (mean - half, mean + half))


def reduction(n: int, before: float, after: float, generator: np.random.Generator) -> Drawn:
    """The error of sentences before and after training; what is right mostly stays right."""
    hard = generator.random(n)
    wrong = [hard < before, (hard + 0.02 * generator.random(n)) % 1 < after]
    found = relative_reduction(*(each.astype(float)[None] for each in wrong))
    return Drawn(float(found.values[0]), (float(found.low[0]), float(found.high[0])))
