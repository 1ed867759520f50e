"""What the URL's query asks for, where it is something there is."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def asked(name: str, allowed: Sequence[str], default: str) -> str:
    """The query's value if it is among `allowed`, else the default."""
    value = st.query_params.get(name, default)
    return value if value in allowed else default


def unless(value: str, default: str) -> str:
    """The value for the query, empty where it is the default, so that links stay short."""
    return "" if value == default else value


def write(**wanted: str) -> None:
    """Make the address bar say this and nothing else; what is empty is left out."""
    wanted = {name: value for name, value in wanted.items() if value}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
