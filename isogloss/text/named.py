"""A text by its name alone: one that comes with Isogloss, or a data set of the hub."""

from __future__ import annotations

from pathlib import Path

from isogloss.errors import CorpusError
from isogloss.text.corpora import BUNDLED_NAMES, ReadResult, load_bundled
from isogloss.text.hub.names import HOW, is_hub_name, looks_like_a_name


def load_named(name: str) -> ReadResult | None:
    """The text of this name; None where it is no name, so that it may be a file's."""
    if Path(name).exists():
        return None
    if name in BUNDLED_NAMES:
        corpus = load_bundled(name)
        return ReadResult(corpus, "tsv", "utf-8", (), corpus.languages, False)
    if is_hub_name(name):
        from isogloss.text.hub.reading import load_from_hub

        return load_from_hub(name)
    if looks_like_a_name(name):
        raise CorpusError(
            f"There is neither a file nor a data set called {name}: write {HOW}, or the path of a "
            "file."
        )
    return None
