"""A part of a page that reruns on its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from components.shared import background, charts
from components.shared.markdown import in_a_sentence
from isogloss.lab.runs.run import Run

Arguments = ParamSpec("Arguments")


def panel(draw: Callable[Arguments, None], every: float | None = None) -> Callable[Arguments, None]:
    """Make `draw` a fragment: its widgets rerun it alone, and errors are said within it.

    With `every` it also renews itself after so many seconds.

    A click that moved the shared cursor reruns the whole page instead, because all panels mark it.
    """

    @wraps(draw)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        charts.follow_cursor()
        try:
            with background.panel_at_work(draw.__qualname__):
                draw(*args, **kwargs)
        except Exception as error:
            sentence = in_a_sentence(error) or _say_if_damaged(args)
            if sentence is None:
                raise
            st.warning(sentence, icon=":material/info:")

    return st.fragment(run, run_every=every)


def _say_if_damaged(shown: tuple[object, ...]) -> str | None:
    """What to tell where a run is on show whose results nothing vouches for."""
    for run in shown:
        if isinstance(run, Run) and not run.shipped and not run.is_sealed:
            return (
                f"What run {run.id} found cannot be shown: its files, which an earlier version "
                "wrote, are damaged. Put back what there was, or remove the run."
            )
    return None
