"""What a run of two models found: scores by layer and set-up, curves, confusions, tagged pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.lab.two_models.data import shown_sentences
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.tasks import TASKS, Predicted
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import Estimate, estimate
from isogloss.text.readers.tagged_words import TaggedSentence


@dataclass(frozen=True)
class Line:
    """A mean over seeds with the ends of its interval at each of `places`, (n,) each.

    Ends are NaN where there is one seed.
    """

    places: Array
    mean: Array
    low: Array
    high: Array

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.low).any())


@dataclass(frozen=True)
class ShownWord:
    """A word, what it is by hand, and what the network says of it; `right` is None without gold."""

    text: str
    gold: str
    said: str
    right: bool | None


@dataclass(frozen=True)
class ShownPair:
    """One sentence in both languages: the source, the target through the map and by chance."""

    source: tuple[ShownWord, ...]
    mapped: tuple[ShownWord, ...]
    shuffled: tuple[ShownWord, ...]


@dataclass(frozen=True, eq=False)
class TwoModelsResults:
    """The finished units of a run by task, layer and seed; the layers are the source model's."""

    plan: TwoModelsPlan
    units: Mapping[tuple[str, int, int], Mapping[str, Any]]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of which something is finished."""
        return tuple(
            task for task in dict.fromkeys(self.plan.tasks) if any(u[0] == task for u in self.units)
        )

    def layers(self, task: str) -> tuple[int, ...]:
        """The layers of a task that some seed has finished."""
        return tuple(sorted({layer for name, layer, _ in self.units if name == task}))

    def setups(self, task: str) -> tuple[str, ...]:
        """The set-ups of a task that were measured, in the order of their table."""
        there = {
            name for (t, *_), unit in self.units.items() if t == task for name in unit["scores"]
        }
        return tuple(name for name in SETUPS if name in there)

    def scores(self, task: str, measure: str, setup: str) -> Array:
        """The shares of right answers, (layers, seeds), NaN where unfinished."""
        layers = self.layers(task)
        found = np.full((len(layers), len(self.plan.seeds)), np.nan)
        for i, layer in enumerate(layers):
            for j, seed in enumerate(self.plan.seeds):
                unit = self.units.get((task, layer, seed))
                if unit is not None and setup in unit["scores"]:
                    found[i, j] = _share(unit["scores"][setup][measure])
        return found

    def line(self, task: str, measure: str, setup: str) -> Line:
        """The scores of a set-up by layer."""
        return _line(self.layers(task), self.scores(task, measure, setup))

    def word_line(self, task: str, measure: str, layer: int) -> Line:
        """The score through a map learned from so many parallel words, by how many."""
        units = [unit for (t, at, _), unit in self.units.items() if (t, at) == (task, layer)]
        counts = sorted({int(count) for unit in units for count in unit["curve"]})
        values = [
            [_share(unit["curve"][str(count)][measure]) for unit in units] for count in counts
        ]
        return _line(counts, np.array(values, float))

    def best_layer(self, task: str, measure: str, setup: str = "mapped") -> int:
        """The layer with the highest mean."""
        line = self.line(task, measure, setup)
        return int(line.places[int(np.nanargmax(line.mean))])

    def difference(self, task: str, measure: str, one: str, other: str) -> Estimate:
        """How much `one` exceeds `other`, each at its best layer, paired by seed."""
        return estimate(self._best(task, measure, one) - self._best(task, measure, other))

    def wider_gap(self, task: str, other: str) -> Estimate:
        """By how much more a bilingual model is ahead of the map in `task` than in `other`.

        Each by its usual measure and at its best layers, paired by seed.
        """
        gaps = []
        for name in (task, other):
            measure = next(iter(TASKS[name].measures))
            bilingual, mapped = (
                self._best(name, measure, setup) for setup in ("bilingual", "mapped")
            )
            gaps.append(bilingual - mapped)
        return estimate(gaps[0] - gaps[1])

    def _best(self, task: str, measure: str, setup: str) -> Array:
        """The scores of a set-up at its best layer, (seeds,)."""
        row = self.layers(task).index(self.best_layer(task, measure, setup))
        return self.scores(task, measure, setup)[row]

    def recovered(self, task: str, measure: str) -> Estimate | None:
        """Which share of the way from the floor to the ceiling the map goes, at its best layer.

        None where there is no ceiling, or no room below it.
        """
        if "target" not in self.setups(task):
            return None
        row = self.layers(task).index(self.best_layer(task, measure))
        mapped, floor, ceiling = (
            self.scores(task, measure, setup)[row] for setup in ("mapped", "shuffled", "target")
        )
        room = ceiling - floor
        return None if np.nanmin(room) <= 0 else estimate((mapped - floor) / room)

    def confusion(self, task: str, layer: int) -> tuple[tuple[str, ...], Array]:
        """What (rows) was taken for what (columns) through the map, shares of each row.

        Seeds are added up; labels that neither are nor were said are left out.
        """
        found = [u["confusion"] for (t, at, _), u in self.units.items() if (t, at) == (task, layer)]
        labels = tuple(sorted({label for each in found for label in each["labels"]}))
        counts = np.zeros((len(labels), len(labels)))
        for each in found:
            place = [labels.index(label) for label in each["labels"]]
            counts[np.ix_(place, place)] += np.array(each["counts"])
        there = counts.sum(1) > 0
        totals = counts.sum(1, keepdims=True)
        shares = counts / np.where(totals > 0, totals, 1)
        order = [i for i in range(len(labels)) if there[i] or counts[:, i].sum()]
        return tuple(labels[i] for i in order), shares[np.ix_(order, order)]

    def shown(self, task: str, layer: int) -> tuple[ShownPair, ...]:
        """The pairs that the network tagged, with the first seed that is finished."""
        pairs = shown_sentences(self.plan.languages)
        unit = next((u for (t, at, _), u in self.units.items() if (t, at) == (task, layer)), None)
        if pairs is None or unit is None or not unit["shown"]:
            return ()
        has_gold = task == "upos"
        return tuple(
            ShownPair(
                *(
                    _words(bank.sentences[i], _predicted(unit["shown"][name][i]), has_gold)
                    for bank, name in (
                        (pairs[0], "source"),
                        (pairs[1], "mapped"),
                        (pairs[1], "shuffled"),
                    )
                )
            )
            for i in range(len(pairs[0]))
        )


def _share(counts: Sequence[int]) -> float:
    right, of = counts
    return right / of if of else 0.0


def _line(places: Sequence[int], values: Array) -> Line:
    found = [estimate(row) for row in values]
    return Line(
        np.array(places),
        np.array([each.mean for each in found]),
        np.array([each.low for each in found]),
        np.array([each.high for each in found]),
    )


def _predicted(said: Mapping[str, Any]) -> Predicted:
    return Predicted(tuple(said["labels"]), tuple(said["heads"]))


def _words(sentence: TaggedSentence, predicted: Predicted, has_gold: bool) -> tuple[ShownWord, ...]:
    """Each word with its label, and with its head in a tree."""
    said = list(predicted.labels)
    for i, head in enumerate(predicted.heads):
        said[i] += f" ← {sentence.words[head - 1]}" if head else ""
    return tuple(
        ShownWord(word, gold if has_gold else "", label, label == gold if has_gold else None)
        for word, gold, label in zip(sentence.words, sentence.tags, said, strict=True)
    )


def read_results(plan: TwoModelsPlan, results: Mapping[str, Mapping[str, Any]]) -> TwoModelsResults:
    """The results of a run, as far as it has come."""
    return TwoModelsResults(
        plan, {part: results[unit] for unit, part in plan.parts().items() if unit in results}
    )


def score_table(found: TwoModelsResults) -> list[dict[str, Any]]:
    """One row a task, measure, set-up, layer and seed; for a spreadsheet."""
    return [
        {
            "task": task,
            "measure": measure,
            "setup": setup,
            "layer": layer,
            "seed": seed,
            "score": round(_share(unit["scores"][setup][measure]), 5),
        }
        for (task, layer, seed), unit in found.units.items()
        for measure in TASKS[task].measures
        for setup in unit["scores"]
    ]
