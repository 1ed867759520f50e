"""Isogloss: watch languages find each other inside a multilingual transformer."""

import streamlit as st

if __name__ == "__main__":  # Streamlit runs this file whenever somebody looks at a page,
    from components.shared import frame
    from isogloss.places import app_folder

    st.set_page_config(
        page_title="Isogloss",
        page_icon=app_folder() / "assets" / "icon.png",
        layout="wide",
        initial_sidebar_state="auto",
    )
    frame.open_page()
else:  # and imports it once, when the server starts.
    from starlette.middleware import Middleware

    from components import host_names, server

    server.check_settings()
    app = st.App(
        __file__,
        lifespan=server.lifespan,
        middleware=[Middleware(host_names.KnownNamesOnly)],
    )
