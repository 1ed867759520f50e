"""Rows of widgets and columns that stay readable on small screens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.formatting import human_time

NARROW = 1_250
"""Below this many pixels, columns of charts stand below each other."""

_STACK = """
<style>
@media (max-width: {narrow}px) {{
  .st-key-{key} > div > [data-testid="stHorizontalBlock"],
  .st-key-{key} > [data-testid="stHorizontalBlock"] {{ flex-wrap: wrap; }}
  .st-key-{key} > div > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"],
  .st-key-{key} > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] {{
    flex: 1 1 100%; min-width: 100%;
  }}
}}
</style>
"""


def control_row() -> DeltaGenerator:
    """A row of widgets that wraps rather than squeezes them."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


@contextmanager
def folded(title: str, icon: str) -> Iterator[bool]:
    """A section that is closed to begin with; yields whether it is open.

    What stands in a closed one need not be made: neither here nor in the browser, which would
    draw it before it draws the map.
    """
    section = st.expander(title, icon=icon, key=title, on_change="rerun")
    with section:
        yield bool(section.open)


def progress_bar(share: float, said: str, seconds_left: float | None) -> None:
    """How far work is, what it does, and how long it still takes where that is known."""
    left = "" if seconds_left is None else f" · about {human_time(seconds_left)} left"
    st.progress(min(max(share, 0.0), 1.0), text=f"{said}{left}")


def finding(said: str) -> None:
    """What a page found, in the sentence that a person takes away."""
    with st.container(key="finding"):
        st.markdown(said)


def finding_and_settings() -> Sequence[DeltaGenerator]:
    """A place for the finding, and one at its right for what decides what is looked at."""
    return st.columns([4.2, 1], gap="medium")


def notes(*paragraphs: str) -> None:
    """What the figures rest on, for whoever asks: folded away; empty paragraphs are left out."""
    with st.expander("What this rests on", icon=":material/foundation:"):
        for paragraph in filter(None, paragraphs):
            st.markdown(paragraph)


def chart_columns(widths: Sequence[float], key: str) -> Sequence[DeltaGenerator]:
    """Columns for charts, below each other where the window is narrow; `key` names them."""
    with st.container(key=key):
        st.html(_STACK.format(narrow=NARROW, key=key))
        return st.columns(widths, gap="medium")
