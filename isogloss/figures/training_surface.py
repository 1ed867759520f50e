"""A score over layers and training: flat, with a number in every cell, and as a surface to turn.

Only the flat one can be clicked: Plotly selects nothing in three dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.figures.heatmaps import (
    COLOR_BAR,
    add_numbers,
    add_targets_of_cells,
    frame_cell,
    ink_on,
)
from isogloss.figures.template import Mode, new_figure, theme
from isogloss.formatting import human_count
from isogloss.measures.stacks import Array
from isogloss.studies.training_surface import TrainingSurface

if TYPE_CHECKING:
    import plotly.graph_objects as go


Walk = Literal["training", "layers"]
HEIGHT = 370
LOWEST, HIGHEST = 0.0, 1.0
"""What a share of cases can be: colours and heights are of that, not of what happens to occur."""
TICKS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
TOKENS, LAYER = "Tokens seen in training", "Layer"


def training_heatmap_figure(
    surface: TrainingSurface, cell: tuple[int, int], walk: Walk, mode: Mode = "light"
) -> go.Figure:
    """Draw moments across and layers up; `cell` (layer, moment) is framed, `walk` through it too.

    Colours run from 0 to 1, as the score does, so that a small change looks small; the numbers
    tell it. A ring marks the best layer of each moment.
    """
    look = theme(mode)
    values = surface.values.T
    figure = new_figure(mode, height=HEIGHT, showlegend=False, clickmode="event+select")
    figure.add_heatmap(
        z=values,
        hoverinfo="skip",
        xgap=1.5,
        ygap=1.5,
        colorscale=look.sequential,
        zmin=LOWEST,
        zmax=HIGHEST,
        colorbar={**COLOR_BAR, "tickformat": ".1f", "tickvals": TICKS},
    )
    add_numbers(figure, values, values, look.sequential, 13)
    _ring_best(figure, values, mode)
    add_targets_of_cells(figure, _hover(surface))
    _frame_walk(figure, cell, walk, values.shape, mode)
    frame_cell(figure, cell[1], cell[0], mode)
    figure.update_xaxes(**_axis(_moment_names(surface), cell[1], TOKENS))
    figure.update_yaxes(**_axis([str(layer) for layer in range(len(values))], cell[0], LAYER))
    return figure


def training_surface_figure(
    surface: TrainingSurface, cell: tuple[int, int], mode: Mode = "light"
) -> go.Figure:
    """Draw the score as height over moments and layers; two lines cross above `cell`."""
    look = theme(mode)
    layer, moment = cell
    values = surface.values.T
    layers, moments = values.shape
    hover = _hover(surface)
    figure = new_figure(mode, height=HEIGHT, showlegend=False, margin={"t": 0, "b": 0})
    figure.add_surface(
        z=values,
        # As an array: of lists within a list, Plotly would make one text each.
        hovertext=np.array(hover),
        hoverinfo="text",
        colorscale=look.sequential,
        cmin=LOWEST,
        cmax=HIGHEST,
        # The height says what the colour says.
        showscale=False,
        contours={"x": _mesh(moments, look.border), "y": _mesh(layers, look.border)},
        # Without gloss, so that a colour means the same value everywhere.
        lighting={"ambient": 0.9, "diffuse": 0.25, "specular": 0, "roughness": 1},
    )
    # A hair above the surface, or the lines would sink into it; a halo shows them on any colour.
    hair = 0.005 * (HIGHEST - LOWEST)
    for color, width, lift in ((look.background, 11, hair), (look.text, 5, 2 * hair)):
        line = {"mode": "lines", "line": {"color": color, "width": width}, "hoverinfo": "skip"}
        figure.add_scatter3d(
            x=list(range(moments)), y=[layer] * moments, z=values[layer] + lift, **line
        )
        figure.add_scatter3d(
            x=[moment] * layers, y=list(range(layers)), z=values[:, moment] + lift, **line
        )
    figure.add_scatter3d(
        x=[moment],
        y=[layer],
        z=[values[layer, moment] + 6 * hair],
        mode="markers",
        marker={
            "size": 7,
            "color": look.accent,
            "line": {"color": look.text, "width": 2},
        },
        hovertext=[hover[layer][moment]],
        hoverinfo="text",
        name="here",
    )
    figure.update_layout(scene=_scene(surface, values.shape, mode))
    return figure


def _hover(surface: TrainingSurface) -> list[list[str]]:
    """What is said of every cell, by layer and moment."""
    moments, layers = surface.values.shape
    return [[describe_cell(surface, i, j) for j in range(moments)] for i in range(layers)]


def describe_cell(surface: TrainingSurface, layer: int, moment: int) -> str:
    """A cell in words: where, the value and its interval, and what changed since the start."""
    value = surface.values[moment, layer]
    low, high = (end[moment, layer] for end in surface.ends)
    change = f"{surface.changes[moment, layer]:+.3f}".replace("-", "−")
    since = "before training" if moment == 0 else f"{change} since before training"
    return (
        f"Layer {layer} · {human_count(surface.tokens[moment])} tokens seen<br>"
        f"<b>{value:.3f}</b>  (95 %: {low:.3f} to {high:.3f})<br>{since}"
    )


def _ring_best(figure: go.Figure, values: Array, mode: Mode) -> None:
    """Ring the highest of each column's values (L + 1, m), all of them where some are equal."""
    layers, moments = np.nonzero(values == values.max(axis=0))
    figure.add_scatter(
        x=moments,
        y=layers,
        mode="markers",
        name="best layer",
        marker={
            "symbol": "circle-open",
            "size": 31,
            "line": {"width": 1.6},
            "color": [ink_on(theme(mode).sequential, share) for share in values[layers, moments]],
        },
        hoverinfo="skip",
    )


def _frame_walk(
    figure: go.Figure, cell: tuple[int, int], walk: Walk, shape: tuple[int, ...], mode: Mode
) -> None:
    """Frame the row or column that the map's slider walks along."""
    (layer, moment), (layers, moments) = cell, shape
    if walk == "training":
        place = {"x0": -0.5, "x1": moments - 0.5, "y0": layer - 0.5, "y1": layer + 0.5}
    else:
        place = {"x0": moment - 0.5, "x1": moment + 0.5, "y0": -0.5, "y1": layers - 0.5}
    figure.add_shape(
        type="rect", line={"color": theme(mode).text, "width": 1.2}, name="walk", **place
    )


def _moment_names(surface: TrainingSurface) -> list[str]:
    return [human_count(tokens) for tokens in surface.tokens]


def _axis(names: list[str], marked: int, title: str) -> dict[str, Any]:
    """An axis of named places with the cursor's one in bold."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [f"<b>{name}</b>" if i == marked else name for i, name in enumerate(names)],
        "title": {"text": title},
        "range": [-0.5, len(names) - 0.5],
        "showgrid": False,
    }


def _mesh(places: int, color: str) -> dict[str, Any]:
    """Lines on a surface, one at every measured place."""
    return {"show": True, "start": 0, "end": places - 1, "size": 1, "color": color, "width": 1}


def _scene(surface: TrainingSurface, shape: tuple[int, ...], mode: Mode) -> dict[str, Any]:
    look = theme(mode)
    common = {
        "backgroundcolor": "rgba(0,0,0,0)",
        "gridcolor": look.border,
        "linecolor": look.border,
        "zeroline": False,
        "showspikes": False,
        "tickfont": {"size": 11, "color": look.quiet},
    }

    def axis(title: str, **more: Any) -> dict[str, Any]:
        return {**common, "title": {"text": title, "font": {"size": 12}}, **more}

    names, layers = _moment_names(surface), list(range(shape[0]))
    return {
        "xaxis": axis("Tokens seen", tickvals=list(range(len(names))), ticktext=names),
        "yaxis": axis(LAYER, tickvals=layers),
        "zaxis": axis("", tickformat=".1f", tickvals=TICKS, range=[LOWEST, HIGHEST]),
        "aspectmode": "manual",
        "aspectratio": {"x": 1.2, "y": 1.0, "z": 0.7},
        "camera": {"eye": {"x": -1.3, "y": -1.5, "z": 0.95}, "center": {"z": -0.2}},
        "dragmode": "turntable",
    }
