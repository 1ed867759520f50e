"""What re-initialising each block of layers costs: one bar per language, one dot per seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.marks import AS_EVER, add_seeds, marked
from isogloss.figures.experiments.transfer_curves import language_colors
from isogloss.figures.template import Mode, new_figure, plain, theme
from isogloss.formatting import percent, points
from isogloss.lab.layers_needed.plan import FULL, LayerGroup, group_name
from isogloss.lab.layers_needed.results import LayersNeededResults, in_points
from isogloss.text.language_names import language_name

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 440
GROUP = 0.78
"""The share of a block's place that its bars take."""
FEWEST_SEEDS = 3
"""From how many seeds on an interval is drawn: that of two is so long that it hides the bars."""


def cost_bars_figure(
    found: LayersNeededResults,
    chosen: LayerGroup,
    mode: Mode = "light",
) -> go.Figure:
    """Draw the cost of every measured block in points, the `chosen` one's name in bold.

    The place of a block is its number among the measured ones: a click's x, rounded.
    """
    look = theme(mode)
    groups = found.measured()
    figure = new_figure(mode, height=HEIGHT, barmode="overlay", clickmode="event+select")
    colors = language_colors(len(found.languages), mode)
    width = GROUP / len(found.languages)
    for j, language in enumerate(found.languages):
        places = np.arange(len(groups)) + (j - (len(found.languages) - 1) / 2) * width
        costs = [found.cost(group, language) for group in groups]
        figure.add_bar(
            x=places,
            y=[100 * cost.mean for cost in costs],
            width=width * 0.9,
            name=plain(language_name(language)),
            marker={"color": colors[j]},
            error_y={
                "visible": any(cost.n >= FEWEST_SEEDS for cost in costs),
                "array": [
                    100 * (cost.high - cost.mean) if cost.n >= FEWEST_SEEDS else None
                    for cost in costs
                ],
                "color": look.text,
                "thickness": 1.4,
                "width": 4,
            },
            hovertext=[_describe(found, group, language) for group in groups],
            hoverinfo="text",
            **AS_EVER,
        )
        rows = [found.groups.index(group) - 1 for group in groups]
        by_seed = found.costs[rows, j]
        add_seeds(
            figure,
            np.repeat(places, by_seed.shape[1]),
            100 * by_seed.ravel(),
            look.background,
            look.text,
            edge=1.1,
            showlegend=False,
            **AS_EVER,
        )
    figure.add_hline(y=0, line={"color": look.quiet, "width": 1.2}, name="full model")
    figure.update_xaxes(
        title={"text": "Layers re-initialised before fine-tuning"},
        tickvals=list(range(len(groups))),
        ticktext=[marked(group_name(group).split(" ")[-1], group == chosen) for group in groups],
        range=[-0.6, len(groups) - 0.4],
        showgrid=False,
    )
    figure.update_yaxes(title={"text": "Cost in accuracy, points"}, nticks=8)
    return figure


def _describe(found: LayersNeededResults, group: LayerGroup, language: str) -> str:
    before, after = found.accuracy(FULL, language), found.accuracy(group, language)
    return (
        f"{plain(language_name(language))}, {group_name(group)} re-initialised<br>"
        f"<b>costs {in_points(found.cost(group, language))}</b><br>"
        f"accuracy {percent(after.mean)}, of the full model {percent(before.mean)}"
    )


def describe_costs(found: LayersNeededResults) -> str:
    """The chart in words, for whoever cannot see it."""
    parts = [
        f"{group_name(group)}: "
        + ", ".join(
            f"{points(found.cost(group, code).mean)} in {language_name(code)}"
            for code in found.languages
        )
        for group in found.measured()
    ]
    return f"Cost in points of accuracy of re-initialising {'; '.join(parts)}."
