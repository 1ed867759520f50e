"""Whether languages that lie closer to the source are transferred to better: figures and words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from components.shared import charts, loading
from components.shared.layout import chart_columns
from components.shared.markdown import language_name
from components.transfer.view import TransferView
from isogloss.figures.experiments.frozen_axis import signed
from isogloss.figures.experiments.language_points import (
    LanguagePoints,
    OthersPoints,
    language_points_figure,
    ties_by_layer_figure,
)
from isogloss.formatting import listed, percent
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.closeness import CLOSENESS_MEASURES, read_closeness
from isogloss.lab.transfer.gains import read_judgements
from isogloss.lab.transfer.over_languages import OverLanguages, other_models, over_languages
from isogloss.lab.transfer.results import TransferResults, read_transfer
from isogloss.measures.uncertainty import LEVEL
from isogloss.published import ZERO_SHOT_XNLI, PublishedTransfer
from isogloss.text import language_names


def find_over_languages(
    run: Run, results: TransferResults, view: TransferView
) -> OverLanguages | None:
    """What the view asks of closeness and accuracy; None where the run has not measured it."""
    frozen = view.frozen if view.frozen in results.frozen else results.frozen[0]
    return loading.findings(run, _read, view.selection, frozen, view.closeness)


def _read(run: Run, selection: str, frozen: int, measure: str) -> OverLanguages | None:
    results = read_transfer(run)
    closeness = read_closeness(run, results.others)
    if closeness is None:
        return None
    judgements = read_judgements(run, results)
    return over_languages(results, judgements, selection, frozen, closeness, measure)


def say_over_languages(found: OverLanguages, results: TransferResults, layer: int) -> str:
    """The finding at a layer in one sentence, as wide as its evidence."""
    source = results.source_language
    tie = found.pearson
    r, low, high = (float(each[layer]) for each in (tie.value, tie.low, tie.high))
    many, name = len(found.languages), language_name(source)
    if not np.isfinite(r):
        return f"At layer {layer} all {many} languages lie equally close to {name}."
    seeds = "one seed" if found.seeds == 1 else f"{found.seeds} seeds"
    basis = f"Pearson {_coefficient(r)} ({_ends(low, high)}) over {many} languages, {seeds}"
    if low <= 0 <= high:
        claim = (
            f"**Whether languages closer to {name} are transferred to better cannot be told at "
            f"layer {layer}**"
        )
    else:
        how = "better" if r > 0 else "worse"
        claim = f"**At layer {layer}, languages closer to {name} are transferred to {how}**"
    random = _against_random(found, layer, told=not low <= 0 <= high)
    return f"{claim}: {basis}{random}.{_in_others(found, results, layer)}"


def _in_others(found: OverLanguages, results: TransferResults, layer: int) -> str:
    """How far published accuracies of other models follow this model's closeness."""
    if not results.on_xnli:
        return ""
    values = {
        each.system: float(other_models(found, dict(each.accuracy))[0][layer])
        for each in ZERO_SHOT_XNLI
    }
    said = [f"{name} {_coefficient(r)}" for name, r in values.items() if np.isfinite(r)]
    return f" Other models' published accuracies follow the same closeness: {listed(said)}."


def _against_random(found: OverLanguages, layer: int, *, told: bool) -> str:
    if found.random is None:
        return ""
    r = float(found.random.pearson.value[layer])
    if not np.isfinite(r):
        return "; with random weights all lie equally close"
    if not told:
        return f"; with random weights {_coefficient(r)}"
    low, high = float(found.random.ahead_low[layer]), float(found.random.ahead_high[layer])
    if low <= 0 <= high:
        other = "less" if r < float(found.pearson.value[layer]) else "more"
        return f"; with random weights {_coefficient(r)}, not clearly {other}"
    return f"; with random weights {_coefficient(r)}"


def _coefficient(value: float) -> str:
    return signed(value, 2)


def _ends(low: float, high: float) -> str:
    return f"{_coefficient(low)} to {_coefficient(high)}"


def show_over_languages(
    found: OverLanguages,
    results: TransferResults,
    view: TransferView,
    layer: int,
    move: Callable[[int], None],
    picture: str,
) -> None:
    """One point a language at the layer, and the correlation at every layer."""
    source = language_names.language_name(results.source_language)
    title = f"{CLOSENESS_MEASURES[found.measure].title}, {source} and the other, layer {layer}"
    points = LanguagePoints(
        [language_names.language_name(code) for code in found.languages],
        found.languages,
        found.closeness[layer],
        found.accuracy,
        found.low,
        found.high,
    )
    left, right = chart_columns([3, 2], "closer-languages")
    with left:
        charts.show(
            partial(
                language_points_figure,
                points,
                title,
                None if found.source_accuracy is None else (source, found.source_accuracy),
                [OthersPoints(each.system, each.accuracy) for each in others(results, view)],
                charts.mode(),
            ),
            "transfer-languages",
            "Accuracy of each language against how close it lay to the source before training. "
            + say_over_languages(found, results, layer),
            picture=f"{picture}-languages",
        )
    with right:
        charts.show_clickable(
            partial(
                ties_by_layer_figure,
                found.pearson,
                found.random.pearson if found.random else None,
                layer,
                charts.mode(),
            ),
            "transfer-ties",
            "Correlation over languages of accuracy with closeness, for every layer",
            lambda x, y: move(round(x)),
            picture=f"{picture}-layers",
        )
    st.caption(
        f"Closeness before any training, accuracy after it with N = {signed(found.frozen)}.",
        help=how_it_was_measured(found, results, layer),
    )


def others(results: TransferResults, view: TransferView) -> list[PublishedTransfer]:
    """Published accuracies in these languages, beside a run on the same test set."""
    if view.published == "none" or not results.on_xnli:
        return []
    return list(ZERO_SHOT_XNLI if view.published == "all" else ZERO_SHOT_XNLI[:1])


def how_it_was_measured(found: OverLanguages, results: TransferResults, layer: int) -> str:
    """What the figures rest on, and how likely they are by chance."""
    measure = CLOSENESS_MEASURES[found.measure]
    spearman = found.spearman
    seeds = " and seeds" if found.seeds > 1 else ""
    return (
        f"{measure.title}: {measure.explanation}, of {found.sentences:,} premises of the dev set. "
        f"Spearman {_coefficient(float(spearman.value[layer]))} "
        f"({_ends(float(spearman.low[layer]), float(spearman.high[layer]))}). "
        f"If accuracies were dealt to languages at random, a Pearson coefficient as far from 0 "
        f"would come up in {percent(found.pearson.p_value[layer])} of dealings at layer {layer}, "
        f"and at some layer in {percent(found.pearson.p_of_all[layer])}. {percent(LEVEL, 0)} "
        f"intervals are over languages and test pairs{seeds}. Languages closer to English also "
        "have more text to learn from, so a correlation names no cause."
    )


def on_other_models(found: OverLanguages, results: TransferResults) -> str:
    """What it means that others' accuracies follow this model's closeness, and whose they are."""
    if not results.on_xnli:
        return ""
    sources = "; ".join(
        f"{each.system}: {each.source.full}, {each.source.place}" for each in ZERO_SHOT_XNLI
    )
    return (
        "This model's closeness cannot have caused what other models reach. So far as their "
        "published accuracies follow it, it says which languages are easy to transfer to, for "
        f"whatever reason, and not what this model makes of them ({sources})."
    )
