"""Where the words of some held-out sentences lie while two languages are learned.

Of every look a run keeps the words' states. While it goes on each new picture is a plane fitted to
them and turned onto the picture before, so that one more costs milliseconds and moves nothing that
was there; when a training is over, the whole is laid out once as token maps are. All in the
geometry of the scores: each language's mean is removed, and rows have length 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.training.word_maps import as_bytes, from_bytes, turn_together
from isogloss.measures.projection.layout import project_layers
from isogloss.measures.projection.neighbourhoods import neighbourhood_preservation
from isogloss.measures.projection.turning import lay_together
from isogloss.measures.stacks import Array


def picture_name(unit: str, step: int) -> str:
    """Under which name a run keeps the states of a unit's words at a step."""
    return f"{unit}, step {step}"


def words_name(unit: str) -> str:
    """Under which name a run keeps the words themselves."""
    return f"{unit}, words"


def map_name(unit: str) -> str:
    """Under which name a run keeps the map of a unit that is finished."""
    return f"{unit}, map"


@dataclass(frozen=True, eq=False)
class WordMap:
    """Places of n words at m looks and L + 1 layers: `positions` (m, L + 1, n, 2), in -1 to 1.

    `preservation` (m, L + 1) is the share of neighbours that each picture keeps. `whole` tells
    whether it is the last layout, or grows while the training goes on.
    """

    words: ShownWords
    steps: tuple[int, ...]
    positions: Array
    preservation: Array
    whole: bool

    def as_arrays(self) -> dict[str, Array]:
        """The map as arrays that a run can keep."""
        return {
            **self.words.as_arrays(),
            "steps": np.array(self.steps, np.int32),
            "coordinates": self.positions.astype(np.float16),
            "preservation": self.preservation.astype(np.float16),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> WordMap:
        """The map of a finished unit as `as_arrays` gave it."""
        return cls(
            ShownWords.from_arrays(arrays),
            tuple(map(int, arrays["steps"])),
            arrays["coordinates"].astype(np.float32),
            arrays["preservation"].astype(np.float32),
            whole=True,
        )


@dataclass(frozen=True, eq=False)
class Picture:
    """States of the words (L + 1, n, width) at a look, and the look itself as results have it."""

    states: Array
    look: Mapping[str, Any]

    def as_arrays(self) -> dict[str, Array]:
        """The picture as arrays that a run can keep."""
        return {"states": self.states, "look": as_bytes(self.look)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Picture:
        """The picture as `as_arrays` gave it."""
        return cls(arrays["states"], from_bytes(arrays["look"]))


def add_picture(before: WordMap | None, words: ShownWords, step: int, states: Array) -> WordMap:
    """The map with one look more: a plane for every layer, turned onto the look before.

    The first look's layers are turned onto each other, from the embeddings upwards.
    """
    planes: list[Array] = []
    layers = _in_score_geometry(states, words)
    for layer, X in enumerate(layers):
        followed = before.positions[-1, layer] if before is not None else None
        if followed is None and planes:
            followed = planes[-1]
        planes.append(_plane(X, followed))
    kept = list(map(neighbourhood_preservation, layers, planes))
    new = np.stack(planes)[None]
    preservation = np.array(kept, np.float32)[None]
    if before is None:
        return WordMap(words, (step,), new, preservation, whole=False)
    return replace(
        before,
        steps=(*before.steps, step),
        positions=np.concatenate([before.positions, new]),
        preservation=np.concatenate([before.preservation, preservation]),
    )


def lay_out(words: ShownWords, steps: Sequence[int], pictures: Sequence[Array]) -> WordMap:
    """The whole training laid out: every layer flows over the looks, and layers match at the end.

    `pictures` are states (L + 1, n, width), one a step.
    """
    looks = [_in_score_geometry(states, words) for states in pictures]
    layouts = (project_layers(list(moments)) for moments in zip(*looks, strict=True))
    positions, preservation = turn_together(
        ((layout.positions, layout.preservation) for layout in layouts), -1
    )
    return WordMap(words, tuple(steps), positions.astype(np.float32), preservation, whole=True)


def _in_score_geometry(states: Array, words: ShownWords) -> list[Array]:
    """Every layer (n, width) with each language's mean removed, rows of length 1."""
    sides = np.array(words.sides)
    found = []
    for layer in states.astype(np.float64):
        X = layer.copy()
        for side in (0, 1):
            X[sides == side] -= X[sides == side].mean(axis=0)
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        found.append(X / np.where(lengths > 0, lengths, 1))
    return found


def _plane(X: Array, followed: Array | None) -> Array:
    """The plane of the two largest principal components, (n, 2), turned onto `followed`."""
    centred = X - X.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    plane = centred @ axes[:, :-3:-1]
    if plane.shape[1] < 2:
        plane = np.pad(plane, ((0, 0), (0, 2 - plane.shape[1])))
    (single,) = lay_together([plane])
    if followed is None:
        return np.asarray(single)
    return np.asarray(lay_together([followed, single], middle=0)[1])
