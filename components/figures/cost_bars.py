"""What each block of layers costs when it is re-initialised: a bar a language, every seed a dot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go

from components.figures.template import Mode, new_figure, plain, theme
from components.figures.transfer_curves import language_colors
from isogloss.reinitialisation import FULL, Block, block_name
from isogloss.reinitialisation_findings import percent, points, with_interval
from isogloss.reinitialisation_results import ReinitialisationResults

HEIGHT = 440
GROUP = 0.78
"""The share of a block's place that its bars take."""


def cost_bars_figure(
    found: ReinitialisationResults,
    chosen: Block,
    name: Callable[[str], str],
    mode: Mode = "light",
) -> go.Figure:
    """Draw the cost of every measured block in points, the `chosen` one's name in bold.

    The place of a block is its number among the measured ones: a click's x, rounded.
    """
    look = theme(mode)
    blocks = found.measured()
    figure = new_figure(mode, height=HEIGHT, barmode="overlay", clickmode="event+select")
    colors = language_colors(len(found.languages), mode)
    width = GROUP / len(found.languages)
    as_ever = {"marker": {"opacity": 1}}
    for j, language in enumerate(found.languages):
        places = np.arange(len(blocks)) + (j - (len(found.languages) - 1) / 2) * width
        costs = [found.cost(block, language) for block in blocks]
        figure.add_bar(
            x=places,
            y=[100 * cost.mean for cost in costs],
            width=width * 0.9,
            name=plain(name(language)),
            marker={"color": colors[j]},
            error_y={
                "array": [100 * (cost.high - cost.mean) for cost in costs],
                "color": look.text,
                "thickness": 1.4,
                "width": 4,
            },
            selected=as_ever,
            unselected=as_ever,
            hovertext=[_describe(found, block, language, name) for block in blocks],
            hoverinfo="text",
        )
        rows = [found.blocks.index(block) - 1 for block in blocks]
        by_seed = found.costs[rows, j]
        figure.add_scatter(
            x=np.repeat(places, by_seed.shape[1]),
            y=100 * by_seed.ravel(),
            mode="markers",
            marker={
                "size": 6,
                "color": look.background,
                "line": {"color": look.text, "width": 1.1},
            },
            name="seeds",
            showlegend=False,
            selected=as_ever,
            unselected=as_ever,
            hoverinfo="skip",
        )
    figure.add_hline(y=0, line={"color": look.quiet, "width": 1.2}, name="full model")
    figure.update_xaxes(
        title={"text": "Layers re-initialised before fine-tuning"},
        tickvals=list(range(len(blocks))),
        ticktext=[_tick(block, chosen) for block in blocks],
        range=[-0.6, len(blocks) - 0.4],
        showgrid=False,
    )
    figure.update_yaxes(title={"text": "Cost in accuracy, points"}, nticks=8)
    return figure


def _tick(block: Block, chosen: Block) -> str:
    short = block_name(block).split(" ")[-1]
    return f"<b>▸ {short}</b>" if block == chosen else short


def _describe(
    found: ReinitialisationResults, block: Block, language: str, name: Callable[[str], str]
) -> str:
    before, after = found.accuracy(FULL, language), found.accuracy(block, language)
    return (
        f"{plain(name(language))}, {block_name(block)} re-initialised<br>"
        f"<b>costs {with_interval(found.cost(block, language))}</b><br>"
        f"accuracy {percent(after.mean)}, of the full model {percent(before.mean)}"
    )


def describe_costs(found: ReinitialisationResults, name: Callable[[str], str]) -> str:
    """The chart in words, for whoever cannot see it."""
    parts = [
        f"{block_name(block)}: "
        + ", ".join(
            f"{points(found.cost(block, code).mean)} in {name(code)}" for code in found.languages
        )
        for block in found.measured()
    ]
    return f"Cost in points of accuracy of re-initialising {'; '.join(parts)}."
