"""What every condition reaches: bars in order, a dot a seed, and what others have found beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.marks import AS_EVER, add_seeds, marked, write
from isogloss.figures.template import Mode, faded, new_figure, percent_ticks, plain, theme
from isogloss.formatting import percent
from isogloss.lab.emergence.conditions import condition_explanation, condition_title
from isogloss.lab.emergence.published_effects import published_effect
from isogloss.lab.emergence.results import EmergenceResults, What
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from isogloss.measures.uncertainty import Estimate

BAR_HEIGHT, BAR = 32, 0.62
BESIDE = 215
"""Pixels for what was published."""


def score_color(what: What, mode: Mode) -> str:
    """The colour of a score in every figure of the page."""
    words, sentences = PALETTES[mode].methods
    return {"words": words, "sentences": sentences}[what]


def emergence_bars_figure(
    found: EmergenceResults, what: What, chosen: str, mode: Mode = "light"
) -> go.Figure:
    """Draw a bar for each finished condition, best first: its best layer at the end of training.

    Lines are 95 % intervals over seeds where there are several; a click's y, rounded, is the place
    in `EmergenceResults.in_order`. Chance is the dotted line.
    """
    look, color = theme(mode), score_color(what, mode)
    rows = found.in_order(what)
    best = [found.best(name, what) for name in rows]
    figure = new_figure(
        mode,
        height=62 + BAR_HEIGHT * len(rows),
        showlegend=False,
        barmode="overlay",
        clickmode="event+select",
        margin={"t": 26, "r": BESIDE},
    )
    figure.add_bar(
        x=[each.mean for each in best],
        y=list(range(len(rows))),
        orientation="h",
        width=BAR,
        marker={"color": [faded(color, 0.85 if name == chosen else 0.45) for name in rows]},
        error_x=_interval(best, look.text),
        hovertext=[_describe(name, each) for name, each in zip(rows, best, strict=True)],
        hoverinfo="text",
        name="best layer",
        **AS_EVER,
    )
    seeds = [
        (place, value)
        for place, name in enumerate(rows)
        for value in found.best_by_seed(name, what)
        if not np.isnan(value)
    ]
    add_seeds(
        figure,
        [value for _, value in seeds],
        [place for place, _ in seeds],
        color,
        look.background,
        **AS_EVER,
    )
    figure.add_vline(
        x=found.chance(what), line={"color": look.text, "width": 1, "dash": "dot"}, name="chance"
    )
    _add_published(figure, rows, look.quiet)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[marked(plain(condition_title(name)), name == chosen) for name in rows],
        range=[len(rows) - 0.45, -0.55],
        showgrid=False,
    )
    figure.update_xaxes(range=[0, 1], showgrid=True, **percent_ticks(1, 6))
    return figure


def _interval(best: list[Estimate], color: str) -> dict[str, object]:
    """Error bars, cut at 0 and 1, where a share ends; none where there is one seed."""
    above = [min(each.high, 1) - each.mean if each.has_interval else 0 for each in best]
    below = [each.mean - max(each.low, 0) if each.has_interval else 0 for each in best]
    return {
        "array": above,
        "arrayminus": below,
        "color": color,
        "thickness": 1.2,
        "width": 3,
        "visible": any(each.has_interval for each in best),
    }


def _add_published(figure: go.Figure, rows: tuple[str, ...], color: str) -> None:
    """What was published of each condition, right of the bars."""
    beside = {"xref": "paper", "x": 1.015, "xanchor": "left", "name": "published"}
    title = "<b>Published, of other models</b>"
    write(figure, title, 11, color, yref="paper", y=1, yanchor="bottom", **beside)
    for place, name in enumerate(rows):
        effect = published_effect(name)
        if effect is not None:
            write(figure, plain(effect.short), 11, color, y=place, **beside)


def _describe(name: str, best: Estimate) -> str:
    interval = (
        f"95 %: {percent(max(best.low, 0))} to {percent(min(best.high, 1))}, {best.n} seeds"
        if best.has_interval
        else "one seed, no interval"
    )
    explained = plain(condition_explanation(name)).replace(". ", ".<br>")
    return (
        f"{plain(condition_title(name))}: <b>{percent(best.mean)}</b><br>{interval}<br>{explained}"
    )
