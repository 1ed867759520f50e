"""Retrieval error before and after training: by pooling and direction, and by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.figures.curves import Curve, layer_curves_figure
from isogloss.figures.experiments.marks import add_seeds, write
from isogloss.figures.template import Mode, faded, percent_ticks, plain, template, theme
from isogloss.formatting import change, percent
from isogloss.lab.sentences.encoder import ENCODER_POOLINGS
from isogloss.lab.sentences.results import BOTH, Errors, SentencesResults
from isogloss.lab.sentences.training import OBJECTIVES
from isogloss.palette import PALETTES
from isogloss.text.language_names import language_name

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 360
CURVES_HEIGHT = 460
GROUP = 0.82
"""The share of a pooling's place that its bars take."""
BEFORE = "Before"


def objective_color(objective: str, mode: Mode) -> str:
    """The colour that an objective has in every figure."""
    ranking, softmax = PALETTES[mode].methods
    return {"softmax": softmax, "ranking": ranking}[objective]


def error_bars_figure(found: SentencesResults, layer: int, mode: Mode = "light") -> go.Figure:
    """Draw the errors of one layer, one direction beside the other.

    Above each bar after training stands the relative change against the same pooling before.
    """
    from plotly.subplots import make_subplots

    look = theme(mode)
    source, target = (plain(language_name(code)) for code in found.languages)
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=(f"{source} finds {target}", f"{target} finds {source}"),
    )
    figure.update_layout(template=template(mode), height=HEIGHT, barmode="overlay")
    kinds = _kinds(found, mode)
    width = GROUP / len(kinds)
    for direction in (0, 1):
        column: dict[str, Any] = {"row": 1, "col": direction + 1}
        for number, (title, color, errors, objective) in enumerate(kinds):
            places = np.arange(len(ENCODER_POOLINGS)) + (number - (len(kinds) - 1) / 2) * width
            values, low, high = (
                100 * each[:, layer, direction] for each in (errors.values, errors.low, errors.high)
            )
            changes = _changes(found, objective, layer, direction)
            figure.add_bar(
                x=places,
                y=values,
                width=width * 0.9,
                name=title,
                legendgroup=title,
                showlegend=direction == 0,
                marker={"color": faded(color, 0.55 if objective is None else 0.75)},
                error_y={
                    "array": high - values,
                    "arrayminus": values - low,
                    "color": look.text,
                    "thickness": 1.2,
                    "width": 3,
                },
                hovertext=[
                    f"{ENCODER_POOLINGS[pooling].title}, {title.lower()}<br>"
                    f"<b>{value:.1f}\u00a0%</b> missed ({least:.1f} to {most:.1f}\u00a0%)"
                    f"{f'<br>{said} against before' if said else ''}"
                    for pooling, value, least, most, said in zip(
                        ENCODER_POOLINGS, values, low, high, changes, strict=True
                    )
                ],
                hoverinfo="text",
                **column,
            )
            if objective is None:
                continue
            seeds = 100 * errors.by_seed[:, :, layer, direction]
            add_seeds(
                figure,
                np.tile(places, len(seeds)),
                seeds.ravel(),
                color,
                look.background,
                showlegend=False,
                **column,
            )
            for place, top, said in zip(
                places, np.maximum(high, seeds.max(0)), changes, strict=True
            ):
                write(
                    figure,
                    f"<b>{said}</b>",
                    10.5,
                    color,
                    x=place,
                    y=top,
                    yshift=10,
                    # It may stand before the interval of the bar beside it.
                    bgcolor=faded(look.background, 0.75),
                    borderpad=0,
                    name="change",
                    **column,
                )
    _set_axes(figure, found, layer)
    return figure


def _kinds(found: SentencesResults, mode: Mode) -> list[tuple[str, str, Errors, str | None]]:
    """Title, colour and errors before training and after each objective, and its name."""
    return [
        (BEFORE, theme(mode).quiet, found.before, None),
        *(
            (OBJECTIVES[name].title, objective_color(name, mode), errors, name)
            for name, errors in found.after.items()
        ),
    ]


def _changes(
    found: SentencesResults, objective: str | None, layer: int, direction: int
) -> list[str]:
    if objective is None:
        return [""] * len(ENCODER_POOLINGS)
    return [
        change(
            found.reduction(objective, baseline=pooling, pooling=pooling, layer=layer).values[
                direction
            ]
        )
        for pooling in ENCODER_POOLINGS
    ]


def _set_axes(figure: go.Figure, found: SentencesResults, layer: int) -> None:
    kinds = (found.before, *found.after.values())
    top = 100 * max(float(errors.high[:, layer, :2].max()) for errors in kinds)
    figure.update_xaxes(
        tickvals=list(range(len(ENCODER_POOLINGS))),
        ticktext=[pooling.title for pooling in ENCODER_POOLINGS.values()],
        range=[-0.55, len(ENCODER_POOLINGS) - 0.45],
        showgrid=False,
    )
    figure.update_yaxes(range=[0, max(1.15 * top, 1)], nticks=7)
    figure.update_yaxes(title={"text": "Translation missed, %"}, col=1)
    figure.update_layout(legend={"y": 1.1}, margin={"t": 64})


def error_curves_figure(
    found: SentencesResults, pooling: str, layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw the error of both directions together over the layers, from 0 to what is needed."""
    place = list(ENCODER_POOLINGS).index(pooling)
    curves = [
        Curve(
            title,
            errors.values[place, :, BOTH],
            color,
            errors.low[place, :, BOTH],
            errors.high[place, :, BOTH],
            dash="dot" if objective is None else "solid",
        )
        for title, color, errors, objective in _kinds(found, mode)
    ]
    figure = layer_curves_figure(
        curves, layer, "Translation missed", mode=mode, height=CURVES_HEIGHT
    )
    top = max(float(curve.high.max()) for curve in curves if curve.high is not None)
    highest = max(1.08 * top, 0.01)
    figure.update_yaxes(range=[0, highest], dtick=None, **percent_ticks(highest, 7))
    return figure


def describe_errors(found: SentencesResults, layer: int) -> str:
    """The chart in words, for whoever cannot see it."""
    source, target = (language_name(code) for code in found.languages)
    parts = []
    for direction, which in enumerate((f"{source} to {target}", f"{target} to {source}")):
        for place, pooling in enumerate(ENCODER_POOLINGS.values()):
            after = ", ".join(
                f"{percent(errors.values[place, layer, direction])} {OBJECTIVES[key].title.lower()}"
                for key, errors in found.after.items()
            )
            before = percent(found.before.values[place, layer, direction])
            parts.append(f"{which}, {pooling.title}: {before} before, {after} after")
    return f"Translations missed at layer {layer}. {'; '.join(parts)}."
