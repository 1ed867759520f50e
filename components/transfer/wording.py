"""What a run's figures say in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from components.shared.markdown import language_name
from components.transfer.lines import MOST_LINES, has_many, ordered_languages
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.formatting import listed, percent
from isogloss.lab.transfer.comparison import RateCheck
from isogloss.lab.transfer.gains import ALL_TRAINED, Finding, Gain, Judgements, find_by_language
from isogloss.lab.transfer.results import TransferResults


def describe(
    results: TransferResults,
    judgements: Judgements,
    selection: str,
    checks: Sequence[RateCheck] = (),
) -> str:
    """What the number of frozen layers does to each language; nothing before all is finished.

    Where learning rates changed with N, that comes first, with what `checks` found at one rate.
    """
    if not results.finished:
        return ""
    found, targets = _findings(results, judgements, selection)
    codes, tried = [each.language for each in targets], _tried(results)
    said = " ".join(
        (*_unequal_rates(targets, codes, checks), *(_finding(each, tried) for each in targets))
    )
    if len(results.frozen) < 2:
        return said
    first, *others = ((language_name(each.language), 100 * each.spread) for each in found)
    moves = "".join(f", {name} by {points:.1f}" for name, points in others)
    return f"{said} Over all N, {first[0]} moves by {first[1]:.1f} points{moves}."


def headline(
    results: TransferResults,
    judgements: Judgements,
    selection: str,
    checks: Sequence[RateCheck] = (),
) -> str:
    """The finding in one sentence: languages of which the same is to be said are said together.

    What `checks` found at one rate comes first, since else a gain may be that of a learning rate.
    """
    if not results.finished:
        return ""
    _, targets = _findings(results, judgements, selection)
    brief = has_many(results)
    if brief and len(results.frozen) < 2:
        return ""
    alike: dict[str, list[str]] = {}
    for each in targets:
        name = f"**{language_name(each.language)}**"
        alike.setdefault(_outcome(each, _tried(results), brief=brief), []).append(name)
    said = []
    codes = [each.language for each in targets]
    for check in checks:
        said.append(
            f"at the learning rate of training all, N = {signed(check.frozen)} "
            f"{_outcome_at_one_rate(_gains_in(check, codes))}"
        )
    said += [outcome.format(_names(names)) for outcome, names in alike.items()]
    sentence = "; ".join(said)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _findings(
    results: TransferResults, judgements: Judgements, selection: str
) -> tuple[list[Finding], list[Finding]]:
    """What N does to each language, and to those alone that were not trained on."""
    found = [
        find_by_language(results, judgements, selection, code)
        for code in ordered_languages(results)
    ]
    return found, [each for each in found if each.language != results.source_language] or found


def _names(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= MOST_LINES else f"**{len(names)} languages**"


def _tried(results: TransferResults) -> list[int]:
    """The N that training all is compared with."""
    return [n for n in results.frozen if n != ALL_TRAINED]


def _outcome(found: Finding, tried: Sequence[int], *, brief: bool = False) -> str:
    """What freezing does to a language, {} in the place of its name; `brief` without values."""
    n, gain = signed(found.highest_frozen), found.gain
    only = f"N = {signed(tried[0])}" if len(tried) == 1 else ""
    if not found.above_chance:
        return "at no N can {} be told from chance"
    if gain is None and found.highest_frozen == ALL_TRAINED and tried:
        if only and brief:  # said together with those in which it is a little above
            return f"{only} is not clearly above training all in {{}}"
        none = f"{only} does no" if only else "no N does"
        return f"{none} better in {{}} than training all"
    if gain is None and brief:
        return f"accuracy in {{}} is highest at N = {n}"
    if gain is None:
        return f"{{}} reaches up to {percent(found.highest)} (N = {n})"
    if not gain.is_clear:
        none = f"{only} is not" if only else "no N is"
        return f"{none} clearly above training all in {{}}"
    if brief:
        seeds = "with one seed, " if gain.seeds == 1 else ""
        rate = "" if found.same_rate else ", which had a learning rate of its own"
        return f"{seeds}N = {n} is above training all in {{}}{rate}"
    value = f"{signed(100 * gain.value, 1)} points, {_ends(gain.widened)}"
    if gain.seeds == 1:
        return f"with one seed, N = {n} is above training all in {{}} ({_alone(gain)})"
    if not found.same_rate:
        return f"{{}} gains at N = {n}, which had a learning rate of its own ({value})"
    return f"freezing helps {{}} at N = {n} ({value})"


def _unequal_rates(
    found: Sequence[Finding], codes: Sequence[str], checks: Sequence[RateCheck]
) -> list[str]:
    """Where the learning rate changed with N, no gain is said to be freezing's."""
    if checks:
        return [at_one_rate(check, codes) for check in checks]
    if all(each.same_rate for each in found):
        return []
    return [
        "Freezing and learning rate changed together, so this run cannot tell which of them did it."
    ]


def at_one_rate(check: RateCheck, codes: Sequence[str]) -> str:
    """What an N gained that learned at the rate of training all, in a run of its own."""
    gains = _gains_in(check, codes)
    values = listed([f"{_alone(gain)} in {language_name(code)}" for code, gain in gains.items()])
    return (
        f"**At the learning rate of training all, N = {signed(check.frozen)} "
        f"{_outcome_at_one_rate(gains)}**: {values} (run {check.run}). Here frozen layers and a "
        "rate of their own changed together."
    )


def _gains_in(check: RateCheck, codes: Sequence[str]) -> dict[str, Gain]:
    return {code: check.gains[code] for code in codes if code in check.gains}


def _outcome_at_one_rate(gains: Mapping[str, Gain]) -> str:
    clear = [language_name(code) for code, gain in gains.items() if gain.is_clear]
    if clear:
        return f"still gains in {listed(clear)}"
    if all(gain.value <= 0 for gain in gains.values()):
        return "gains nothing"
    return "shows no clear gain"


def _alone(gain: Gain) -> str:
    """A gain with the interval that it has as the only comparison."""
    return f"{signed(100 * gain.value, 1)} points ({_ends(gain.alone)})"


def _ends(interval: tuple[float, float]) -> str:
    low, high = (signed(100 * end, 1) for end in interval)
    return f"{low} to {high}"


def _finding(found: Finding, tried: Sequence[int]) -> str:
    """One language; a value is praised only if its interval tells it from training all."""
    name, n = f"**{language_name(found.language)}**", signed(found.highest_frozen)
    highest = percent(found.highest)
    only = f"N = {signed(tried[0])}" if len(tried) == 1 else ""
    if not found.above_chance:
        return f"{name} cannot be told from chance at any N: at most {highest}."
    gain = found.gain
    if gain is None:
        if found.highest_frozen == ALL_TRAINED and tried:
            none = f"{only} does no" if only else "No N does"
            return f"{none} better in {name} than training all ({highest})."
        return f"{name} reaches up to {highest} (N = {n})."
    if gain.is_clear and gain.seeds == 1:
        return (
            f"In {name}, with the one seed that both have, N = {n} is {_alone(gain)} "
            "against training all; other seeds may differ."
        )
    value = f"{signed(100 * gain.value, 1)} points ({_ends(gain.widened)})"
    if gain.is_clear and not found.same_rate:
        return (
            f"{name} gains: N = {n}, at a learning rate of its own, gives {highest}, {value} "
            "against training all."
        )
    if gain.is_clear:
        return f"Freezing helps {name}: N = {n} gives {highest}, {value} against training all."
    best_of = f", {_ends(gain.widened)} as the best of {gain.compared}" if gain.compared > 1 else ""
    none = f"{only} is not" if only else "no N is"
    which = "it gives" if only else f"the highest, N = {n}, is"
    return (
        f"In {name} {none} clearly above training all: {which} "
        f"{signed(100 * gain.value, 1)} points ({_ends(gain.alone)} by itself{best_of})."
    )
