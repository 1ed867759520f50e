"""Final test perplexity by regime, beside what was published for another language and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from isogloss.figures.experiments.marks import AS_EVER, add_seeds, marked, write
from isogloss.figures.experiments.perplexity_curves import target_color
from isogloss.figures.template import Mode, faded, plain, template, theme
from isogloss.lab.adaptation.regimes import REGIMES, find_regime
from isogloss.lab.adaptation.results import AdaptationResults, RegimeResults
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go


BAR_HEIGHT = 32
BAR = 0.62
LONGEST_NATIVE = 2
"""A native model that is this many times worse than all else would leave no room for the rest."""
SPLIT = 0.57
"""The share of the width that this run's bars take."""
BEFORE, NATIVE = "before", "native"


def regime_rows(found: AdaptationResults, published: Mapping[str, float]) -> list[str]:
    """What the rows are, from the top: the model as it was, every regime, the native models."""
    regimes = {*found.regimes, *published}
    ordered = [name for name in REGIMES if name in regimes]
    return [BEFORE, *ordered, *(name for name in found.regimes if name not in REGIMES), NATIVE]


def regime_bars_figure(
    found: AdaptationResults,
    chosen: str,
    titles: tuple[str, str],
    published: Mapping[str, float],
    native: tuple[str, float],
    mode: Mode = "light",
) -> go.Figure:
    """Draw one bar per regime, every seed a dot, and the `published` values by regime beside them.

    `titles` stand above the two sides, `native` names a model that was published only for the
    language. The place of a regime is its number in `regime_rows`: a click's y, rounded.
    """
    from plotly.subplots import make_subplots

    look = theme(mode)
    rows = regime_rows(found, published)
    figure = make_subplots(
        cols=2,
        horizontal_spacing=0.03,
        column_widths=[SPLIT, 1 - SPLIT],
        subplot_titles=[plain(title) for title in titles],
    )
    figure.update_layout(
        template=template(mode),
        height=94 + BAR_HEIGHT * len(rows),
        showlegend=False,
        barmode="overlay",
        margin={"t": 44},
        clickmode="event+select",
    )
    for title, axis, color in zip(
        figure.layout.annotations, ("x domain", "x2 domain"), (look.text, look.quiet), strict=True
    ):
        title.update(xref=axis, x=0, xanchor="left", font={"size": 12, "color": color})
    _add_own(figure, found, chosen, rows, mode)
    _add_missing(figure, found, rows, mode)
    _add_published(figure, rows, {**published, NATIVE: native[1]}, mode)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[_tick(row, chosen, _native_title(found, native[0])) for row in rows],
        range=[len(rows) - 0.45, -0.55],
        showgrid=False,
    )
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_xaxes(title={"text": "Test perplexity", "standoff": 4}, showgrid=False, nticks=5)
    return figure


def _tick(row: str, chosen: str, native: str) -> str:
    if row == BEFORE:
        return "Before training"
    if row == NATIVE:
        return plain(native)
    return marked(plain(find_regime(row).title), row == chosen)


def _native_title(found: AdaptationResults, published: str) -> str:
    """What the last row is called; two native models have no room for their names."""
    return "Native model" if found.native is not None and found.native.test else published


def _add_own(
    figure: go.Figure, found: AdaptationResults, chosen: str, rows: list[str], mode: Mode
) -> None:
    look, color = theme(mode), target_color(mode)
    regimes = {rows.index(name): each for name, each in found.regimes.items()}
    before = next(iter(regimes.values())).test_before
    values = [before, *(float(each.test.mean()) for each in regimes.values())]
    # Beyond the dots of the seeds, which a number at the bar's end would meet.
    ends = [before, *(float(each.test.max()) for each in regimes.values())]
    places = [0, *regimes]
    said = [f"Before training: <b>{before:.2f}</b>", *map(_describe, regimes.values())]
    colors = [
        faded(look.quiet, 0.45),
        *(faded(color, 0.85 if each.regime.name == chosen else 0.45) for each in regimes.values()),
    ]
    native = found.native.test if found.native is not None else None
    if native is not None and native <= LONGEST_NATIVE * max(ends):
        places.append(rows.index(NATIVE))
        values.append(native)
        ends.append(native)
        said.append(f"Not trained here: <b>{native:.2f}</b>")
        colors.append(faded(look.quiet, 0.45))
    elif native is not None:
        _add_note(figure, rows.index(NATIVE), f"{native:.0f}, beyond this axis", mode)
    figure.add_bar(
        x=values,
        y=places,
        orientation="h",
        width=BAR,
        marker={"color": colors},
        hovertext=said,
        hoverinfo="text",
        name="test",
        row=1,
        col=1,
        **AS_EVER,
    )
    for place, value, end in zip(places, values, ends, strict=True):
        _add_number(figure, place, value, end, look.text, 1)
    add_seeds(
        figure,
        [value for each in regimes.values() for value in each.test],
        [place for place, each in regimes.items() for _ in each.test],
        color,
        look.background,
        visible=any(len(each.test) > 1 for each in regimes.values()),
        row=1,
        col=1,
        **AS_EVER,
    )
    figure.update_xaxes(range=[0, 1.15 * max(ends)], row=1, col=1)


def _add_number(
    figure: go.Figure, place: int, value: float, end: float, color: str, column: int
) -> None:
    beside = {"x": end, "y": place, "xanchor": "left", "xshift": 7, "row": 1, "col": column}
    write(figure, f"{value:.1f}", 12, color, name="number", **beside)


def _add_missing(figure: go.Figure, found: AdaptationResults, rows: list[str], mode: Mode) -> None:
    """Say why a row has no bar."""
    for place, row in enumerate(rows):
        if row in (BEFORE, NATIVE) or row in found.regimes:
            continue
        last = find_regime(row).last
        same = last is not None and last >= found.n_layers
        said = f"all layers, in a model of {found.n_layers}" if same else "not yet, or not asked"
        _add_note(figure, place, said, mode)


def _add_note(figure: go.Figure, place: int, text: str, mode: Mode) -> None:
    """Words where a bar would be."""
    there = {"x": 0, "y": place, "xanchor": "left", "xshift": 5, "row": 1, "col": 1}
    write(figure, text, 11, theme(mode).quiet, name="note", **there)


def _add_published(
    figure: go.Figure, rows: list[str], published: Mapping[str, float], mode: Mode
) -> None:
    look = theme(mode)
    figure.add_bar(
        x=list(published.values()),
        y=[rows.index(name) for name in published],
        orientation="h",
        width=BAR,
        marker={
            "color": faded(look.quiet, 0.12),
            "line": {"color": faded(look.quiet, 0.7), "width": 1},
            "pattern": {"shape": "/", "fgcolor": faded(look.quiet, 0.4), "size": 6},
        },
        hoverinfo="skip",
        name="published",
        row=1,
        col=2,
    )
    for name, value in published.items():
        _add_number(figure, rows.index(name), value, value, look.quiet, 2)
    figure.update_xaxes(range=[0, 1.25 * max(published.values())], row=1, col=2)


def _describe(each: RegimeResults) -> str:
    spread = f" ({each.test.min():.2f} to {each.test.max():.2f})" if len(each.test) > 1 else ""
    return (
        f"{plain(each.regime.title)}: <b>{each.test.mean():.2f}</b>{spread}<br>"
        f"{plain(each.regime.explanation)}<br>Chosen at step {_span(each.best_steps)}"
    )


def _span(values: Array) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def describe_regimes(found: AdaptationResults) -> str:
    """The chart in words, for whoever cannot see it."""
    parts = [f"{each.regime.title} {each.test.mean():.1f}" for each in found.regimes.values()]
    before = next(iter(found.regimes.values())).test_before
    return f"Test perplexity by regime: {before:.1f} before training; {', '.join(parts)}."
