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
from isogloss.inner_language import bands
from isogloss.inner_language.bands import Band, Reading
from isogloss.inner_language.prompts import Task
from isogloss.inner_language.questions import ModelQuestion
from isogloss.inner_language.read_along import ReadAlong, ReadAlongAnswer
from isogloss.inner_language.river import River, RiverAnswer
from isogloss.inner_language.swap import CASES, Swap, SwapAnswer, case_names
from isogloss.inner_language.swap import finding as swap_finding
from isogloss.inner_language.switch import Steered, Switch, SwitchAnswer
from isogloss.inner_language.switch import finding as switch_finding
from isogloss.interface.results import Result
from isogloss.options import check_options
from isogloss.store import Store

if TYPE_CHECKING:
    from isogloss.figures.template import Figure, Mode


@dataclass(frozen=True, repr=False)
class InnerLanguageResult(Result):
    """What was asked of a model, and its answer: `rows()`, `frame()`, `figure()`, `describe()`."""

    question: ModelQuestion[Any]
    answer: Any

    def rows(self) -> list[Row]:
        """Return the numbers as plain rows, one a layer and what was told apart there."""
        return _ROWS[type(self.question)](self.answer)

    def describe(self) -> str:
        """Say in one sentence what was found."""
        question, answer = self.question, self.answer
        if isinstance(question, River):
            return f"{question.describe()}: {bands.finding(answer)}"
        if isinstance(question, Switch):
            return switch_finding(answer, question.toward)
        if isinstance(question, Swap):
            return swap_finding(answer)
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
            return swap_figure(answer, case_names(self.question), answer.n_layers, mode)
        if isinstance(answer, SwitchAnswer):
            return switch_figure(answer, mode)
        raise TypeError("There is nothing to draw of two sentences.")


def _band_rows(found: list[Band], called: str, counted: str, count: int) -> list[Row]:
    """Mean and interval, by layer and band, and how many words or pairs they are of."""
    return [
        {
            "layer": layer,
            called: band.name,
            "probability": float(band.values[layer]),
            "low": float(band.low[layer]),
            "high": float(band.high[layer]),
            counted: count,
        }
        for band in found
        for layer in range(len(band.values))
    ]


def _river_rows(answer: RiverAnswer) -> list[Row]:
    return _band_rows(bands.bands(answer), "language", "words", len(answer.words))


def _swap_rows(answer: SwapAnswer) -> list[Row]:
    found = [
        bands.interval_band(name, answer.mass[:, :, place].astype(float))
        for place, name in enumerate(CASES)
    ]
    return _band_rows(found, "said", "pairs", len(answer.first))


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
    River: _river_rows,
    ReadAlong: _read_along_rows,
    Swap: _swap_rows,
    Switch: _switch_rows,
    Steered: lambda answer: [{"plain": answer.plain, "steered": answer.steered}],
}


def lens(
    model: str,
    prompt: str | None = None,
    *,
    source: str = River.source,
    target: str = River.target,
    task: Task = River.task,
    words: int = River.words,
) -> InnerLanguageResult:
    """Return which language every layer of a model would speak, read with its own norm and head.

    Of a `prompt`, what would be said at each place; without one, the river: the probability of a
    word in the source, the target, English and others, over the words of the list that ships.

    >>> found = lens("qwen2.5-coder-1.5b", source="zh", target="fr")
    >>> found.rows()[0]["layer"]
    0
    """
    if prompt is not None:
        return _of_model(ReadAlong(model, prompt))
    return _of_model(River(model, source, target, task, words))


def steer(
    model: str,
    prompt: str | None = None,
    *,
    away: str = Switch.away,
    toward: str = Switch.toward,
    layer: int = Steered.layer,
    strength: float = Steered.strength,
    tokens: int = Steered.tokens,
    prompts: int = Switch.prompts,
    directions: int = Switch.directions,
    every: int = Switch.every,
    study: str = Switch.text,
) -> InnerLanguageResult:
    """Return what adding the mean of one language less another's does to what a model says.

    Of a `prompt`, what is said without and with it at `layer`; without one, the share of prompts
    that turn, by layer and strength, beside random directions of the same length. The means are of
    the text of a `study`, given by the beginning of its key, or of the bundled sentences.

    >>> steer("mini-en-zh").answer.flipped.shape
    (7, 4)
    """
    if prompt is not None:
        return _of_model(Steered(model, prompt, away, toward, layer, strength, tokens, study))
    return _of_model(Switch(model, away, toward, prompts, directions, every, text=study))


def swap(
    model: str,
    *,
    given: str = Swap.given,
    into: str = Swap.into,
    other: str = Swap.other,
    pairs: int = Swap.pairs,
) -> InnerLanguageResult:
    """Return whose concept and language is said once a prompt's state is put into another's.

    >>> list(swap("gemma-3-270m").rows()[0])
    ['layer', 'said', 'probability', 'low', 'high', 'pairs']
    """
    return _of_model(Swap(model, given, into, other, pairs))


def _of_model(question: Any) -> InnerLanguageResult:
    check_options(question)
    return InnerLanguageResult(question, question.answer(Store()))
