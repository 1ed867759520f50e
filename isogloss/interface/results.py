"""What every answer can do: be a table, a figure, a file, and a glance in a notebook."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from isogloss.formatting import Row
from isogloss.measures.labels import Labels
from isogloss.measures.similarity.shuffling import ALPHA
from isogloss.studies.questions import Question
from isogloss.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.figures.template import Figure, Mode


@runtime_checkable
class Drawable(Protocol):
    """Whatever has a chart of the pages."""

    def figure(self, *args: Any, **shown: Any) -> Figure:
        """Return the chart, as a Plotly figure."""
        ...


@dataclass(frozen=True)
class BestLayer:
    """The layer where a score is best, and its value; the rest where the score has it.

    `calibrated` and `p_value` allow for having picked the best of all layers. `ties` says how many
    other layers, all above, read the very same.
    """

    layer: int
    value: float
    low: float | None = None
    high: float | None = None
    calibrated: float | None = None
    p_value: float | None = None
    ties: int = 0

    @property
    def within_chance(self) -> bool:
        """Whether shuffled pairs reach as much at their best layer in 5 % of cases or more."""
        return self.p_value is not None and self.p_value > ALPHA


def say_ties(best: BestLayer) -> str:
    """That other layers read the same as the one that is named."""
    return f" and {best.ties} more" if best.ties else ""


class Result(ABC):
    """What was found, as rows and in words."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """Return the numbers as plain rows."""

    @abstractmethod
    def describe(self) -> str:
        """Say what was found."""

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


class Studies(tuple[Study, ...]):
    """Studies of a store, as a tuple that is a table in a notebook."""

    def rows(self) -> list[Row]:
        """Return one row a study."""
        return [
            {
                "key": study.key,
                "model": study.model,
                "text": study.entry.facts["corpus"],
                "languages": "–".join(study.languages),
                "pairs": study.entry.facts["pairs"],
                "layers": study.n_layers,
            }
            for study in self
        ]

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        return self.frame().to_html(index=False)


@dataclass(frozen=True, repr=False)
class LayerResult(Result):
    """An answer about every layer of a study: what was asked, and what was found."""

    study: Study
    question: Question[Any]
    answer: Any

    @property
    def labels(self) -> Labels:
        """What the sides of the answer and its layers are called."""
        return self.study.labels

    def rows(self) -> list[Row]:
        """Return the numbers as plain rows, one a layer or pair of layers."""
        rows: list[Row] = self.answer.table(self.labels)
        return rows

    @abstractmethod
    def best(self) -> BestLayer:
        """Return the best layer and its value."""

    @abstractmethod
    def at(self, layer: int) -> dict[str, str]:
        """Return the numbers that stand for one layer, written out, by what they are called."""

    @abstractmethod
    def figure(self, mode: Mode = "light") -> Figure:
        """Return the chart of the pages, as a Plotly figure."""

    def caveats(self) -> list[str]:
        """Say what these numbers cannot bear, a sentence each; usually nothing."""
        return [self.study.says_cut] if self.study.says_cut else []

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas table; its `attrs` say of what they are, and the caveats."""
        table = super().frame()
        table.attrs["study"] = Studies([self.study]).rows()[0]
        table.attrs["caveats"] = self.caveats()
        return table

    def place(self, layer: int) -> str:
        """Say where that is: "at layer 7", or "after the final norm"."""
        return self.study.states.place(layer)

    def options(self) -> Row:
        """Return what was asked, as it is kept in the store."""
        record = self.question.record()
        return {"study": self.study.key, "model": self.study.model, **record}

    def to_html(self, path: str | PathLike[str]) -> Path:
        """Write the chart as one HTML file that works offline; returns its path."""
        target = Path(path)
        self.figure().write_html(target, include_plotlyjs=True)
        return target

    def _repr_html_(self) -> str:
        table = self.frame().to_html(index=False, max_rows=30, float_format="{:.3f}".format)
        said = " ".join([self.describe(), *self.caveats()])
        return f"<p>{html.escape(said)}</p>{table}"
