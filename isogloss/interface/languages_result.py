"""Many languages at once, as a table and a figure."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.figures.languages import company_figure
from isogloss.formatting import Row, number
from isogloss.interface.results import Result
from isogloss.measures.languages.company import Company
from isogloss.studies.languages.questions import (
    RETRIEVAL,
    Distance,
    EveryPair,
    LanguageTrees,
    PairTable,
    Trees,
)
from isogloss.studies.languages.wording import (
    say_company,
    say_crossing,
    say_if_few_rows,
    say_random,
    say_tree,
)
from isogloss.studies.study import Study

if TYPE_CHECKING:
    from isogloss.figures.template import Figure, Mode


@dataclass(frozen=True, repr=False)
class LanguagesResult(Result):
    """Whose company sentences keep by layer, every pair of languages, and the trees.

    `random` and `random_trees` are of the same network with random weights, None without a study
    of it. Pairs are compared by `measure`, trees made of `distance`.
    """

    study: Study
    company: Company
    every_pair: PairTable
    trees: Trees
    random: Company | None
    random_trees: Trees | None = None
    measure: str = EveryPair.measure
    distance: Distance = LanguageTrees.distance

    def rows(self) -> list[Row]:
        """Return one row a layer."""
        text = {
            "study": self.study.key,
            "model": self.study.model,
            "text": self.study.entry.facts["corpus"],
            "languages": "–".join(self.study.all_languages),
            "rows": self.company.rows,
        }
        return [
            {
                **text,
                **row,
                "tree_and_families": number(self.trees.correlation[row["layer"]]),
                "tree_p_value": number(self.trees.p_value[row["layer"]]),
            }
            for row in self.company.table(self.study.labels)
        ]

    def pairs(self) -> list[Row]:
        """Return one row per layer and ordered pair: who finds whose translations first.

        By another measure, its `value`.
        """
        codes, values = self.study.all_languages, self.every_pair.values
        name = "found_first" if self.measure == RETRIEVAL else "value"
        return [
            {
                "layer": layer,
                "from": codes[i],
                "to": codes[j],
                name: number(float(values[layer, i, j])),
                "rows": int(self.every_pair.rows[i, j]),
            }
            for layer, i, j in np.ndindex(values.shape)
            if i != j
        ]

    def figure(self, layer: int = 0, mode: Mode = "light") -> Figure:
        """Return the chart of the crossing."""
        return company_figure(self.company, self.random, layer, self.study.states, mode)

    def describe(self) -> str:
        """Say what was found, a sentence a line."""
        states, languages = self.study.states, len(self.study.all_languages)
        read = f"{self.study.model} on {self.study.entry.facts['corpus']}"
        said = (
            f"{read}: {say_company(self.company, states, languages)}",
            say_crossing(self.company),
            say_random(self.random).replace("**", ""),
            say_tree(self.trees, self.random_trees, self.distance, states),
            say_if_few_rows(self.company.rows),
        )
        return "\n".join(filter(None, said))

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.describe())}</p>{self.frame().to_html(index=False)}"
