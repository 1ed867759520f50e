"""What a sweep's figures say in words, and how far to trust them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.shared.markdown import language_name
from components.transfer.lines import ordered_languages
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.formatting import human_time
from isogloss.lab.transfer.comparison import (
    Finding,
    Gain,
    Gains,
    Judgements,
    RateCheck,
    find_by_language,
)
from isogloss.lab.transfer.results import TransferResults
from isogloss.measures.uncertainty import LEVEL
from isogloss.published import FREEZING_XNLI, PublishedTransfer


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
    found = [
        find_by_language(results, judgements, selection, code)
        for code in ordered_languages(results)
    ]
    targets = [each for each in found if each.language != results.source_language] or found
    first, *others = ((language_name(each.language), 100 * each.spread) for each in found)
    moves = "".join(f", {name} by {points:.1f}" for name, points in others)
    codes = [each.language for each in targets]
    said = " ".join((*_unequal_rates(targets, codes, checks), *map(_finding, targets)))
    return f"{said} Over all N, {first[0]} moves by {first[1]:.1f} points{moves}."


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
    gains = {code: check.gains[code] for code in codes if code in check.gains}
    values = _and([f"{_alone(gain)} in {language_name(code)}" for code, gain in gains.items()])
    clear = [language_name(code) for code, gain in gains.items() if gain.is_clear]
    if clear:
        outcome = f"still gains in {_and(clear)}"
    elif all(gain.value <= 0 for gain in gains.values()):
        outcome = "gains nothing"
    else:
        outcome = "shows no clear gain"
    return (
        f"**At the learning rate of training all, N = {signed(check.frozen)} {outcome}**: {values} "
        f"(run {check.run}). Here frozen layers and a rate of their own changed together."
    )


def _alone(gain: Gain) -> str:
    """A gain with the interval that it has as the only comparison."""
    return f"{signed(100 * gain.value, 1)} points ({_ends(gain.alone)})"


def _ends(interval: tuple[float, float]) -> str:
    low, high = (signed(100 * end, 1) for end in interval)
    return f"{low} to {high}"


def _finding(found: Finding) -> str:
    """One language; a value is praised only if its interval tells it from training all."""
    name, n = f"**{language_name(found.language)}**", signed(found.highest_frozen)
    highest = f"{100 * found.highest:.1f} %"
    if not found.above_chance:
        return f"{name} cannot be told from chance at any N: at most {highest}."
    gain = found.gain
    if gain is None:
        if found.highest_frozen == -1:
            return f"No N does better in {name} than training all ({highest})."
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
    return (
        f"In {name} no N is clearly above training all: the highest, N = {n}, is "
        f"{signed(100 * gain.value, 1)} points ({_ends(gain.alone)} by itself{best_of})."
    )


def basis(
    results: TransferResults,
    gains: Gains,
    selection: str,
    published: Sequence[PublishedTransfer],
    *,
    curves: bool,
) -> str:
    """How the figures came about, what was saved, and whose the published ones are."""
    paragraphs = (
        f"{_unfinished(results)} {_small(results, selection)}",
        f"{_bands(results)} {_gains(results, gains)} {_rates(results)}",
        _saved(results),
        f"{_curves() if curves else ''} {_sources(published)}",
    )
    return "\n\n".join(text.strip() for text in paragraphs if text.strip())


def _unfinished(results: TransferResults) -> str:
    total = len(results.frozen) * len(results.seeds)
    if results.done == total:
        return ""
    if results.shipped:
        seeds = np.isfinite(results.seconds).sum(1)
        fewer = [
            f"N = {signed(n)}"
            for n, count in zip(results.frozen, seeds, strict=True)
            if count < len(results.seeds)
        ]
        return f"**Not every N has all {len(results.seeds)} seeds**: fewer have {_and(fewer)}."
    return f"**{results.done} of {total} fine-tunings are done**; what is missing is left out."


def _small(results: TransferResults, selection: str) -> str:
    if not results.small:
        return ""
    margin = max(results.margin(selection, code) for code in results.languages)
    return (
        f"**The bundled set is small**: with {int(results.tested.min())} test pairs per language, "
        f"one run is known to ± {100 * margin:.0f} points. Take it as a demonstration."
    )


def _bands(results: TransferResults) -> str:
    if len(results.seeds) == 1:
        return f"There is one seed; bands are its {LEVEL:.0%} intervals (Wilson)."
    return (
        f"Bands reach from the worst to the best of {len(results.seeds)} seeds and dashes are "
        f"single seeds; hovering gives each its {LEVEL:.0%} interval (Wilson). Click an N to move "
        "the layer that all pages mark; N = −1 has none."
    )


def _gains(results: TransferResults, gains: Gains) -> str:
    if -1 not in results.frozen:
        return ""
    how = (
        "compare the same test pairs, pair by pair"
        if gains.paired
        else "take two samples for independent, since this run has not kept which pairs were right"
    )
    seeds = "" if len(results.seeds) == 1 else " and seeds"
    return (
        f"Gains over training all {how}; their {LEVEL:.0%} intervals are over test pairs{seeds}. A "
        "gain is called one above only where an interval that allows for every N and language "
        f"tried is above zero. {costs(results, gains)}"
    )


def costs(results: TransferResults, gains: Gains) -> str:
    """At which N each language has clearly less than with everything trained."""
    languages: dict[tuple[int, ...], list[str]] = {}
    for code in ordered_languages(results):
        places = gains.clearly_below(results.languages.index(code))
        frozen = tuple(results.frozen[place] for place in places)
        languages.setdefault(frozen, []).append(language_name(code))
    said = [
        f"at N = {_and([signed(n) for n in frozen])} in {_and(names)}"
        for frozen, names in languages.items()
        if frozen
    ]
    if not said:
        return "At no N is a language clearly below training all, each N by itself."
    return f"Clearly below training all, each N by itself: {'; '.join(said)}."


def _rates(results: TransferResults) -> str:
    """Which N learned at which rate, where they differ."""
    if len(set(results.rates)) == 1:
        return ""
    said = []
    for rate in sorted(set(results.rates)):
        at = [
            signed(n) for n, own in zip(results.frozen, results.rates, strict=True) if own == rate
        ]
        said.append(f"{rate:g} at N = {_and(at)}")
    return f"Layers learned at a rate of {'; of '.join(said)}."


def _and(words: Sequence[str]) -> str:
    """Words as a sentence lists them."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def _saved(results: TransferResults) -> str:
    made, plain = np.nansum(results.passes, axis=(1, 2))
    took = f"{results.done} fine-tunings took {human_time(float(np.nansum(results.seconds)))}."
    if np.isfinite(results.padding).any():
        took += (
            f" Of the tokens in training batches {np.nanmean(results.padding):.1%} were padding."
        )
    if results.saving is None or results.saving < 1.005:
        return took
    return (
        f"{took} Outputs of frozen layers were computed once for all epochs and seeds: "
        f"**{results.saving:.1f} times fewer** passes of a token through a block, {made:,.1f} "
        f"instead of {plain:,.1f} million (without the one pass that is shared)."
    )


def _curves() -> str:
    known = FREEZING_XNLI
    return (
        f"Thin lines with open diamonds are {known.system}'s by frozen layers, of {known.n_layers} "
        f"({known.source.full}), trained on all of MultiNLI."
    )


def _sources(published: Sequence[PublishedTransfer]) -> str:
    if not published:
        return ""
    systems = "; ".join(f"{known.system}: {known.source.full}" for known in published)
    translated = (
        " *Translated* ones learned from machine translations, too."
        if any(not known.zero_shot for known in published)
        else ""
    )
    return (
        "Dashed lines are published, on the XNLI test set, with far more training pairs than here. "
        f"{systems}.{translated}"
    )
