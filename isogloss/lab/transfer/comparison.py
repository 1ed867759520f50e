"""Two runs compared: what others found at one learning rate, and one subtracted from another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.gains import ALL_TRAINED, Gain, Judgements, gain_at, has_rate_of_all
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import TransferResults
from isogloss.measures.stacks import Array


@dataclass(frozen=True)
class RateCheck:
    """The gains of one N in a run that trained it at the rate of training all, by language."""

    run: str
    frozen: int
    gains: Mapping[str, Gain]


@dataclass(frozen=True)
class Difference:
    """The second of two runs minus the first, (N, languages), at the first run's N.

    `by_share` says that the models differ in depth and that equal shares of frozen layers were
    subtracted. `other_tests` are languages that both have, but with other test pairs.
    """

    frozen: tuple[int, ...]
    languages: tuple[str, ...]
    values: Array
    by_share: bool
    other_tests: tuple[str, ...]


def is_same_but_for_rates(run: Run, other: Run) -> bool:
    """Whether two runs differ in nothing but in which N they tried and at which rates."""

    def alike(plan: TransferPlan) -> TransferPlan:
        return replace(plan, frozen=None, rates=(), learning_rate=1.0)

    plans = cast(TransferPlan, run.plan), cast(TransferPlan, other.plan)
    facts = [{name: each.facts.get(name) for name in ("model", "data")} for each in (run, other)]
    first, second = (plan.learning_rate_at(ALL_TRAINED) for plan in plans)
    return alike(plans[0]) == alike(plans[1]) and facts[0] == facts[1] and first == second


def check_rates(
    results: TransferResults,
    others: Iterable[tuple[str, TransferResults, Judgements]],
    selection: str,
) -> list[RateCheck]:
    """What runs found that trained, at the rate of training all, N which here had another.

    `others` are finished runs that are the same but for rates, each with its name.
    """
    if ALL_TRAINED not in results.frozen:
        return []
    apart = [n for n in results.frozen if not has_rate_of_all(results, n)]
    checks = []
    for name, other, judgements in others:
        for n in apart:
            if n in other.frozen and ALL_TRAINED in other.frozen and has_rate_of_all(other, n):
                gains = {
                    code: gain_at(other, judgements, selection, n, code, len(other.languages))
                    for code in other.languages
                }
                known = {code: gain for code, gain in gains.items() if gain is not None}
                checks.append(RateCheck(name, n, known))
    return [check for check in checks if check.gains]


def compare(first: TransferResults, second: TransferResults, selection: str) -> Difference:
    """Return how much more accurate the second run's means are than the first's.

    Models of different depth are compared at equal shares of frozen layers; languages that were
    tested on other pairs are left out and named.
    """
    by_share = first.n_layers != second.n_layers
    partners = {_position(n, second.n_layers): n for n in second.frozen}
    pairs = [
        (n, partners[_position(n, first.n_layers)])
        for n in first.frozen
        if _position(n, first.n_layers) in partners
    ]
    shared = [code for code in first.languages if code in second.languages]
    same = [code for code in shared if first.tests.get(code) == second.tests.get(code)]

    def pick(results: TransferResults, frozen: list[int]) -> Array:
        rows = [results.frozen.index(n) for n in frozen]
        columns = [results.languages.index(code) for code in same]
        return results.mean(selection)[rows][:, columns]

    values = pick(second, [n for _, n in pairs]) - pick(first, [n for n, _ in pairs])
    return Difference(
        frozen=tuple(n for n, _ in pairs),
        languages=tuple(same),
        values=values,
        by_share=by_share,
        other_tests=tuple(code for code in shared if code not in same),
    )


def _position(n: int, n_layers: int) -> float:
    """The share of layers that are frozen, and -1 for none."""
    return round(n / n_layers, 6) if n >= 0 else float(ALL_TRAINED)
