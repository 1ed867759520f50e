"""Where a model's files are, bundled or on the hub, and what identifies them.

Whatever the origin, the answer is a local directory in the transformers layout.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.hub import OutOfReach, asking_the_hub
from isogloss.models.presets import Preset
from isogloss.models.sources.sentence_modules import sentence_modules
from isogloss.store.files import sha256_of

BUNDLED_MODELS = Path(__file__).parents[1] / "bundled" / "models"
WAYS_OUT = (
    "give a local directory that holds the model, or choose another model, or a study that is "
    "already in the store"
)

HEAD = "head.safetensors"
"""A head that guesses tokens, kept beside the encoder's weights; no part of the fingerprint."""

_CONFIGURATION = ("*.json", "*.txt", "*.model")
_SAFETENSORS = "model*.safetensors"
_PICKLED = "pytorch_model*.bin"
_WEIGHTS = (_SAFETENSORS, _PICKLED)
_FINGERPRINTED = (
    "config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
)


def bundled_directory(preset: Preset) -> Path:
    """The directory of a model that ships with Isogloss."""
    directory = BUNDLED_MODELS / preset.source
    if not (directory / "config.json").is_file():
        raise ModelError(
            f"The bundled model {preset.name} is missing from {directory}: install Isogloss again."
        )
    return directory


def hub_directory(
    hub_id: str, revision: str | None, *, configuration_only: bool = False, file: str = ""
) -> Path:
    """Download a model from the Hugging Face hub, or find it in the hub's local cache.

    Safetensors where the repository has them, else the plain PyTorch file; never code. With `file`
    it is that one alone. What sentence-transformers keeps in folders is fetched with the rest.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    def fetch(wanted: list[str], ignored: str | None = "*/*") -> Path:
        return Path(
            snapshot_download(
                hub_id, revision=revision, allow_patterns=wanted, ignore_patterns=ignored
            )
        )

    def download(*weights: str) -> Path:
        directory = fetch([*_CONFIGURATION, *weights])
        modules = sentence_modules(directory)
        if modules is None:
            return directory
        if modules.pooling:
            fetch([f"{modules.pooling}/config.json"], None)
        if modules.transformer:
            within = [f"{modules.transformer}/{each}" for each in (*_CONFIGURATION, *weights)]
            fetch(within, f"{modules.transformer}/*/*")
        return directory

    def has(directory: Path, weights: str) -> bool:
        modules = sentence_modules(directory)
        return any((directory / (modules.transformer if modules else "")).glob(weights))

    try:
        with asking_the_hub(hub_id, "model", revision, ModelError):
            if file:
                return fetch([file], None)
            if configuration_only:
                return download()
            for weights in _WEIGHTS:
                directory = download(weights)
                if has(directory, weights):
                    return directory
    except HFValidationError as error:
        raise ModelError(
            f"{hub_id} is neither a preset, nor a directory, nor a hub id such as owner/name: "
            "`python -m isogloss models` lists the presets."
        ) from error
    except OutOfReach as error:
        raise ModelError(
            f"{hub_id} is not on this machine and the hub cannot be reached: {WAYS_OUT}."
        ) from error
    raise ModelError(
        f"Neither the hub nor this machine has weights of {hub_id} as safetensors or "
        f"pytorch_model.bin: name one of its GGUF files if it has some, as {hub_id}:NAME.gguf, or "
        f"{WAYS_OUT}."
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Without the progress bars and the remarks of transformers; what matters is checked here."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def fingerprint(directory: Path, *, weights: bool = True) -> str:
    """SHA-256 over the names and bytes of configuration, tokenizer and (if asked) weights."""
    patterns = (*_FINGERPRINTED, *_WEIGHTS) if weights else _FINGERPRINTED
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in directory.glob(pattern)}):
        digest.update(f"{path.name}\0{file_digest(path)}\n".encode())
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read again only when its size or its time of change differs."""
    facts = path.stat()
    return _digest(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, modified: int) -> str:
    return sha256_of(path)
