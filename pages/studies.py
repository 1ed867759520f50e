"""What is kept: the studies in the store, and how to carry them elsewhere."""

import streamlit as st

from components.shared import frame, loading
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.studies.moving import import_form, room
from components.studies.study_list import study_list

frame.title(
    "What is kept",
    "A model reads a text once; what it made of it stays, here or wherever you carry it.",
)
store = loading.the_store()
studies = loading.studies()
if not is_read_only():
    room(store)
study_list(studies)
for report in store.reports:
    st.warning(in_markdown(report))
if not is_read_only():
    with st.expander("Import", icon=":material/upload:"):
        import_form()
    with st.expander("By the command line", icon=":material/terminal:"):
        st.code(
            "python -m isogloss studies ls\n"
            "python -m isogloss studies export studies.tar     # where they were made\n"
            "python -m isogloss studies import studies.tar     # where they are shown",
            language="bash",
        )
        st.caption(f"Studies of this server are in `{store.root}`; `ISOGLOSS_CACHE` moves them.")
