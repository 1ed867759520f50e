"""What a sweep's figures say in words, and how far to trust them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.figures.frozen_axis import signed
from components.languages import language_name
from components.transfer_lines import ordered_languages
from isogloss.bootstrap import LEVEL
from isogloss.formatting import human_time
from isogloss.published import PublishedTransfer
from isogloss.sweep_results import Finding, SweepResults


def describe(results: SweepResults, selection: str) -> str:
    """Where each target did best, and how much the number of frozen layers matters to each."""
    found = [results.finding(selection, code) for code in ordered_languages(results)]
    targets = [each for each in found if each.language != results.source_language] or found
    best = " ".join(
        _best(each, len(results.seeds), results.margin(selection, each.language))
        for each in targets
    )
    first, *others = (
        (language_name(each.language), 100 * each.spread_over_layers) for each in found
    )
    moves = "".join(f", {name} by {points:.1f}" for name, points in others)
    return f"{best} Over all N, {first[0]} moves by {first[1]:.1f} points{moves}."


def _best(found: Finding, seeds: int, margin: float) -> str:
    """The best N of a language, and whether its gain is more than chance gives."""
    gain = ""
    if found.all_trained is not None and found.best_frozen != -1:
        points = 100 * (found.best - found.all_trained)
        gain = f", {signed(points, 1)} points against training all"
        if seeds > 1 and points < 100 * found.spread_over_seeds:
            gain += f", less than seeds differ ({100 * found.spread_over_seeds:.1f})"
        elif seeds == 1 and points < 200 * margin:
            gain += f", but each is known only to ± {100 * margin:.1f}"
    name = language_name(found.language)
    return (
        f"**{name}** does best with N = {signed(found.best_frozen)}: "
        f"{100 * found.best:.1f} %{gain}."
    )


def basis(results: SweepResults, selection: str, published: Sequence[PublishedTransfer]) -> str:
    """How the figures came about, what was saved, and whose the published ones are."""
    paragraphs = (
        f"{_unfinished(results)} {_small(results, selection)}",
        f"{_bands(results)} {_saved(results)}",
        _sources(published),
    )
    return "\n\n".join(text.strip() for text in paragraphs if text.strip())


def _unfinished(results: SweepResults) -> str:
    total = len(results.frozen) * len(results.seeds)
    if results.done == total:
        return ""
    return f"**{results.done} of {total} fine-tunings are done**; what is missing is left out."


def _small(results: SweepResults, selection: str) -> str:
    if not results.small:
        return ""
    margin = max(results.margin(selection, code) for code in results.languages)
    return (
        f"**The bundled set is small**: with {int(results.tested.min())} test pairs a language, "
        f"one run is known to ± {100 * margin:.0f} points. Take it as a demonstration."
    )


def _bands(results: SweepResults) -> str:
    if len(results.seeds) == 1:
        return f"There is one seed; bands are its {LEVEL:.0%} intervals (Wilson)."
    return (
        f"Bands reach from the worst to the best of {len(results.seeds)} seeds and dashes are "
        f"single seeds; hovering gives each its {LEVEL:.0%} interval (Wilson). Click an N to move "
        "the layer that all pages mark; N = −1 has none."
    )


def _saved(results: SweepResults) -> str:
    made, plain = np.nansum(results.passes, axis=(1, 2))
    took = f"{results.done} fine-tunings took {human_time(float(np.nansum(results.seconds)))}."
    if results.saving is None or results.saving < 1.005:
        return took
    return (
        f"{took} What frozen layers say was computed once for all epochs and seeds: "
        f"**{results.saving:.1f} times fewer** passes of a token through a block, {made:,.1f} "
        f"instead of {plain:,.1f} million (without the one pass that is shared)."
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
