"""A text by its name alone: one that comes with Isogloss, or a data set of the hub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from isogloss.errors import TextError
from isogloss.text.hub.names import HOW, is_hub_name, looks_like_a_name
from isogloss.text.reading import BUNDLED_NAMES, ReadResult, load_bundled


def load_named(name: str, *, called: str | None = None, chooses: bool = False) -> ReadResult | None:
    """The text of this name; None where it is no name, so that it may be a file's.

    `called` is what to call it instead; `chooses` says that its languages or columns were chosen
    beside it, which the name of a data set does itself.
    """
    if Path(name).exists():
        return None
    if name in BUNDLED_NAMES:
        text = load_bundled(name)
        return ReadResult(text, "tsv", "utf-8", (), text.languages, False)
    if is_hub_name(name):
        from isogloss.text.hub.reading import load_from_hub

        if chooses:
            raise TextError(
                f"{name} says itself which languages and columns are read: name them there alone."
            )
        found = load_from_hub(name)
        return replace(found, text=replace(found.text, name=called)) if called else found
    if looks_like_a_name(name):
        raise TextError(
            f"There is neither a file nor a data set called {name}: write {HOW}, or the path of a "
            "file."
        )
    return None
