"""A sweep's results as what the transfer chart draws: lines, their colours, levels to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from components.figures.frozen_axis import signed
from components.figures.template import Mode, plain
from components.figures.transfer_curves import TransferLine, TransferReference, language_colors
from components.languages import language_name
from isogloss.published import TRANSFER_XNLI, PublishedTransfer
from isogloss.sweep_results import CHANCE, SweepResults

PUBLISHED = {"mbert": "mBERT", "all": "All", "none": "None"}
"""Which published results are drawn: those of the model the experiment was first done with, …"""


def ordered_languages(results: SweepResults) -> list[str]:
    """The languages, the one that was trained on first."""
    return sorted(results.languages, key=lambda code: code != results.source_language)


def line_colors(results: SweepResults, mode: Mode) -> dict[str, str]:
    """A colour for each language; that of the source is its own even where it is not tested."""
    targets = [code for code in results.languages if code != results.source_language]
    names = [results.source_language, *targets]
    return dict(zip(names, language_colors(len(names), mode), strict=True))


def transfer_lines(
    results: SweepResults, selection: str, colors: Mapping[str, str], note: str = ""
) -> list[TransferLine]:
    """One line a language, solid; with a `note` to their names, dashed, for a second sweep."""
    mean, (low, high) = results.mean(selection), results.band(selection)
    if len(results.seeds) == 1:  # one seed has no spread, but what it counted has an interval
        low, high = (ends[:, :, 0] for ends in results.intervals(selection))
    accuracy = results.accuracy(selection)
    lines = []
    for code in ordered_languages(results):
        column = results.languages.index(code)
        name = f"{language_name(code)}{note}"
        lines.append(
            TransferLine(
                name=name,
                color=colors[code],
                frozen=results.frozen,
                mean=mean[:, column],
                low=low[:, column],
                high=high[:, column],
                seeds=accuracy[:, column],
                notes=_notes(results, selection, name, column),
                dash="dash" if note else "solid",
            )
        )
    return lines


def _notes(results: SweepResults, selection: str, name: str, column: int) -> list[str]:
    """What each point says: the mean, and every seed with its interval."""
    mean, accuracy = results.mean(selection)[:, column], results.accuracy(selection)[:, column]
    low, high = (ends[:, column] for ends in results.intervals(selection))
    notes = []
    for place, n in enumerate(results.frozen):
        seeds = [
            f"seed {seed}: {100 * accuracy[place, i]:.1f} %  "
            f"({100 * low[place, i]:.1f} to {100 * high[place, i]:.1f})"
            for i, seed in enumerate(results.seeds)
            if np.isfinite(accuracy[place, i])
        ]
        head = f"{plain(name)}, N = {signed(n)}: <b>{100 * mean[place]:.1f} %</b>"
        notes.append("<br>".join([head, *seeds]))
    return notes


def published_results(results: SweepResults, wish: str) -> list[PublishedTransfer]:
    """The published results in a sweep's languages that `wish`, one of `PUBLISHED`, asks for."""
    return [
        known
        for known in TRANSFER_XNLI
        if set(known.accuracy) & set(results.languages)
        and (wish == "all" or (wish == "mbert" and known is TRANSFER_XNLI[0]))
    ]


def transfer_references(
    results: SweepResults, colors: Mapping[str, str], published: Sequence[PublishedTransfer]
) -> list[TransferReference]:
    """Chance, and what others have reached in the sweep's languages."""
    return [
        TransferReference("chance", CHANCE),
        *(
            TransferReference(f"{known.system}, {code}", value, colors[code])
            for known in published
            for code, value in known.accuracy.items()
            if code in results.languages
        ),
    ]
