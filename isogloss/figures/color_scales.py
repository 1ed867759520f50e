"""Colour scales in even steps of perceived difference, by way of OKLab (Ottosson 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Scale = list[tuple[float, str]]
"""As Plotly takes it: positions from 0 to 1, each with a colour."""

STEPS = 33

_TO_CONE = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_oklab(color: str) -> np.ndarray:
    """Return lightness, green–red and blue–yellow of a colour like #0072b2, shape (3,)."""
    return np.asarray(_TO_LAB @ np.cbrt(_TO_CONE @ _linear(color)))


def from_oklab(lab: np.ndarray) -> str:
    """Return the colour of a point in OKLab, moved into what a screen can show."""
    cone = np.linalg.solve(_TO_LAB, lab) ** 3
    linear = np.clip(np.linalg.solve(_TO_CONE, cone), 0, 1)
    encoded = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in encoded)


def even_scale(anchors: Sequence[str], steps: int = STEPS) -> Scale:
    """Return a scale through `anchors` whose neighbouring steps look equally far apart."""
    corners = np.array([to_oklab(color) for color in anchors])
    lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    along = np.concatenate([[0], np.cumsum(lengths)]) / lengths.sum()
    positions = np.linspace(0, 1, steps)
    path = np.stack([np.interp(positions, along, corners[:, axis]) for axis in range(3)], axis=1)
    return [(float(p), from_oklab(lab)) for p, lab in zip(positions, path, strict=True)]


def diverging_scale(low: Sequence[str], high: Sequence[str], steps: int = STEPS) -> Scale:
    """Return a scale of two even halves; `low` ends and `high` begins with the neutral middle."""
    half = steps // 2 + 1
    below = [(position / 2, color) for position, color in even_scale(low, half)]
    above = [(0.5 + position / 2, color) for position, color in even_scale(high, half)]
    return below + above[1:]


def color_at(scale: Scale, share: float) -> str:
    """Return the colour of the nearest step to a share of the way from 0 to 1."""
    return min(scale, key=lambda step: abs(step[0] - share))[1]


def luminance(color: str) -> float:
    """Return the relative luminance of a colour as web accessibility guidelines define it."""
    return float(_linear(color) @ (0.2126, 0.7152, 0.0722))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21; text needs 4.5."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _linear(color: str) -> np.ndarray:
    """Return red, green and blue as amounts of light, shape (3,)."""
    encoded = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
