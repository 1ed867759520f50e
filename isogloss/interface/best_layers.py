"""Which layer of which study is best: the answers of one or several as a table and a figure."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.figures.best_layers import best_layers_figure
from isogloss.formatting import Row, number
from isogloss.interface.results import Result
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import SCORES, ScoreName, verdict, within_chance
from isogloss.studies.study import Study

if TYPE_CHECKING:
    from isogloss.figures.template import Figure, Mode


@dataclass(frozen=True, repr=False)
class BestLayers(Result):
    """The scores of some studies by layer, and which layer is best by each.

    `answers` has one score after the other for every study; `random` the same of its twin with
    random weights, None where there is no such study.
    """

    studies: tuple[Study, ...]
    answers: tuple[dict[ScoreName, LayerScores], ...]
    random: tuple[dict[ScoreName, LayerScores] | None, ...]
    coordinates: Coordinates = DEFAULT_COORDINATES

    def rows(self) -> list[Row]:
        """Return one row per study and score: the best layer, and what cannot be told from it."""
        return [
            self._row(study, name, found)
            for study, answers in zip(self.studies, self.answers, strict=True)
            for name, found in answers.items()
        ]

    def _row(self, study: Study, name: ScoreName, found: LayerScores) -> Row:
        best, differences = found.differences.best, found.differences
        text = {
            "study": study.key,
            "model": study.model,
            "text": study.entry.facts["corpus"],
            "languages": "–".join(study.languages),
            "score": name,
        }
        if not found.is_there:
            none = dict.fromkeys(("layer", "state", "value", "low", "high", "chance"))
            none |= dict.fromkeys(("within_chance", "as_good"))
            return {**text, **none, "rows": 0, "counted": found.counted} | {
                "links": found.badge,
                "verdict": verdict(found, SCORES[name], study.states),
            }
        as_good = [int(n) for n in np.flatnonzero(differences.tied) if n != best]
        return {
            **text,
            "layer": best,
            "state": study.states.name(best),
            "value": float(found.values[best]),
            "low": number(found.low[best]),
            "high": number(found.high[best]),
            "chance": float(found.chance[best]),
            "within_chance": within_chance(found, SCORES[name]),
            "as_good": as_good if differences.told_apart else None,
            "rows": found.rows,
            "counted": found.counted,
            "links": found.badge,
            "verdict": verdict(found, SCORES[name], study.states),
        }

    def layers(self) -> list[Row]:
        """Return one row per study, score and layer, with its difference from the best layer."""
        return [
            {"study": study.key, "score": name, **row}
            for study, answers in zip(self.studies, self.answers, strict=True)
            for name, found in answers.items()
            for row in found.table(study.labels)
        ]

    def figure(self, chosen: ScoreName = "words", mode: Mode = "light") -> Figure:
        """Return the chart of the page Best layer, of a single study."""
        if len(self.studies) != 1:
            raise IsoglossError("A chart shows one study: ask for best_layer of one of them.")
        answers, random = self.answers[0], self.random[0]
        shown = [name for name, found in answers.items() if found.is_there]
        if not shown:
            raise IsoglossError("No score of this study can be had, so there is nothing to draw.")
        chosen = chosen if chosen in shown else shown[0]
        best = answers[chosen].differences.best
        return best_layers_figure(answers, random, best, chosen, self.studies[0].states, mode)

    def describe(self) -> str:
        """Say in a sentence or two per study and score what was found."""
        return "\n".join(
            f"{study.title}, {SCORES[name].title.lower()}{_basis(found)}: "
            f"{verdict(found, SCORES[name], study.states)}"
            for study, answers in zip(self.studies, self.answers, strict=True)
            for name, found in answers.items()
        )

    def _repr_html_(self) -> str:
        said = "<br>".join(map(html.escape, self.describe().splitlines()))
        return f"<p>{said}</p>"


def _basis(found: LayerScores) -> str:
    """What a score rests on."""
    if not found.is_there:
        return ""
    badge = f", {found.badge}" if found.badge else ""
    return f" ({found.rows:,} {found.counted}{badge})"
