"""What one browser remembers between visits, in a cookie: the study it looked at last."""

from __future__ import annotations

import streamlit as st

_STUDY = "isogloss-study"
_SECONDS = 365 * 24 * 3600


def last_study() -> str | None:
    """The key of the study that was looked at last in this browser, as its cookie says."""
    return st.context.cookies.get(_STUDY)


def remember_study(key: str) -> None:
    """Leave the key of a study, which is hexadecimal, in the browser's cookie."""
    cookie = f"{_STUDY}={key}; path=/; max-age={_SECONDS}; SameSite=Lax"
    st.html(f"<script>document.cookie = '{cookie}'</script>", unsafe_allow_javascript=True)
