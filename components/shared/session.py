"""What a session keeps of a page that is left, whose session it is, and what its browser remembers.

Streamlit forgets the values of widgets. A visitor is a number in a cookie, so that everybody finds
their own work, also after a reload: it guards nothing, and who has no cookies is new each time.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

import streamlit as st

_VISITOR, _STUDY = "isogloss-visitor", "isogloss-study"
_SECONDS = 365 * 24 * 3600
KEPT = "kept-"
"""How the key of a widget begins whose value stays for the session."""


def keep_values() -> None:
    """Set every kept value anew, which takes it from its widget, so that it outlives that."""
    for name in [name for name in st.session_state if str(name).startswith(KEPT)]:
        st.session_state[name] = st.session_state[name]


def kept(name: str, first: Any = None) -> Any:
    """The value under the key KEPT + `name`, which is `first` to begin with."""
    return st.session_state.setdefault(f"{KEPT}{name}", first)


def visitor() -> str:
    """The number of this browser."""
    if _VISITOR not in st.session_state:
        told = str(st.context.cookies.get(_VISITOR))
        st.session_state[_VISITOR] = (
            told if re.fullmatch("[0-9a-f]{32}", told) else uuid.uuid4().hex
        )
    return str(st.session_state[_VISITOR])


def is_mine(started_by: str) -> bool:
    """Whether work belongs to whoever looks; what the command line started is everybody's."""
    return started_by in ("", visitor())


def remember_visitor() -> None:
    """Leave the number in the browser, unless it is there."""
    if st.context.cookies.get(_VISITOR) != visitor():
        with st.sidebar:
            _leave_cookie(_VISITOR, visitor())


def last_study() -> str | None:
    """The key of the study that was looked at last in this browser."""
    return st.context.cookies.get(_STUDY)


def remember_study(key: str) -> None:
    """Leave the key of a study, which is hexadecimal, in the browser."""
    _leave_cookie(_STUDY, key)


def _leave_cookie(name: str, value: str) -> None:
    cookie = f"{name}={value}; path=/; max-age={_SECONDS}; SameSite=Lax"
    st.html(f"<script>document.cookie = '{cookie}'</script>", unsafe_allow_javascript=True)
