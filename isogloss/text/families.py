"""Which languages are related, and how far apart they are by descent."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

_TABLE = Path(__file__).parents[1] / "bundled" / "families" / "families.tsv"

SOURCE = "Glottolog, three levels (family, branch, group)"


@cache
def _paths() -> dict[str, tuple[str, ...]]:
    """Family, branch and group by language code."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {code: tuple(path) for code, *path in rows}


def path_of(code: str) -> tuple[str, ...] | None:
    """Family, branch and group of a language, None if they are not known here."""
    return _paths().get(code.partition("-")[0].lower())


def family_of(code: str) -> str:
    """The family of a language, empty if it is not known here."""
    path = path_of(code)
    return path[0] if path else ""


def genealogical_distances(codes: Sequence[str]) -> npt.NDArray[np.float64]:
    """How far apart languages are by descent, (K, K): 4 unrelated, 3 of one family, 2 of one
    branch, 1 of one group, 0 a language itself; NaN where one is not known."""
    paths = [path_of(code) for code in codes]
    distances = np.zeros((len(codes), len(codes)))
    for i, first in enumerate(paths):
        for j, second in enumerate(paths):
            if i != j:
                distances[i, j] = _apart(first, second)
    return distances


def _apart(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> float:
    if first is None or second is None:
        return float("nan")
    shared = 0
    while shared < len(first) and first[: shared + 1] == second[: shared + 1]:
        shared += 1
    return 1.0 + len(first) - shared
