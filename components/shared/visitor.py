"""Who looks: a number in a cookie, so that everybody finds their own work, also after a reload.

It guards nothing. Whoever has no cookies is somebody new each time.
"""

from __future__ import annotations

import re
import uuid

import streamlit as st

_NAME = "isogloss-visitor"
_SECONDS = 365 * 24 * 3600


def visitor() -> str:
    """The number of this browser."""
    if _NAME not in st.session_state:
        told = str(st.context.cookies.get(_NAME))
        st.session_state[_NAME] = told if re.fullmatch("[0-9a-f]{32}", told) else uuid.uuid4().hex
    return str(st.session_state[_NAME])


def is_mine(started_by: str) -> bool:
    """Whether work belongs to whoever looks; what the command line started is everybody's."""
    return started_by in ("", visitor())


def remember() -> None:
    """Leave the number in the browser, unless it is there."""
    if st.context.cookies.get(_NAME) != visitor():
        cookie = f"{_NAME}={visitor()}; path=/; max-age={_SECONDS}; SameSite=Lax"
        with st.sidebar:
            st.html(f"<script>document.cookie = '{cookie}'</script>", unsafe_allow_javascript=True)
