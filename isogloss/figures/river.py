"""The river of Inner language: languages by layer as bands one upon the other, or as curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.curves import LAYER, Curve, layer_curves_figure, write_beside
from isogloss.figures.inner_language import HEIGHT, language_color
from isogloss.figures.labels import spread_labels
from isogloss.figures.template import Mode, faded, new_figure, theme, unfaded
from isogloss.inner_language.bands import Reading, bands, order_of_bands, title
from isogloss.inner_language.random_weights import RandomRiverAnswer
from isogloss.inner_language.river import OTHERS, RiverAnswer
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go

_AXES: dict[Reading, str] = {
    "share": "Probability of the word",
    "curves": "Probability of the word",
    "log-odds": "Median log-odds of the word",
    "script": "Probability of the script",
    "entropy": "Entropy in bits",
}
_OF_SCRIPTS = {"Latin": "en", "Chinese characters": "zh", "Kana": "ja", "Cyrillic": "ru"}
WIDTH, _LETTER, _TICK = 440, 8, 26
"""Pixels that the layers have at least on a page, and that a letter and a layer's number need."""
SMALL_HEIGHT, SMALL_WIDTH = 250, 260
NOTHING = "Nothing readable"
_NAMED_INSIDE = 0.1
"""A band that takes so much of the axis has its name in it; from `_NAMED` on it has it beside."""
_NAMED = 0.015

Array = np.ndarray


@dataclass(frozen=True)
class _Layer:
    """One band of a river: how thick it is at each layer, and what is said of it there."""

    name: str
    color: str
    thickness: Array
    said: Sequence[str]


def river_figure(
    answer: RiverAnswer,
    layer: int,
    reading: Reading = "share",
    mode: Mode = "light",
    random: RandomRiverAnswer | None = None,
) -> go.Figure:
    """Draw each language's share against the layers; quiet lines are what nothing learnt gives."""
    if reading == "share":
        return _add_nulls(_share_figure(answer, layer, mode), answer, random, mode)
    found = bands(answer, reading)
    of_words = reading in ("curves", "log-odds")
    if of_words:
        colors = [language_color(each, mode) for each in answer.languages]
    elif reading == "script":
        colors = [language_color(_OF_SCRIPTS.get(each.name, ""), mode) for each in found]
    else:
        colors = [theme(mode).accent]
    curves = [
        Curve(band.name, band.values, color, band.low, band.high, "dot" if last else "solid")
        for place, (band, color) in enumerate(zip(found, colors, strict=True))
        for last in [of_words and answer.languages[place] == OTHERS]
    ]
    figure = layer_curves_figure(curves, layer, _AXES[reading], mode=mode, height=HEIGHT)
    if reading in ("log-odds", "entropy"):
        low, high = min(band.low.min() for band in found), max(band.high.max() for band in found)
        room = 0.06 * (high - low or 1)
        figure.update_yaxes(range=[low - room, high + room], dtick=None, tickformat=".3~g")
    if reading == "curves":
        _add_nulls(figure, answer, random, mode)
    return figure


def word_figure(answer: RiverAnswer, word: int, layer: int, mode: Mode = "light") -> go.Figure:
    """Draw the same bands for one word."""
    shares = answer.mass[:, word].astype(float)
    drawn = [
        _Layer(
            title(answer.languages[place]),
            language_color(answer.languages[place], mode),
            shares[:, place],
            [f"{share:.3f}" for share in shares[:, place]],
        )
        for place in order_of_bands(answer.languages)
    ]
    return _stacked(drawn, layer, "Probability", mode, small=True)


def _share_figure(answer: RiverAnswer, layer: int, mode: Mode) -> go.Figure:
    found = bands(answer)
    drawn = []
    for place in order_of_bands(answer.languages):
        band = found[place]
        said = [
            f"{value:.3f} ({low:.3f} to {high:.3f})"
            for value, low, high in zip(band.values, band.low, band.high, strict=True)
        ]
        color = language_color(answer.languages[place], mode)
        drawn.append(_Layer(band.name, color, band.values, said))
    return _stacked(drawn, layer, _AXES["share"], mode)


def _stacked(
    drawn: Sequence[_Layer], layer: int, axis: str, mode: Mode, *, small: bool = False
) -> go.Figure:
    """Draw bands one upon the other, with their names in them or beside unless it is `small`."""
    look = theme(mode)
    height, width = (SMALL_HEIGHT, SMALL_WIDTH) if small else (HEIGHT, WIDTH)
    figure = new_figure(mode, height=height, hovermode="x unified", clickmode="event+select")
    total = np.sum([each.thickness for each in drawn], axis=0)
    layers = list(range(len(total)))
    rest = np.maximum(1 - total, 0)
    nothing = _Layer(NOTHING, look.quiet, rest, [f"{share:.3f}" for share in rest])
    for each in (*drawn, nothing):
        readable = each is not nothing
        figure.add_scatter(
            x=layers,
            y=each.thickness,
            stackgroup="river",
            mode="lines+markers",
            line={"width": 1.2 if readable else 0, "color": look.background},
            # Nobody sees them, but a click finds them.
            marker={"size": 14, "opacity": 0, "color": each.color},
            fillcolor=faded(each.color, 0.62) if readable else "rgba(0,0,0,0)",
            name=each.name,
            text=each.said,
            hovertemplate=f"{each.name} %{{text}}<extra></extra>",
            showlegend=False,
            **unfaded(0),
        )
    most = float(total.max())
    if most >= _NAMED_INSIDE:
        top, ticks = 1.02, {"tickformat": ".1f", "dtick": 0.2}
        _say_nothing(figure, rest, total, width, look.quiet)
    else:  # what would lie flat on that axis gets one of its own
        top, ticks = 1.4 * max(most, 0.005), {"tickformat": ".2~g", "nticks": 6}
    figure.update_yaxes(title={"text": axis}, range=[0, top], **ticks)
    if not small:
        _name_bands(figure, drawn, top, mode)
    figure.add_vline(x=layer, line={"color": look.text, "width": 1.4, "dash": "dot"}, name="cursor")
    figure.update_xaxes(
        title={"text": LAYER},
        tickvals=layers[:: -(-_TICK * layers[-1] // width) or 1],
        range=[0, layers[-1]],
        showgrid=False,
        showspikes=False,
    )
    return figure


def _say_nothing(figure: go.Figure, rest: Array, total: Array, width: int, color: str) -> None:
    """Write where most is nothing readable that it is."""
    last = len(rest) - 1
    room = 0.6 * len(NOTHING) * _LETTER / width * last
    emptiest = int(rest[1:-1].argmax()) + 1 if last > 1 else 0
    if rest[emptiest] > 3 * _NAMED_INSIDE:
        place = min(max(emptiest, room), last - room)
        _write(figure, place, (1 + total[emptiest]) / 2, NOTHING.lower(), color)


def _name_bands(figure: go.Figure, drawn: Sequence[_Layer], top: float, mode: Mode) -> None:
    """Write each band's name in it where there is room, else beside all bands, with a line."""
    look = theme(mode)
    total = np.sum([each.thickness for each in drawn], axis=0)
    last, below, gap = len(total) - 1, np.zeros_like(total), 24 / HEIGHT * top
    at_end: list[tuple[str, float]] = []
    beside: list[tuple[str, int, float]] = []
    for each in drawn:
        middle, below = below + each.thickness / 2, below + each.thickness
        place = int(each.thickness.argmax())
        if each.thickness[place] < _NAMED * top:
            continue
        room = len(each.name) * _LETTER / WIDTH * last
        thick = np.flatnonzero(each.thickness >= _NAMED_INSIDE * top)
        if len(thick) and thick[-1] - thick[0] >= room and len(thick) == np.ptp(thick) + 1:
            center = min(max(place, thick[0] + room / 2), thick[-1] - room / 2)
            y = float(np.interp(center, range(last + 1), middle))
            _write(figure, center, y, each.name, look.text)
        elif place >= 0.95 * last and each.thickness[-1] >= _NAMED * top:
            at_end.append((each.name, max(float(middle[-1]), 0.16 * top)))
        else:
            beside.append((each.name, place, float(middle[place])))
    for (name, _), y in zip(at_end, spread_labels([y for _, y in at_end], gap), strict=True):
        write_beside(figure, y, name, look.text, 13)
    begins = int(np.flatnonzero(total >= _NAMED * top)[0]) if beside else 0
    on_the_left = begins >= 0.3 * last
    heights = spread_labels([y for _, _, y in beside], gap)
    if not on_the_left:
        heights = [float(total.max()) + gap * (1 + rank) for rank in range(len(beside))]
    for (name, place, y), above in zip(beside, heights, strict=True):
        figure.add_annotation(
            x=place, y=y, text=name, axref="x", ayref="y",
            ax=begins - 0.03 * last if on_the_left else place, ay=max(above, gap / 2),
            xanchor="right" if on_the_left else "left" if place < 0.12 * last else "center",
            arrowhead=6, arrowsize=0.9, arrowwidth=1, arrowcolor=look.text, standoff=0,
            font={"size": 13, "color": look.text},
        )  # fmt: skip


def _write(figure: go.Figure, x: float, y: float, text: str, color: str) -> None:
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font={"size": 14, "color": color})


def _add_nulls(
    figure: go.Figure, answer: RiverAnswer, random: RandomRiverAnswer | None, mode: Mode
) -> go.Figure:
    """Draw quiet lines: all that other concepts' words have, and all that a random model says."""
    color = PALETTES[mode].quiet
    lines = [("shuffled words", answer.null.astype(float).sum(1), "dot")]
    if random is not None:
        lines.append(("random model", random.mass.astype(float).sum(1), "dash"))
    top = float(figure.layout.yaxis.range[1])
    places = spread_labels([values[-1] + 0.02 * top for _, values, _ in lines], 0.06 * top)
    for (name, values, dash), place in zip(lines, places, strict=True):
        figure.add_scatter(
            x=list(range(len(values))),
            y=values,
            mode="lines",
            line={"color": color, "width": 1.4, "dash": dash},
            name=name,
            hovertemplate=f"{name} %{{y:.3f}}<extra></extra>",
            showlegend=False,
        )
        write_beside(figure, place, name, color, 12)
    return figure.update_layout(margin_r=112)
