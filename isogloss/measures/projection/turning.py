"""Pictures of neighbouring layers brought to one place, size and orientation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isogloss.measures.stacks import Array

Order = Sequence[tuple[int, int | None]]
"""Layers one after another, each with the neighbour that it follows."""


def lay_together(
    layouts: Sequence[Array], turn: bool = True, middle: int | None = None
) -> npt.NDArray[np.float32]:
    """Return layouts (n, 2) as one array (layers, n, 2), centred, of one size, turned to match.

    Each layer gets a root mean square radius of 1, then is rotated or reflected onto its neighbour
    (unless `turn` is False), from `middle` outwards; one factor for all fits them to [-1, 1].
    """
    from scipy.linalg import orthogonal_procrustes

    scaled = [_scale(layout) for layout in layouts]
    if turn:
        for layer, neighbour in outwards(
            len(scaled) // 2 if middle is None else middle, varying_layers(scaled)
        ):
            if neighbour is not None:
                turning, _ = orthogonal_procrustes(scaled[layer], scaled[neighbour])
                scaled[layer] = scaled[layer] @ turning
    together = np.stack(scaled)
    return (together / max(np.abs(together).max(), np.finfo(np.float64).tiny)).astype(np.float32)


def mean_movement(positions: Array) -> Array:
    """Return how far the points move, on average, from each layer to the next: (layers - 1,).

    positions is (layers, n, 2); distances are in its units.
    """
    steps = np.diff(np.asarray(positions, dtype=np.float64), axis=0)
    return np.linalg.norm(steps, axis=2).mean(axis=1)


def outwards(middle: int, varying: Sequence[int]) -> Order:
    """The layers that vary, from the middle to both ends, each with the neighbour it follows."""
    if not varying:
        return []
    begin = min(varying, key=lambda layer: abs(layer - middle))
    later = [layer for layer in varying if layer >= begin]
    earlier = [layer for layer in reversed(varying) if layer <= begin]
    followed = list(zip(later[1:], later, strict=False)) + list(
        zip(earlier[1:], earlier, strict=False)
    )
    return [(begin, None), *followed]


def varying_layers(layers: Sequence[Array]) -> list[int]:
    """The layers whose points are not all the same."""
    return [index for index, layer in enumerate(layers) if np.ptp(layer, axis=0).any()]


def _scale(layout: Array) -> Array:
    """The layout about its centre, at a root mean square radius of 1; a dot stays a dot."""
    centred = layout.astype(np.float64) - layout.mean(axis=0, dtype=np.float64)
    radius = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / radius if radius > 0 else centred
