"""How a run's figures came about: intervals, gains, rates, costs, and what was published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.shared.markdown import language_name
from components.transfer.lines import MOST_LINES, has_many, languages_shown, ordered_languages
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.formatting import human_time, listed, percent
from isogloss.lab.transfer.gains import Gains
from isogloss.lab.transfer.results import TransferResults
from isogloss.measures.uncertainty import LEVEL
from isogloss.published import FREEZING_XNLI, PublishedTransfer


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
        f"{_bands(results)} {_gains(results, gains)} {_rates(results)}",
        _saved(results),
        f"{_curves() if curves else ''} {_sources(published)}",
    )
    return "\n\n".join(text.strip() for text in paragraphs if text.strip())


def bands_of(results: TransferResults, chosen: Sequence[str]) -> str:
    """What the chart's bands are, in a few words."""
    shown = languages_shown(results, chosen)
    if len(shown) > MOST_LINES:
        return f"Pointing at a value shows its {percent(LEVEL, 0)} interval."
    bands = "worst to best seed" if len(results.seeds) > 1 else f"{percent(LEVEL, 0)} intervals"
    if has_many(results) and not set(chosen) & set(results.languages):
        return f"Bands: {bands}; of the mean, lowest to highest language."
    return f"Bands: {bands}."


def caveats(results: TransferResults, selection: str) -> str:
    """What must be known before the figures are believed; empty for most runs."""
    return f"{_unfinished(results)} {_small(results, selection)}".strip()


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
        return f"**Not every N has all {len(results.seeds)} seeds**: fewer have {listed(fewer)}."
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
        return f"There is one seed; bands are its {percent(LEVEL, 0)} intervals (Wilson)."
    return (
        f"Bands reach from the worst to the best of {len(results.seeds)} seeds and dashes are "
        f"single seeds; hovering gives each its {percent(LEVEL, 0)} interval (Wilson). Click an N "
        "to move the layer that all pages mark; N = −1 has none."
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
        f"Gains over training all {how}; their {percent(LEVEL, 0)} intervals are over test "
        f"pairs{seeds}. A gain is called one above only where an interval that allows for every N "
        f"and language tried is above zero. {costs(results, gains)}"
    )


def costs(results: TransferResults, gains: Gains) -> str:
    """At which N each language has clearly less than with everything trained."""
    languages: dict[tuple[int, ...], list[str]] = {}
    for code in ordered_languages(results):
        places = gains.clearly_below(results.languages.index(code))
        frozen = tuple(results.frozen[place] for place in places)
        languages.setdefault(frozen, []).append(language_name(code))
    said = [
        f"at N = {listed([signed(n) for n in frozen])} in {listed(names)}"
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
        said.append(f"{rate:g} at N = {listed(at)}")
    return f"Layers learned at a rate of {'; of '.join(said)}."


def _saved(results: TransferResults) -> str:
    made, plain = np.nansum(results.passes, axis=(1, 2))
    took = f"{results.done} fine-tunings took {human_time(float(np.nansum(results.seconds)))}."
    if np.isfinite(results.padding).any():
        padding = percent(float(np.nanmean(results.padding)))
        took += f" Of the tokens in training batches {padding} were padding."
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
