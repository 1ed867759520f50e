"""What can be told of a model before it is loaded: its size, and what it will see of a text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from isogloss.errors import ModelError
from isogloss.models.files import bundled_directory
from isogloss.models.packaged.e5 import NAME as E5
from isogloss.models.packaged.e5 import unpacked_e5_directory
from isogloss.models.presets import base_of, find_preset
from isogloss.store import Store
from isogloss.text.reading import ParallelText

UNKNOWN_TOKENS = ("[UNK]", "<unk>")
SAMPLE = 2_000
SAMPLE_OF_ALL = 8_000
"""Sentences looked at in all languages together, so that thirty take no longer than four."""
USUAL_VOCABULARY = 250_000


@dataclass(frozen=True)
class TokenisationPreview:
    """One language: tokens in all (estimated from a sample of a long text), share unknown."""

    language: str
    tokens: int
    unknown_share: float


def local_directory(name: str, store: Store | None = None) -> Path | None:
    """Where a model's files are, if that can be told without a download or unpacking anything."""
    name = base_of(name)
    preset = find_preset(name)
    if preset is not None and preset.where == "bundled":
        return bundled_directory(preset)
    if preset is not None:
        return unpacked_e5_directory(store) if store is not None and name == E5 else None
    directory = Path(name).expanduser()
    return directory if (directory / "tokenizer.json").is_file() else None


def preview_tokenisation(directory: Path, text: ParallelText) -> tuple[TokenisationPreview, ...]:
    """Tokenise the first sentences of each side and count."""
    path = directory / "tokenizer.json"
    tokenizer = _read_tokenizer(path, path.stat().st_mtime_ns)
    names = {*UNKNOWN_TOKENS, getattr(tokenizer.model, "unk_token", None)} - {None}
    unknown = {tokenizer.token_to_id(name) for name in names} - {None}
    return tuple(
        _count(tokenizer, side, language, unknown, SAMPLE_OF_ALL // len(text.languages))
        for language, side in zip(text.languages, text.sides, strict=True)
    )


@lru_cache(maxsize=2)
def _read_tokenizer(path: Path, modified: int) -> Any:
    """A tokenizer, kept until its file changes: large vocabularies take a second to read."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def _count(
    tokenizer: Any, cells: tuple[str, ...], language: str, unknown: set[int], most: int
) -> TokenisationPreview:
    sentences = [cell for cell in cells if cell]
    sample = sentences[: min(SAMPLE, most)]
    encoded = tokenizer.encode_batch(sample, add_special_tokens=False)
    ids = [index for encoding in encoded for index in encoding.ids]
    share = sum(index in unknown for index in ids) / max(len(ids), 1)
    total = round(len(ids) * len(sentences) / max(len(sample), 1))
    return TokenisationPreview(language, total, share)


@dataclass(frozen=True)
class ModelSize:
    """Parameters of each block and of the embeddings, as far as the configuration tells."""

    n_layers: int
    width: int
    block: float
    embeddings: float


def size_of_model(name: str) -> ModelSize:
    """The size of a model by its configuration or, before it is downloaded, by its preset."""
    directory = local_directory(name)
    if directory is not None:
        return _size_by_config(directory)
    preset = find_preset(base_of(name))
    if preset is None:
        raise ModelError(f"The size of {name} is known once it is downloaded.")
    width = preset.width
    return ModelSize(preset.n_layers, width, 12.0 * width**2, float(USUAL_VOCABULARY * width))


def _size_by_config(directory: Path) -> ModelSize:
    try:
        found = json.loads((directory / "config.json").read_text(encoding="utf-8"))
        config = found.get("text_config", found)
        width, inner = int(config["hidden_size"]), int(config["intermediate_size"])
        return ModelSize(
            n_layers=int(config["num_hidden_layers"]),
            width=width,
            block=4.0 * width**2 + 2.0 * width * inner,
            embeddings=float(int(config["vocab_size"]) * width),
        )
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"The configuration in {directory} does not tell how large the model is: check that "
            "it was saved by transformers."
        ) from error
