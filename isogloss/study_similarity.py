"""How alike the layers of studies are: two languages in one model, or two models on one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cache import Store
from isogloss.errors import IsoglossError
from isogloss.measures import DEFAULT_MEASURE
from isogloss.paired_rows import PairedRows, Reading, Unit, pair_rows
from isogloss.pooling import Pooling
from isogloss.similarity import LayerSimilarity, agreements, compare_layers
from isogloss.stacks import Array
from isogloss.stored_results import Question, Steps
from isogloss.studies import Study, open_study

EncoderKind = Literal["one model", "two models", "random"]
RANDOM_PREFIX = "random:"


@dataclass(frozen=True)
class Comparison:
    """A similarity between all layers of two readings, and how many rows it could have had."""

    similarity: LayerSimilarity
    available: int
    links: str


@dataclass(frozen=True)
class LayerComparison(Question[Comparison]):
    """Every layer of `study` reading `side` against every layer of `other` reading `other_side`.

    `other` is a study's key, or "" for the same study. By default: a model reading both languages.
    """

    side: int = 0
    other: str = ""
    other_side: int = 1
    measure: str = DEFAULT_MEASURE
    unit: Unit = "sentence"
    pooling: Pooling = "mean"

    KIND: ClassVar[str] = "layer comparison"
    ANSWER: ClassVar[type] = Comparison

    def rows(self, study: Study, store: Store) -> PairedRows:
        """Return the rows that are compared."""
        other = open_study(store, self.other) if self.other else study
        first, second = Reading(study, self.side), Reading(other, self.other_side)
        return pair_rows(first, second, self.unit, self.pooling)

    def compute(self, study: Study, store: Store, steps: Steps) -> Comparison:
        steps.reach(0, 2, "reading layers")
        rows = self.rows(study, store)
        steps.reach(1, 2, "comparing all pairs of layers")
        similarity = compare_layers(rows.first, rows.second, self.measure)
        return Comparison(similarity, rows.available, rows.links)


@dataclass(frozen=True)
class RowAgreement:
    """One row behind a value: its text on both sides, where it stands, and how far it agrees."""

    agreement: float
    first: str
    second: str
    sentence: int


@dataclass(frozen=True)
class CellAgreements:
    """The rows that agree most, best first, and least, worst first, of `rows` rows."""

    most: tuple[RowAgreement, ...]
    least: tuple[RowAgreement, ...]
    rows: int


def explain_cell(
    rows: PairedRows, measure: str, layer: int, other_layer: int, count: int = 20
) -> CellAgreements:
    """Return which sentence or word pairs agree most and least at one pair of layers."""
    values = agreements(rows.first[layer], rows.second[other_layer], measure)
    order = np.argsort(-values, kind="stable")

    def describe(row: int) -> RowAgreement:
        first, second = rows.texts[row]
        return RowAgreement(float(values[row]), first, second, int(rows.sentence[row]))

    # Few rows are not listed twice.
    count = min(count, len(order) // 2)
    return CellAgreements(
        most=tuple(describe(row) for row in order[:count]),
        least=tuple(describe(row) for row in order[::-1][:count]),
        rows=len(rows),
    )


@dataclass(frozen=True)
class SimilarityDifference:
    """One comparison less another, cell by cell, (L_a, L_b) each.

    `low` and `high` are cautious: the first's lower end less the second's upper end, and the other
    way round, which is wider than a paired interval would be.
    """

    measure: str
    values: Array
    low: Array
    high: Array
    reasons: Array


def subtract(first: LayerSimilarity, second: LayerSimilarity) -> SimilarityDifference:
    """Return how much more alike the layers are in the first comparison than in the second."""
    if first.values.shape != second.values.shape:
        raise IsoglossError(
            f"The models have {first.values.shape[0] - 1} and {second.values.shape[0] - 1} layers; "
            "a difference, cell by cell, needs two of the same depth."
        )
    reasons = np.where(first.reasons != "", first.reasons, second.reasons)
    defined = reasons == ""
    return SimilarityDifference(
        measure=first.measure,
        values=np.where(defined, first.values - second.values, 0),
        low=np.where(defined, first.low - second.high, 0),
        high=np.where(defined, first.high - second.low, 0),
        reasons=reasons,
    )


def same_text(study: Study, studies: Sequence[Study]) -> tuple[Study, ...]:
    """Return the other studies of the same text."""
    corpus = study.entry.record["corpus"]
    return tuple(s for s in studies if s.entry.record["corpus"] == corpus and s.key != study.key)


@dataclass(frozen=True)
class TableColumn:
    """A column of the paper's table: a text, a kind of encoder, and what gives its values."""

    languages: tuple[str, str]
    corpus: str
    kind: EncoderKind
    models: tuple[str, str]
    comparison: LayerComparison


def table_columns(
    study: Study, studies: Sequence[Study], measure: str, pooling: Pooling = "mean"
) -> tuple[TableColumn, ...]:
    """Return the columns there are for the model of `study`: on each of its texts, three kinds.

    *One model* reads both languages. *Two models*: this one reads the source and another of the
    same depth the target. *Random*: the target is read by a random encoder, as in the paper.
    """
    own = [study] + [s for s in studies if s.model == study.model and s.key != study.key]
    columns = []
    for first in own:
        partners = [s for s in same_text(first, studies) if s.n_layers == first.n_layers]
        for second in (first, *sorted(partners, key=lambda s: (is_random(s), s.model))):
            other = "" if second is first else second.key
            columns.append(
                TableColumn(
                    first.languages,
                    str(first.entry.facts["corpus"]),
                    _kind(first, second),
                    (first.model, second.model),
                    LayerComparison(first.key, 0, other, 1, measure, "sentence", pooling),
                )
            )
    return tuple(columns)


def is_random(study: Study) -> bool:
    """Whether the study's model has random weights."""
    return study.model.startswith(RANDOM_PREFIX)


def _kind(first: Study, second: Study) -> EncoderKind:
    if is_random(first) or is_random(second):
        return "random"
    return "one model" if first is second else "two models"
