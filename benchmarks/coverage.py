"""How often each interval that is shown holds the truth, by simulation: nominally 95 of 100 times.

    python -m benchmarks.coverage [--trials 300] [--write]

Each row draws a text (or seeds, or curves) so many times from one that is known, and counts how
often the interval holds what is true of all such texts: the parameter that was planted, or where
the score has none of its own, its mean over all that were drawn. *Before* is the plain formula that
stood there until 0.3.0: percentiles of resampled rows, or p ± z √(p (1 − p) / n). `--write` puts
the table into docs/coverage.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.arguments import read_arguments
from isogloss.lab.sentences.results import relative_reduction
from isogloss.measures.association import DRAWS, associate, draw_cases
from isogloss.measures.correlation import fisher_interval
from isogloss.measures.language_probe import probe_layers
from isogloss.measures.sentence_retrieval import score_layers
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
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

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
BEST_LAYER = "## Which layer is best"
"""Where the part of the page begins that `benchmarks.best_layer` writes."""
TRIALS = 300
Ends = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """One draw: the value that is shown, its interval now, and by the plain formula."""

    value: float
    now: Ends
    before: Callable[[], Ends] | None = None


@dataclass(frozen=True)
class Case:
    """An interval and a setting; `truth` None stands for the mean over all draws.

    `least` is what coverage must reach where it is known to stay below .95, and `cost` how many
    times fewer draws are made because each takes long.
    """

    interval: str
    setting: str
    draw: Callable[[np.random.Generator], Drawn]
    truth: float | None = None
    least: float = 0.92
    cost: int = 1


@dataclass(frozen=True)
class Coverage:
    """The share of draws whose interval held the truth, now and before, of so many draws."""

    now: float
    before: float | None
    trials: int


def cover(case: Case, trials: int, seed: int = 0, plain: bool = True) -> Coverage:
    """Draw so many times and count, with `plain` for the plain formula, too."""
    generator = np.random.default_rng(seed)
    drawn = [case.draw(generator) for _ in range(max(trials // case.cost, 1))]
    truth = np.mean([each.value for each in drawn]) if case.truth is None else case.truth

    def share(ends: list[Ends]) -> float:
        return float(np.mean([low <= truth + 1e-9 and truth - 1e-9 <= high for low, high in ends]))

    before = [each.before() for each in drawn if plain and each.before is not None]
    return Coverage(
        share([each.now for each in drawn]), share(before) if before else None, len(drawn)
    )


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


def cases() -> Iterator[Case]:
    """Every interval that a page shows, each where it is usual and where it is hard."""
    for n, p in ((48, 0.5), (48, 0.9), (100, 0.975), (200, 0.9), (1_000, 0.975)):
        yield Case("share of sentences", f"{n} sentences, {p}", partial(sentence_hits, n, p), p)
    for n, p, alike in ((24, 0.5, 0.2), (48, 0.9, 0.1), (200, 0.9, 0.2), (200, 0.975, 0.1)):
        yield Case("share of words", f"{n} sentences, {p}", partial(word_hits, n, p, alike), p)
    yield Case(
        "share of words",
        "48 sentences, .975, whole sentences fail",
        partial(word_hits, 48, 0.975, 0.3),
        0.975,
        least=0.85,
    )
    yield Case("mean reciprocal rank", "100 sentences", partial(reciprocal_ranks, 100))
    for error in (0.1, 0.4):
        yield Case("alignment error", f"40 sentences, {error}", partial(alignment_error, 40, error))
    for n, noise in ((48, 0.3), (100, 0.25), (100, 0.6)):
        yield Case("MEXA", f"{n} sentences, noise {noise}", partial(mutual, n, noise))
    for measure in SIMILARITY_MEASURES:
        if measure != "mexa":
            yield Case(
                SIMILARITY_MEASURES[measure].title,
                "48 sentences",
                partial(similarity, measure, 48, 1.0),
                least=0.9,
                cost=4,
            )
    for n in (8, 12, 24):
        yield Case(
            SIMILARITY_MEASURES["debiased_cka"].title,
            f"{n} sentences",
            partial(similarity, "debiased_cka", n, 1.0),
            cost=4,
        )
    yield Case(
        SIMILARITY_MEASURES["debiased_cka"].title,
        "words of 24 sentences",
        partial(similarity_of_words, "debiased_cka", 24),
        least=0.9,
        cost=4,
    )
    for n in (48, 100, 200):
        yield Case(
            SIMILARITY_MEASURES["svcca"].title,
            f"{n} sentences, where .99 is reached",
            partial(similarity, "svcca", n, 0.3),
            cost=4,
        )
    for n, apart in ((48, 1.0), (100, 1.0), (100, 3.0)):
        yield Case(
            "language probe",
            f"{n} sentences, {apart:g} deviations apart",
            partial(telling_languages, n, apart),
            least=0.88,
            cost=2,
        )
    yield Case(
        "difference of two models", "48 sentences", partial(difference_of_models, 48), cost=4
    )
    yield Case("correlation of curves", "13 points, r = .8", partial(curves, 13, 0.8), 0.8)
    for r in (0.0, 0.7):
        setting = f"14 languages, r = {r:g}, 1,000 test pairs"
        draw = partial(over_languages, 14, r, 1_000)
        yield Case("correlation over languages", setting, draw, r, cost=2)
    for n in (3, 5):
        yield Case("mean over seeds", f"{n} seeds", partial(seeds, n), 0.0)
    for n, p in ((200, 0.5), (500, 0.8), (500, 0.98)):
        yield Case("accuracy of one run", f"{n} test pairs, {p}", partial(accuracy, n, p), p)
    yield Case("gain of freezing, paired", "500 test pairs", partial(paired_gain, 500))
    for n, before, after in ((500, 0.3, 0.2), (200, 0.1, 0.05)):
        yield Case(
            "reduction of an error",
            f"{n} sentences, {before} to {after}",
            partial(reduction, n, before, after),
            1 - after / before,
            least=0.9,
            cost=2,
        )


def table(trials: int) -> list[str]:
    """The whole table in Markdown."""
    lines = [
        "| interval of | setting | nominal | before | now | draws |",
        "|---|---|---|---|---|---|",
    ]
    for case in cases():
        found = cover(case, trials)
        before = "" if found.before is None else f"{found.before:.3f}"
        lines.append(
            f"| {case.interval} | {case.setting} | .95 | {before} | {found.now:.3f} "
            f"| {found.trials:,} |"
        )
        print(lines[-1], flush=True)
    return lines


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"draws a row ({TRIALS})")
    parser.add_argument("--write", action="store_true", help="put it into docs/coverage.md, too")
    chosen = read_arguments(parser, words, trials=2)
    lines = table(chosen.trials)
    if chosen.write:
        _, heading, rest = _written().partition(BEST_LAYER)
        text = INTRODUCTION + "\n".join(lines) + "\n"
        PAGE.write_text(text + ("\n" + heading + rest if rest else ""), encoding="utf-8")


def _written() -> str:
    """The page as it is, "" where there is none."""
    return PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""


INTRODUCTION = """# How often intervals hold the truth

Written by `python -m benchmarks.coverage --write`. Each row draws from what is known so many times
and counts how often the 95 % interval holds it; *before* is the plain formula (percentiles of
resampled sentences, or p ± z √(p (1 − p) / n)), empty where nothing else was ever shown. What is
true is what was planted, or for scores of whole texts their mean over all draws: an interval tells
how a score moves with other sentences, not its bias.

**Shares** have one rule: Wilson's interval for p (1 − p) / v independent trials, where v is the
variance of the mean over sentences, for few sentences raised as Student's quantile is above the
normal one; at 0 and at 1 for as many trials as there are sentences. **Similarities** have
percentiles of resampled sentences, expanded for few of them, and no interval below eight. That of
**SVCCA** reaches as far as its value does with any number of components that other sentences would
keep: where a shared space ends at .99 of the variance, one component more makes the value jump.

Too narrow still: words that fail by whole sentences near 1, where few sentences have any miss; and
the language probe, whose classifiers share most of what they were trained on. Too wide, and so too
cautious: SVCCA, nearest neighbours, the difference of two models, and correlations over languages,
whose *before* is Fisher's interval.

"""


if __name__ == "__main__":
    main()
