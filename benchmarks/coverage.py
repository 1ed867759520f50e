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
from benchmarks.coverage_draws import (
    Drawn,
    Ends,
    accuracy,
    alignment_error,
    curves,
    difference_of_models,
    mutual,
    over_languages,
    paired_gain,
    reciprocal_ranks,
    reduction,
    seeds,
    sentence_hits,
    similarity,
    similarity_of_words,
    telling_languages,
    word_hits,
)
from isogloss.measures.similarity.table import SIMILARITY_MEASURES

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
BEST_LAYER = "## Which layer is best"
"""Where the part of the page begins that `benchmarks.best_layer` writes."""
TRIALS = 300


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
