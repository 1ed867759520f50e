"""The emergence page's panel: a training watched, its curves, and what every condition reaches."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.emergence.controls import (
    MAP,
    Walk,
    choose_condition,
    choose_score,
    choose_walk,
    follow_scrubber,
    layer_on_map,
    look_on_map,
    move_to_look,
    show_condition_next,
    write_address,
)
from components.emergence.data import scrubber_data
from components.emergence.live import Shown, conditions_to_show, results_of, show_condition
from components.emergence.wording import against_published, finding, needed, other_seeds, sources
from components.layer_scrubber import layer_scrubber
from components.shared import charts, layout
from components.shared.layout import chart_columns, control_row
from components.shared.panels import panel
from components.shared.runs.run_panel import table_download
from components.shared.task_list import ACTIVE
from isogloss.figures.experiments.emergence_bars import emergence_bars_figure
from isogloss.figures.experiments.emergence_looks import (
    emergence_curves_figure,
    emergence_heatmap_figure,
)
from isogloss.lab.emergence.conditions import AS_IT_IS
from isogloss.lab.emergence.results import EmergenceResults, What, score_table
from isogloss.lab.emergence.watching import plan_of
from isogloss.lab.runs.run import Run

MAP_HEIGHT = 560
LOOK_EVERY = 4.0
"""Seconds after which a training under way is asked for a new look."""


def emergence_panel(run: Run) -> None:
    """The run on show; while it is at work the panel renews itself, and the map grows in place."""
    at_work = run.state in ACTIVE
    panel(_draw, every=LOOK_EVERY if at_work else None)(run)


def _draw(run: Run) -> None:
    conditions = conditions_to_show(run)
    if not conditions:
        st.info(f"{run.progress.message.capitalize()}.", icon=":material/hourglass_top:")
        return
    found = results_of(run)
    under_way = [name for name in conditions if (name, plan_of(run).seeds[0]) not in found.fits]
    said = st.container()
    with control_row():
        condition = choose_condition(conditions, under_way[0] if under_way else None)
        what = choose_score()
        place_of_walk = st.container(width="content")
    shown = show_condition(run, condition)
    if shown is None:
        return
    what = what if shown.fit.has(what) else "sentences"
    steps = tuple(int(step) for step in shown.fit.steps)
    n_layers = shown.fit.sentences.shape[1] - 1
    with place_of_walk:
        walk = choose_walk(steps, n_layers)
    beside = _beside(run, condition)
    with said:
        sentence = finding(condition, shown.fit, what, beside.fit if beside else None)
        more = f" {other_seeds(found, condition, what)}" if shown.finished else ""
        layout.finding(sentence + more)
    left, right = chart_columns([1.45, 1], "emergence-columns")
    with left:
        _show_map(run, shown, walk, what, steps)
    with right:
        _show_looks(run, shown, beside, what, steps)
    _show_bars(found, what, condition)
    table_download(score_table(found), f"isogloss-emergence-{run.id}")
    write_address(run, condition, conditions[0], what, walk, layer_on_map(n_layers))


def _beside(run: Run, condition: str) -> Shown | None:
    """The training with nothing taken away, unless it is the one on show."""
    known = condition != AS_IT_IS and AS_IT_IS in conditions_to_show(run)
    return show_condition(run, AS_IT_IS) if known else None


def _show_map(run: Run, shown: Shown, walk: Walk, what: What, steps: tuple[int, ...]) -> None:
    words = shown.map
    if words is None:
        st.caption("This run kept no pictures of its words.")
        return
    layer, look = layer_on_map(words.positions.shape[1] - 1), look_on_map(steps)
    layer_scrubber(
        scrubber_data(run, shown, words, walk, layer, look, what),
        MAP.at(look if walk == "training" else layer, len(words.words.texts)),
        height=MAP_HEIGHT,
        key=MAP.scrubber,
        on_change=partial(follow_scrubber, walk, steps),
    )


def _show_looks(
    run: Run, shown: Shown, beside: Shown | None, what: What, steps: tuple[int, ...]
) -> None:
    plan = plan_of(run)
    layer = layer_on_map(shown.fit.sentences.shape[1] - 1)
    look = look_on_map(steps)
    st.markdown(f"**Layer {layer}, step {steps[look]:,}**")
    charts.show_clickable(
        partial(
            emergence_curves_figure,
            shown.fit,
            beside.fit if beside else None,
            layer,
            steps[look],
            plan.steps,
            charts.mode(),
        ),
        "emergence-curves",
        f"Words and sentences that find their counterpart, by step, at layer {layer}",
        lambda x, y: move_to_look(min(range(len(steps)), key=lambda i: abs(steps[i] - x)), steps),
        picture="isogloss-emergence-curves",
    )
    if beside is not None:
        st.caption("Dotted: as it is.")
    charts.show_clickable(
        partial(
            emergence_heatmap_figure,
            shown.fit,
            what,
            (layer, look),
            plan.look_steps(),
            charts.mode(),
        ),
        "emergence-heatmap",
        f"{what.capitalize()} found, by layer and step",
        lambda x, y: move_to_look(round(x), steps, round(y)),
        picture="isogloss-emergence-heatmap",
    )


def _show_bars(found: EmergenceResults, what: What, condition: str) -> None:
    rows = found.in_order(what)
    if not rows:
        return
    st.markdown("**What does it take?**")
    said = needed(found, what)
    if said:
        st.markdown(said)
    charts.show_clickable(
        partial(emergence_bars_figure, found, what, condition, charts.mode()),
        "emergence-bars",
        said or "The score of every condition that is finished",
        lambda x, y: show_condition_next(rows[round(y)]),
        picture="isogloss-emergence-conditions",
    )
    layout.notes(against_published(found, what), sources())
