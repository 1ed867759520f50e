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
    """The finding at a layer, as wide as its evidence.

    It is called one only where both coefficients are told from 0 and from random weights.
    """
    many, name = len(found.languages), language_name(results.source_language)
    r = float(found.pearson.value[layer])
    if not np.isfinite(r):
        return f"At layer {layer} all {many} languages lie equally close to {name}."
    seeds = "one seed" if found.seeds == 1 else f"{found.seeds} seeds"
    basis = f"{_figures(found, layer)} over {many} languages, {seeds}; {_random(found, layer)}"
    if untold := not_told(found, layer):
        told = f"cannot be told from {untold[0]}"
        if len(untold) > 1:
            told = f"can be told neither from {untold[0]} nor from {untold[1]}"
        how = "rises" if r > 0 else "falls"
        claim = f"**At layer {layer}, accuracy {how} with closeness to {name}, but this {told}**"
    else:
        how = "better" if r > 0 else "worse"
        claim = f"**At layer {layer}, languages closer to {name} are transferred to {how}**"
    return f"{claim}: {basis}.{_in_others(found, results, layer)}"


def not_told(found: OverLanguages, layer: int) -> list[str]:
    """What the tie at a layer cannot be told from; nothing where it is a finding.

    From chance it is where both coefficients lie at one side of 0 with their intervals.
    """
    ends = [(each.low[layer], each.high[layer]) for each in (found.pearson, found.spearman)]
    above, below = all(low > 0 for low, _ in ends), all(high < 0 for _, high in ends)
    untold = [] if above or below else ["chance"]
    if found.random is None:
        return [*untold, "random weights"]
    if not np.isfinite(found.random.pearson.value[layer]):
        return untold
    if found.pearson.value[layer] > 0:
        clear = found.random.ahead_low[layer] > 0
    else:
        clear = found.random.ahead_high[layer] < 0
    return untold if clear else [*untold, "random weights"]


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


def _figures(found: OverLanguages, layer: int) -> str:
    ties = {"Pearson": found.pearson, "Spearman": found.spearman}
    return ", ".join(
        f"{name} {_coefficient(float(each.value[layer]))} "
        f"({_ends(float(each.low[layer]), float(each.high[layer]))})"
        for name, each in ties.items()
    )


def _random(found: OverLanguages, layer: int) -> str:
    """What the same accuracies have to do with closeness in a model that learned nothing."""
    if found.random is None:
        return "random weights were not measured"
    r = float(found.random.pearson.value[layer])
    if not np.isfinite(r):
        return "with random weights all lie equally close"
    return f"with random weights Pearson {_coefficient(r)}"


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
    seeds = " and seeds" if found.seeds > 1 else ""
    return (
        f"{measure.title}: {measure.explanation}, of {found.sentences:,} premises of the dev set. "
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
