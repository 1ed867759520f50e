"""Models in one GGUF file, as llama.cpp has them: weights, configuration and tokenizer together.

Transformers reads the architectures that it knows and turns rounded weights into ordinary ones.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from isogloss.errors import ModelError
from isogloss.models.files import file_digest

ENDING = ".gguf"
_MAGIC = b"GGUF"
_NEEDED = ("gguf", "accelerate")
_NAME = re.compile(r"(?P<where>.+):(?P<file>[^:]+\.gguf)", re.IGNORECASE)


def split_name(name: str) -> tuple[str, str]:
    """Directory or hub id, and the GGUF file in it: the last is empty where none is named."""
    found = _NAME.fullmatch(name)
    if found is not None and not Path(name).expanduser().is_file():
        return found["where"], found["file"]
    if name.lower().endswith(ENDING):
        path = Path(name).expanduser()
        return str(path.parent), path.name
    return name, ""


def check_gguf(path: Path) -> None:
    """Raise what keeps a file from being read, before transformers tries."""
    missing = [package for package in _NEEDED if find_spec(package) is None]
    if missing:
        raise ModelError(
            f"Reading {path.name} takes {' and '.join(missing)}: run `pip install "
            f"{' '.join(_NEEDED)}`."
        )
    if not path.is_file():
        there = sorted(each.name for each in path.parent.glob(f"*{ENDING}"))
        found = f"it has {', '.join(there[:8])}" if there else "it has no GGUF file"
        raise ModelError(f"There is no file {path.name} in {path.parent}: {found}.")
    with path.open("rb") as stream:
        if stream.read(4) != _MAGIC:
            raise ModelError(
                f"{path} is no GGUF file, whatever it is called: fetch it again, or name another."
            )


def gguf_error(path: Path, error: Exception) -> ModelError:
    """What transformers, or the package gguf, could not do with a file, as a sentence."""
    said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".:")
    unknown = re.search(r"architecture (\S+) is not supported|Unknown gguf model_type: (\S+)", said)
    if unknown:
        return ModelError(
            f"{path.name} has the architecture {unknown[1] or unknown[2]}, which transformers does "
            "not read from GGUF: name the model as transformers saves it."
        )
    return ModelError(
        f"{path} could not be read as GGUF ({said}): it may be cut off or of a kind that "
        "transformers does not read; fetch it again, or name the model as transformers saves it."
    )


def gguf_fingerprint(path: Path) -> str:
    """SHA-256 of the file, which is all of the model."""
    return f"gguf {file_digest(path)}"
