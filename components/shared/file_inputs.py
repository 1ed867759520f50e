"""Files in forms: uploaded and kept for the session, or on the server where its owner allows it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from components.shared import loading
from components.shared.markdown import in_markdown
from isogloss.errors import IsoglossError
from isogloss.models.sources.finding import path_of
from isogloss.settings import FILES
from isogloss.text.reading import LIMITS, GivenFile
from isogloss.text.uploads import is_kept, keep_upload, keep_uploads

MEGABYTES = LIMITS.bytes // 10**6


def may_name_paths() -> bool:
    """Whether forms take paths: the owner allows a directory, or sits at this machine."""
    return FILES.read() is not None or _is_local()


def named_path(text: str) -> str:
    """A path on the server as somebody wrote it, whole; refused where it may not be opened."""
    try:
        path = Path(text).expanduser().absolute()
    except RuntimeError as error:  # the home of a user who is not there
        raise IsoglossError(f"{text} is no path: write it out.") from error
    allowed = FILES.read()
    if not may_name_paths():
        raise IsoglossError(
            "This server is open to other machines, so files on it cannot be named: upload them, "
            f"or let its owner set {FILES.name} to a directory."
        )
    if allowed is not None:
        path = path.resolve()
        if not path.is_relative_to(allowed.resolve()):
            raise IsoglossError(f"This server opens only what is below {allowed}: upload the file.")
    return str(path)


def check_model_name(name: str) -> None:
    """Refuse a model that is a directory or a file which may not be opened."""
    path = path_of(name)
    if path:
        named_path(path)


def ask_uploads(
    label: str,
    key: str,
    *,
    several: bool = True,
    together: Callable[[Sequence[str]], str] | None = None,
    help: str | None = None,
    megabytes: int = MEGABYTES,
) -> tuple[str, ...]:
    """Where the files are that were uploaded here in this session; none while there are none.

    They stay when the page is left. With `together` it is one directory, called as that says of
    the files' names.
    """
    kept, changed = f"uploaded-{key}", f"upload-changed-{key}"
    found = st.file_uploader(
        label,
        accept_multiple_files=several,
        key=f"upload-{key}",
        help=help,
        max_upload_size=megabytes_taken(megabytes),
        on_change=st.session_state.__setitem__,
        args=(changed, True),
    )
    given = found if isinstance(found, list) else [found] if found else []
    if st.session_state.pop(changed, False):
        files = [GivenFile(file.name, file.getvalue()) for file in given]
        st.session_state[kept] = _keep(files, together)
        loading.drop_old_uploads()
    paths = tuple(path for path in st.session_state.get(kept, ()) if is_kept(path))
    if paths and not given:
        _show_kept(paths, kept)
    return paths


def megabytes_taken(most: int | None = None) -> int:
    """How large a file the server takes: as its settings say, or less where `most` is less."""
    allowed = int(st.get_option("server.maxUploadSize"))
    return allowed if most is None else min(most, allowed)


def ask_file(label: str, key: str, example: str, help: str | None = None) -> str:
    """A file, uploaded or, where that is allowed, named by its path; empty while there is none."""
    paths = ask_uploads(label, key, several=False, help=help)
    named = ask_path(f"{label}, by its path on this machine", key, example)
    return paths[0] if paths else named


def ask_path(label: str, key: str, example: str) -> str:
    """A path on the server, where naming one is allowed; empty while there is none."""
    if not may_name_paths():
        return ""
    text = st.text_input(label, placeholder=example, key=f"path-{key}").strip()
    return named_path(text) if text else ""


def _keep(
    files: Sequence[GivenFile], together: Callable[[Sequence[str]], str] | None
) -> tuple[str, ...]:
    root = loading.the_store().root
    if together is None or not files:
        return tuple(keep_upload(file, root) for file in files)
    return (keep_uploads(files, root, together([file.name for file in files])),)


def _show_kept(paths: Sequence[str], kept: str) -> None:
    """What was uploaded before the page was left, and a way to be rid of it."""
    found = [Path(path) for path in paths]
    names = [
        each.name
        for path in found
        for each in (sorted(path.iterdir()) if path.is_dir() else [path])
    ]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/description: {in_markdown(', '.join(names))}", width="content")
        st.button(
            "Remove",
            type="tertiary",
            icon=":material/close:",
            key=f"forget-{kept}",
            on_click=st.session_state.pop,
            args=(kept, None),
        )


def _is_local() -> bool:
    """Whether the server listens on this machine alone."""
    address = st.get_option("server.address") or ""
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
