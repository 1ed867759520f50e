"""Names that somebody gave to entries; an entry's own files are never written again."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

from isogloss.store.errors import StoreError
from isogloss.store.files import translate_os_errors
from isogloss.store.keys import is_key

if TYPE_CHECKING:
    from isogloss.store.store import Store

LONGEST = 80


def given_name(store: Store, key: str) -> str:
    """What an entry was renamed to; empty where nobody did."""
    try:
        return (store.root / "names" / key).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def rename(store: Store, key: str, name: str) -> None:
    """Call an entry so from now on; with an empty name as it called itself."""
    words = " ".join(name.split())
    if len(words) > LONGEST:
        raise StoreError(
            f"A name has at most {LONGEST} characters, this has {len(words)}: shorten it."
        )
    if not is_key(key):
        raise StoreError(f"{key!r} is no key.")
    place = store.root / "names"
    with translate_os_errors(store.root):
        place.mkdir(parents=True, exist_ok=True)
        if not words:
            (place / key).unlink(missing_ok=True)
            return
        half = place / f".{uuid.uuid4().hex}"
        half.write_text(words, encoding="utf-8")
        os.replace(half, place / key)
