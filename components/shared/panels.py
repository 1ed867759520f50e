"""A part of a page that reruns on its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from components.shared import background, charts
from isogloss.errors import USER_ERRORS

Arguments = ParamSpec("Arguments")


def panel(draw: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Make `draw` a fragment: its widgets rerun it alone, and errors are said within it.

    A click that moved the shared cursor reruns the whole page instead, because all panels mark it.
    """

    @wraps(draw)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        charts.follow_cursor()
        try:
            with background.panel_at_work(draw.__qualname__):
                draw(*args, **kwargs)
        except USER_ERRORS as error:
            st.warning(str(error), icon=":material/info:")

    return st.fragment(run)
