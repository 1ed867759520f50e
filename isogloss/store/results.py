"""Arrays and results in files: those of answers, and those that runs keep."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from isogloss.store.files import sync_directory, sync_file

SEAL = "seal"
"""What a file calls the digest of what it holds, by which a changed byte is found."""

_STORED_AS = "stored as"
_ARRAYS = "arrays.safetensors"
_REST = "rest.json"


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Keep arrays of numbers, sealed and durably; whoever reads sees all of them or none."""
    from safetensors.numpy import save_file

    half = path.with_name(f"{path.stem}.tmp")
    try:
        save_file(dict(arrays), half, metadata={SEAL: _digest_of_arrays(arrays)})
        sync_file(half)
        os.replace(half, path)
    finally:
        half.unlink(missing_ok=True)
    sync_directory(path.parent)


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays that `write_arrays` kept; ValueError where they are not those."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            names = file.keys()
            found = {name: file.get_tensor(name) for name in names}
            seal = (file.metadata() or {}).get(SEAL)
    except (OSError, SafetensorError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path.name} cannot be read") from error
    if seal not in (None, _digest_of_arrays(found)):
        raise ValueError(f"{path.name} is not what was kept")
    return found


def _digest_of_arrays(arrays: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def stored_as(name: str) -> dict[str, str]:
    """The metadata of a dataclass's field that is kept under the name it began with."""
    return {_STORED_AS: name}


def _name(of: Field[Any]) -> str:
    """What a field is called where it is kept."""
    return str(of.metadata.get(_STORED_AS, of.name))


def write_result(result: Any, workspace: Path) -> None:
    """Keep a dataclass: its arrays of numbers as safetensors, everything else as JSON."""
    arrays: dict[str, np.ndarray] = {}
    texts: dict[str, Any] = {}
    values = _split(result, "", arrays, texts)
    write_arrays(workspace / _ARRAYS, arrays)
    rest = json.dumps({"values": values, "texts": texts}, ensure_ascii=False)
    (workspace / _REST).write_text(rest, encoding="utf-8")


def read_result(kind: type, path: Path) -> Any:
    """Return the dataclass `kind` as `write_result` kept it."""
    rest = json.loads((path / _REST).read_text(encoding="utf-8"))
    arrays = read_arrays(path / _ARRAYS)
    arrays |= {name: np.array(texts, np.str_) for name, texts in rest["texts"].items()}
    return _join(kind, "", arrays, rest["values"])


def _split(
    result: Any, prefix: str, arrays: dict[str, np.ndarray], texts: dict[str, Any]
) -> dict[str, Any]:
    """Sort the fields into arrays of numbers, arrays of text, and the rest, which is returned."""
    values: dict[str, Any] = {}
    for each in fields(result):
        value, name = getattr(result, each.name), prefix + _name(each)
        if is_dataclass(value):
            values[_name(each)] = _split(value, f"{name}.", arrays, texts)
        elif not isinstance(value, np.ndarray):
            values[_name(each)] = value
        elif value.dtype.kind == "U":
            texts[name] = value.tolist()
        else:
            arrays[name] = np.ascontiguousarray(value)
    return values


def _join(kind: type, prefix: str, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> Any:
    hints = get_type_hints(kind)

    def value_of(of: Field[Any]) -> Any:
        own, name, hint = _name(of), prefix + _name(of), hints[of.name]
        if name in arrays:
            return arrays[name]
        for part in (hint, *get_args(hint)):
            if isinstance(part, type) and is_dataclass(part) and values[own] is not None:
                return _join(part, f"{name}.", arrays, values[own])
        return values[own]

    # A field that came later than the answer has its default.
    there = (
        each for each in fields(kind) if _name(each) in values or prefix + _name(each) in arrays
    )
    return kind(**{each.name: value_of(each) for each in there})
