"""Accuracy against the number of frozen layers, and against how well the last of them aligns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from components.figures.frozen_axis import set_frozen_axis
from components.figures.labels import spread_labels
from components.figures.template import Mode, faded, new_figure, plain, theme
from isogloss.stacks import Array

HEIGHT = 500
HEIGHT_WITHOUT_ALIGNMENT = 380
_STRIP_TOP, _CURVES_BOTTOM = 0.2, 0.29
_LABEL_GAP = 0.05
# Beside the two languages of the map: hues that stay apart from them and from one another.
_MORE = {
    "light": ("#2e7d4f", "#8a4a9e", "#a67c00", "#00838f", "#b0305c", "#5b6b2f", "#6b5b95"),
    "dark": ("#7ccf9b", "#cf9be0", "#e2c15a", "#62d0da", "#f08cae", "#b6c77a", "#b3a5e0"),
}


@dataclass(frozen=True)
class TransferLine:
    """One language of one sweep: at each N the mean (n,), its band, and every seed (n, seeds).

    What is not finished is NaN. `notes` (n,) is what hovering over a point says.
    """

    name: str
    color: str
    frozen: Sequence[int]
    mean: Array
    low: Array
    high: Array
    seeds: Array
    notes: Sequence[str]
    dash: str = "solid"


@dataclass(frozen=True)
class TransferReference:
    """A level to compare with: chance, or a published accuracy in the colour of its language."""

    name: str
    value: float
    color: str | None = None


def language_colors(count: int, mode: Mode) -> list[str]:
    """Colours for a sweep's languages, the source first."""
    known = [*theme(mode).languages, *_MORE[mode]]
    return [known[i % len(known)] for i in range(count)]


def transfer_figure(
    lines: Sequence[TransferLine],
    n_layers: int,
    cursor: int | None,
    references: Sequence[TransferReference] = (),
    alignment: Array | None = None,
    mode: Mode = "light",
) -> go.Figure:
    """Draw accuracy over N with its band and every seed; below, the alignment of layer N (L + 1,).

    A vertical line through both is the cursor.
    """
    look = theme(mode)
    figure = new_figure(
        mode,
        height=HEIGHT if alignment is not None else HEIGHT_WITHOUT_ALIGNMENT,
        hovermode="x",
        clickmode="event+select",
    )
    for line in lines:
        _add_band(figure, line)
    for line in lines:
        _add_seeds(figure, line)
        _add_line(figure, line, cursor, look.background)
    _add_references(figure, references, lines, mode)
    if alignment is not None:
        _add_alignment(figure, alignment, cursor, mode)
    if cursor is not None:
        figure.add_shape(
            type="line",
            x0=cursor,
            x1=cursor,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": look.text, "width": 1.2, "dash": "dot"},
            layer="below",
            name="cursor",
        )
    _set_axes(figure, lines, n_layers, references, with_strip=alignment is not None)
    return figure


def _add_band(figure: go.Figure, line: TransferLine) -> None:
    there = [i for i in range(len(line.frozen)) if np.isfinite(line.low[i])]
    x = [line.frozen[i] for i in there]
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*(100 * line.high[there]), *reversed(list(100 * line.low[there]))],
        fill="toself",
        fillcolor=faded(line.color, 0.14 if line.dash == "solid" else 0.06),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _add_seeds(figure: go.Figure, line: TransferLine) -> None:
    """Every seed as a short dash, so that a mean of few is seen to be one."""
    if line.seeds.shape[1] < 2 or line.dash != "solid":
        return
    figure.add_scatter(
        x=[n for n in line.frozen for _ in range(line.seeds.shape[1])],
        y=100 * line.seeds.ravel(),
        mode="markers",
        marker={
            "symbol": "line-ew",
            "size": 11,
            "line": {"color": faded(line.color, 0.75), "width": 1.3},
        },
        hoverinfo="skip",
        showlegend=False,
        name=f"{plain(line.name)}, seeds",
    )


def _add_line(figure: go.Figure, line: TransferLine, cursor: int | None, background: str) -> None:
    figure.add_scatter(
        x=list(line.frozen),
        y=100 * line.mean,
        name=plain(line.name),
        mode="lines+markers",
        connectgaps=True,
        line={"color": line.color, "width": 2.2, "dash": line.dash},
        marker={
            "size": [11 if n == cursor else 6.5 for n in line.frozen],
            "opacity": 1,  # sizes that differ would make Plotly draw bubbles one can see through
            "color": line.color,
            "line": {"color": background, "width": 1.5},
        },
        # A selected point would otherwise fade all others.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertext=list(line.notes),
        hoverinfo="text",
    )


def _add_references(
    figure: go.Figure,
    references: Sequence[TransferReference],
    lines: Sequence[TransferLine],
    mode: Mode,
) -> None:
    """Levels as dashed lines, named beside the plot, where names move apart if they would meet."""
    look = theme(mode)
    low, high = _accuracy_range(lines, references)
    places = spread_labels([100 * each.value for each in references], _LABEL_GAP * (high - low))
    for reference, place in zip(references, places, strict=True):
        color = reference.color or look.quiet
        figure.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            y0=100 * reference.value,
            y1=100 * reference.value,
            line={
                "color": faded(color, 0.75),
                "width": 1,
                "dash": "5px,4px" if reference.color else "dot",
            },
            layer="below",
            name="reference",
        )
        figure.add_annotation(
            xref="paper",
            x=1.005,
            xanchor="left",
            y=place,
            yanchor="middle",
            text=f"{plain(reference.name)} {100 * reference.value:.1f}",
            showarrow=False,
            font={"size": 11, "color": color},
        )
    if references:
        longest = max(len(reference.name) for reference in references)
        figure.update_layout(margin_r=12 + 6.2 * (longest + 5))


def _add_alignment(figure: go.Figure, alignment: Array, cursor: int | None, mode: Mode) -> None:
    look = theme(mode)
    layers = list(range(len(alignment)))
    figure.add_scatter(
        x=layers,
        y=alignment,
        yaxis="y2",
        name="alignment of layer N",
        mode="lines+markers",
        line={"color": look.quiet, "width": 1.8},
        marker={
            "size": [9 if layer == cursor else 5 for layer in layers],
            "opacity": 1,
            "color": look.quiet,
            "line": {"color": look.background, "width": 1},
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertext=[
            f"Layer {layer}: <b>{value:.3f}</b> of translations found"
            for layer, value in enumerate(alignment)
        ],
        hoverinfo="text",
        showlegend=False,
    )


def _accuracy_range(
    lines: Sequence[TransferLine], references: Sequence[TransferReference]
) -> tuple[float, float]:
    """In per cent, around all that is drawn."""
    ends = [*(line.low for line in lines), *(line.high for line in lines)]
    levels = np.concatenate([*ends, [reference.value for reference in references]]) * 100
    return float(np.nanmin(levels)) - 2.5, float(np.nanmax(levels)) + 2.5


def _set_axes(
    figure: go.Figure,
    lines: Sequence[TransferLine],
    n_layers: int,
    references: Sequence[TransferReference],
    *,
    with_strip: bool,
) -> None:
    frozen = sorted({n for line in lines for n in line.frozen})
    set_frozen_axis(figure, frozen, n_layers)
    low, high = _accuracy_range(lines, references)
    figure.update_layout(
        yaxis={
            "title": {"text": "Accuracy (%)"},
            "range": [low, high],
            "domain": [_CURVES_BOTTOM if with_strip else 0, 1],
            "nticks": 7,
        }
    )
    if with_strip:
        figure.update_layout(
            yaxis2={
                "title": {"text": "Found first"},
                "domain": [0, _STRIP_TOP],
                "range": [-0.05, 1.1],
                "tickvals": [0, 0.5, 1],
                "anchor": "x",
            },
            xaxis={"anchor": "y2"},
        )
