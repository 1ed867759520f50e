"""What ends every form of a run: how long it will take on this machine, and the button."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from components.shared import loading, query, task_list
from components.shared.engine_picker import choose_engine
from components.shared.layout import control_row
from components.shared.markdown import in_markdown
from components.shared.runs.run_panel import counted, state_of
from components.shared.session import visitor
from isogloss.errors import ModelError
from isogloss.formatting import human_time
from isogloss.lab.runs.plan import Plan
from isogloss.lab.training import costs
from isogloss.models.configuration import count_layers
from isogloss.models.loading import choose_device
from isogloss.models.preview import ModelSize, size_of_model


def start_button(plan: Plan, estimate: Callable[[], str], key: str) -> None:
    """The button that starts a run of `plan`, with what it is and how long it will take.

    The estimate may take a while to make: the button does not wait for it.
    """
    runs = loading.the_runs()
    active = [run for run in runs.all() if state_of(run) in task_list.ACTIVE]
    same = any(run.kind == plan.KIND and run.plan == plan for run in active)
    what = f"**{in_markdown(plan.title)}**, {counted(len(plan.units()), 'part')}."
    with control_row():
        engine = choose_engine(key)
        pressed = st.button(
            "Start", type="primary", icon=":material/play_arrow:", key=key, disabled=same
        )
        said = st.empty()
        said.caption(f"{what} This run is under way." if same else what)
    if pressed:
        run = runs.create(plan, engine=engine, started_by=visitor())
        runs.enqueue(run)
        st.session_state[f"awaited-{plan.KIND}"] = run.id
        query.drop("run")
        st.rerun()
    if not same:
        waits = f" It waits for {counted(len(active), 'run')} before it." if active else ""
        said.caption(f"{what} {estimate()}{waits}")


def time_needed(
    plan: Any, estimate: Callable[[ModelSize, costs.Speed], float], work: str = ""
) -> str:
    """How long a plan will take on this machine, in a sentence that begins with its `work`.

    `estimate` gives the seconds, from the size of the plan's model and the machine's speed.
    """
    try:
        size = size_of_model(plan.model)
    except ModelError as error:
        return f"{work}. {error}" if work else str(error)
    return told(estimate(size, machine_speed(size.width, plan.device)), work)


def told(seconds: float, work: str = "") -> str:
    """The sentence that tells a time."""
    about = f"{work}; about" if work else "About"
    return f"{about} {human_time(seconds)} on this machine, if it does nothing else."


@st.cache_resource(show_spinner="Timing this machine")
def machine_speed(width: int, device: str) -> costs.Speed:
    """How fast this machine is at models of a width."""
    return costs.measure_speed(width, choose_device(device))


@st.cache_resource(show_spinner="Looking at the model", max_entries=32)
def model_layers(name: str) -> int:
    """How many blocks a model has, by its preset or by its configuration, which is fetched."""
    return count_layers(name, loading.the_store())
