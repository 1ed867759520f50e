"""Where work is done, asked only where there is a choice: on this machine or on the cluster."""

from __future__ import annotations

import streamlit as st

from isogloss.engines.choice import LOCAL, Engine, configured_cluster

_TITLES = {"local": "This machine", "ray": "The cluster"}


def choose_engine(key: str) -> Engine:
    """The engine for what a form starts; local where the server knows no cluster."""
    cluster = configured_cluster()
    if cluster is None:
        return LOCAL
    chosen = st.segmented_control(
        "Where",
        list(_TITLES),
        format_func=_TITLES.__getitem__,
        default=cluster.name,
        required=True,
        key=f"{key}-engine",
        help="The cluster is the Ray cluster of this server; it spreads the work over its nodes. "
        "Results are the same.",
    )
    return cluster if chosen == cluster.name else LOCAL
