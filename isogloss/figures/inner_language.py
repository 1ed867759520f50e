"""Which language a model speaks in its middle: a grid of tokens, the swap and the switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.curves import Curve, layer_curves_figure
from isogloss.figures.heatmaps import add_targets_of_cells
from isogloss.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.formatting import percent
from isogloss.inner_language.bands import interval_band, title
from isogloss.inner_language.read_along import ReadAlongAnswer
from isogloss.inner_language.swap import SwapAnswer
from isogloss.inner_language.switch import SwitchAnswer
from isogloss.inner_language.token_languages import LANGUAGES
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 380
LONGEST_TOKEN, LETTERS_ACROSS = 9, 150
"""A token has so many letters at most, and a row of the grid so many on a page that is wide."""


def language_color(language: str, mode: Mode) -> str:
    """The colour of a language on this page, the same in every chart of it."""
    palette = PALETTES[mode]
    if language not in LANGUAGES:
        return palette.none
    colors = (*palette.sides, *palette.more)
    return colors[LANGUAGES.index(language)]


def read_along_figure(answer: ReadAlongAnswer, position: int, mode: Mode = "light") -> go.Figure:
    """Draw what leads at every place and layer, coloured by its language."""
    look = theme(mode)
    codes = (*LANGUAGES, "")
    numbers = np.array([[codes.index(code) for code in row] for row in answer.languages])
    steps = [faded(language_color(code, mode), 0.45 if code else 0.2) for code in codes]
    scale = [
        (end / len(codes), color)
        for number, color in enumerate(steps)
        for end in (number, number + 1)
    ]
    layers, places = list(range(answer.n_layers + 1)), list(range(len(answer.pieces)))
    row = 24 if len(layers) <= 20 else 19
    longest = max(2, min(LONGEST_TOKEN, LETTERS_ACROSS // len(places)))
    hover = [[_describe(answer, layer, place) for place in places] for layer in layers]
    figure = new_figure(mode, height=max(HEIGHT, 60 + row * len(layers)), clickmode="event+select")
    figure.add_heatmap(
        x=places,
        y=layers,
        z=numbers,
        zmin=-0.5,
        zmax=len(codes) - 0.5,
        colorscale=scale,
        showscale=False,
        xgap=1,
        ygap=1,
        text=[[_short(token, longest) for token in line] for line in answer.tokens[:, :, 0]],
        texttemplate="%{text}",
        textfont={"size": 11, "color": look.text},
        hovertext=hover,
        hoverinfo="text",
    )
    add_targets_of_cells(figure, hover)
    figure.add_vrect(
        x0=position - 0.5, x1=position + 0.5, line={"color": look.accent, "width": 1.5}, opacity=1
    )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[_short(piece, longest) for piece in answer.pieces],
        range=[-0.5, len(places) - 0.5],
        tickangle=-40 if len(places) > 12 else 0,
        showgrid=False,
        side="bottom",
    )
    figure.update_yaxes(
        title={"text": "Layer"}, dtick=2, showgrid=False, range=[-0.5, len(layers) - 0.5]
    )
    return figure


def position_figure(
    answer: ReadAlongAnswer, position: int, layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw how much of what would be said at one place is known to be of which language."""
    mass = answer.mass[:, position].astype(float)
    curves = [
        Curve(title(code), mass[:, place], language_color(code, mode))
        for place, code in enumerate(LANGUAGES)
        if mass[:, place].max() >= 0.02
    ] or [Curve(title("en"), mass[:, 0], language_color("en", mode))]
    return layer_curves_figure(curves, layer, "Probability of the language", mode=mode, height=280)


def _short(token: str, longest: int = LONGEST_TOKEN) -> str:
    shown = token.replace("\n", "⏎").strip(" ") or "␣"
    # Chinese characters, and marks such as ⏎, are twice as wide as letters.
    wide = sum(letter > "\u2300" for letter in shown) > len(shown) / 3
    longest = max(2, longest * 2 // 3) if wide else longest
    return plain(shown if len(shown) <= longest else shown[: longest - 1] + "…")


def _describe(answer: ReadAlongAnswer, layer: int, place: int) -> str:
    best = zip(answer.tokens[layer, place], answer.shares[layer, place], strict=True)
    lines = [f"{_short(token)} {share:.2f}" for token, share in best]
    return f"Layer {layer}, {_short(answer.pieces[place])}<br>" + "<br>".join(lines)


def swap_figure(
    answer: SwapAnswer, names: Sequence[str], layer: int, mode: Mode = "light"
) -> go.Figure:
    """Draw whose concept and whose language is said, by the layer at which states were swapped."""
    palette = PALETTES[mode]
    colors = (palette.methods[0], palette.more[4], palette.methods[1], palette.quiet)
    curves = []
    for place, (name, color) in enumerate(zip(names, colors, strict=True)):
        found = interval_band(name, answer.mass[:, :, place].astype(float))
        curves.append(Curve(name, found.values, color, found.low, found.high))
    figure = layer_curves_figure(curves, layer, "Probability", mode=mode, height=HEIGHT)
    return figure.update_xaxes(title={"text": "Layer at which the state is put in"})


def switch_figure(answer: SwitchAnswer, mode: Mode = "light") -> go.Figure:
    """Draw the share of prompts answered in the other language, by layer and strength."""
    look = theme(mode)
    rows = [f"{strength:g} ×" for strength in answer.strengths]
    random = answer.random.mean(1)
    figure = new_figure(mode, height=300)
    z = [*answer.flipped.T, random]
    figure.add_heatmap(
        x=[str(layer) for layer in answer.layers],
        y=[*rows, "random"],
        z=z,
        zmin=0,
        zmax=1,
        colorscale=look.sequential,
        xgap=2,
        ygap=2,
        text=[[percent(value, 0) for value in line] for line in z],
        texttemplate="%{text}",
        hovertemplate="Layer %{x}, %{y}: %{text}<extra></extra>",
        showscale=False,
    )
    figure.update_xaxes(title={"text": "Layer at which it is added"}, type="category")
    figure.update_yaxes(title={"text": "Strength"}, type="category", showgrid=False)
    return figure
