"""The panel of re-initialised layers: what each costs, and what fine-tuning does to every layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

import streamlit as st

from components.layers_needed.wording import evidence, halves_table, headline, verdict
from components.shared import charts, markdown, query
from components.shared.layout import finding, finding_and_settings, folded, notes
from components.shared.panels import panel
from components.shared.runs.run_panel import run_address, table_download
from components.shared.settings import setting_widget
from isogloss.figures.experiments.cost_bars import cost_bars_figure, describe_costs
from isogloss.figures.experiments.layer_changes import layer_changes_figure
from isogloss.formatting import percent, points
from isogloss.lab.layers_needed.plan import (
    FULL,
    PROBE_PAIRS,
    LayerGroup,
    LayersNeededPlan,
    group_name,
)
from isogloss.lab.layers_needed.results import (
    LayersNeededResults,
    cost_table,
    read_results,
)
from isogloss.lab.runs.run import Run
from isogloss.options import option, options_of, titled
from isogloss.published import MULLER_2021


@dataclass(frozen=True)
class LayersNeededView:
    """Which blocks were forgotten in the model on show, by the first and the last of them."""

    block: str = option("", "", title="In which model")


_BLOCK = options_of(LayersNeededView)["block"]


@panel
def layers_needed_panel(run: Run) -> None:
    """What a run found: in a sentence, as costs, as similarities; with what stands behind it."""
    found = read_results(cast(LayersNeededPlan, run.plan), run.results())
    place, choice = finding_and_settings()
    if found.targets:
        with place:
            finding(headline(found))
    with choice:
        group = _choose_group(found)
    _show_costs(found, group)
    _show_numbers(found, group)
    with folded("What fine-tuning changes", ":material/grid_on:") as opened:
        if opened:
            _show_changes(found, group)
    _show_tables(run, found)
    notes(
        f"**{verdict(found)}**" if found.targets else "",
        "\n".join(f"- {said}" for said in evidence(found)),
        _how_to_read(),
        _basis(found),
        _paper(),
    )
    _write_address(run, group)


def _show_tables(run: Run, found: LayersNeededResults) -> None:
    with st.expander("Table", icon=":material/table:"):
        rows = halves_table(found)
        if rows:
            st.markdown("**What a block of each half costs, points of accuracy**")
            st.dataframe(
                rows,
                hide_index=True,
                key="layers-needed-halves",
                alt="What a re-initialised block of each half costs, by language",
            )
        table_download(cost_table(found), f"isogloss-layers-needed-{run.id}")


def _show_costs(found: LayersNeededResults, group: LayerGroup) -> None:
    groups = found.measured()
    if not groups:
        st.caption("The full model is done; the first re-initialised layers are under way.")
        return

    def click(x: float, y: float) -> None:
        st.session_state["layers-needed-block"] = _address_of(groups[round(x)])

    charts.show_clickable(
        partial(cost_bars_figure, found, group, charts.mode()),
        "layers-needed-costs",
        describe_costs(found),
        click,
        picture="isogloss-layers-needed",
    )
    st.caption("Points of accuracy lost where layers forgot what they knew. Click a bar.")


def _show_numbers(found: LayersNeededResults, group: LayerGroup) -> None:
    """What the chosen layers cost each language; of the full model, how accurate it is."""
    for column, code in zip(
        st.columns(max(len(found.languages), 2)), found.languages, strict=False
    ):
        name = markdown.language_name(code)
        accuracy = found.accuracy(group, code)
        if group == FULL:
            column.metric(f"{name}, full model", percent(accuracy.mean))
            continue
        cost = found.cost(group, code)
        interval = f"{points(cost.low)} to {points(cost.high)}" if cost.has_interval else None
        column.metric(
            f"{name} loses",
            f"{points(cost.mean)} points",
            interval,
            delta_color="off",
            delta_arrow="off",
            help=f"What it costs to re-initialise {group_name(group)}, and its 95 % interval over "
            f"seeds; {percent(accuracy.mean)} are left.",
        )


def _how_to_read() -> str:
    return (
        "The cost is the accuracy of the full model less that of the model whose layers were "
        "re-initialised before fine-tuning: above 0, they were needed. Dots are seeds; from three "
        "on, whiskers are their interval."
    )


def _choose_group(found: LayersNeededResults) -> LayerGroup:
    """Which fine-tuning the similarities are of: the full model's unless a bar was clicked."""
    groups = {_address_of(group): group for group in found.similarities}
    titles = {
        address: f"{group_name(group).capitalize()} re-initialised" if group else "The full model"
        for address, group in groups.items()
    }
    option = _BLOCK.but(choices=titled(titles), default=next(iter(groups)))
    return groups[setting_widget(option, "layers-needed", label_visibility="collapsed")]


def _show_changes(found: LayersNeededResults, group: LayerGroup) -> None:
    similar = found.similarities[group]
    if not similar.kept:
        st.caption("The bundled sentences have none of this run's languages.")
        return
    marked = " ↻ marks re-initialised layers." if group else ""
    charts.show(
        partial(layer_changes_figure, similar, found.source, group, charts.mode()),
        "layers-needed-changes",
        f"Similarity by layer before and after fine-tuning, {group_name(group)}",
        picture="isogloss-layer-changes",
    )
    st.caption(
        "**Kept**: a layer after fine-tuning against itself before, 1 where nothing changed. "
        f"Beside it, how alike the two languages are in a layer, before and after.{marked}"
    )


def _basis(found: LayersNeededResults) -> str:
    language = (found.targets or found.languages)[0]
    low, high = found.sampling_interval(language)
    seeds = (
        "There is one seed, so there are no intervals: how far a cost moves with other random "
        "weights and another order of training pairs is not known."
        if len(found.seeds) == 1
        else f"Intervals are paired t intervals (95 %) over {len(found.seeds)} seeds: each seed's "
        "re-initialised model against the full model with that seed. They say how far a cost moves "
        "with other random weights and another order of training pairs, not with other test pairs."
    )
    return (
        f"{seeds} ρ is Spearman's correlation of the blocks' depth with what they cost, and p how "
        "often costs in a random order would give one as far from 0. There are "
        f"{found.test_pairs[language]:,} test pairs per language, which alone "
        f"leave one accuracy uncertain by ±\u00a0{points((high - low) / 2)} points, a cost by "
        "less, since both models judge the same pairs. Accuracies are of the model that the dev "
        f"set in {markdown.language_name(found.source)} chose. Similarity is debiased linear CKA "
        f"of mean-pooled sentences, {PROBE_PAIRS} bundled pairs, averaged over seeds."
    )


def _paper() -> str:
    return (
        f"**What {MULLER_2021.short} found** in multilingual BERT, on three tasks and seventeen "
        "languages: a lower part, the multilingual encoder, is crucial for transfer and stays "
        "mostly as it was in fine-tuning; an upper part, the predictor, matters little for "
        "transfer and can be re-initialised. They fine-tune the whole model; runs here keep the "
        f"embeddings frozen unless told otherwise. {MULLER_2021.full}, {MULLER_2021.place}."
    )


def _address_of(group: LayerGroup) -> str:
    return "-".join(map(str, (group[0], group[-1]))) if group else ""


def _write_address(run: Run, group: LayerGroup) -> None:
    query.write(run=run_address(run), **_BLOCK.written(_address_of(group)))
