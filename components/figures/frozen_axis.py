"""The axis that counts frozen layers: -1 trains all, 0 freezes the embeddings, L all blocks."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

WORDS_UP_TO = 8
"""With more layers than this there is no room for words at the ticks."""


def set_frozen_axis(figure: go.Figure, frozen: Sequence[int], n_layers: int) -> None:
    """Name each N at its place and say what the special ones mean."""
    words = {-1: "all<br>trained", 0: "embed-<br>dings", n_layers: "head<br>only"}
    if n_layers <= WORDS_UP_TO:
        texts = [f"{signed(n)}<br>{words[n]}" if n in words else str(n) for n in frozen]
        title = "N, how many layers are frozen"
    else:
        texts = [signed(n) for n in frozen]
        title = (
            "N, how many layers are frozen (−1 trains all, 0 freezes the embeddings, "
            f"{n_layers} leaves only the head)"
        )
    figure.update_xaxes(
        title={"text": title},
        tickvals=list(frozen),
        ticktext=texts,
        tickangle=0,
        range=[-1.4, n_layers + 0.4],
        showgrid=False,
        showspikes=False,
    )


def signed(value: float, digits: int = 0) -> str:
    """Return a number with a true minus, and a plus where it has decimals."""
    text = f"{value:+.{digits}f}" if digits else f"{value:.0f}"
    return text.replace("-", "−")
