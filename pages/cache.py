"""What is kept: the studies in the store, and how to carry them elsewhere."""

import streamlit as st

from components.cache.table import cache_table
from components.shared import frame, loading
from components.shared.read_only import is_read_only

frame.title(
    "What is kept",
    "Activations are extracted once and stay. A machine with a GPU can fill the cache, "
    "a laptop can show it.",
)
store = loading.the_store()
cache_table(store)
st.markdown("**Carry studies to another machine**")
st.code(
    "python -m isogloss cache export studies.tar     # where they were made\n"
    "python -m isogloss cache import studies.tar     # where they are shown",
    language="bash",
)
if not is_read_only():
    st.caption(f"The cache of this server is in `{store.root}`; `ISOGLOSS_CACHE` moves it.")
