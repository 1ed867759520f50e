"""From files of layers and tokens to a study that every page, command and function can read."""

from __future__ import annotations

import hashlib
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from isogloss.errors import ExtractionError
from isogloss.models.presets import RANDOM_PREFIX, find_preset
from isogloss.models.states import BLOCKS
from isogloss.models.tokens import TOKENS, write_token_table
from isogloss.store import STATES, Entry, Store, create_states_file
from isogloss.studies.extraction import software_versions
from isogloss.studies.own_vectors.layers import check_layers, open_layers
from isogloss.studies.own_vectors.token_rows import (
    fit_to_text,
    most_tokens,
    read_token_rows,
)
from isogloss.studies.study import OWN_VECTORS, TEXT, write_stored_text
from isogloss.text.readers.checking import is_broken
from isogloss.text.reading import ParallelText

LONGEST_NAME = 200


def import_vectors(
    states: str | PathLike[str],
    tokens: str | PathLike[str],
    text: ParallelText,
    model: str,
    store: Store,
) -> Entry:
    """Check states that were computed elsewhere and keep them as a study of `model` on `text`.

    Everything is checked before anything is stored. docs/own_vectors.md describes both files.
    """
    states, tokens, model = Path(states), Path(tokens), model.strip()
    _check_name(model)
    layers = open_layers(states)
    rows = read_token_rows(tokens, most_tokens(text))
    width, dtype = check_layers(layers, len(rows), rows.file)
    fitted = fit_to_text(rows, text)
    stored_as: Literal["float16", "float32"] = "float16" if dtype == "float16" else "float32"
    record = {
        "kind": "activations",
        "model": f"{OWN_VECTORS}{_digest(states, tokens)}",
        "name": model,
        "corpus": text.content_hash,
        "precision": stored_as,
        "stored_as": stored_as,
    }
    if layers.states.normed is not None:
        record["states"] = BLOCKS
    facts = {
        "model": model,
        "corpus": text.name,
        "languages": list(text.languages),
        "pairs": len(text),
        "sentences": sum(map(bool, chain(*text.sides))),
        "tokens": len(rows),
        "n_layers": layers.states.n_layers,
        "width": width,
        "is_decoder": False,
        "final_norm": layers.states.final_norm,
        "scale": 1,
        "device": "elsewhere",
        "versions": software_versions(),
    }

    def build(workspace: Path) -> dict[str, Any]:
        kept = create_states_file(
            workspace / STATES,
            n_states=layers.n_states,
            rows=len(rows),
            width=width,
            dtype=stored_as,
        )
        for index in range(layers.n_states):
            kept[index] = layers.layer(index)[fitted.order]
        kept.flush()
        write_token_table(
            text,
            lambda side, first, last: fitted.sentences[side][first:last],
            workspace / TOKENS,
        )
        write_stored_text(text, workspace / TEXT)
        return {}

    return store.get_or_create(record, build, description=f"{model} × {text.name}", facts=facts)


def _check_name(model: str) -> None:
    """A preset's name promises weights that were read here, which these were not."""
    if not model:
        raise ExtractionError("Vectors need a name: say which model computed them.")
    if is_broken(model) or len(model) > LONGEST_NAME:
        raise ExtractionError(
            f"The name of your vectors is no text of at most {LONGEST_NAME} characters: give "
            "another."
        )
    if find_preset(model) is not None or model.startswith(RANDOM_PREFIX):
        raise ExtractionError(
            f"{model} is what Isogloss calls a model that it reads itself: give your vectors "
            f"another name, such as 'my {model}'."
        )


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
