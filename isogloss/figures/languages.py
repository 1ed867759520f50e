"""Many languages: whose company sentences keep, every pair, where each is best, and the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.figures.curves import HEIGHT, Curve, layer_curves_figure, layer_ticks
from isogloss.figures.heatmaps import COLOR_BAR, INKS, frame
from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.measures.languages.company import Company
from isogloss.measures.languages.tree import leaf_order, members
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROOM = 26
"""Pixels of a language's row."""
ROOM_FOR_TWO_LINES = 34
MOST_NUMBERED = 20


def company_figure(
    company: Company,
    random: Company | None,
    cursor: int,
    states: LayerStates,
    mode: Mode = "light",
) -> go.Figure:
    """Draw which share of sentences is nearest to a translation, and to its own language."""
    first, second = theme(mode).languages
    ends = (company.translation_low, company.translation_high)
    own_ends = (company.own_low, company.own_high)
    curves = [
        Curve("nearest is a translation", company.translation, first, *ends),
        Curve("nearest is of its language", company.own, second, *own_ends),
    ]
    if random is not None:
        pale, pale_second = faded(first, 0.6), faded(second, 0.6)
        curves += [
            Curve("translation, random weights", random.translation, pale, dash="dot"),
            Curve("its language, random weights", random.own, pale_second, dash="dot"),
        ]
    figure = layer_curves_figure(
        curves, cursor, "Share of sentences", mode=mode, states=states, height=HEIGHT
    )
    crossing = company.crossing
    if np.isfinite(crossing.layer):
        high = crossing.high if np.isfinite(crossing.high) else states.last
        if np.isfinite(crossing.low):
            figure.add_vrect(
                x0=crossing.low, x1=high, fillcolor=theme(mode).quiet, opacity=0.14, line_width=0
            )
        figure.add_vline(x=crossing.layer, line={"color": theme(mode).quiet, "width": 1.2})
    return figure


def similarities_figure(
    company: Company, cursor: int, states: LayerStates, mode: Mode = "light"
) -> go.Figure:
    """Draw three mean cosines: of translations, within a language, and of neither."""
    look = theme(mode)
    curves = [
        Curve("same meaning, other language", company.meaning, look.languages[0]),
        Curve("other meaning, same language", company.language, look.languages[1]),
        Curve("neither", company.neither, look.quiet),
    ]
    top = max(float(np.nanmax(curve.values)) for curve in curves)
    return layer_curves_figure(
        curves, cursor, "Mean cosine", mode=mode, states=states, height=300, top=min(1.0, top)
    )


def pairs_figure(
    values: Array,
    rows: Array,
    names: Sequence[str],
    order: Sequence[int],
    title: str,
    chosen: tuple[int, int] | None,
    low: float,
    mode: Mode = "light",
) -> go.Figure:
    """Draw a value of every two languages (K, K), in an order; a click selects a cell.

    Rows search, columns are searched. `rows` (K, K) are how many sentences two have in common,
    which stand below the values where they differ. Colours run from `low`, the least at any layer,
    to 1.
    """
    look, count = theme(mode), len(names)
    shown = values[np.ix_(order, order)]
    labels = [plain(names[i]) for i in order]
    counted = rows[np.ix_(order, order)] if counts_differ(rows) else None
    room = ROOM if counted is None else ROOM_FOR_TWO_LINES
    figure = new_figure(mode, height=room * count + 110, clickmode="event+select")
    figure.add_heatmap(
        z=shown,
        x=list(range(count)),
        y=list(range(count)),
        colorscale=look.sequential,
        zmin=low,
        zmax=1,
        xgap=1,
        ygap=1,
        hoverinfo="skip",
        colorbar=COLOR_BAR,
    )
    cells = [(i, j) for i in range(count) for j in range(count) if i != j]
    figure.add_scatter(
        x=[j for _, j in cells],
        y=[i for i, _ in cells],
        mode="markers+text" if count <= MOST_NUMBERED else "markers",
        text=[
            _short(shown[cell]) + ("" if counted is None else _small(int(counted[cell])))
            for cell in cells
        ],
        textfont={"size": 10, "color": [_ink(shown[cell], low, mode) for cell in cells]},
        marker={"size": 20, "opacity": 0, "symbol": "square"},
        textposition="middle center",
        hovertext=[
            f"<b>{labels[i]} to {labels[j]}</b><br>{plain(title)}: {_number(shown[i, j])}"
            f"<br>{int(rows[order[i], order[j]]):,} sentences"
            for i, j in cells
        ],
        hoverinfo="text",
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": None}},
        showlegend=False,
    )
    if chosen is not None:
        row, column = order.index(chosen[0]), order.index(chosen[1])
        frame(figure, column, row, look.languages[1], 2.4)
    rows_axis = _rows(labels)
    figure.update_yaxes(**rows_axis)
    across = {"range": [-0.5, count - 0.5], "tickangle": -45, "side": "top"}
    figure.update_xaxes(**rows_axis | across)
    return figure


def counts_differ(rows: Array) -> bool:
    """Whether some two languages have more sentences in common than others, (K, K)."""
    return len(set(rows[~np.eye(len(rows), dtype=bool)].tolist())) > 1


def found_by_layer_figure(
    shares: Array,
    names: Sequence[str],
    pivot: str,
    cursor: int,
    states: LayerStates,
    low: float,
    mode: Mode = "light",
) -> go.Figure:
    """Draw how well each language is found from and to one, by layer (K, L); its best is framed."""
    look, (count, layers) = theme(mode), shares.shape
    figure = new_figure(mode, height=ROOM * count + 90, clickmode="event+select")
    figure.add_heatmap(
        z=shares,
        x=list(range(layers)),
        y=list(range(count)),
        colorscale=look.sequential,
        zmin=low,
        zmax=1,
        xgap=1,
        ygap=1,
        showscale=False,
        hovertext=[
            [
                f"<b>{plain(names[k])} and {plain(pivot)}</b>, {states.title(n).lower()}: "
                f"{_number(shares[k, n])}"
                for n in range(layers)
            ]
            for k in range(count)
        ],
        hoverinfo="text",
    )
    for k in range(count):
        if np.isfinite(shares[k]).any():
            frame(figure, int(np.nanargmax(shares[k])), k, look.languages[1], 1.8)
    figure.add_vline(x=cursor, line={"color": look.text, "width": 1.2, "dash": "dot"})
    ticks = layer_ticks(range(layers), states)
    figure.update_xaxes(title={"text": "Layer"}, range=[-0.5, layers - 0.5], **ticks)
    figure.update_yaxes(**_rows([plain(name) for name in names]))
    return figure


def tree_figure(
    merges: Array,
    names: Sequence[str],
    families: Sequence[str],
    highest: float,
    mode: Mode = "light",
) -> go.Figure:
    """Draw a tree of languages lying down; a branch has a family's colour if it has no other.

    `families` are in the order of `names`, empty where one is not known; `highest` ends the axis,
    the same at every layer.
    """
    look, count = theme(mode), len(names)
    order = leaf_order(merges)
    height = dict.fromkeys(range(count), 0.0)
    place = {leaf: float(order.index(leaf)) for leaf in range(count)}
    below = members(merges)
    colors = family_colors(families, mode)
    figure = new_figure(mode, height=ROOM * count + 70, showlegend=False)

    def color_of(node: int) -> str:
        found = {families[leaf] for leaf in below[node]}
        return colors.get(found.pop(), look.quiet) if len(found) == 1 else look.quiet

    for step, (one, other, at, _) in enumerate(merges):
        node = count + step
        height[node], place[node] = float(at), (place[int(one)] + place[int(other)]) / 2
        for child in (int(one), int(other)):
            figure.add_scatter(
                x=[height[child], at, at],
                y=[place[child], place[child], place[node]],
                mode="lines",
                line={"color": color_of(child), "width": 2},
                hoverinfo="skip",
            )
    figure.add_scatter(
        x=[0.0] * count,
        y=list(range(count)),
        mode="markers",
        marker={"size": 7, "color": [color_of(leaf) for leaf in order]},
        hovertext=[f"{plain(names[leaf])}: {families[leaf] or 'family unknown'}" for leaf in order],
        hoverinfo="text",
    )
    figure.update_xaxes(range=[1.02 * highest, -0.02 * highest], showgrid=False, nticks=5)
    leaves = [f'<span style="color:{color_of(leaf)}">{plain(names[leaf])}</span>' for leaf in order]
    figure.update_yaxes(side="right", **_rows(leaves))
    return figure


def agreement_figure(
    correlation: Array,
    random: Array | None,
    cursor: int,
    states: LayerStates,
    mode: Mode = "light",
) -> go.Figure:
    """Draw how well trees agree with the families of the languages, by layer."""
    look = theme(mode)
    curves = [Curve("agreement with families", correlation, look.languages[0])]
    if random is not None:
        curves.append(Curve("random weights", random, look.quiet, dash="dot"))
    figure = layer_curves_figure(
        curves, cursor, "Cophenetic correlation", mode=mode, states=states, height=300
    )
    lowest = min(float(np.nanmin(curve.values)) for curve in curves)
    figure.update_yaxes(range=[min(-0.05, lowest - 0.05), 1.04])
    return figure


def family_colors(families: Sequence[str], mode: Mode) -> dict[str, str]:
    """A colour for every family that more than one of the languages is of."""
    several = [name for name in dict.fromkeys(families) if name and families.count(name) > 1]
    palette = PALETTES[mode].categories
    return {name: palette[i % len(palette)] for i, name in enumerate(several)}


def _rows(names: list[str]) -> dict[str, Any]:
    """An axis of languages, the first one at the top."""
    count = len(names)
    return {
        "tickvals": list(range(count)),
        "ticktext": names,
        "range": [count - 0.5, -0.5],
        "showgrid": False,
    }


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "too few sentences"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if np.isfinite(value) else ""


def _small(count: int) -> str:
    return f'<br><span style="font-size:8px">{count:,}</span>'


def _ink(value: float, low: float, mode: Mode) -> str:
    share = (value - low) / (1 - low) if np.isfinite(value) else 0.0
    return INKS[int((share > 0.45) == (mode == "light"))]
