"""What the maps of words watched while a model trains have in common, and how runs keep them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from isogloss.measures.stacks import Array


def turn_together(layers: Iterable[tuple[Array, Array]], at: int) -> tuple[Array, Array]:
    """Turn each layer's moving picture onto the one below it as they are at a moment.

    Of every layer there are places (m, n, 2) and preservation (m,); returns positions
    (m, L + 1, n, 2), from -1 to 1, and preservation (m, L + 1).
    """
    from scipy.linalg import orthogonal_procrustes

    positions: list[Array] = []
    preservation: list[Array] = []
    for places, kept in layers:
        if positions:
            turning, _ = orthogonal_procrustes(places[at], positions[-1][at])
            places = places @ turning
        positions.append(places)
        preservation.append(kept)
    together = np.stack(positions, axis=1)
    largest = max(np.abs(together).max(), np.finfo(np.float32).tiny)
    return together / largest, np.stack(preservation, axis=1)


def as_bytes(value: Any) -> Array:
    """What JSON can say, as an array that a run can keep."""
    return np.frombuffer(json.dumps(value).encode("ascii"), np.uint8)


def from_bytes(kept: Array) -> Any:
    """What `as_bytes` was given, tuples as lists."""
    return json.loads(bytes(kept))
