"""A server that only shows: no uploads, no runs, no paths, for a demo that anyone may open."""

from __future__ import annotations

import streamlit as st
from streamlit import config

from isogloss.settings import READ_ONLY


def is_read_only() -> bool:
    """Whether the server's environment allows its visitors to look and nothing else."""
    return READ_ONLY.read()


def close_uploads() -> None:
    """Refuse files on a read-only server, also from those who send them without a page."""
    if is_read_only():
        config.set_option("server.maxUploadSize", 0)


def say_read_only() -> None:
    """Tell a visitor where to do what this server does not allow."""
    st.info(
        "This server only shows what is there. To bring a text or a model, start Isogloss on a "
        "machine of your own: `make run` in its repository is all it takes.",
        icon=":material/visibility:",
    )
