"""How much of each layer's variance lies in few dimensions, and what every score makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.figures.template import Mode, faded, percent_ticks, template, theme
from isogloss.formatting import percent
from isogloss.measures.stacks import Array
from isogloss.models.states import LayerStates
from isogloss.studies.coordinates import RogueCurves

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 620


@dataclass(frozen=True)
class Contrast:
    """One score by layer, (L + 1,), as the model has its coordinates and standardised."""

    name: str
    raw: Array
    standardised: Array


def rogue_dimensions_figure(
    curves: RogueCurves,
    contrasts: Sequence[Contrast],
    cursor: int,
    mode: Mode = "light",
    states: LayerStates | None = None,
) -> go.Figure:
    """Draw shares of variance as bars, and below them each score, if any, in both coordinates."""
    import pandas  # noqa: F401  (see new_figure)
    from plotly.subplots import make_subplots

    look = theme(mode)
    columns = max(len(contrasts), 1)
    layers = list(range(len(curves.largest)))
    states = states or LayerStates(layers[-1])
    names = [states.short(layer) for layer in layers]
    specs: list[list[dict[str, int] | None]] = [[{"colspan": columns}, *[None] * (columns - 1)]]
    grid = make_subplots(
        rows=2 if contrasts else 1,
        cols=columns,
        specs=[*specs, [{}] * columns] if contrasts else specs,
        vertical_spacing=0.17,
        horizontal_spacing=0.06,
        subplot_titles=["", *(contrast.name for contrast in contrasts)],
    )
    height = HEIGHT if contrasts else HEIGHT // 2
    grid.update_layout(template=template(mode), height=height, barmode="stack", hovermode="x")
    bars = (
        ("largest dimension", curves.largest, look.accent),
        ("the next four", curves.largest_five - curves.largest, faded(look.accent, 0.4)),
    )
    for name, shares, color in bars:
        grid.add_bar(
            x=layers,
            y=shares,
            name=name,
            marker={"color": color, "line": {"width": 0}},
            text=[percent(share, 0) for share in shares],
            textposition="none",
            hovertemplate=f"{name}: %{{text}}<extra></extra>",
            row=1,
            col=1,
        )
    for column, contrast in enumerate(contrasts, start=1):
        for name, values, color, dash in (
            ("as the model has them", contrast.raw, look.quiet, "dot"),
            ("standardised", contrast.standardised, look.accent, "solid"),
        ):
            grid.add_scatter(
                x=layers,
                y=values,
                name=name,
                legendgroup=name,
                showlegend=column == 1,
                mode="lines+markers",
                line={"color": color, "width": 2.2, "dash": dash},
                marker={"size": 5, "color": color},
                hovertemplate=f"{name}: %{{y:.2f}}<extra></extra>",
                row=2,
                col=column,
            )
    grid.add_vline(x=cursor, line={"color": look.text, "width": 1.2, "dash": "dot"}, layer="below")
    step = 1 if columns < 3 else 3
    grid.update_xaxes(tickvals=layers[::step], ticktext=names[::step], showgrid=False)
    grid.update_xaxes(tickvals=layers, ticktext=names, title={"text": "Layer"}, row=1, col=1)
    grid.update_yaxes(range=[-0.02, 1.04], tickformat=".1f", dtick=0.2)
    grid.update_yaxes(title={"text": "Share of the variance"}, row=1, col=1, **percent_ticks(1, 6))
    return grid
