"""Which languages are related, and how far apart they are by descent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isogloss.text.language_names import language_of

SOURCE = "Glottolog, three levels (family, branch, group)"


def path_of(code: str) -> tuple[str, ...]:
    """Family, branch and group of a language, empty if they are not known here."""
    language = language_of(code)
    return language.path if language else ()


def family_of(code: str) -> str:
    """The family of a language, empty if it is not known here."""
    return "".join(path_of(code)[:1])


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


def _apart(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    if not first or not second:
        return float("nan")
    shared = sum(first[:level] == second[:level] for level in range(1, len(first) + 1))
    return 1.0 + len(first) - shared
