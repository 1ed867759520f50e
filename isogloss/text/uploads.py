"""Uploaded texts, kept below the store's root so that forms, runs and a return to a page find them.

    root/texts/<hash>/<name>    what was uploaded, by its content; there whole or not at all

A run names what it reads by its path. What no run names goes a day after it was last used.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from isogloss.errors import IsoglossError
from isogloss.formatting import human_size
from isogloss.settings import UPLOADS_LIMIT
from isogloss.store.files import size_below, sync_directory, translate_os_errors, write_durably
from isogloss.text.readers.files import GivenFile

TEXTS = "texts"
SECONDS_KEPT = 86_400.0
_LONGEST_NAME = 100


def keep_upload(file: GivenFile, root: Path) -> str:
    """Keep an uploaded text below `root`; returns where it is."""
    _require_room([file], _place([file], root), root)
    path = str(_write(file, _place([file], root)))
    is_kept(path)
    return path


def keep_uploads(files: Sequence[GivenFile], root: Path, name: str) -> str:
    """Keep texts that belong together in one directory called `name`; returns where that is."""
    names = [_own_name(file.name) for file in files]
    if doubled := [each for each in names if names.count(each) > 1]:
        raise IsoglossError(f"Two of the files are called {doubled[0]}: rename one of them.")
    place = _place(files, root) / name
    _require_room(files, place, root)
    for file in files:
        _write(file, place)
    is_kept(str(place))
    return str(place)


def is_kept(path: str) -> bool:
    """Whether a text that was kept is still there; counts as a use."""
    with suppress(OSError):
        os.utime(path)
        os.utime(Path(path).parent)
        return True
    return False


def prune_uploads(root: Path, needed: Collection[str], now: float | None = None) -> int:
    """Delete the texts that no path in `needed` leads to and nobody has used for a day.

    Returns how many.
    """
    texts = root / TEXTS
    in_use = {Path(path).relative_to(texts).parts[0] for path in needed if _is_below(path, texts)}
    oldest = (time.time() if now is None else now) - SECONDS_KEPT
    gone = 0
    with suppress(FileNotFoundError):
        for place in list(texts.iterdir()):
            if place.name not in in_use and place.stat().st_mtime < oldest:
                shutil.rmtree(place, ignore_errors=True)
                gone += 1
    return gone


def _is_below(path: str, texts: Path) -> bool:
    return Path(path).is_relative_to(texts) and Path(path) != texts


def _place(files: Sequence[GivenFile], root: Path) -> Path:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.data).digest())
        digest.update(_own_name(file.name).encode())
    return root / TEXTS / digest.hexdigest()[:16]


def _require_room(files: Sequence[GivenFile], place: Path, root: Path) -> None:
    """Refuse files with which more would be kept than the owner allows."""
    limit = UPLOADS_LIMIT.read()
    new = sum(len(each.data) for each in files if not (place / _own_name(each.name)).is_file())
    if limit is not None and new and size_below(root / TEXTS) + new > limit:
        raise IsoglossError(
            f"This server keeps at most {human_size(limit)} of uploads, and these "
            f"{human_size(new)} do not fit any more: try again tomorrow, since what nobody "
            f"uses goes after a day, or let its owner raise {UPLOADS_LIMIT.name}."
        )


def _write(file: GivenFile, place: Path) -> Path:
    path = place / _own_name(file.name)
    if not path.is_file():
        with translate_os_errors(place):
            place.mkdir(parents=True, exist_ok=True)
            _write_aside(path, file.data)
    return path


def _write_aside(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all, however full the disk is."""
    half = path.with_name(f".{uuid.uuid4().hex}.half")
    try:
        write_durably(half, data)
        os.replace(half, path)
        sync_directory(path.parent)
    finally:
        half.unlink(missing_ok=True)


def _own_name(name: str) -> str:
    """A name that any file system takes, the same as the user's where that is one."""
    own = re.sub(r"[^\w.,()+ -]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])
    return own[-_LONGEST_NAME:].lstrip(". ") or "text"
