"""How alike layers are before and after fine-tuning, and two languages in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.marks import write
from isogloss.figures.heatmaps import COLOR_BAR, add_click_targets, add_numbers
from isogloss.figures.template import Mode, new_figure, plain, theme
from isogloss.lab.layers_needed.plan import LayerGroup
from isogloss.lab.layers_needed.results import LayerSimilarities
from isogloss.measures.stacks import Array
from isogloss.text.language_names import language_name

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 440
GAP = 0.3
"""Between two groups of columns, which answer different questions on one scale."""
Groups = dict[str, dict[str, Array]]


def layer_changes_figure(
    similar: LayerSimilarities,
    source: str,
    reinitialised: LayerGroup,
    mode: Mode = "light",
) -> go.Figure:
    """Draw layers up and comparisons across, colours from 0 to 1; re-initialised layers marked."""
    look = theme(mode)
    groups = _groups(similar, source)
    values = np.stack([column for group in groups.values() for column in group.values()], axis=1)
    layers = list(range(len(values)))
    figure = new_figure(mode, height=HEIGHT, showlegend=False, margin={"t": 58})
    places = _add_cells(figure, groups, values, mode)
    labels = [f"{title}, {label}" for title, group in groups.items() for label in group]
    add_click_targets(
        figure,
        [place for _ in layers for place in places],
        [layer for layer in layers for _ in places],
        [
            f"{label}, layer {layer}{' (re-initialised)' if layer in reinitialised else ''}<br>"
            f"<b>{value:.3f}</b>"
            for layer in layers
            for label, value in zip(labels, values[layer], strict=True)
        ],
    )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[label for group in groups.values() for label in group],
        side="top",
        range=[-0.5, places[-1] + 0.5],
        showgrid=False,
        tickangle=0,
    )
    figure.update_yaxes(
        title={"text": "Layer"},
        tickvals=layers,
        ticktext=[
            f"<b>↻ {layer}</b>" if layer in reinitialised else str(layer) for layer in layers
        ],
        range=[-0.5, len(layers) - 0.5],
        showgrid=False,
    )
    first = 0
    for title, group in groups.items():
        middle = (places[first] + places[first + len(group) - 1]) / 2
        above = {"y": 1, "yref": "paper", "yshift": 24, "yanchor": "bottom"}
        write(figure, f"<b>{title}</b>", 12, look.text, x=middle, **above)
        first += len(group)
    return figure


def _groups(similar: LayerSimilarities, source: str) -> Groups:
    """The comparisons by what they ask, named as Plotly writes them, values (L + 1,)."""
    groups: Groups = {
        "Kept in fine-tuning": {
            plain(language_name(code)): each for code, each in similar.kept.items()
        }
    }
    for code in similar.before:
        title = f"{plain(language_name(source))}–{plain(language_name(code))}"
        groups[title] = {"before": similar.before[code], "after": similar.after[code]}
    return groups


def _add_cells(figure: go.Figure, groups: Groups, values: Array, mode: Mode) -> list[float]:
    """Draw the columns with a gap between groups; returns where their middles are."""
    widths: list[float] = []
    for group in groups.values():
        widths += [*([GAP] if widths else []), *[1.0] * len(group)]
    edges = np.concatenate([[0], np.cumsum(widths)]) - 0.5
    # A gap is a narrow column of nothing.
    columns = iter(values.T)
    nothing = np.full(len(values), np.nan)
    cells = np.stack([next(columns) if width == 1 else nothing for width in widths], axis=1)
    layers = [float(layer) for layer in range(len(values))]
    scale = theme(mode).sequential
    figure.add_heatmap(
        x=edges,
        y=layers,
        z=cells,
        hoverinfo="skip",
        xgap=1.5,
        ygap=1.5,
        colorscale=scale,
        zmin=0,
        zmax=1,
        colorbar=COLOR_BAR,
    )
    add_numbers(figure, cells, cells, scale, 12 if len(layers) <= 14 else 10, list(edges), layers)
    middles = (edges[:-1] + edges[1:]) / 2
    return [float(middle) for middle, width in zip(middles, widths, strict=True) if width == 1]
