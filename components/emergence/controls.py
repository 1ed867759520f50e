"""What the emergence page shows, chosen by widgets, clicks and the URL; where it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import streamlit as st

from components.shared import query
from components.shared.layout import control_row
from components.shared.map_view import KeptView
from components.shared.runs.run_panel import run_address
from components.shared.settings import setting_widget
from isogloss.lab.emergence.conditions import condition_explanation, condition_title
from isogloss.lab.emergence.results import What
from isogloss.lab.runs.run import Run
from isogloss.options import Choice, option, options_of, titled

Beginning = Literal["nothing", "encoder"]
BEGINNINGS: dict[Beginning, str] = {"nothing": "Nothing", "encoder": "An encoder"}
BEGINNING_TITLES: dict[Beginning, tuple[str, str]] = {
    "nothing": (
        "Why do two languages meet?",
        "A small model learns two languages that share no word and no sentence. Take one thing "
        "away: do they still meet?",
    ),
    "encoder": (
        "When do the languages meet?",
        "The bundled model began with a finished English encoder and learned Chinese. Follow one "
        "layer through its training, or stop at a moment and go through its layers.",
    ),
}
_BEGINS = "emergence-begins"

Walk = Literal["training", "layers"]
WALKS: dict[Walk, str] = {"training": "Training", "layers": "Layers"}
SCORES: dict[What, str] = {"words": "Words", "sentences": "Sentences"}
MAP = KeptView("emergence")
FIRST_LAYER = 1
"""Where words meet best in models of this size, and so where the map begins."""
_CONDITION, _LAYER, _STEP = "emergence-condition", "emergence-layer", "emergence-step"


@dataclass(frozen=True)
class EmergenceView:
    """Which training is on show, by which score, and which way the map's slider walks."""

    condition: str = option("", "", title="Condition")
    score: What = option(
        "words",
        "**Words**: the share of held-out words whose nearest word of the other language is their "
        "counterpart. **Sentences**: the same for whole sentences, by the mean of their words. "
        "Cosine, each language's mean removed, both ways.",
        title="Score",
        choices=titled(SCORES),
    )
    walk: Walk = option("training", "", title="Map along", choices=titled(WALKS))


_SETTINGS = options_of(EmergenceView)


def choose_beginning() -> Beginning:
    """The switch; in the address it is the encoder's training that has a moment."""
    if _BEGINS not in st.session_state:
        st.session_state[_BEGINS] = "encoder" if "moment" in st.query_params else "nothing"
    return cast(
        Beginning,
        st.segmented_control(
            "Begins with",
            list(BEGINNINGS),
            format_func=BEGINNINGS.__getitem__,
            required=True,
            key=_BEGINS,
        ),
    )


def choose_condition(conditions: tuple[str, ...], newest: str | None) -> str:
    """Show the conditions there are; returns the one on show, at first the one under way."""
    known = {
        name: Choice(condition_title(name), condition_explanation(name)) for name in conditions
    }
    setting = _SETTINGS["condition"].but(choices=known, default=newest or conditions[0])
    return cast(str, setting_widget(setting, "emergence", width=240))


def show_condition_next(name: str) -> None:
    """Turn to another condition, from a callback."""
    st.session_state[_CONDITION] = name


def choose_score() -> What:
    """Which score the finding, the heat map and the bars are of."""
    return cast(What, setting_widget(_SETTINGS["score"], "emergence", buttons=True))


def choose_walk(steps: tuple[int, ...], n_layers: int) -> Walk:
    """Show which way the map's slider goes and where it stays on the other axis."""
    with control_row():
        walk: Walk = setting_widget(_SETTINGS["walk"], "emergence", buttons=True)
        if walk == "training":
            _layer_slider(n_layers)
        else:
            _step_slider(steps)
    return walk


def _layer_slider(n_layers: int) -> None:
    key = f"{_LAYER}-slider"
    st.session_state[key] = layer_on_map(n_layers)
    st.slider(
        "At layer",
        0,
        n_layers,
        key=key,
        on_change=lambda: move(layer=st.session_state[key]),
        width=200,
    )


def _step_slider(steps: tuple[int, ...]) -> None:
    key = f"{_STEP}-slider"
    st.session_state[key] = steps[look_on_map(steps)]
    st.select_slider(
        "After so many steps",
        steps,
        format_func="{:,}".format,
        key=key,
        on_change=lambda: move_to_look(steps.index(st.session_state[key]), steps),
        width=260,
    )


def layer_on_map(n_layers: int) -> int:
    """The layer on the map: as left, else as the URL says."""
    if _LAYER not in st.session_state:
        st.session_state[_LAYER] = query.number("layer", n_layers, FIRST_LAYER)
    return min(int(st.session_state[_LAYER]), n_layers)


def look_on_map(steps: tuple[int, ...]) -> int:
    """The look on the map, as a place in `steps`: as left, else as the URL says, else the last."""
    if _STEP not in st.session_state:
        st.session_state[_STEP] = query.number("step", 1_000_000_000, None)
    step = st.session_state[_STEP]
    return len(steps) - 1 if step is None else int(np.abs(np.array(steps) - step).argmin())


def move(layer: int | None = None, step: float | None = None, *, last: bool = False) -> None:
    """Move one cursor or both, from a callback; the last look is the last of a growing map, too."""
    if layer is not None:
        st.session_state[_LAYER] = layer
    if last:
        st.session_state[_STEP] = None
    elif step is not None:
        st.session_state[_STEP] = round(step)


def move_to_look(look: int, steps: tuple[int, ...], layer: int | None = None) -> None:
    """Move to a look by its place, from a callback."""
    look = min(look, len(steps) - 1)
    move(layer, steps[look], last=look == len(steps) - 1)


def follow_scrubber(walk: Walk, steps: tuple[int, ...]) -> None:
    """Take over what was done on the map, before the page is drawn again."""
    stop = MAP.follow()
    if stop is None:
        return
    if walk == "training":
        move_to_look(stop, steps)
    else:
        move(layer=stop)


def write_address(run: Run, condition: str, first: str, what: What, walk: Walk, layer: int) -> None:
    """Put all that is in view into the address bar."""
    step = st.session_state.get(_STEP)
    query.write(
        run=run_address(run),
        condition=query.blank_if_default(condition, first),
        layer=str(layer),
        step="" if step is None else str(step),
        **_SETTINGS["score"].written(what),
        **_SETTINGS["walk"].written(walk),
        **MAP.written(),
    )
