"""What a paper says of what a page shows: a button with the paragraph and its BibTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from isogloss.studies.study import Study

if TYPE_CHECKING:
    from isogloss.interface.methods import Result


def methods_button(study: Study, *results: Result) -> None:
    """Offer the paragraph that says how these results came about, and what it cites."""
    from isogloss.interface.methods import write_methods  # the first page opens without it

    with st.popover("Methods", icon=":material/format_quote:", width="content"):
        found = write_methods(study, results)
        st.caption("What is on show, for a paper: with its hashes, versions and intervals.")
        st.code(found.text, language=None, wrap_lines=True, height=220)
        st.code(found.bibtex, language=None, height=160)
        name = f"isogloss-{study.key[:8]}"
        for column, (ending, text) in zip(
            st.columns(2), {"tex": found.text, "bib": found.bibtex}.items(), strict=True
        ):
            column.download_button(
                f".{ending}",
                text + "\n",
                f"{name}.{ending}",
                "text/plain",
                on_click="ignore",
                icon=":material/download:",
                width="stretch",
                key=f"methods-{ending}",
            )
