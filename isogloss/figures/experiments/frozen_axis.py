"""The axis of frozen layers: -1 trains all, 0 freezes the embeddings, L all blocks.

By N, or by the share of a model's layers, on which models of different depth can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.formatting import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go


WORDS_UP_TO = 8
"""With more layers than this there is no room for words at the ticks."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_TRAINED_AT = -0.1
"""Where training all stands on the axis of shares, left of freezing the embeddings."""


@dataclass(frozen=True)
class FrozenAxisKind:
    """What the axis counts."""

    title: str
    explanation: str


FROZEN_AXES = {
    "n": FrozenAxisKind("N", "how many layers are frozen"),
    "share": FrozenAxisKind(
        "Share", "the share of the layers that are frozen, to compare models of different depth"
    ),
}


def frozen_place(n: int, n_layers: int, axis: str = "n") -> float:
    """Where a model of `n_layers` with N frozen ones stands on an axis."""
    if axis == "n":
        return float(n)
    return n / n_layers if n >= 0 else _TRAINED_AT


def nearest_frozen(place: float, n_layers: int, axis: str = "n") -> int:
    """The N that stands nearest to a place on an axis."""
    return min(range(-1, n_layers + 1), key=lambda n: abs(frozen_place(n, n_layers, axis) - place))


def set_frozen_axis(
    figure: go.Figure, frozen: Sequence[int], n_layers: int, axis: str = "n"
) -> None:
    """Name each N, or each quarter of the layers, and say what the special places mean."""
    if axis == "share":
        places = [_TRAINED_AT, *SHARES]
        texts = ["all<br>trained", *(percent(share, 0) for share in SHARES)]
        title = _two_lines(
            "Share of the layers that are frozen",
            "0\u00a0% freezes the embeddings, 100\u00a0% leaves only the head",
        )
        ends = [_TRAINED_AT - 0.05, 1.04]
    else:
        places, ends = [float(n) for n in frozen], [-1.4, n_layers + 0.4]
        texts, title = _texts_by_n(frozen, n_layers)
    figure.update_xaxes(
        title={"text": title},
        tickvals=places,
        ticktext=texts,
        tickangle=0,
        range=ends,
        showgrid=False,
        showspikes=False,
    )


def _texts_by_n(frozen: Sequence[int], n_layers: int) -> tuple[list[str], str]:
    words = {-1: "all<br>trained", 0: "embed-<br>dings", n_layers: "head<br>only"}
    if n_layers <= WORDS_UP_TO:
        texts = [f"{signed(n)}<br>{words[n]}" if n in words else str(n) for n in frozen]
        return texts, "N, how many layers are frozen"
    title = _two_lines(
        "N, how many layers are frozen",
        f"−1 trains all, 0 freezes the embeddings, {n_layers} leaves only the head",
    )
    return [signed(n) for n in frozen], title


def _two_lines(title: str, explained: str) -> str:
    return f"{title}<br><span style='font-size:11px'>{explained}</span>"


def signed(value: float, digits: int = 0) -> str:
    """Return a number with a true minus, and a plus where it has decimals."""
    text = f"{value:+.{digits}f}" if digits else f"{value:.0f}"
    return text.replace("-", "−")
