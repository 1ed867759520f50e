"""Isogloss: watch languages find each other inside a multilingual transformer."""

import streamlit as st

from components.shared import frame

st.set_page_config(
    page_title="Isogloss",
    page_icon="assets/icon.png",
    layout="wide",
    initial_sidebar_state="auto",
)
frame.open_page()
