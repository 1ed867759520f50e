"""Studies as files: out of the store, into it, and how much room there is for more."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import streamlit as st

from components.shared import loading
from components.shared.file_inputs import ask_file
from components.shared.markdown import in_markdown
from isogloss.formatting import human_size
from isogloss.settings import CACHE_LIMIT
from isogloss.store import Store, StoreError, export_entries, import_entries
from isogloss.studies.study import Study

LARGEST_DOWNLOAD = 500_000_000
"""Bytes that a page hands over in one piece; the command line writes what is larger."""


def export_button(study: Study) -> None:
    """A button that saves a study, and all that was computed from it, as one file."""
    size = study.entry.size_bytes
    if size > LARGEST_DOWNLOAD:
        st.caption(f"Export: `python -m isogloss studies export study.tar {study.entry.key[:12]}`")
        return

    def archive() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.tar"
            export_entries(loading.the_store(), [study.entry.key], path)
            return path.read_bytes()

    st.download_button(
        f"Export ({human_size(size)})",
        archive,
        f"isogloss-{study.entry.key[:12]}.tar",
        "application/x-tar",
        on_click="ignore",
        icon=":material/download:",
        key=f"export-{study.entry.key}",
        help="One file with all that was computed from it, to import on another machine.",
    )


def import_form() -> None:
    """Take in studies that were exported elsewhere."""
    path = ask_file("A file that was exported", "import-studies", "/home/me/studies.tar")
    if not path or not st.button("Import", type="primary", key="import-studies"):
        return
    report = import_entries(loading.the_store(), Path(path))
    for name, reason in report.rejected:
        st.warning(f"{in_markdown(name[:12])}: {in_markdown(reason)}", icon=":material/warning:")
    found = [name for name in report.imported if "." not in name]
    there = [name for name in report.already_there if "." not in name]
    st.success(
        f"{_counted(len(found))} imported"
        + (f", {_counted(len(there))} there already." if there else "."),
        icon=":material/check_circle:",
    )


def _counted(number: int) -> str:
    return "1 study" if number == 1 else f"{number} studies"


def room(store: Store) -> None:
    """How much of what may be kept is taken: of the limit, or of the disk where there is none."""
    used = sum(entry.size_bytes for entry in store.entries() if not entry.demo)
    if store.limit_bytes is not None:
        most, of = store.limit_bytes, f"{human_size(store.limit_bytes)} ({CACHE_LIMIT.name})"
    else:
        free = _free(store.root)
        most, of = used + free, f"{human_size(used + free)}, which the disk has room for"
    st.progress(min(used / most, 1.0) if most else 1.0, text=f"{human_size(used)} of {of}")
    if store.limit_bytes is not None and used > 0.9 * store.limit_bytes:
        st.caption("When it is full, what was used longest ago goes first.")


def _free(root: Path) -> int:
    place = next((each for each in (root, *root.parents) if each.is_dir()), None)
    if place is None:
        raise StoreError(f"{root} is on no disk.")
    return shutil.disk_usage(place).free
