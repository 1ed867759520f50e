"""What is predicted of every word, and how right it is: parts of speech, entities, trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.measures.stacks import Array
from isogloss.text.readers.tagged_words import TaggedSentence, entities
from isogloss.text.treebanks import Ending


@dataclass(frozen=True)
class Task:
    """A task: its measures by name, the first being the usual one, and the files it is read from.

    Every measure is a share: so many right of so many.
    """

    title: str
    explanation: str
    measures: Mapping[str, str]
    ending: Ending
    trees: bool = False


TASKS = {
    "upos": Task(
        "Parts of speech",
        "universal parts of speech; accuracy",
        {"accuracy": "Accuracy"},
        "conllu",
    ),
    "parsing": Task(
        "Dependencies",
        "the head of each word and its relation, by a biaffine head (Dozat & Manning 2017); UAS "
        "and LAS over all words, relations without subtypes, every word taking its best head",
        {"uas": "UAS", "las": "LAS"},
        "conllu",
        trees=True,
    ),
    "entities": Task(
        "Named entities",
        "IOB2 marks; F1 over whole entities",
        {"f1": "F1"},
        "iob2",
    ),
}


@dataclass(frozen=True)
class Predicted:
    """What a network says of one sentence; `heads` are empty where there is no tree."""

    labels: tuple[str, ...]
    heads: tuple[int, ...] = ()


def gold_labels(task: Task, sentence: TaggedSentence) -> tuple[str, ...]:
    """The label of each word: its tag, or its relation without the subtype after a colon."""
    if not task.trees:
        return sentence.tags
    return tuple(relation.partition(":")[0] for relation in sentence.relations)


def score(
    name: str, gold: Sequence[TaggedSentence], predicted: Sequence[Predicted]
) -> dict[str, tuple[int, int]]:
    """How many are right of how many, by measure.

    F1 = 2 · right / (found + there), which is a share of counts, too.
    """
    task = TASKS[name]
    pairs = list(zip(gold, predicted, strict=True))
    if name == "entities":
        sets = [(entities(one.tags), entities(other.labels)) for one, other in pairs]
        both = sum(len(there & found) for there, found in sets)
        return {"f1": (2 * both, sum(len(there) + len(found) for there, found in sets))}
    words = sum(map(len, gold))
    if not task.trees:
        right = sum(
            a == b for one, other in pairs for a, b in zip(one.tags, other.labels, strict=True)
        )
        return {"accuracy": (right, words)}
    attached, labelled = 0, 0
    for one, other in pairs:
        heads = np.array(one.heads) == np.array(other.heads)
        labels = np.array(gold_labels(task, one)) == np.array(other.labels)
        attached += int(heads.sum())
        labelled += int((heads & labels).sum())
    return {"uas": (attached, words), "las": (labelled, words)}


def confusions(
    name: str, gold: Sequence[TaggedSentence], predicted: Sequence[Predicted]
) -> tuple[list[str], Array]:
    """The labels, and how often each (row) was taken for each (column)."""
    task = TASKS[name]
    pairs = [
        (a, b)
        for one, other in zip(gold, predicted, strict=True)
        for a, b in zip(gold_labels(task, one), other.labels, strict=True)
    ]
    labels = sorted({label for pair in pairs for label in pair})
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), int)
    for a, b in pairs:
        counts[place[a], place[b]] += 1
    return labels, counts
