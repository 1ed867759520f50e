"""One layer of all models: the map between them, what the networks read, and every set-up's score.

The map takes the target model's layer into the source model's (Procrustes after iterative
normalisation, `isogloss.measures.procrustes`), so the network is trained on source states that are
normalised and reads target states that are normalised and rotated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.lab.two_models.data import ParallelWords, TaskData
from isogloss.lab.two_models.networks import (
    Settings,
    TaskNetwork,
    Vectors,
    train_network,
)
from isogloss.lab.two_models.tasks import TASKS, confusions, score
from isogloss.lab.two_models.word_states import WordStates
from isogloss.measures.procrustes import OrthogonalMap, learn_mapping, learn_normalisation
from isogloss.measures.stacks import Array
from isogloss.tasks import OnShare
from isogloss.text.treebanks import Treebank

CURVE = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
MOST_WORDS = 20_000
"""So many pairs of words, drawn at random, are enough for a map of a few hundred dimensions."""


@dataclass(frozen=True)
class SetUp:
    """A way to read the target language; `explanation` ends a sentence that begins with it."""

    title: str
    explanation: str


SETUPS = {
    "mapped": SetUp("Two models, mapped", "the target's own model, through the map"),
    "bilingual": SetUp("Bilingual model", "one model of both languages, without a map"),
    "bilingual mapped": SetUp("Bilingual model, mapped", "one model of both, through a map"),
    "random": SetUp("Random encoder, mapped", "the target's model with random weights, mapped"),
    "shuffled": SetUp("Map from shuffled pairs", "the floor: the map's words do not translate"),
    "target": SetUp("Trained on the target", "the ceiling: its own model, trained on its own text"),
    "source": SetUp("Source itself", "the network in the language that it was trained on"),
}


@dataclass(frozen=True, eq=False)
class Side:
    """One model's states by text: treebanks by their content, both sides of the parallel text."""

    banks: Mapping[str, WordStates]
    source_words: WordStates | None
    target_words: WordStates | None
    n_layers: int

    def layer(self, layer: int, of: int) -> int:
        """The layer at the same share of the depth as `layer` of a model of `of` layers."""
        return round(layer * self.n_layers / of)


@dataclass(frozen=True, eq=False)
class Sides:
    """The states of every model that takes part; None for those that do not."""

    source: Side
    target: Side
    random: Side
    bilingual: Side | None


def linked_rows(words: ParallelWords, seed: int) -> Array:
    """Pairs of words (n, 2) in random order, at most `MOST_WORDS`."""
    pairs = np.array(words.pairs)
    return pairs[np.random.default_rng(seed).permutation(len(pairs))[:MOST_WORDS]]


def read_layer(
    task: str,
    layer: int,
    seed: int,
    data: TaskData,
    sides: Sides,
    words: ParallelWords,
    shown: tuple[Treebank, Treebank] | None,
    settings: Settings,
    on_progress: OnShare = lambda share: None,
) -> dict[str, Any]:
    """Train and test every set-up of one task at one layer with one seed."""
    pairs = linked_rows(words, seed)
    of = sides.source.n_layers
    source = sides.source.banks[data.train.content_hash], layer
    target_layer = sides.target.layer(layer, of)
    Y = _rows(sides.source.source_words, layer, pairs[:, 0])
    X = _rows(sides.target.target_words, target_layer, pairs[:, 1])
    space = learn_mapping(X, Y)
    network = train_network(
        TASKS[task],
        source[0].vectors(layer, space.place_target),
        data.train.sentences,
        settings,
        seed,
        lambda share: on_progress(0.4 * share),
    )
    target_test = sides.target.banks[data.target_test.content_hash]

    def through(found: OrthogonalMap) -> Vectors:
        return target_test.vectors(target_layer, found.map_source)

    def right(made: TaskNetwork, vectors: Vectors, bank: Treebank) -> dict[str, Any]:
        return score(task, bank.sentences, made.predict(vectors))

    shuffled = learn_mapping(np.random.default_rng(seed).permutation(X), Y, target=space.target)
    noise = _rows(sides.random.target_words, target_layer, pairs[:, 1])
    random = learn_mapping(noise, Y, target=space.target)
    source_test = sides.source.banks[data.source_test.content_hash]
    random_test = sides.random.banks[data.target_test.content_hash]
    predicted = network.predict(through(space))
    scores = {
        "source": right(network, source_test.vectors(layer, space.place_target), data.source_test),
        "mapped": score(task, data.target_test.sentences, predicted),
        "shuffled": right(network, through(shuffled), data.target_test),
        "random": right(
            network, random_test.vectors(target_layer, random.map_source), data.target_test
        ),
    }
    curve = {
        count: right(
            network,
            through(learn_mapping(X[:count], Y[:count], target=space.target)),
            data.target_test,
        )
        for count in (*(count for count in CURVE if count < len(pairs)), len(pairs))
    }
    on_progress(0.5)
    if sides.bilingual is not None:
        found = _bilingual(task, layer, of, seed, data, sides.bilingual, pairs, settings)
        scores |= found
    on_progress(0.8)
    if data.target_train is not None:
        scores["target"] = _ceiling(task, target_layer, seed, data, sides.target, settings)
    labels, counts = confusions(task, data.target_test.sentences, predicted)
    return {
        "task": task,
        "layer": layer,
        "seed": seed,
        "scores": scores,
        "curve": {str(count): value for count, value in curve.items()},
        "confusion": {"labels": labels, "counts": counts.tolist()},
        "shown": _shown(network, layer, target_layer, sides, shown, space, shuffled),
        "rank": space.rank,
        "losses": [round(loss, 5) for loss in network.losses],
    }


def _rows(states: WordStates | None, layer: int, rows: Array) -> Array:
    assert states is not None  # this model has read the parallel text
    return states.rows(layer)[rows]


def _bilingual(
    task: str,
    layer: int,
    of: int,
    seed: int,
    data: TaskData,
    side: Side,
    pairs: Array,
    settings: Settings,
) -> dict[str, Any]:
    """A network on a model of both languages, which reads the target without and with a map.

    Without one the target is normalised as the source is, as if it were more of the same.
    """
    own = side.layer(layer, of)
    Y = _rows(side.source_words, own, pairs[:, 0])
    X = _rows(side.target_words, own, pairs[:, 1])
    space = learn_mapping(X, Y)
    train = side.banks[data.train.content_hash].vectors(own, space.place_target)
    network = train_network(TASKS[task], train, data.train.sentences, settings, seed)
    test = side.banks[data.target_test.content_hash]
    return {
        name: score(task, data.target_test.sentences, network.predict(test.vectors(own, change)))
        for name, change in (
            ("bilingual", space.place_target),
            ("bilingual mapped", space.map_source),
        )
    }


def _ceiling(
    task: str, layer: int, seed: int, data: TaskData, side: Side, settings: Settings
) -> dict[str, Any]:
    """The target's own model under a network that was trained on the target's own text."""
    assert data.target_train is not None
    train = side.banks[data.target_train.content_hash]
    normal = learn_normalisation(train.rows(layer))
    network = train_network(
        TASKS[task],
        train.vectors(layer, normal.apply),
        data.target_train.sentences,
        settings,
        seed,
    )
    test = side.banks[data.target_test.content_hash].vectors(layer, normal.apply)
    return score(task, data.target_test.sentences, network.predict(test))


def _shown(
    network: TaskNetwork,
    layer: int,
    target_layer: int,
    sides: Sides,
    shown: tuple[Treebank, Treebank] | None,
    space: OrthogonalMap,
    shuffled: OrthogonalMap,
) -> dict[str, Any]:
    """What the network says of the pairs that are shown, in both languages."""
    if shown is None:
        return {}
    first = sides.source.banks[shown[0].content_hash]
    second = sides.target.banks[shown[1].content_hash]
    said = {
        "source": first.vectors(layer, space.place_target),
        "mapped": second.vectors(target_layer, space.map_source),
        "shuffled": second.vectors(target_layer, shuffled.map_source),
    }
    return {
        name: [{"labels": each.labels, "heads": each.heads} for each in network.predict(vectors)]
        for name, vectors in said.items()
    }
