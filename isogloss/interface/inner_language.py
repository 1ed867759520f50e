"""Which language a model speaks in its middle, for notebooks: results that are tables, figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.figures.inner_language import (
    read_along_figure,
    swap_figure,
    switch_figure,
)
from isogloss.figures.river import river_figure
from isogloss.formatting import Row
from isogloss.inner_language import bands, swap, switch
from isogloss.inner_language.bands import Reading
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.read_along import ReadAlong, ReadAlongAnswer
from isogloss.inner_language.river import River, RiverAnswer
from isogloss.inner_language.swap import CASES, Swap, SwapAnswer
from isogloss.inner_language.switch import Steered, Switch, SwitchAnswer

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.figures.template import Figure, Mode


@dataclass(frozen=True, repr=False)
class InnerLanguageResult:
    """What was asked of a model, and its answer: `rows()`, `frame()`, `figure()`, `describe()`."""

    question: ModelQuestion[Any]
    answer: Any

    def rows(self) -> list[Row]:
        """Return the numbers as plain rows, one a layer and what was told apart there."""
        return _ROWS[type(self.question)](self.answer)

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def describe(self) -> str:
        """Say in one sentence what was found."""
        question, answer = self.question, self.answer
        if isinstance(question, River):
            return f"{question.describe()}: {bands.finding(answer)}"
        if isinstance(question, Switch):
            return switch.finding(answer, question.toward)
        if isinstance(question, Swap):
            return swap.finding(answer)
        if isinstance(question, Steered):
            return f"Without: {answer.plain!r}; with: {answer.steered!r}."
        return f"{len(answer.pieces)} tokens at {answer.n_layers + 1} layers."

    def figure(self, mode: Mode = "light", reading: Reading = "share") -> Figure:
        """Return the chart of the page, as a Plotly figure."""
        answer = self.answer
        if isinstance(answer, RiverAnswer):
            return river_figure(answer, bands.opening_layer(answer), reading, mode)
        if isinstance(answer, ReadAlongAnswer):
            return read_along_figure(answer, answer.position, mode)
        if isinstance(self.question, Swap):
            return swap_figure(answer, swap.case_names(self.question), answer.n_layers, mode)
        if isinstance(answer, SwitchAnswer):
            return switch_figure(answer, mode)
        raise TypeError("There is nothing to draw of two sentences.")

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


def river_rows(answer: RiverAnswer) -> list[Row]:
    """Return mean, interval and number of words, by layer and language."""
    return [
        {
            "layer": layer,
            "language": band.name,
            "probability": float(band.values[layer]),
            "low": float(band.low[layer]),
            "high": float(band.high[layer]),
            "words": len(answer.words),
        }
        for band in bands.bands(answer)
        for layer in range(answer.n_layers + 1)
    ]


def _read_along_rows(answer: ReadAlongAnswer) -> list[Row]:
    return [
        {
            "layer": layer,
            "position": place,
            "after": str(piece),
            "token": str(answer.tokens[layer, place, 0]),
            "probability": float(answer.shares[layer, place, 0]),
            "language": str(answer.languages[layer][place]),
        }
        for layer in range(answer.n_layers + 1)
        for place, piece in enumerate(answer.pieces)
    ]


def _swap_rows(answer: SwapAnswer) -> list[Row]:
    found = [
        bands.interval_band(name, answer.mass[:, :, place].astype(float))
        for place, name in enumerate(CASES)
    ]
    return [
        {
            "layer": layer,
            "said": band.name,
            "probability": float(band.values[layer]),
            "low": float(band.low[layer]),
            "high": float(band.high[layer]),
            "pairs": len(answer.first),
        }
        for band in found
        for layer in range(answer.n_layers + 1)
    ]


def _switch_rows(answer: SwitchAnswer) -> list[Row]:
    return [
        {
            "layer": int(layer),
            "strength": float(strength),
            "flipped": float(answer.flipped[row, column]),
            "random": float(answer.random[row].mean()),
            "meaning_kept": float(answer.kept[row]),
            "prompts": answer.prompts,
        }
        for row, layer in enumerate(answer.layers)
        for column, strength in enumerate(answer.strengths)
    ]


_ROWS: dict[type, Callable[[Any], list[Row]]] = {
    River: river_rows,
    ReadAlong: _read_along_rows,
    Swap: _swap_rows,
    Switch: _switch_rows,
    Steered: lambda answer: [{"plain": answer.plain, "steered": answer.steered}],
}
