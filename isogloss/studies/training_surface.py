r"""How well two languages meet, over layers and over training: one score for every cell of the two.

A score is a share of $n$ cases that come out right, and its 95 % interval Wilson's, as if each case
were drawn by itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.bundled import BUNDLED_MODEL
from isogloss.errors import IsoglossError, ModelError
from isogloss.formatting import human_count
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import wilson_interval

ARRAYS, FACTS = "trajectory.safetensors", "trajectory.json"
HELD_OUT_SENTENCES = 1_000
"""LASER's Tatoeba test, which the training never read."""


@dataclass(frozen=True)
class Trajectory:
    """Training seen at some moments, m of them, through L + 1 layers and n words.

    `tokens` (m,) seen so far; `retrieval` and `nearest_share` (m, L + 1), range 0 to 1;
    `positions` (m, L + 1, n, 2); `texts`, `sides` and `sentence_of` have n entries.
    """

    tokens: tuple[int, ...]
    retrieval: np.ndarray
    nearest_share: np.ndarray
    positions: np.ndarray
    preservation: np.ndarray
    links: np.ndarray
    texts: tuple[str, ...]
    sides: tuple[int, ...]
    sentence_of: tuple[int, ...]
    sentences: tuple[tuple[str, str], ...]


def read_trajectory(directory: Path = BUNDLED_MODEL) -> Trajectory:
    """The trajectory that ships beside the bundled model."""
    from safetensors.numpy import load_file

    if not (directory / FACTS).is_file():
        raise ModelError(f"{directory} holds no training trajectory: install Isogloss again.")
    rest = json.loads((directory / FACTS).read_text(encoding="utf-8"))
    arrays = load_file(directory / ARRAYS)
    return Trajectory(
        positions=arrays.pop("coordinates"),
        tokens=tuple(rest["tokens"]),
        texts=tuple(rest["texts"]),
        sides=tuple(rest["sides"]),
        sentence_of=tuple(rest["sentence_of"]),
        sentences=tuple((source, target) for source, target in rest["sentences"]),
        **arrays,
    )


@dataclass(frozen=True)
class SurfaceScore:
    """A score of the surface: its name on a switch, what it counts, and what it can't tell."""

    short: str
    title: str
    happens: str
    explanation: str
    blind_to: str


SURFACE_SCORES = {
    "sentences": SurfaceScore(
        "Sentences",
        "Sentences that find their translation",
        "sentences find their translation",
        "Of 1,000 sentence pairs that were kept out of training (Tatoeba), the share whose nearest "
        "sentence in the other language is their translation: mean of the words' vectors, each "
        "language centred, cosine, mean of both directions. Chance is 0.001.",
        "whether a wrong neighbour was nearly right.",
    ),
    "words": SurfaceScore(
        "Words",
        "Words whose translation is nearest",
        "words lie nearest to their translation",
        "Of the linked words on the map, the share whose nearest word of the other language is "
        "their translation: each language centred, cosine in the full space and not on the plane. "
        "The links were made by hand.",
        "whether a wrong neighbour was nearly right; and two dozen sentences are few.",
    ),
}


@dataclass(frozen=True, eq=False)
class TrainingSurface:
    """A score at m moments of training and L + 1 layers.

    `tokens` (m,) seen so far, growing; `values` (m, L + 1), range 0 to 1, each a share of `cases`.
    """

    measure: str
    tokens: tuple[int, ...]
    values: Array
    cases: int

    @property
    def changes(self) -> Array:
        """What each layer gained since the first moment, (m, L + 1)."""
        return np.asarray(self.values - self.values[0])

    @property
    def margins(self) -> Array:
        """How far each value's 95 % interval reaches to its longer side; (m, L + 1)."""
        low, high = self.ends
        return np.maximum(self.values - low, high - self.values)

    @property
    def ends(self) -> tuple[Array, Array]:
        """The ends of each value's 95 % interval, two of (m, L + 1)."""
        return wilson_interval(np.clip(self.values, 0, 1) * self.cases, self.cases)

    @property
    def best_layers(self) -> Array:
        """The layer with the highest value at each moment, (m,)."""
        return np.asarray(self.values.argmax(axis=1))

    def describe(self) -> str:
        """What training did: where the best layer went, how surely, and who moved most."""
        said = self._describe_best(), self._describe_doubt(), self._describe_movement()
        return " ".join(filter(None, said))

    def _describe_best(self) -> str:
        happens = SURFACE_SCORES[self.measure].happens
        first, last = int(self.best_layers[0]), int(self.best_layers[-1])
        before, after = self.values[0, first], self.values[-1, last]
        end = f"after {human_count(self.tokens[-1])} tokens"
        if first == last:
            return (
                f"Before training and {end} alike, {happens} most often at layer {first} "
                f"({before:.2f}, then {after:.2f})."
            )
        return (
            f"Before training, {happens} most often at layer {first} ({before:.2f}); {end}, at "
            f"layer {last} ({after:.2f}){self._describe_lead(last)}."
        )

    def _describe_doubt(self) -> str:
        """Where the best layer cannot be told from the next one."""
        unsure = [not self._leads(0), not self._leads(-1)]
        if not any(unsure):
            return ""
        when = {
            (True, True): "Neither is ahead of the next layer",
            (True, False): "Before training it is not ahead of the next layer",
            (False, True): "In the end it is not ahead of the next layer",
        }[unsure[0], unsure[1]]
        return f"{when} by more than the uncertainty."

    def _leads(self, moment: int) -> bool:
        """Whether the best layer of a moment is ahead by more than both margins together."""
        if self.values.shape[1] < 2:
            return True
        second, first = np.argsort(self.values[moment])[-2:]
        lead = self.values[moment, first] - self.values[moment, second]
        return bool(lead > np.hypot(*self.margins[moment, [first, second]]))

    def _describe_lead(self, layer: int) -> str:
        """Since when a layer has been the best, if for longer than the last moment."""
        others = np.flatnonzero(self.best_layers != layer)
        since = int(others[-1]) + 1
        if since == len(self.tokens) - 1:
            return ""
        return f", the best at every kept moment since {human_count(self.tokens[since])} tokens"

    def _describe_movement(self) -> str:
        gained = self.changes[-1]
        margin = np.hypot(self.margins[0], self.margins[-1])
        rising, falling = int(gained.argmax()), int(gained.argmin())
        parts = [
            f"layer {layer} {moved} the most, from {self.values[0, layer]:.2f} to "
            f"{self.values[-1, layer]:.2f}"
            for layer, moved, far in (
                (rising, "rose", gained[rising] > margin[rising]),
                (falling, "fell", -gained[falling] > margin[falling]),
            )
            if far
        ]
        if gained[rising] <= margin[rising]:
            surely = "" if gained[rising] <= 0 else " by more than the uncertainty"
            parts.insert(0, f"no layer rose{surely}")
        if gained[falling] >= -margin[falling]:
            surely = "" if gained[falling] >= 0 else " by more than the uncertainty"
            parts.append(f"no layer fell{surely}")
        return f"{'; '.join(parts).capitalize()}."


def training_surface(trajectory: Trajectory, measure: str) -> TrainingSurface:
    """The surface of one of `SURFACE_SCORES` as the trajectory has it."""
    if measure == "sentences":
        values, cases = trajectory.retrieval, HELD_OUT_SENTENCES
    elif measure == "words":
        values, cases = trajectory.nearest_share, len(np.unique(trajectory.links))
    else:
        raise IsoglossError(f"There is no score {measure!r}: use {', '.join(SURFACE_SCORES)}.")
    return TrainingSurface(measure, trajectory.tokens, np.asarray(values, np.float64), cases)
