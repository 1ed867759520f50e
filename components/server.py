"""What the server does when it starts: reads what the first page needs, and opens the browser."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from isogloss import settings
from isogloss.places import opened_with

EVERYWHERE = (None, "", "0.0.0.0", "::")
"""How a server says that it listens at every address of its machine."""


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Get ready; then the server is up."""
    # Only once a server runs do Streamlit's caches know where they are, so these wait until now.
    from components.token_map import read_ahead
    from isogloss.errors import USER_ERRORS

    read_ahead.read_modules()
    try:
        read_ahead.read_showpiece()
    except (*USER_ERRORS, OSError):
        pass  # the page says it when somebody opens it
    if not st.get_option("server.headless"):
        threading.Thread(target=webbrowser.open, args=(address(),), daemon=True).start()
    yield


def check_settings() -> None:
    """End the server with a sentence where the environment says what cannot be read."""
    try:
        settings.check()
    except settings.SettingError as error:
        sys.exit(str(error))


def address() -> str:
    """Where a browser on this machine finds the app, or the form of the text it was opened with."""
    secure, name, port, path = (
        st.get_option(f"server.{option}")
        for option in ("sslCertFile", "address", "port", "baseUrlPath")
    )
    host = "localhost" if name in EVERYWHERE else name
    base = f"{'https' if secure else 'http'}://{host}:{port}/{path.strip('/')}"
    return f"{base.rstrip('/')}/your_text" if opened_with() else base
