"""What is said of the best layer: its name, what it is better than, and what is as good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.formatting import percent
from isogloss.measures.uncertainty import FEWEST_RESAMPLED, reach_of_the_best
from isogloss.models.states import AFTER_NORM, LayerStates
from isogloss.studies.best_layer.scores import LayerScores

ScoreName = Literal["words", "sentences", "similarity", "alignment"]


@dataclass(frozen=True)
class Score:
    """A score of layers as pages, files and scripts call it; a share unless it `is_number`."""

    name: ScoreName
    title: str
    explanation: str
    lower_is_better: bool = False
    is_number: bool = False

    def say(self, value: float) -> str:
        """A value: 71 %, or .83."""
        return f"{value:.2f}" if self.is_number else percent(value, 0)

    def say_difference(self, values: Sequence[float]) -> list[str]:
        """How far apart: whole points, or hundredths, and finer where that would read 0."""
        scale, digits = (1, 2) if self.is_number else (100, 0)
        rounded = [f"{scale * value:.{digits}f}" for value in values]
        if any(float(text) == 0 for text in rounded):
            rounded = [f"{scale * value:.{digits + 1}f}" for value in values]
        return [text.replace("-", "−") for text in rounded]

    def points(self, difference: str) -> str:
        """What stands behind a difference of shares."""
        return "" if self.is_number else " point" if difference == "1" else " points"


SCORES: dict[ScoreName, Score] = {
    score.name: score
    for score in (
        Score(
            "words",
            "Words",
            "Linked words whose nearest word of the other language is their translation.",
        ),
        Score(
            "sentences",
            "Sentences",
            "Sentences that find their translation first among all of the text (CSLS, mean of "
            "both directions).",
        ),
        Score(
            "similarity",
            "Similarity",
            "Whether the same pairs of sentences look alike in both languages (debiased CKA).",
            is_number=True,
        ),
        Score(
            "alignment",
            "Alignment error",
            "How far the word alignment read off a layer is from the links; less is better.",
            lower_is_better=True,
        ),
    )
}


def verdict(scores: LayerScores, score: Score, states: LayerStates) -> str:
    """Which layer is best, what it is better than, and what cannot be told from it.

    >>> from isogloss import interface
    >>> from isogloss.studies.best_layer.question import BestLayer
    >>> study = interface.list_studies()[0]
    >>> found = BestLayer(study.key, "sentences").answer(study.entry.store)
    >>> verdict(found, SCORES["sentences"], study.states).startswith("Best: ")
    True
    """
    found = scores.differences
    if not scores.is_there:
        return str(scores.reasons[0])
    chance = ", not clearly better than chance" if within_chance(scores, score) else ""
    best = f"Best: {_say_best(scores, score, states)}{chance}."
    if not found.told_apart:
        pairs = "one sentence pair" if found.units == 1 else f"{found.units} sentence pairs"
        return (
            f"{best} No test: of {pairs} layers differ by luck; bring {FEWEST_RESAMPLED} or more."
        )
    others = np.flatnonzero(found.tied & (scores.values != scores.values[found.best]))
    rival = _rival(scores)
    if rival is None and not len(others):
        return f"{best} They cannot be told apart."
    if rival is None:
        subject = "It" if (scores.values == scores.values[found.best]).sum() == 1 else "They"
        return f"{best} {subject} cannot be told from any other layer."
    low, middle, high = score.say_difference(
        [each[found.best, rival] for each in (found.low, found.values, found.high)]
    )
    points = score.points(middle)
    better = f"Better than {_place(rival, states)} by {middle}{points} ({low} to {high})"
    if not len(others):
        return f"{best} {better}, and better than every other layer."
    return f"{best} {better}, cannot be told from {list_layers(others, states)}."


def within_chance(scores: LayerScores, score: Score) -> bool:
    """Whether chance lies within the interval of the best layer, widened for that choice.

    Such an interval is of other sentences. Shuffled pairs, which the page Similarity holds a value
    against, may reach less.
    """
    best = scores.differences.best
    if not scores.is_there:
        return False
    value, near = scores.values[best], (scores.high if score.lower_is_better else scores.low)[best]
    end = value + reach_of_the_best(int((~np.isnan(scores.values)).sum())) * (near - value)
    chance = scores.chance[best]
    return bool(end >= chance if score.lower_is_better else end <= chance)


def _say_best(scores: LayerScores, score: Score, states: LayerStates) -> str:
    """The best layer, or all that share its score, and the score."""
    best = scores.differences.best
    value = score.say(scores.values[best])
    equal = np.flatnonzero(scores.values == scores.values[best])
    if len(equal) == 1:
        return f"{_place(best, states)} ({value})"
    return f"layers {list_layers(equal, states)} ({'both' if len(equal) == 2 else 'all'} {value})"


def _rival(scores: LayerScores) -> int | None:
    """The layer that the best is said to be better than: the top, else the bottom, else the next.

    None where it is better than none.
    """
    worse = np.flatnonzero(scores.differences.worse)
    if not len(worse):
        return None
    top = len(scores.values) - 1
    for usual in (top, 0):
        if usual in worse:
            return usual
    return int(worse[-1])


def compare_with(scores: LayerScores, score: Score, layer: int, states: LayerStates) -> str:
    """How a layer that somebody looks at stands to the best; nothing where that is the best."""
    found = scores.differences
    is_best = scores.values[layer] == scores.values[found.best]
    if not scores.is_there or is_best or not found.told_apart:
        return ""
    if scores.reasons[layer]:
        return str(scores.reasons[layer])
    low, middle, high = score.say_difference(
        [each[found.best, layer] for each in (found.low, found.values, found.high)]
    )
    points = score.points(middle)
    here = _place(layer, states)
    if found.tied[layer]:
        return (
            f"{here[0].upper()}{here[1:]} cannot be told from the best: the difference is "
            f"{middle}{points} ({low} to {high})."
        )
    return (
        f"{here[0].upper()}{here[1:]} is worse than the best by {middle}{points} ({low} to {high})."
    )


def _place(layer: int, states: LayerStates) -> str:
    if layer > states.n_layers:
        return f"the state {AFTER_NORM}"
    return f"layer {states.name(layer)}"


def list_layers(layers: np.ndarray, states: LayerStates) -> str:
    """Layers as one says them: "6", "6 and 8", "4 to 6, 8 and after the final norm"."""
    said: list[str] = []
    for first, last in runs_of(layers[layers <= states.n_layers]):
        ends = [states.name(first), states.name(last)]
        said += [" to ".join(ends)] if last > first + 1 else dict.fromkeys(ends)
    said += [AFTER_NORM for _ in layers[layers > states.n_layers]]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def runs_of(layers: np.ndarray) -> list[tuple[int, int]]:
    """The first and the last of every run of numbers that follow each other.

    >>> runs_of(np.array([1, 4, 5, 6]))
    [(1, 1), (4, 6)]
    """
    parts = np.split(layers, np.flatnonzero(np.diff(layers) > 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts if len(part)]
