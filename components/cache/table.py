"""The entries of the store as a table."""

from __future__ import annotations

import streamlit as st

from components.shared.markdown import in_markdown, in_table
from isogloss.formatting import human_size
from isogloss.store import Store


def cache_table(store: Store) -> None:
    """Show every entry: what it is, how large, when made; and what was found corrupt."""
    entries = store.entries()
    if not entries:
        st.info("Nothing is kept yet. Open **Your text** to make a study.")
    else:
        st.dataframe(
            {
                "What": [in_table(entry.description) for entry in entries],
                "Size": [human_size(entry.size_bytes) for entry in entries],
                "Derived": [len(store.derived_entries(entry)) for entry in entries],
                "Made (UTC)": [entry.created[:16].replace("T", " ") for entry in entries],
                "Comes with Isogloss": [entry.demo for entry in entries],
                "Key": [entry.key[:12] for entry in entries],
            },
            hide_index=True,
            column_config={
                "Derived": st.column_config.NumberColumn(
                    help="Layouts and scores computed from these activations."
                ),
            },
        )
    for report in store.reports:
        st.warning(in_markdown(report))
