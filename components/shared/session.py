"""What a session keeps of a page that is left: Streamlit forgets the values of its widgets."""

from __future__ import annotations

from typing import Any

import streamlit as st

KEPT = "kept-"
"""How the key of a widget begins whose value stays for the session."""


def keep_values() -> None:
    """Set every kept value anew, which takes it from its widget, so that it outlives that."""
    for name in [name for name in st.session_state if str(name).startswith(KEPT)]:
        st.session_state[name] = st.session_state[name]


def kept(name: str, first: Any = None) -> Any:
    """The value under the key KEPT + `name`, which is `first` to begin with."""
    return st.session_state.setdefault(f"{KEPT}{name}", first)
