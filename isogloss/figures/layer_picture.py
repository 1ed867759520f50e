"""One layer of a token map as a Plotly figure, for notebooks and papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.map.payload import ScrubberData

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 640


def layer_picture_figure(data: ScrubberData, layer: int, mode: Mode = "light") -> go.Figure:
    """Draw the points of one layer, one colour per language, and lines between translations."""
    look = theme(mode)
    places, sides = data.positions[layer], np.asarray(data.sides)
    figure = new_figure(mode, height=HEIGHT, hovermode="closest")
    links = data.links_of(layer)
    ends = np.full((len(links), 3, 2), np.nan)
    ends[:, :2] = places[links]
    figure.add_scatter(
        x=ends[:, :, 0].ravel(),
        y=ends[:, :, 1].ravel(),
        mode="lines",
        line={"color": faded(look.text, 0.25), "width": 1},
        name=plain(data.lines),
        hoverinfo="skip",
    )
    for side, language in enumerate(data.languages):
        mine = np.flatnonzero(sides == side).tolist()
        figure.add_scatter(
            x=places[mine, 0],
            y=places[mine, 1],
            mode="markers",
            name=plain(language.name),
            marker={
                "size": 7,
                "color": look.languages[side],
                "symbol": ("circle", "square")[side],
                "line": {"color": look.background, "width": 0.8},
            },
            text=[plain(data.texts[point]) for point in mine],
            hoverinfo="text",
        )
    title = f"{data.stop_names[layer]}: {data.caption}"
    figure.update_layout(title={"text": plain(title), "font": {"size": 14}}, margin_t=48)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return figure
