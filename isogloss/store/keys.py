"""Content addresses: one record, one key, in every process and on every machine."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from isogloss.store.errors import StoreError

FORMAT_VERSION = 1
"""Version of the records and of the layout on disk; raising it gives every record a new key."""

_KEY = re.compile(r"[0-9a-f]{32}")


def cache_key(record: Mapping[str, Any]) -> str:
    """The content address of `record`: 32 hexadecimal digits.

    The first 128 bits of SHA-256 over the canonical JSON of the record and `FORMAT_VERSION`.
    The order of keys does not matter, nor whether a sequence is a list or a tuple; every other
    difference gives another key, `1` and `1.0` and `True` included.
    """
    text = canonical_json({"format": FORMAT_VERSION, "record": record})
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def is_key(text: str) -> bool:
    """Whether `text` has the form of a key, and so is safe as the name of a directory."""
    return _KEY.fullmatch(text) is not None


def canonical_json(value: Any) -> str:
    """The one ASCII JSON text of `value`: keys sorted, no blanks, floats in shortest form."""
    return json.dumps(_plain(value, ""), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any, where: str) -> Any:
    """`value` in plain JSON types; `where` names the place of one that has no such form."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise StoreError(f"{where} is {value}, which cannot be stored: use a finite number.")
        return value + 0.0  # -0.0 equals 0.0, so both must give one key
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise StoreError(f"{where or 'The record'} has the key {key!r}: use a string.")
        return {key: _plain(item, f"{where}.{key}".lstrip(".")) for key, item in value.items()}
    raise StoreError(
        f"{where} is a {type(value).__name__}, which cannot be stored: use None, bool, int, float, "
        "str, or lists and mappings of them."
    )
