"""Whose company a sentence keeps among those in all languages: its meaning's, or its language's.

Each sentence looks for its nearest neighbour, by cosine, among all others: is that a translation of
it, or a sentence of its own language? Beside that stand three mean cosines: of translations, of
other sentences in the same language, and of neither. The means can mislead: where languages share
names and figures, translations are a little closer on average in any model at all, a random one
included, while hardly any is the nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.formatting import Row
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.labels import Labels
from isogloss.measures.languages.sides import Sides, unit_rows_of
from isogloss.measures.ranks import TIE
from isogloss.measures.stacks import Array
from isogloss.measures.uncertainty import (
    FEWEST_RESAMPLED,
    LEVEL,
    resample_counts,
    share_interval,
    sums_by_unit,
)

MOST_SENTENCES = 12_000
"""Beyond this many in all languages, rows of the text are taken evenly spaced."""

_BLOCK = 1_024


@dataclass(frozen=True)
class LayerCompany:
    """One layer: for each sentence, (m,) each, how far its nearest is a translation, or of its own
    language (parts of 1 where several are equally near), and three mean cosines."""

    row: Array
    translation: Array
    own: Array
    meaning: float
    language: float
    neither: float


def shares_by_language(company: LayerCompany, language: Array, count: int) -> Array:
    """The share of each language's sentences that are nearest to a translation, and of those that
    are nearest to their own language, (K, 2); `language` (m,) numbers that of each sentence, and a
    language without any has NaN."""
    sizes = np.bincount(language, minlength=count)
    sums = [np.bincount(language, kind, count) for kind in (company.translation, company.own)]
    shares: Array = np.stack(sums, axis=1) / np.where(sizes > 0, sizes, np.nan)[:, None]
    return shares


@dataclass(frozen=True)
class Crossing:
    """Where translations overtake the own language: a layer, between two where it is a fraction.

    `layer` is NaN where they never do, 0 where they lead from the start. `low` and `high` hold
    `level` of what resampled sentences say; `high` is infinite where some never cross, and both
    are NaN where there are too few sentences. `for_good` says that they lead at all layers above.
    """

    layer: float
    low: float
    high: float
    for_good: bool
    level: float


@dataclass(frozen=True)
class Company:
    """Whose company sentences keep, by layer: shares and their intervals, mean cosines, (L,) each.

    `chance_translation` and `chance_own` are the shares if every other sentence were as likely the
    nearest. `sentences` counts what was looked at, in all languages, and `rows` rows of the text.
    """

    translation: Array
    translation_low: Array
    translation_high: Array
    own: Array
    own_low: Array
    own_high: Array
    meaning: Array
    language: Array
    neither: Array
    chance_translation: float
    chance_own: float
    crossing: Crossing
    sentences: int
    rows: int
    level: float

    def table(self, labels: Labels) -> list[Row]:
        """Return one row per layer."""
        return labels.by_layer(
            {
                "translation": self.translation,
                "translation_low": self.translation_low,
                "translation_high": self.translation_high,
                "own_language": self.own,
                "own_language_low": self.own_low,
                "own_language_high": self.own_high,
                "cosine_of_translations": self.meaning,
                "cosine_within_language": self.language,
                "cosine_of_neither": self.neither,
            }
        )


def choose_rows(there: Array, most: int = MOST_SENTENCES) -> Array:
    """Which rows of a text to look at, so that there are about `most` sentences: evenly spaced."""
    useful = np.flatnonzero(there.sum(axis=0) > 1)
    step = max(1, -(-int(there[:, useful].sum()) // most))
    return useful[::step]


def layer_company(sides: Sides, coordinates: Coordinates = DEFAULT_COORDINATES) -> LayerCompany:
    """Return the company that sentences keep at one layer. Time m² d, memory m d."""
    language, row = sides.rows()
    unit = unit_rows_of(sides.in_common_coordinates(coordinates)).astype(np.float32)
    translation, own = (np.zeros(len(unit)) for _ in range(2))
    for part, cosines in _blocks(unit):
        # Ties share: where all vectors are alike, the shares are those of chance.
        nearest = cosines >= cosines.max(axis=1, keepdims=True) - TIE
        among = nearest.sum(axis=1)
        translation[part] = (nearest & (row[part, None] == row)).sum(axis=1) / among
        own[part] = (nearest & (language[part, None] == language)).sum(axis=1) / among
    return LayerCompany(row, translation, own, *mean_cosines(unit, language, row))


def _blocks(unit: Array) -> Iterator[tuple[slice, Array]]:
    """The cosines of some rows at a time with all, none with itself."""
    for start in range(0, len(unit), _BLOCK):
        part = slice(start, start + _BLOCK)
        cosines = unit[part] @ unit.T
        np.fill_diagonal(cosines[:, part], -np.inf)
        yield part, cosines


def mean_cosines(unit: Array, language: Array, row: Array) -> tuple[float, float, float]:
    """The mean cosine of translations, of others in one language, and of neither.

    `unit` are unit rows (m, d). The sum over all pairs of a group is the squared length of its sum,
    less each row with itself, so no pair is looked at alone.
    """

    def pairs(groups: Array) -> tuple[float, int]:
        sums = np.zeros((int(groups.max()) + 1, unit.shape[1]))
        np.add.at(sums, groups, unit)
        sizes = np.bincount(groups)
        itself = float((unit.astype(np.float64) ** 2).sum())
        return float((sums**2).sum()) - itself, int((sizes * (sizes - 1)).sum())

    (by_row, rows), (by_language, languages) = pairs(row), pairs(language)
    total, count = pairs(np.zeros(len(unit), np.int64))
    sums = (by_row, by_language, total - by_row - by_language)
    counts = (rows, languages, count - rows - languages)
    meaning, same, neither = (
        sum_ / many if many else float("nan") for sum_, many in zip(sums, counts, strict=True)
    )
    return meaning, same, neither


def summarise(layers: Sequence[LayerCompany], there: Array) -> Company:
    """Put the layers together; `there` (K, n) are the cells that were looked at."""
    translation = np.stack([layer.translation for layer in layers], axis=1)
    own = np.stack([layer.own for layer in layers], axis=1)
    row = layers[0].row
    intervals = [share_interval(hits, row) for hits in (translation, own)]
    sentences = len(row)
    in_row, in_language = there.sum(axis=0), there.sum(axis=1)
    others = max(sentences - 1, 1)
    return Company(
        translation=translation.mean(0),
        translation_low=intervals[0][0],
        translation_high=intervals[0][1],
        own=own.mean(0),
        own_low=intervals[1][0],
        own_high=intervals[1][1],
        meaning=np.array([layer.meaning for layer in layers]),
        language=np.array([layer.language for layer in layers]),
        neither=np.array([layer.neither for layer in layers]),
        chance_translation=float((in_row * (in_row - 1)).sum() / sentences / others),
        chance_own=float((in_language * (in_language - 1)).sum() / sentences / others),
        crossing=find_crossing(translation - own, row),
        sentences=sentences,
        rows=len(np.unique(row)),
        level=LEVEL,
    )


def find_crossing(leads: Array, row: Array) -> Crossing:
    """Where the mean of `leads` (m, L) is above zero for the first time, over rows resampled.

    Between two layers it is taken to change evenly. All sentences of a row are drawn together, as
    they say the same.
    """
    sums = sums_by_unit(leads, row)
    curve = sums.sum(0)
    layer = float(first_above_zero(curve[None])[0])
    above = np.flatnonzero(curve > 0)
    for_good = bool(len(above)) and bool((curve[above[0] :] > 0).all())
    if len(sums) < FEWEST_RESAMPLED:
        return Crossing(_or_never(layer), np.nan, np.nan, for_good, LEVEL)
    drawn = first_above_zero(resample_counts(len(sums)) @ sums)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], method="closest_observation")
    return Crossing(_or_never(layer), _or_never(float(low)), float(high), for_good, LEVEL)


def _or_never(layer: float) -> float:
    return layer if np.isfinite(layer) else float("nan")


def first_above_zero(curves: Array) -> Array:
    """Where each curve (m, L) is above zero first, by straight lines; infinite if never."""
    above = curves > 0
    first = above.argmax(axis=1)
    before = np.maximum(first - 1, 0)
    at = np.arange(len(curves))
    down, up = curves[at, before], curves[at, first]
    step = np.where(first > 0, down / np.where(up > down, down - up, -1.0), 0.0)
    return np.where(above.any(axis=1), before + step, np.inf)
