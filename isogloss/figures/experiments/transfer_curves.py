"""Accuracy against the number of frozen layers, and against how well the last of them aligns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.experiments.frozen_axis import frozen_place, set_frozen_axis
from isogloss.figures.experiments.marks import AS_EVER, add_band, write
from isogloss.figures.experiments.published_marks import (
    PublishedCurve,
    TransferReference,
    add_curve,
    add_labels,
    add_references,
)
from isogloss.figures.template import Mode, faded, new_figure, percent_ticks, plain, theme
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES

if TYPE_CHECKING:
    import plotly.graph_objects as go


HEIGHT = 500
HEIGHT_WITHOUT_ALIGNMENT = 380
_STRIP_TOP, _CURVES_BOTTOM = 0.2, 0.29


@dataclass(frozen=True)
class TransferLine:
    """One language of one run: at each N the mean (n,), its band, and every seed (n, seeds).

    What is not finished is NaN. `notes` (n,) is what hovering over a point says.
    """

    name: str
    color: str
    n_layers: int
    frozen: Sequence[int]
    mean: Array
    low: Array
    high: Array
    seeds: Array
    notes: Sequence[str]
    dash: str = "solid"

    def places(self, axis: str) -> list[float]:
        return [frozen_place(n, self.n_layers, axis) for n in self.frozen]


def language_colors(count: int, mode: Mode) -> list[str]:
    """Colours for a run's languages, the source first."""
    few = [*theme(mode).languages, *PALETTES[mode].more]
    known = few if count <= len(few) else PALETTES[mode].many
    return [known[i % len(known)] for i in range(count)]


def transfer_figure(
    lines: Sequence[TransferLine],
    n_layers: int,
    cursor: int | None,
    references: Sequence[TransferReference] = (),
    alignment: Array | None = None,
    mode: Mode = "light",
    *,
    measured_on: str = "",
    curves: Sequence[PublishedCurve] = (),
    axis: str = "n",
    named_at_end: bool = False,
    bands: bool = True,
) -> go.Figure:
    """Draw accuracy over N with its band and every seed; below, the alignment of layer N (L + 1,).

    `measured_on` is the text that alignment was measured on. A vertical line through both is the
    cursor. Published `curves` are thin and have open diamonds,
    so that nobody takes them for measurements. `axis` is one of FROZEN_AXES. Lines too many for a
    legend are `named_at_end`, and those too many for that to be seen through have no `bands`.
    """
    look = theme(mode)
    figure = new_figure(
        mode,
        height=HEIGHT if alignment is not None else HEIGHT_WITHOUT_ALIGNMENT,
        hovermode="x",
        clickmode="event+select",
    )
    for line in lines if bands else ():
        there = [i for i in range(len(line.frozen)) if np.isfinite(line.low[i])]
        add_band(
            figure,
            [line.places(axis)[i] for i in there],
            100 * line.low[there],
            100 * line.high[there],
            faded(line.color, 0.14 if line.dash == "solid" else 0.06),
            showlegend=False,
        )
    for curve in curves:
        add_curve(figure, curve, axis)
    for line in lines:
        _add_seeds(figure, line, axis)
        _add_line(figure, line, cursor, look.background, axis)
    levels = _accuracy_range(lines, references, curves)
    add_references(figure, references, mode)
    ends = [(line.name, _last(line), line.color) for line in lines] if named_at_end else []
    levels = add_labels(figure, references, curves, levels, mode, ends)
    figure.update_layout(showlegend=not named_at_end)
    if alignment is not None:
        _add_alignment(figure, alignment, cursor, mode, axis)
        _name_alignment(figure, measured_on, look.quiet)
    if cursor is not None:
        place = frozen_place(cursor, n_layers, axis)
        figure.add_shape(
            type="line",
            x0=place,
            x1=place,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": look.text, "width": 1.2, "dash": "dot"},
            layer="below",
            name="cursor",
        )
    frozen = sorted({n for line in lines for n in line.frozen})
    set_frozen_axis(figure, frozen, n_layers, axis)
    _set_accuracy_axes(figure, levels, with_strip=alignment is not None)
    return figure


def _last(line: TransferLine) -> float:
    """Where a line ends: its last mean that is there."""
    return float(line.mean[np.isfinite(line.mean)][-1])


def _add_seeds(figure: go.Figure, line: TransferLine, axis: str) -> None:
    """Every seed as a short dash, so that a mean of few is seen to be one."""
    if line.seeds.shape[1] < 2 or line.dash != "solid":
        return
    figure.add_scatter(
        x=[place for place in line.places(axis) for _ in range(line.seeds.shape[1])],
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


def _add_line(
    figure: go.Figure, line: TransferLine, cursor: int | None, background: str, axis: str
) -> None:
    figure.add_scatter(
        x=line.places(axis),
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
        hovertext=list(line.notes),
        hoverinfo="text",
        **AS_EVER,
    )


def _add_alignment(
    figure: go.Figure, alignment: Array, cursor: int | None, mode: Mode, axis: str
) -> None:
    look = theme(mode)
    layers = list(range(len(alignment)))
    figure.add_scatter(
        x=[frozen_place(layer, len(alignment) - 1, axis) for layer in layers],
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
        hovertext=[
            f"Layer {layer}: <b>{value:.3f}</b> of words nearest to their translation"
            for layer, value in enumerate(alignment)
        ],
        hoverinfo="text",
        showlegend=False,
        **AS_EVER,
    )


def _name_alignment(figure: go.Figure, measured_on: str, color: str) -> None:
    """Say above the strip what it counts, and on which text; its own axis is too short for that."""
    where = f", on {plain(measured_on)}" if measured_on else ""
    above = {"x": 0, "xanchor": "left", "y": _STRIP_TOP, "yanchor": "bottom"}
    words = f"Words nearest to their translation at layer N{where}"
    write(figure, words, 12, color, xref="paper", yref="paper", name="alignment", **above)


def _accuracy_range(
    lines: Sequence[TransferLine],
    references: Sequence[TransferReference],
    curves: Sequence[PublishedCurve],
) -> tuple[float, float]:
    """In per cent, around all that is drawn."""
    levels = np.concatenate(
        [
            *(line.low for line in lines),
            *(line.high for line in lines),
            *(curve.accuracy for curve in curves),
            [reference.value for reference in references],
        ]
    )
    return 100 * float(np.nanmin(levels)) - 2.5, 100 * float(np.nanmax(levels)) + 2.5


def _set_accuracy_axes(figure: go.Figure, levels: tuple[float, float], *, with_strip: bool) -> None:
    figure.update_layout(
        yaxis={
            "title": {"text": "Accuracy (%)"},
            "range": list(levels),
            "domain": [_CURVES_BOTTOM if with_strip else 0, 1],
            "nticks": 7,
        }
    )
    if with_strip:
        figure.update_layout(
            yaxis2={
                "domain": [0, _STRIP_TOP],
                "range": [-0.05, 1.1],
                "anchor": "x",
                **percent_ticks(1, 4),
            },
            xaxis={"anchor": "y2"},
        )
