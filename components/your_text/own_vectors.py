"""States computed elsewhere, brought beside their text: two files become a study."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.shared import loading
from components.shared.file_inputs import megabytes_taken
from components.shared.markdown import in_markdown
from components.shared.studies import study_picker as study_choice
from isogloss.errors import USER_ERRORS
from isogloss.studies.own_vectors.study import import_vectors
from isogloss.text.reading import ParallelText

HERE, ELSEWHERE = "A model reads it here", "I have its vectors"


def has_vectors() -> bool:
    """Ask whether a model shall read the text or has done so elsewhere."""
    who = st.segmented_control(
        "Who reads it?",
        [HERE, ELSEWHERE],
        default=HERE,
        required=True,
        label_visibility="collapsed",
    )
    return who == ELSEWHERE


def import_form(text: ParallelText) -> None:
    """Take in both files and open their study; what is wrong with them is said in a sentence."""
    most = megabytes_taken()
    with st.form("own-vectors"):
        left, right = st.columns(2)
        states = left.file_uploader(
            "**States**: safetensors or npz, one array per layer",
            type=["safetensors", "npz"],
            max_upload_size=most,
        )
        tokens = right.file_uploader(
            "**Tokens**: Parquet or JSON lines, one row per token",
            type=["parquet", "jsonl"],
            max_upload_size=most,
        )
        model = st.text_input("What computed them", placeholder="my-model, step 1,000")
        st.caption(
            "docs/own_vectors.md describes both files, with ten lines that write them. More than "
            f"{most:,} MB a file come in by `python -m isogloss import-vectors`."
        )
        if not st.form_submit_button("Make the study", type="primary"):
            return
    if states is None or tokens is None:
        st.warning("Both files are needed: states and tokens.", icon=":material/info:")
        return
    try:
        key = _import(states, tokens, text, model)
    except USER_ERRORS as error:
        st.error(in_markdown(error), icon=":material/error:")
        return
    study_choice.set_study(key)
    st.switch_page("pages/token_map.py")


def _import(states: UploadedFile, tokens: UploadedFile, text: ParallelText, model: str) -> str:
    with tempfile.TemporaryDirectory() as folder, st.spinner("Checking every layer …"):
        # What a browser calls a file need not be a name that a disk can keep.
        paths = [
            Path(folder, called + Path(upload.name).suffix)
            for called, upload in (("states", states), ("tokens", tokens))
        ]
        for path, upload in zip(paths, (states, tokens), strict=True):
            path.write_bytes(upload.getbuffer())
        return import_vectors(paths[0], paths[1], text, model, loading.the_store()).key
