"""The transfer page's panel: accuracy over frozen layers, and whether it follows alignment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np
import streamlit as st

from components.shared import charts, loading
from components.shared.layout import finding, finding_and_settings, folded, notes
from components.shared.markdown import in_markdown, in_table
from components.shared.panels import panel
from components.shared.runs import run_layer
from components.shared.runs.run_panel import runs_with_results, table_download
from components.transfer.basis import bands_of, basis, caveats
from components.transfer.closer_languages import (
    find_over_languages,
    how_it_was_measured,
    on_other_models,
    say_over_languages,
    show_over_languages,
)
from components.transfer.companions import (
    alignment_by_layer,
    show_correlation,
    show_difference,
)
from components.transfer.lines import (
    MOST_LINES,
    TransferShown,
    gain_text,
    has_many,
    languages_shown,
    line_colors,
    ordered_languages,
    published_curves,
    published_results,
    read_findings,
    transfer_lines,
    transfer_references,
)
from components.transfer.view import TransferView, choose_view
from components.transfer.wording import describe, headline
from isogloss.figures.experiments.frozen_axis import nearest_frozen
from isogloss.figures.experiments.published_marks import PublishedCurve
from isogloss.figures.experiments.transfer_curves import transfer_figure
from isogloss.formatting import percent
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.closeness import CLOSENESS
from isogloss.lab.transfer.comparison import check_rates, is_same_but_for_rates
from isogloss.lab.transfer.gains import Judgements
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import TransferResults
from isogloss.measures.correlation import FEWEST_POINTS
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import LEVEL
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name


def upper_middle(n_layers: int) -> int:
    """The layer to begin with, as on other pages."""
    return round(n_layers * 2 / 3)


def layer_slider(run: Run, study: Study | None) -> int | None:
    """The layer on show, in the sidebar: the study's, else that of a run that looks at layers."""
    if study is not None:
        return charts.layer_slider(study)
    if not run.has_kept(CLOSENESS):
        return None
    n_layers = cast(TransferPlan, run.plan).n_layers
    known, first = range(n_layers + 1), upper_middle(n_layers)
    run_layer.slider(run, known, first)
    return run_layer.current(run, known, first)


@panel
def transfer_panel(run: Run, study: Study | None, layer: int | None) -> None:
    """Accuracy against N, its tie to the alignment of layer N, and a second run beside it."""
    place, settings = finding_and_settings()
    with settings:
        view = choose_view(run, layer if study is None else None)
    shown = TransferShown.of(run, view.selection)
    other = TransferShown.of(view.other, view.selection) if view.other else None
    results = shown.results
    layer = layer if layer is not None and layer <= results.n_layers else None
    words = alignment_by_layer(study)
    # No N freezes a final norm, so what stands beside N are the layers alone.
    layers = slice(results.n_layers + 1)
    scored = None if words is None else words.scores
    alignment = None if scored is None else scored.nearest_share[layers]
    checks = check_rates(results, _same_but_for_rates(run, results), view.selection)
    said = headline(results, shown.judgements, view.selection, checks)
    over = find_over_languages(run, results, view)
    at = upper_middle(results.n_layers) if layer is None else layer
    about = "" if over is None else say_over_languages(over, results, at)
    if said or about:
        with place:
            finding(f"{about} {said}".strip())
    if over is not None:
        name = f"isogloss-transfer-{run.id}"
        show_over_languages(over, results, view, at, lambda n: _move(n, study, run), name)
    if over is None or _has_curves(results):
        _show_curves(shown, other, view, study, alignment, layer, said)
        band = bands_of(results, view.languages)
        st.caption(f"{caveats(results, view.selection)} {band} Click an N.".strip())
        _show_numbers(shown, view, layer)
    if other is not None:
        show_difference(shown, other, view)
    if _layers_frozen(results) >= FEWEST_POINTS:
        with folded("Does accuracy follow alignment?", ":material/scatter_plot:") as opened:
            if opened:
                show_correlation(results, view.selection, study, words, layer)
    published = published_results(results, view.published)
    drawn = bool(_curves(results, view))
    notes(
        *(
            ()
            if over is None
            else (
                how_it_was_measured(over, results, at),
                on_other_models(over, results),
            )
        ),
        describe(results, shown.judgements, view.selection, checks),
        basis(results, shown.gains, view.selection, published, curves=drawn),
    )
    _show_table(shown, view)


def _has_curves(results: TransferResults) -> bool:
    """Whether more than one N is there to look at."""
    return int(np.isfinite(results.seconds).any(1).sum()) > 1


def _layers_frozen(results: TransferResults) -> int:
    """How many N have a layer, so that accuracy can be set against its alignment."""
    finished = {n for n, _ in results.units}
    return sum(n >= 0 for n in finished)


def _same_but_for_rates(
    run: Run, results: TransferResults
) -> Iterator[tuple[str, TransferResults, Judgements]]:
    """Finished runs that may tell what freezing does where the rate did not change with it."""
    if len(set(results.rates)) == 1:
        return
    for other in runs_with_results(TransferPlan.KIND):
        if other.id != run.id and is_same_but_for_rates(run, other):
            found, judgements = loading.findings(other, read_findings)
            if found.finished:
                yield other.id, found, judgements


def _curves(results: TransferResults, view: TransferView) -> list[PublishedCurve]:
    colors = line_colors(results, charts.mode())
    return published_curves(results, colors, view.published, view.axis, view.languages)


def _show_curves(
    shown: TransferShown,
    other: TransferShown | None,
    view: TransferView,
    study: Study | None,
    alignment: Array | None,
    layer: int | None,
    said: str,
) -> None:
    results = shown.results
    colors = line_colors(results, charts.mode())
    lines = transfer_lines(results, shown.gains, view.selection, colors, view.languages)
    deepest = results.n_layers
    if other is not None:
        colors = {**line_colors(other.results, charts.mode()), **colors}
        same = other.run.plan.title == shown.run.plan.title
        note = other.run.id if same else other.run.plan.title
        lines += transfer_lines(
            other.results, other.gains, view.selection, colors, view.languages, f", {note}"
        )
        deepest = max(deepest, other.results.n_layers)
    charts.show_clickable(
        partial(
            transfer_figure,
            lines,
            deepest if view.axis == "n" else results.n_layers,
            layer,
            transfer_references(
                results, colors, published_results(results, view.published), view.languages
            ),
            alignment,
            charts.mode(),
            measured_on="" if study is None else study.text_title,
            curves=_curves(results, view),
            axis=view.axis,
            named_at_end=has_many(results),
            bands=len(lines) <= MOST_LINES,
        ),
        "transfer-curves",
        f"Accuracy against frozen layers. {said}",
        lambda x, y: _move(nearest_frozen(x, results.n_layers, view.axis), study, shown.run),
        picture=f"isogloss-transfer-{shown.run.id}",
    )


def _move(n: int, study: Study | None, run: Run) -> None:
    """N is the layer that is frozen last; training everything has none to go to."""
    if n >= 0 and study is not None:
        charts.move_cursor(n, study.key)
    elif n >= 0 and run.has_kept(CLOSENESS):
        run_layer.move(run, n)


def _show_numbers(shown: TransferShown, view: TransferView, layer: int | None) -> None:
    results = shown.results
    if layer is None:
        return
    if layer not in results.frozen:
        if layer != upper_middle(results.n_layers) and _has_curves(results):
            st.caption(f"N = {layer} is not in this run; click on one that is.")
        return
    mean = results.mean(view.selection)
    place = results.frozen.index(layer)
    codes = languages_shown(results, view.languages)[:MOST_LINES]
    for column, code in zip(st.columns(max(len(codes), 2)), codes, strict=False):
        at = results.languages.index(code)
        if not np.isfinite(mean[place, at]):
            column.metric(f"{in_markdown(language_name(code))}, N = {layer}", "not yet")
            continue
        gain = next(iter(gain_text(shown.gains, place, at, layer)), "")
        column.metric(
            f"{in_markdown(language_name(code))}, N = {layer}",
            percent(mean[place, at]),
            f"{gain.partition(' ')[0]} points" if gain else None,
            delta_color="off",
            delta_arrow="off",
            help=f"The mean over seeds, of {int(results.tested[at]):,} test pairs; one run is "
            f"known to ± {100 * results.margin(view.selection, code):.1f} points."
            + (f" In grey: {gain}, with its {percent(LEVEL, 0)} interval." if gain else ""),
        )


def _show_table(shown: TransferShown, view: TransferView) -> None:
    results, gains = shown.results, shown.gains
    mean, (low, high) = results.mean(view.selection), results.band(view.selection)
    table: dict[str, list[Any]] = {"N": list(results.frozen)}
    for code in ordered_languages(results):
        column = results.languages.index(code)
        name = in_table(language_name(code))
        table[name] = list(100 * mean[:, column])
        table[f"{name}, lowest"] = list(100 * low[:, column])
        table[f"{name}, highest"] = list(100 * high[:, column])
        if -1 in results.frozen:
            table[f"{name}, gain"] = list(100 * gains.values[:, column])
            table[f"{name}, gain from"] = list(100 * gains.low[:, column])
            table[f"{name}, gain to"] = list(100 * gains.high[:, column])
    table["Seeds"] = [int(count) for count in np.isfinite(results.seconds).sum(1)]
    table["Seconds"] = list(np.nansum(results.seconds, axis=1))
    with st.expander("Table", icon=":material/table:"):
        st.dataframe(
            table,
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.1f")
                for name in table
                if name not in ("N", "Seeds")
            },
            key="transfer-table",
            alt="Accuracy in per cent for each N and language",
        )
        st.caption(
            "Per cent, over seeds; gains are over training all. The file has every seed with its "
            "counts and intervals, for both ways of choosing the model."
        )
        table_download(results.rows(), f"isogloss-transfer-{shown.run.id}")
