r"""The coordinates that layers are compared in: standardised, or as the model has them.

A few *rogue dimensions* can hold most of a layer's variance (Kovaleva et al. 2021; Timkey & van
Schijndel 2021). Cosines, CKA and pictures then follow those dimensions and little else, whatever
the other hundreds say. Standardised coordinates give every dimension the same say:

$$ z_{ij} = \frac{x_{ij} - \mu^{(\ell)}_j}{\sigma_j}, \qquad
   \sigma_j^2 = \frac{1}{n} \sum_\ell \sum_{i \in \ell} (x_{ij} - \mu^{(\ell)}_j)^2, $$

where $\mu^{(\ell)}$ is the mean of language $\ell$ and $\sigma_j$ the deviation of dimension j
around it, over both languages. Multiplying a dimension by any number changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import CONSTANT, Array, require_finite
from isogloss.options import Choice, option

Coordinates = Literal["standardised", "centred", "raw"]
DEFAULT_COORDINATES: Coordinates = "standardised"


COORDINATES: dict[Coordinates, Choice] = {
    "standardised": Choice(
        "Standardised",
        "Each language's mean is removed and each dimension divided by its standard deviation "
        "over both languages, so that no single dimension rules cosines, CKA or the picture.",
    ),
    "centred": Choice(
        "As the model has them, language means removed",
        "Only the constant offset between the languages is removed (Libovický et al. 2020).",
    ),
    "raw": Choice(
        "As the model has them",
        "Nothing is removed. The offset between the languages stays, and so do rogue dimensions.",
    ),
}


def coordinates_option() -> Any:
    """The field of a question that says what it is asked in."""
    return option(
        DEFAULT_COORDINATES,
        "what every distance, cosine and picture is measured in",
        title="Coordinates",
        choices=COORDINATES,
    )


@dataclass(frozen=True)
class LayerStatistics:
    """What a layer's coordinates are made with: `means` (2, d) by language, `deviation` (d,)."""

    means: Array
    deviation: Array

    def apply(self, vectors: Array, side: Array | int, coordinates: Coordinates) -> Array:
        """Return rows (n, d) in the chosen coordinates; `side` is 0 or 1, for all or for each.

        A dimension that never varies is 0 in standardised coordinates.
        """
        if coordinates == "raw":
            return vectors
        centred = vectors - self.means[side]
        if coordinates == "centred":
            return centred.astype(vectors.dtype)
        if coordinates == "standardised":
            varies = self.deviation > 0
            scale = np.divide(1.0, self.deviation, where=varies, out=np.zeros_like(self.deviation))
            return (centred * scale).astype(vectors.dtype)
        raise IsoglossError(
            f"There are no coordinates {coordinates!r}; choose one of {', '.join(COORDINATES)}."
        )


@dataclass(frozen=True)
class Moments:
    """What of one language's rows decides coordinates: their number, mean (d,) and squares (d,).

    `squares` are summed around the mean. So the statistics of any two languages are found without
    reading their rows again.
    """

    rows: int
    mean: Array
    squares: Array

    def deviation(self) -> Array:
        """The deviation of these rows alone, (d,)."""
        return _deviation(self.squares / self.rows, np.abs(self.mean))


def layer_moments(X: Array) -> Moments:
    """Return the moments of one language's rows (n, d) at one layer."""
    rows = np.asarray(X, np.float64)
    mean = rows.mean(axis=0)
    require_finite(mean.sum())
    return Moments(len(rows), mean, ((rows - mean) ** 2).sum(axis=0))


def join_moments(first: Moments, second: Moments) -> LayerStatistics:
    """Return the means and the deviation of two languages at one layer."""
    means = np.stack([first.mean, second.mean])
    variance = (first.squares + second.squares) / (first.rows + second.rows)
    return LayerStatistics(means, _deviation(variance, np.abs(means).max(axis=0)))


def layer_statistics(X: Array, Y: Array) -> LayerStatistics:
    """Return the means and the deviation of two languages' rows (n, d) and (m, d) at one layer."""
    return join_moments(layer_moments(X), layer_moments(Y))


def _deviation(variance: Array, largest: Array) -> Array:
    """The root of a variance; what is only the rounding of its own mean does not vary."""
    deviation = np.sqrt(variance)
    deviation[deviation <= CONSTANT * largest] = 0
    return deviation


@dataclass(frozen=True)
class RogueDimensions:
    r"""How unevenly the dimensions of one layer share its variance, each in 0…1 but the last.

    `largest` and `largest_five` are the shares of the variance in the one and the five dimensions
    that hold most of it; `dimension` is the number of that one. `participation` is how many
    dimensions take part, $(\sum_j \sigma_j^2)^2 / \sum_j \sigma_j^4$: d if all share evenly, 1
    if one has all (Gao & Ganguli 2015).
    """

    largest: float
    largest_five: float
    dimension: int
    participation: float
    width: int


def rogue_dimensions(statistics: LayerStatistics) -> RogueDimensions:
    """Return how much of a layer's variance lies in few dimensions; all 0 where nothing varies."""
    variance = statistics.deviation**2
    total = variance.sum()
    width = len(variance)
    if total == 0:
        return RogueDimensions(0.0, 0.0, 0, 0.0, width)
    shares = variance / total
    order = np.argsort(-shares, kind="stable")
    return RogueDimensions(
        largest=float(shares[order[0]]),
        largest_five=float(shares[order[:5]].sum()),
        dimension=int(order[0]),
        participation=float(1 / (shares**2).sum()),
        width=width,
    )
