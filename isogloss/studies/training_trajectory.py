"""The bundled model's training, seen at some moments: alignment by layer and where words lie."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.bundled import BUNDLED_MODEL
from isogloss.errors import ModelError

ARRAYS, FACTS = "trajectory.safetensors", "trajectory.json"


@dataclass(frozen=True)
class Trajectory:
    """Training seen at some moments, m of them, through L + 1 layers and n words.

    `tokens` (m,) seen so far; `retrieval` and `nearest_share` (m, L + 1), range 0 to 1;
    `coordinates` (m, L + 1, n, 2); `texts`, `sides` and `sentence_of` have n entries.
    """

    tokens: tuple[int, ...]
    retrieval: np.ndarray
    nearest_share: np.ndarray
    coordinates: np.ndarray
    preservation: np.ndarray
    links: np.ndarray
    texts: tuple[str, ...]
    sides: tuple[int, ...]
    sentence_of: tuple[int, ...]
    sentences: tuple[tuple[str, str], ...]


def read_trajectory(directory: Path = BUNDLED_MODEL) -> Trajectory:
    """The trajectory that ships beside the bundled model."""
    from safetensors.numpy import load_file

    if not (directory / FACTS).is_file():
        raise ModelError(f"{directory} holds no training trajectory: install Isogloss again.")
    rest = json.loads((directory / FACTS).read_text(encoding="utf-8"))
    return Trajectory(
        tokens=tuple(rest["tokens"]),
        texts=tuple(rest["texts"]),
        sides=tuple(rest["sides"]),
        sentence_of=tuple(rest["sentence_of"]),
        sentences=tuple((source, target) for source, target in rest["sentences"]),
        **load_file(directory / ARRAYS),
    )
