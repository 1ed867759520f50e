"""The adaptation page's panel: what is learned, what is forgotten, and which layers move."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.adaptation.controls import (
    SCRUBBER,
    Drift,
    choose_drift,
    choose_regime,
    follow_scrubber,
    go_to_step,
    layer_on_map,
    layer_slider,
    map_view,
    show_regime,
    step_on_map,
    write_address,
)
from components.adaptation.map_view import scrubber_data
from components.adaptation.wording import (
    basis,
    describe,
    drift_words,
    native_words,
    paper_words,
    several,
)
from components.layer_scrubber import layer_scrubber
from components.shared import charts, loading
from components.shared.layout import chart_columns, control_row
from components.shared.markdown import in_markdown
from components.shared.panels import panel
from components.shared.runs.run_panel import table_download
from isogloss.figures.experiments.layer_drift import layer_drift_figure
from isogloss.figures.experiments.perplexity_curves import perplexity_figure
from isogloss.figures.experiments.regime_bars import (
    describe_regimes,
    regime_bars_figure,
    regime_rows,
)
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
def adaptation_panel(run: Run) -> None:
    """The run on show: its finding, both perplexities, the regimes, the drift, the words' map."""
    found = loading.findings(run, read_adaptation)
    regime = choose_regime(found)
    shown = found.regimes[regime]
    words = read_map(run, regime)
    step = None if words is None else words.steps[step_on_map(words.steps)]
    layer = layer_on_map(found.n_layers)
    st.markdown(describe(found, shown))
    left, right = chart_columns([1.15, 1], "adaptation-columns")
    with left:
        _show_curves(found, shown, step)
    with right:
        _show_regimes(found, regime)
    drift = _show_drift(found, shown, step, layer)
    _show_map(run, shown, words, found.n_layers)
    st.caption(basis(found))
    st.caption(paper_words())
    table_download(found.rows(), f"isogloss-adaptation-{run.id}")
    write_address(run, found, regime, drift, layer, step)


def _show_curves(found: AdaptationResults, shown: RegimeResults, step: int | None) -> None:
    name, others = language_name(found.language), several(found)
    st.markdown(f"**Perplexity on held-out {in_markdown(name)}, and on held-out {others}**")
    charts.show_clickable(
        partial(perplexity_figure, shown, (name, "All languages"), step, charts.mode()),
        "adaptation-perplexity",
        f"Perplexity over steps. {describe(found, shown)}",
        lambda x, y: go_to_step(x),
        picture="isogloss-adaptation-perplexity",
    )
    st.caption(
        f"{shown.regime.title}. Thin lines are seeds, the ring marks the crossing and the dotted "
        "line the step on the map; click a point to go there."
    )


def _show_regimes(found: AdaptationResults, regime: str) -> None:
    st.markdown("**Which layers should learn?**")
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
    found: AdaptationResults, shown: RegimeResults, step: int | None, layer: int
) -> Drift:
    heading = st.container()
    drift = choose_drift(found)
    measure = DRIFT_MEASURES[drift.measure]
    heading.markdown(f"**How far each layer moves: {shown.regime.title.lower()}**")
    charts.show(
        partial(layer_drift_figure, shown, drift.anchor, drift.measure, step, layer, charts.mode()),
        "adaptation-drift",
        f"{measure.title} of every layer over the steps of training",
        picture="isogloss-adaptation-drift",
    )
    st.caption(drift_words(found, shown, drift.anchor))
    return drift


def _show_map(run: Run, shown: RegimeResults, words: TrainingMap | None, n_layers: int) -> None:
    with control_row():
        st.markdown("**The space while it moves**", width="content")
        layer_slider(n_layers)
    if words is None:
        st.caption("The map comes with this regime's first seed, which is not finished yet.")
        return
    view = map_view(step_on_map(words.steps), len(words.texts))
    layer_scrubber(
        scrubber_data(words, layer_on_map(n_layers), run, shown.regime),
        view,
        height=MAP_HEIGHT,
        key=SCRUBBER,
        on_change=partial(follow_scrubber, words.steps),
    )
