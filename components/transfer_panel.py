"""The transfer page's panel: accuracy over frozen layers, and whether it follows alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import streamlit as st

from components import charts, query
from components import study as study_choice
from components.figures.frozen_axis import signed
from components.figures.transfer_companions import difference_figure
from components.figures.transfer_curves import transfer_figure
from components.languages import language_name
from components.layout import chart_columns, control_row
from components.panels import panel
from components.run_panel import run_address, run_label, runs_with_results, table_download
from components.transfer_alignment import alignment_by_layer, show_correlation
from components.transfer_lines import (
    PUBLISHED,
    line_colors,
    ordered_languages,
    published_results,
    transfer_lines,
    transfer_references,
)
from components.transfer_words import basis, describe
from isogloss.jobs import Run
from isogloss.stacks import Array
from isogloss.studies import Study
from isogloss.sweep_results import SELECTIONS, SweepResults, compare, read_sweep
from isogloss.transfer import SweepPlan

NOTHING = ""


@dataclass(frozen=True)
class View:
    """What the chart shows beside the run: how models were chosen, references, a second run."""

    selection: str
    published: str
    other: Run | None


@panel
def transfer_panel(run: Run, study: Study | None, layer: int | None) -> None:
    """Accuracy against N, its tie to the alignment of layer N, and a second run beside it."""
    results = read_sweep(run)
    layer = layer if layer is not None and layer <= results.n_layers else None
    view = _choose_view(run)
    other = read_sweep(view.other) if view.other else None
    alignment = alignment_by_layer(study)
    finding = st.container()
    left, right = chart_columns([1.75, 1], "transfer-columns")
    with left:
        _show_curves(run, results, other, view, study, alignment, layer)
        _show_numbers(results, view, layer)
    with right:
        show_correlation(results, view.selection, study, alignment, layer)
    if other is not None and view.other is not None:
        _show_difference(run, view.other, results, other, view)
    finding.markdown(describe(results, view.selection))
    st.caption(basis(results, view.selection, published_results(results, view.published)))
    _show_table(run, results, view)


def _choose_view(run: Run) -> View:
    others = {each.id: each for each in runs_with_results(SweepPlan.KIND) if each.id != run.id}
    selections = list(SELECTIONS)
    with control_row():
        selection = cast(
            str,
            st.segmented_control(
                "Model chosen by",
                selections,
                format_func=lambda name: SELECTIONS[name].title,
                default=query.asked("selection", selections, selections[0]),
                required=True,
                key="transfer-selection",
                help="\n\n".join(f"**{each.title}**: {each.help}" for each in SELECTIONS.values()),
            ),
        )
        names = [NOTHING, *others]
        compared = st.selectbox(
            "Compare with",
            names,
            index=names.index(query.asked("compare", names, NOTHING)),
            format_func=lambda name: run_label(others[name]) if name else "no other run",
            key=f"transfer-compare-{run.id}",
            disabled=not others,
            width=330,
        )
        published = cast(
            str,
            st.segmented_control(
                "Published",
                list(PUBLISHED),
                format_func=PUBLISHED.__getitem__,
                default=query.asked("published", list(PUBLISHED), next(iter(PUBLISHED))),
                required=True,
                key="transfer-published",
                help="Others' accuracies on XNLI, as dashed lines: larger models, trained on up "
                "to 390,000 pairs. They are not measurements of this page.",
            ),
        )
    more = {
        "run": run_address(run),
        "selection": query.unless(selection, selections[0]),
        "compare": compared,
        "published": query.unless(published, next(iter(PUBLISHED))),
    }
    if study_choice.current_choice() is None:
        query.write(**more)
    else:
        study_choice.write_query(**more)
    return View(selection, published, others.get(compared))


def _show_curves(
    run: Run,
    results: SweepResults,
    other: SweepResults | None,
    view: View,
    study: Study | None,
    alignment: Array | None,
    layer: int | None,
) -> None:
    colors = line_colors(results, charts.mode())
    lines = transfer_lines(results, view.selection, colors)
    if other is not None and view.other is not None:
        colors = {**line_colors(other, charts.mode()), **colors}
        same = view.other.plan.title == run.plan.title
        note = view.other.id if same else view.other.plan.title
        lines += transfer_lines(other, view.selection, colors, f", {note}")
    charts.show_clickable(
        transfer_figure(
            lines,
            max(results.n_layers, other.n_layers if other else 0),
            layer,
            transfer_references(results, colors, published_results(results, view.published)),
            alignment,
            charts.mode(),
        ),
        "transfer-curves",
        f"Accuracy against the number of frozen layers. {describe(results, view.selection)}",
        lambda x, y: _move(round(x), study),
        picture=f"isogloss-transfer-{run.id}",
    )


def _move(n: int, study: Study | None) -> None:
    """N is the layer that is frozen last; training everything has none to go to."""
    if n >= 0 and study is not None:
        charts.move_cursor(n, study.key)


def _show_numbers(results: SweepResults, view: View, layer: int | None) -> None:
    if layer is None:
        return
    if layer not in results.frozen:
        st.caption(f"N = {layer} is not in this sweep; click on one that is.")
        return
    mean = results.mean(view.selection)
    place = results.frozen.index(layer)
    trained = mean[results.frozen.index(-1)] if -1 in results.frozen else None
    codes = ordered_languages(results)
    for column, code in zip(st.columns(max(len(codes), 2)), codes, strict=False):
        at = results.languages.index(code)
        if not np.isfinite(mean[place, at]):
            column.metric(f"{language_name(code)}, N = {layer}", "not yet")
            continue
        delta = None
        if trained is not None and np.isfinite(trained[at]):
            delta = f"{signed(100 * (mean[place, at] - trained[at]), 1)} against training all"
        column.metric(
            f"{language_name(code)}, N = {layer}",
            f"{100 * mean[place, at]:.1f} %",
            delta,
            delta_color="off",
            delta_arrow="off",
            help=f"The mean over seeds, of {int(results.tested[at]):,} test pairs; one run is "
            f"known to ± {100 * results.margin(view.selection, code):.1f} points.",
        )


def _show_difference(
    run: Run, other_run: Run, results: SweepResults, other: SweepResults, view: View
) -> None:
    found = compare(results, other, view.selection)
    if not found.frozen or not found.languages:
        st.caption("The two runs share no N and language, so there is nothing to subtract.")
        return
    first, second = (
        f"{charts.in_markdown(each.plan.title)} ({each.id})" for each in (run, other_run)
    )
    st.markdown(f"**{second}** minus {first}")
    colors = line_colors(results, charts.mode())
    charts.show(
        difference_figure(
            found.frozen,
            [
                (language_name(code), colors[code], found.values[:, i])
                for i, code in enumerate(found.languages)
            ],
            results.n_layers,
            charts.mode(),
        ),
        "transfer-difference",
        "By how many points the second run is more accurate, for each N",
        picture=f"isogloss-transfer-{run.id}-{other_run.id}",
    )


def _show_table(run: Run, results: SweepResults, view: View) -> None:
    mean, (low, high) = results.mean(view.selection), results.band(view.selection)
    table: dict[str, list[Any]] = {"N": list(results.frozen)}
    for code in ordered_languages(results):
        column = results.languages.index(code)
        name = language_name(code)
        table[name] = list(100 * mean[:, column])
        table[f"{name}, lowest"] = list(100 * low[:, column])
        table[f"{name}, highest"] = list(100 * high[:, column])
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
            "Per cent, over seeds. The file has every seed with its counts and intervals, for both "
            "ways of choosing the model."
        )
        table_download(results.rows(), f"isogloss-transfer-{run.id}")
