"""A layout turned and scaled to fill a picture: one rotation for all layers, one scale for each.

The plane of a projection has no up and no unit, so both may serve the picture. Turning is a
rotation, which changes no distance. Scaling is done layer by layer, the same in both directions
wherever that fills the picture well enough; a layer that would leave it half empty is stretched,
by as little as does, and `Frame.stretch` says by how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array

LEAST_LONGER, LEAST_SHORTER = 0.6, 0.76
"""The shares of a picture's longer and shorter side that every layer covers."""
PADDING_SHARE, MOST_PADDING = 0.08, 28.0
"""Free space around the points: a share of the shorter side, at most so many pixels."""


@dataclass(frozen=True)
class Frame:
    """Where one layer lies in a picture: places (n, 2) in pixels, y downwards.

    `stretch` is the scale across divided by the scale upwards, 1 where the shape is kept.
    """

    places: Array
    stretch: float


def lay_flat(positions: Array) -> Array:
    """Return positions (layers, n, 2) turned by one rotation, the widest way from left to right.

    The angle of the first principal axis of all layers together, each about its own centre, is
    θ = ½ atan2(2 c₀₁, c₀₀ − c₁₁) with C the summed scatter matrix; all is turned by −θ, which is
    between −90° and 90°.
    """
    layers = np.asarray(positions, dtype=np.float64)
    centred = layers - layers.mean(axis=1, keepdims=True)
    scatter = np.einsum("lni,lnj->ij", centred, centred)
    angle = 0.5 * np.arctan2(2 * scatter[0, 1], scatter[0, 0] - scatter[1, 1])
    cosine, sine = np.cos(angle), np.sin(angle)
    return (layers @ np.array([[cosine, -sine], [sine, cosine]])).astype(np.float32)


def frame_layer(places: Array, width: float, height: float) -> Frame:
    """Fit one flat-lying layer (n, 2), y upwards, into a picture of width × height pixels.

    In a picture that is higher than wide it is turned by a quarter. The browser frames its stage
    by the same rule (`camera.js`).
    """
    turned = np.asarray(places, dtype=np.float64)
    if height > width:
        turned = np.column_stack([turned[:, 1], -turned[:, 0]])
    sides = np.array([width, height], dtype=np.float64)
    room = sides - 2 * min(PADDING_SHARE * sides.min(), MOST_PADDING)
    lowest, highest = turned.min(axis=0), turned.max(axis=0)
    extent = highest - lowest
    extent[extent == 0] = extent.max() or 1.0
    shares = (LEAST_LONGER, LEAST_SHORTER)
    least = sides * (shares if width >= height else shares[::-1])
    scale = np.maximum((room / extent).min(), np.minimum(least, room) / extent)
    offset = (turned - (lowest + highest) / 2) * scale
    return Frame(sides / 2 + offset * (1, -1), float(scale[0] / scale[1]))
