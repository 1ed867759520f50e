"""What a colour of the pages is on paper, which is white."""

from __future__ import annotations

from functools import cache

from isogloss.figures.template import theme
from isogloss.palette import PALETTES

Color = tuple[float, float, float, float]
"""Red, green, blue and opacity, each in 0…1."""


def read_color(color: object, opacity: float = 1.0) -> Color:
    """A colour as Plotly writes it, as it is on paper: the page's own colour is white there."""
    red, green, blue, alpha = _channels(str(color or "rgba(0,0,0,0)").strip().lower())
    red, green, blue = _on_paper().get((red, green, blue), (red, green, blue))
    return red / 255, green / 255, blue / 255, alpha * opacity


def _channels(text: str) -> tuple[int, int, int, float]:
    """Red, green and blue from 0 to 255, and opacity."""
    if text.startswith("rgb"):
        parts = [float(part) for part in text[text.index("(") + 1 : -1].split(",")]
        red, green, blue = (round(part) for part in parts[:3])
        return red, green, blue, parts[3] if len(parts) > 3 else 1.0
    from matplotlib.colors import to_rgba

    *channels, alpha = to_rgba(text)
    red, green, blue = (round(255 * channel) for channel in channels)
    return red, green, blue, alpha


@cache
def _on_paper() -> dict[tuple[int, ...], tuple[int, int, int]]:
    """What a colour of the pages is on paper, for a figure that was made for the dark page, too."""
    found = {}
    dark, light = (PALETTES[mode] for mode in ("dark", "light"))
    for name, colors in vars(light).items():
        for old, new in zip(_listed(getattr(dark, name)), _listed(colors), strict=True):
            found[_channels(old)[:3]] = _channels(new)[:3]
    for name in ("surface", "text", "border", "accent"):
        old, new = (getattr(theme(mode), name) for mode in ("dark", "light"))
        found[_channels(old)[:3]] = _channels(new)[:3]
    found |= {_channels(theme(mode).background)[:3]: (255, 255, 255) for mode in ("light", "dark")}
    kept = {_channels(c)[:3] for each in vars(light).values() for c in _listed(each)}
    return {old: new for old, new in found.items() if old not in kept}


def _listed(colors: str | tuple[str, ...]) -> tuple[str, ...]:
    return (colors,) if isinstance(colors, str) else colors
