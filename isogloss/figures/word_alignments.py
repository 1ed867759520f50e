"""One sentence pair's words and links: as a matrix of similarities, and as ribbons between lines.

Where links were made by hand, both figures tell what was found rightly, wrongly, or missed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.figures.heatmaps import COLOR_BAR
from isogloss.figures.template import Mode, new_figure, plain, theme
from isogloss.studies.word_alignment import SentenceAlignment

if TYPE_CHECKING:
    import plotly.graph_objects as go


Verdict = Literal["found", "possible", "wrong", "missed", "computed"]
VERDICTS: dict[Verdict, str] = {
    "found": "found, sure by hand",
    "possible": "found, possible by hand",
    "wrong": "found, not made by hand",
    "missed": "missed",
    "computed": "found",
}
# The room, in characters, between two words of a line.
GAP = 1.6
NARROWEST = 270
"""Pixels that the words of the matrix's columns share where the window is narrow."""
CURVE_POINTS = np.linspace(0, 1, 24)


def judge_links(alignment: SentenceAlignment) -> dict[tuple[int, int], Verdict]:
    """Return every link found or made by hand, and what the one says of the other."""
    gold = alignment.gold
    if gold is None:
        return dict.fromkeys(sorted(alignment.links), "computed")
    verdicts: dict[tuple[int, int], Verdict] = {}
    for link in sorted(alignment.links | gold.sure):
        if link not in alignment.links:
            verdicts[link] = "missed"
        elif link in gold.sure:
            verdicts[link] = "found"
        else:
            verdicts[link] = "possible" if link in gold.possible else "wrong"
    return verdicts


def alignment_matrix_figure(
    alignment: SentenceAlignment, languages: tuple[str, str], mode: Mode = "light"
) -> go.Figure:
    """Draw similarities of all word pairs; dots are links, frames those made by hand."""
    look = theme(mode)
    m, n = alignment.similarities.shape
    figure = new_figure(
        mode,
        height=max(260, 90 + 27 * m),
        legend={"orientation": "h", "yanchor": "top", "y": -0.04, "x": 0},
    )
    figure.add_heatmap(
        z=alignment.similarities,
        zmin=0,
        zmax=1,
        colorscale=look.sequential,
        hovertext=[
            [
                f"{plain(alignment.source[i])} · {plain(alignment.target[j])}"
                f"<br>similarity <b>{alignment.similarities[i, j]:.3f}</b>"
                for j in range(n)
            ]
            for i in range(m)
        ],
        hoverinfo="text",
        xgap=1,
        ygap=1,
        colorbar=COLOR_BAR,
    )
    if alignment.gold is not None:
        for links, dash, name in (
            (alignment.gold.sure, "solid", "sure by hand"),
            (alignment.gold.possible - alignment.gold.sure, "dot", "possible by hand"),
        ):
            _frame_cells(figure, sorted(links), dash, name, mode)
    found = sorted(alignment.links)
    figure.add_scatter(
        x=[j for _, j in found],
        y=[i for i, _ in found],
        mode="markers",
        name="found at this layer",
        marker={
            "size": 10,
            "color": look.languages[1],
            "line": {"color": look.background, "width": 1.5},
        },
        hoverinfo="skip",
    )
    figure.update_xaxes(
        tickvals=list(range(n)),
        ticktext=[plain(word) for word in alignment.target],
        # Upright words need a line's height each, and there may be many in little room.
        tickfont={"size": min(13.0, max(7.0, NARROWEST / n)), "color": look.text},
        autotickangles=[0, -90],
        side="top",
        range=[-0.5, n - 0.5],
        showgrid=False,
        title={"text": plain(languages[1]), "standoff": 4},
    )
    figure.update_yaxes(
        tickvals=list(range(m)),
        ticktext=[plain(word) for word in alignment.source],
        tickfont={"size": 13, "color": look.text},
        range=[m - 0.5, -0.5],
        showgrid=False,
        title={"text": plain(languages[0])},
    )
    return figure


def _frame_cells(
    figure: go.Figure, links: Sequence[tuple[int, int]], dash: str, name: str, mode: Mode
) -> None:
    """Draw frames around cells as one line with breaks, so that they get one legend entry."""
    x: list[float | None] = []
    y: list[float | None] = []
    for i, j in links:
        x += [j - 0.42, j + 0.42, j + 0.42, j - 0.42, j - 0.42, None]
        y += [i - 0.42, i - 0.42, i + 0.42, i + 0.42, i - 0.42, None]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": theme(mode).text, "width": 1.8, "dash": dash},
        hoverinfo="skip",
    )


def alignment_ribbon_figure(
    alignment: SentenceAlignment, languages: tuple[str, str], mode: Mode = "light"
) -> go.Figure:
    """Draw both sentences as lines of words with a ribbon for every link."""
    look = theme(mode)
    total = max(_width(alignment.source), _width(alignment.target))
    places = _centres(alignment.source, total), _centres(alignment.target, total)
    size = min(16.0, max(9.0, 1_250 / total))
    figure = new_figure(mode, height=250, legend={"y": -0.02, "yanchor": "top"})
    styles: dict[Verdict, tuple[str, str]] = {
        "found": (look.accent, "solid"),
        "computed": (look.accent, "solid"),
        "possible": (look.quiet, "solid"),
        "wrong": (look.diverging[0][1], "solid"),
        "missed": (look.text, "dot"),
    }
    verdicts = judge_links(alignment)
    for verdict, title in VERDICTS.items():
        links = [link for link, found in verdicts.items() if found == verdict]
        if not links:
            continue
        color, dash = styles[verdict]
        x, y = _ribbons(links, places)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            name=f"{title} ({len(links)})",
            line={"color": color, "width": 2.4, "dash": dash},
            opacity=0.85,
            hoverinfo="skip",
        )
    for words, centres, height, position, color, language in zip(
        (alignment.source, alignment.target),
        places,
        (1.0, 0.0),
        ("top center", "bottom center"),
        look.languages,
        languages,
        strict=True,
    ):
        figure.add_scatter(
            x=centres,
            y=[height] * len(words),
            mode="text",
            text=[plain(word) for word in words],
            textposition=position,
            textfont={"size": size, "color": color},
            name=plain(language),
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
        )
    figure.update_xaxes(visible=False, range=[-1, total + 1])
    figure.update_yaxes(visible=False, range=[-0.22, 1.22])
    return figure


def _ribbons(
    links: Sequence[tuple[int, int]], places: tuple[list[float], list[float]]
) -> tuple[list[float | None], list[float | None]]:
    """Return smooth lines from word to word, with breaks between them."""
    x: list[float | None] = []
    y: list[float | None] = []
    ease = CURVE_POINTS**2 * (3 - 2 * CURVE_POINTS)
    for i, j in links:
        start, end = places[0][i], places[1][j]
        x += [*(start + (end - start) * ease).tolist(), None]
        y += [*(1 - CURVE_POINTS).tolist(), None]
    return x, y


def _centres(words: Sequence[str], total: float) -> list[float]:
    """Return where words stand when each takes its width and both lines are as long."""
    widths = [_width([word]) for word in words]
    spare = (total - sum(widths)) / max(len(words), 1)
    ends = np.cumsum([width + spare for width in widths])
    return [float(end - (width + spare) / 2) for end, width in zip(ends, widths, strict=True)]


def _width(words: Sequence[str]) -> float:
    """Return the width of words in Latin characters; Chinese ones take two."""
    wide = sum(1 + (unicodedata.east_asian_width(c) in "WF") for word in words for c in word)
    return wide + GAP * len(words)
