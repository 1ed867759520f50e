"""The adaptation page's panel: what is learned, what is forgotten, and which layers move."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from components.adaptation.controls import (
    MAP,
    AdaptationView,
    choose_drift,
    choose_regime,
    follow_scrubber,
    go_to_step,
    show_regime,
    step_on_map,
    write_address,
)
from components.adaptation.map_view import scrubber_data
from components.adaptation.wording import (
    basis,
    describe,
    drift_words,
    headline,
    how_far,
    native_words,
    paper_words,
    several,
)
from components.layer_scrubber import layer_scrubber
from components.shared import charts, loading
from components.shared.layout import control_row, finding, folded, notes
from components.shared.markdown import in_markdown
from components.shared.panels import panel
from components.shared.runs import run_layer
from components.shared.runs.run_panel import table_download
from isogloss.figures.experiments.layer_drift import layer_drift_figure
from isogloss.figures.experiments.perplexity_curves import perplexity_figure
from isogloss.figures.experiments.regime_bars import (
    describe_regimes,
    regime_bars_figure,
    regime_rows,
)
from isogloss.formatting import change
from isogloss.lab.adaptation.results import (
    DRIFT_MEASURES,
    AdaptationResults,
    RegimeResults,
    read_adaptation,
    read_map,
)
from isogloss.lab.adaptation.training_map import TrainingMap
from isogloss.lab.runs.run import Run
from isogloss.models.presets import display_name
from isogloss.published import DUTCH_NATIVE, DUTCH_REGIMES
from isogloss.text.language_names import language_name

MAP_HEIGHT = 640


@panel
def layer_panel(run: Run) -> None:
    """The slider of the layer that the map and the drift mark, for the sidebar."""
    n_layers = loading.findings(run, read_adaptation).n_layers
    run_layer.slider(run, range(n_layers + 1), n_layers)


@panel
def adaptation_panel(run: Run) -> None:
    """The run on show: its finding, both perplexities, and at one step; the rest is folded."""
    found = loading.findings(run, read_adaptation)
    with control_row():
        regime = choose_regime(found)
        with st.popover("Settings", icon=":material/tune:"):
            drift = choose_drift(found, regime)
    shown = found.regimes[regime]
    words = read_map(run, regime)
    steps = tuple(map(int, shown.steps)) if words is None else words.steps
    step = steps[step_on_map(steps)]
    layer = run_layer.current(run, range(found.n_layers + 1), found.n_layers)
    finding(headline(found, shown))
    if unfinished := how_far(found):
        st.caption(unfinished)
    _show_curves(found, shown, step)
    _show_numbers(found, shown, step)
    with folded("Which layers should learn?", ":material/bar_chart:") as opened:
        if opened:
            _show_regimes(found, regime)
    with folded("How far does each layer move?", ":material/ssid_chart:") as opened:
        if opened:
            _show_drift(found, shown, drift, step, layer)
    with folded("Watch the space move", ":material/bubble_chart:") as opened:
        if opened:
            _show_map(run, shown, words, layer)
    notes(describe(found, shown), basis(found), paper_words())
    table_download(found.rows(), f"isogloss-adaptation-{run.id}")
    write_address(run, found, drift, layer, step)


def _show_curves(found: AdaptationResults, shown: RegimeResults, step: int) -> None:
    charts.show_clickable(
        partial(
            perplexity_figure,
            shown,
            (language_name(found.language), "All languages"),
            step,
            charts.mode(),
        ),
        "adaptation-perplexity",
        f"Perplexity over steps. {describe(found, shown)}",
        lambda x, y: go_to_step(x),
        picture="isogloss-adaptation-perplexity",
    )
    st.caption("Perplexity, lower is better; the ring marks the crossing. Click a step.")


def _show_numbers(found: AdaptationResults, shown: RegimeResults, step: int) -> None:
    """Both perplexities at the chosen step, and what became of them since the start."""
    place = int(np.abs(shown.steps - step).argmin())
    names = (in_markdown(language_name(found.language)), several(found))
    columns = st.columns(2)
    for column, name, values in zip(
        columns, names, (shown.target, shown.multilingual), strict=True
    ):
        mean = shown.mean(values)
        column.metric(
            f"{name}, step {int(shown.steps[place]):,}",
            f"{mean[place]:.1f}",
            change(float(1 - mean[place] / mean[0])) if place else None,
            delta_color="off",
            delta_arrow="off",
            help="Perplexity on held-out text, the geometric mean over seeds; in grey its change "
            "since the start.",
        )


def _show_regimes(found: AdaptationResults, regime: str) -> None:
    rows, model = regime_rows(found, DUTCH_REGIMES), display_name(found.model)

    def turn_to(x: float, y: float) -> None:
        if rows[round(y)] in found.regimes:
            show_regime(rows[round(y)])

    charts.show_clickable(
        partial(
            regime_bars_figure,
            found,
            regime,
            (f"{model}, {language_name(found.language)}", "Published: mBERT, Dutch"),
            DUTCH_REGIMES,
            ("BERTje, native", DUTCH_NATIVE),
            charts.mode(),
        ),
        "adaptation-regimes",
        describe_regimes(found),
        turn_to,
        picture="isogloss-adaptation-regimes",
    )
    st.caption(
        "Test perplexity at the step with the best validation; dots are seeds. The published ones "
        "are of another model and text: only their order compares. Click a bar for its curves."
    )
    if found.native is not None:
        st.caption(native_words(found.native))


def _show_drift(
    found: AdaptationResults, shown: RegimeResults, drift: AdaptationView, step: int, layer: int
) -> None:
    charts.show(
        partial(layer_drift_figure, shown, drift.anchor, drift.measure, step, layer, charts.mode()),
        "adaptation-drift",
        f"{DRIFT_MEASURES[drift.measure].title} of every layer over the steps of training",
        picture="isogloss-adaptation-drift",
    )
    st.caption(drift_words(found, shown, drift.anchor))


def _show_map(run: Run, shown: RegimeResults, words: TrainingMap | None, layer: int) -> None:
    if words is None:
        st.caption("The map comes with this regime's first seed, which is not finished yet.")
        return
    view = MAP.at(step_on_map(words.steps), len(words.texts))
    layer_scrubber(
        scrubber_data(words, layer, run, shown.regime),
        view,
        height=MAP_HEIGHT,
        key=MAP.scrubber,
        on_change=partial(follow_scrubber, words.steps),
    )
