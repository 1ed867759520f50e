"""A run's results as what the transfer chart draws: lines, their colours, levels to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from components.shared import loading
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.figures.experiments.published_marks import PublishedCurve, TransferReference
from isogloss.figures.experiments.transfer_curves import TransferLine, language_colors
from isogloss.figures.template import Mode, plain
from isogloss.formatting import percent
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.gains import Gains, Judgements, gains_of_freezing, read_judgements
from isogloss.lab.transfer.results import TransferResults, read_transfer
from isogloss.published import FREEZING_XNLI, TRANSFER_XNLI, PublishedTransfer
from isogloss.text.language_names import language_name
from isogloss.text.nli import CHANCE

PUBLISHED = {"mbert": "mBERT", "all": "All", "none": "None"}
"""Which published results are drawn: mBERT's by frozen layers, the same experiment; others too."""


@dataclass(frozen=True)
class TransferShown:
    """A run with what the page says of it: which pairs were right, what freezing gained."""

    run: Run
    results: TransferResults
    judgements: Judgements
    gains: Gains

    @classmethod
    def of(cls, run: Run, selection: str) -> TransferShown:
        results, judgements = loading.findings(run, read_findings)
        return cls(run, results, judgements, gains_of_freezing(results, judgements, selection))


def read_findings(run: Run) -> tuple[TransferResults, Judgements]:
    """What a run has found, and which pairs were judged right."""
    results = read_transfer(run)
    return results, read_judgements(run, results)


def ordered_languages(results: TransferResults) -> list[str]:
    """The languages, the one that was trained on first."""
    return sorted(results.languages, key=lambda code: code != results.source_language)


MOST_LINES = 5
"""Of more languages, the mean over those that were not trained on is drawn, and their spread."""


def has_many(results: TransferResults) -> bool:
    """Whether a run has too many languages for a line each."""
    return len(results.languages) > MOST_LINES


def languages_shown(results: TransferResults, chosen: Sequence[str]) -> list[str]:
    """The languages that have a line of their own: the chosen ones, else all, or the source."""
    known = ordered_languages(results)
    wanted = [code for code in known if code in chosen]
    if wanted or not has_many(results):
        return wanted or known
    return [code for code in known if code == results.source_language]


def line_colors(results: TransferResults, mode: Mode) -> dict[str, str]:
    """A colour for each language; that of the source is its own even where it is not tested."""
    names = [results.source_language, *results.others]
    return dict(zip(names, language_colors(len(names), mode), strict=True))


def transfer_lines(
    results: TransferResults,
    gains: Gains,
    selection: str,
    colors: Mapping[str, str],
    chosen: Sequence[str] = (),
    note: str = "",
) -> list[TransferLine]:
    """One line a language, solid; with a `note` to their names, dashed, for a second run.

    Of many languages, those `chosen`; without any, the mean over the others and their spread.
    """
    mean, (low, high) = results.mean(selection), results.band(selection)
    if len(results.seeds) == 1:  # one seed has no spread, but what it counted has an interval
        low, high = (ends[:, :, 0] for ends in results.intervals(selection))
    accuracy = results.accuracy(selection)
    shown = languages_shown(results, chosen)
    lines = []
    for code in shown:
        column = results.languages.index(code)
        name = f"{language_name(code)}{note}"
        lines.append(
            TransferLine(
                name=name,
                color=colors[code],
                n_layers=results.n_layers,
                frozen=results.frozen,
                mean=mean[:, column],
                low=low[:, column],
                high=high[:, column],
                seeds=accuracy[:, column],
                notes=_notes(results, gains, selection, name, column),
                dash="dash" if note else "solid",
            )
        )
    if has_many(results) and not set(chosen) & set(results.languages):
        lines.append(_mean_line(results, selection, [*colors.values()][1], note))
    return lines


def _mean_line(results: TransferResults, selection: str, color: str, note: str) -> TransferLine:
    """The mean over the languages not trained on, its band from the lowest to the highest."""
    codes = results.others
    mean = results.mean(selection)[:, [results.languages.index(code) for code in codes]]
    notes = []
    for n, row in zip(results.frozen, mean, strict=True):
        if np.isfinite(row).all():
            order = np.argsort(row)
            low, high = (
                f"{plain(language_name(codes[at]))} {percent(row[at])}"
                for at in (order[0], order[-1])
            )
            notes.append(
                f"Mean of {len(codes)} languages{plain(note)}, N = {signed(n)}: "
                f"<b>{percent(row.mean())}</b><br>highest: {high}<br>lowest: {low}"
            )
        else:
            notes.append("")
    return TransferLine(
        name=f"mean of {len(codes)}{note}",
        color=color,
        n_layers=results.n_layers,
        frozen=results.frozen,
        mean=mean.mean(axis=1),
        low=mean.min(axis=1),
        high=mean.max(axis=1),
        seeds=np.full((len(mean), 1), np.nan),
        notes=notes,
        dash="dash" if note else "solid",
    )


def _notes(
    results: TransferResults, gains: Gains, selection: str, name: str, column: int
) -> list[str]:
    """What each point says: the mean, every seed with its interval, the gain with its own."""
    mean, accuracy = results.mean(selection)[:, column], results.accuracy(selection)[:, column]
    low, high = (ends[:, column] for ends in results.intervals(selection))
    notes = []
    for place, n in enumerate(results.frozen):
        seeds = [
            f"seed {seed}: {percent(accuracy[place, i])}  "
            f"({100 * low[place, i]:.1f} to {100 * high[place, i]:.1f})"
            for i, seed in enumerate(results.seeds)
            if np.isfinite(accuracy[place, i])
        ]
        head = f"{plain(name)}, N = {signed(n)}: <b>{percent(mean[place])}</b>"
        notes.append("<br>".join([head, *seeds, *gain_text(gains, place, column, n)]))
    return notes


def gain_text(gains: Gains, place: int, column: int, n: int) -> list[str]:
    """A point's gain over training all with its interval; nothing where there is none."""
    value, low, high = (100 * ends[place, column] for ends in (gains.values, gains.low, gains.high))
    if n == -1 or not np.isfinite(value):
        return []
    return [f"{signed(value, 1)} against training all ({signed(low, 1)} to {signed(high, 1)})"]


def published_results(results: TransferResults, choice: str) -> list[PublishedTransfer]:
    """The published levels in a run's languages, if `choice`, one of `PUBLISHED`, is all.

    On other pairs than XNLI's nothing published is of the same task.
    """
    shared = [known for known in TRANSFER_XNLI if set(known.accuracy) & set(results.languages)]
    return shared if choice == "all" and results.on_xnli else []


def published_curves(
    results: TransferResults,
    colors: Mapping[str, str],
    choice: str,
    axis: str,
    chosen: Sequence[str] = (),
) -> list[PublishedCurve]:
    """The published curves by frozen layers; by N only beside a model of the same depth."""
    known = FREEZING_XNLI
    other_depth = axis == "n" and known.n_layers != results.n_layers
    shown = languages_shown(results, chosen)
    if choice == "none" or other_depth or not results.on_xnli or len(shown) > MOST_LINES:
        return []
    return [
        PublishedCurve(
            f"{known.system} by N, {code}",
            colors[code],
            known.n_layers,
            known.frozen,
            known.accuracy[code],
        )
        for code in shown
        if code in known.accuracy
    ]


def transfer_references(
    results: TransferResults,
    colors: Mapping[str, str],
    published: Sequence[PublishedTransfer],
    chosen: Sequence[str] = (),
) -> list[TransferReference]:
    """Chance, and what others have reached in the languages that have a line."""
    shown = languages_shown(results, chosen)
    return [
        TransferReference("chance", CHANCE),
        *(
            TransferReference(f"{known.system}, {code}", value, colors[code])
            for known in published
            for code, value in known.accuracy.items()
            if code in shown
        ),
    ]
