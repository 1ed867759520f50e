"""How alike the layers of studies are: two languages in one model, or two models on one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from isogloss.bundled import MODEL_PAIR
from isogloss.errors import IsoglossError
from isogloss.formatting import Row
from isogloss.links.sources import PAIRED_WORDS_VERSION
from isogloss.measures.coordinates import Coordinates, coordinates_option
from isogloss.measures.labels import Labels
from isogloss.measures.similarity.comparison import LayerSimilarity, agreements, compare_layers
from isogloss.measures.similarity.table import DEFAULT_MEASURE, SIMILARITY_MEASURES
from isogloss.measures.stacks import Array
from isogloss.models.presets import RANDOM_PREFIX, display_name, is_monolingual
from isogloss.options import DIGITS, option
from isogloss.store import Store
from isogloss.store.results import read_result
from isogloss.studies.mapping import model_pair_facts
from isogloss.studies.paired_rows import UNITS, PairedRows, Reading, Unit, pair_rows
from isogloss.studies.pooling import Pooling, pooling_option
from isogloss.studies.questions import Question, Steps
from isogloss.studies.study import Study, open_study
from isogloss.text.language_names import language_name

EncoderKind = Literal["one model", "two models", "monolingual", "random"]
PAPER_MEASURE = "cka"
PAPER_COORDINATES: Coordinates = "raw"
"""The paper compares states as the model has them."""


@dataclass(frozen=True)
class Comparison:
    """A similarity between all layers of two readings, and how many rows it could have had.

    `links` says how words were paired, `badge` does so beside the number; "" of sentences.
    """

    similarity: LayerSimilarity
    available: int
    links: str
    badge: str = ""

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per pair of layers; None where the measure is undefined."""
        links = {"links": self.badge} if self.badge else {}
        rows = []
        for layer, other_layer in np.ndindex(self.similarity.values.shape):
            cell = vars(self.similarity.cell(layer, other_layer))
            rows.append(
                {
                    "layer": layer,
                    "other_layer": other_layer,
                    "state": labels.states.name(layer),
                    "other_state": labels.other_states.name(other_layer),
                    **{name: cell[name] for name in cell if name not in ("measure", "rows")},
                    **links,
                }
            )
        return rows


@dataclass(frozen=True)
class LayerComparison(Question[Comparison]):
    """Every layer of `study` reading `side` against every layer of `other` reading `other_side`.

    `other` is a study's key, or "" for the same study. By default: a model reading both languages.
    """

    side: int = 0
    other: str = option(
        "",
        "another study of the same text: another model, the same before fine-tuning, or random "
        "weights as the floor",
        title="Other model",
        digits=DIGITS,
    )
    other_side: int = 1
    measure: str = option(
        DEFAULT_MEASURE,
        "how alike two sets of vectors of the same sentences are",
        title="Measure",
        choices=SIMILARITY_MEASURES,
        explain=False,
    )
    unit: Unit = option("sentence", "what is compared", title="Rows", address="rows", choices=UNITS)
    pooling: Pooling = pooling_option()
    coordinates: Coordinates = coordinates_option()

    KIND: ClassVar[str] = "layer comparison"
    VERSION: ClassVar[int] = 4
    ANSWER: ClassVar[type] = Comparison

    def record(self) -> dict[str, Any]:
        """Return the address of the answer; a measure that changes takes a new one."""
        measure = SIMILARITY_MEASURES.get(self.measure)
        paired = {"paired_words": PAIRED_WORDS_VERSION} if self.unit == "word" else {}
        version = {"measure_version": measure.version if measure else 0}
        return {**super().record(), **version, **paired}

    def rows(self, study: Study, store: Store) -> PairedRows:
        """Return the rows that are compared."""
        other = open_study(store, self.other) if self.other else study
        first, second = Reading(study, self.side), Reading(other, self.other_side)
        return pair_rows(first, second, self.unit, self.pooling, self.coordinates)

    def labels(self, study: Study) -> Labels:
        """Return what is compared, and the layers of both."""
        languages = study.languages[self.side], study.languages[self.other_side]
        first, second = map(language_name, languages)
        if not self.other:
            return Labels(languages, (first, second), study.states, study.states)
        other = open_study(study.entry.store, self.other)
        names = f"{first}, {display_name(study.model)}", f"{second}, {display_name(other.model)}"
        return Labels(languages, names, study.states, other.states)

    def compute(self, study: Study, store: Store, steps: Steps) -> Comparison:
        steps.reach(0, 2, "reading layers")
        rows = self.rows(study, store)
        steps.reach(1, 2, "comparing all pairs of layers")
        similarity = compare_layers(rows.first, rows.second, self.measure, groups=rows.sentence)
        return Comparison(similarity, rows.available, rows.links, rows.badge)


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
            f"The models have {first.values.shape[0]} and {second.values.shape[0]} layers, the "
            "embeddings and a normed top counted; a difference, cell by cell, needs two of the "
            "same depth."
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
    """Return the other studies of the same text, looked at through the same two languages."""
    found = []
    for other in studies:
        if other.entry.key == study.entry.key:
            continue
        if other.entry.record["corpus"] == study.entry.record["corpus"]:
            found.append(replace(other, sides=study.sides))
        elif other.entry.record["corpus"] == study.text_key:
            found.append(other)
    return tuple(found)


@dataclass(frozen=True)
class TableColumn:
    """A column of the paper's table: a kind of encoder, its models, and what gives its values.

    `comparison` is None where the answer ships and the studies do not.
    """

    kind: EncoderKind
    models: tuple[str, str]
    comparison: LayerComparison | None


def shipped_monolingual(
    study: Study, directory: Path = MODEL_PAIR
) -> tuple[TableColumn, Comparison] | None:
    """The paper's measure between two models of one language each, on a text of the demo.

    None for every other text.
    """
    place = directory / str(study.entry.record["corpus"])[:12]
    if not place.is_dir():
        return None
    first, second = (model["name"] for model in model_pair_facts(directory)["models"])
    column = TableColumn("monolingual", (first, second), None)
    return column, read_result(Comparison, place)


def table_columns(
    study: Study, studies: Sequence[Study], measure: str, pooling: Pooling = "mean"
) -> tuple[TableColumn, ...]:
    """Return the columns there are for the model and the text of `study`, of up to four kinds.

    *One model* reads both languages. *Two models*: this one reads the source and another of the
    same depth the target. *Monolingual*: neither of two models knows the other's language, whether
    `study` is one of them or not. *Random*: a random encoder reads the target, as in the paper.
    """
    others = same_text(study, studies)
    partners = [s for s in others if s.states == study.states]
    pairs = [
        (study, study),
        *_monolingual_pairs([study, *others]),
        *((study, s) for s in sorted(partners, key=lambda s: (is_random(s), s.model))),
    ]
    return tuple(
        TableColumn(
            _kind(first, second),
            (first.model, second.model),
            LayerComparison(
                first.key,
                0,
                "" if second is first else second.key,
                1,
                measure,
                "sentence",
                pooling,
                PAPER_COORDINATES,
            ),
        )
        for first, second in {(a.key, b.key): (a, b) for a, b in pairs}.values()
    )


def _monolingual_pairs(studies: Sequence[Study]) -> list[tuple[Study, Study]]:
    """Every two studies of one text and one depth whose models know their own side alone."""
    return [
        (first, second)
        for first in studies
        for second in studies
        if first.states == second.states and _kind(first, second) == "monolingual"
    ]


def is_random(study: Study) -> bool:
    """Whether the study's model has random weights."""
    return study.model.startswith(RANDOM_PREFIX)


def random_twin(study: Study, studies: Sequence[Study]) -> Study | None:
    """The study of the same text by the same model with random weights, if it is among these."""
    name = f"{RANDOM_PREFIX}{study.model}"
    found = (s for s in same_text(study, studies) if s.model == name and s.states == study.states)
    return next(found, None)


def _kind(first: Study, second: Study) -> EncoderKind:
    if is_random(first) or is_random(second):
        return "random"
    sides = zip((first, second), first.languages, strict=True)
    if all(is_monolingual(study.model, language) for study, language in sides):
        return "monolingual"
    return "one model" if first is second else "two models"
