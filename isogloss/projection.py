r"""The map of tokens or words at every layer, laid out so that one layer flows into the next.

A projection has no natural position, orientation or size, so layers fitted alone jump from one to
the next for no reason in the model. Here t-SNE begins each layer at its neighbour's picture (the
smaller, the more of the neighbourhoods have changed), UMAP fits all layers at once, and every
picture $Y_l$ is centred, brought to one size and turned onto its neighbour by the orthogonal matrix

$$ Q_l = \arg\min_{Q^\top Q = I} \lVert Y_l Q - Y_{l \pm 1} \rVert_F $$

(Schönemann 1966). Movement between layers can then be compared, and with each layer comes its
`preservation`: how much of the full space's neighbourhoods the picture still shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.linalg

from isogloss.errors import IsoglossError, Stopped
from isogloss.neighbourhoods import chance_preservation, neighbourhood_preservation
from isogloss.projection_fits import (
    REDUCED_WIDTH,
    begin_at,
    fit_tsne,
    fit_umap,
    principal_components,
)
from isogloss.projection_methods import (
    DEFAULT_METHOD,
    METHODS,
    NEIGHBOURS,
    PERPLEXITY,
    Parameter,
)
from isogloss.stacks import CONSTANT, Array, Stack, read_layer, require_layers

OnProgress = Callable[[float, str], None]
ShouldStop = Callable[[], bool]
# The share of the work, roughly, that reading and fitting take; the rest is scoring.
READING, FITTING = 0.15, 0.7


@dataclass(frozen=True)
class ProjectionOptions:
    """How to project: the method, its numbers, whether each language's mean goes, and the seed."""

    method: str = DEFAULT_METHOD
    perplexity: int = PERPLEXITY.default
    neighbours: int = NEIGHBOURS.default
    remove_language_means: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise IsoglossError(
                f"There is no projection {self.method!r}; choose one of {', '.join(METHODS)}."
            )
        for parameter in (PERPLEXITY, NEIGHBOURS):
            _require_range(parameter, getattr(self, parameter.name))
        if not 0 <= self.seed < 2**32:
            raise IsoglossError(f"The seed {self.seed} is not between 0 and {2**32 - 1}.")


@dataclass(frozen=True)
class LayerLayout:
    """Every point's place at every layer, and what each layer's picture can be trusted for.

    coordinates (layers, n, 2) float32 lie in [-1, 1], at one scale for all layers;
    preservation (layers,) float32 in [0, 1] is the share of each point's 10 nearest neighbours in
    the full space that the picture keeps, and `chance` what a random picture would keep.
    `options` are those used: few points lower the perplexity and the neighbours asked for.
    """

    coordinates: npt.NDArray[np.float32]
    preservation: npt.NDArray[np.float32]
    chance: float
    options: ProjectionOptions


def project_layers(
    stack: Stack,
    sides: Array,
    options: ProjectionOptions | None = None,
    progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> LayerLayout:
    """Lay out the points of every layer in the plane, each layer flowing into the next.

    stack holds one (n, d) array per layer, of which one is in memory at a time; sides (n,) says 0
    or 1 for each point's language. `progress` hears the share done and what is being done;
    `should_stop` is asked before each layer, and a yes raises Stopped. The same points, options
    and library versions give the same bytes. A layer whose points are all the same is a dot.
    """
    require_layers(stack)
    layers, points = len(stack), len(sides)
    options = _fit_to_points(options or ProjectionOptions(), points)
    sides = _require_sides(sides)
    title = METHODS[options.method].title

    def step(share: float, message: str) -> None:
        if should_stop is not None and should_stop():
            raise Stopped("The projection was stopped; ask again to start it over.")
        if progress is not None:
            progress(share, message)

    width = 2 if options.method == "pca" else REDUCED_WIDTH
    reduced = []
    for layer in range(layers):
        step(READING * layer / layers, f"Reading layer {layer}")
        X = _centre(stack, layer, sides, options)
        reduced.append(principal_components(X, width, options.seed))

    def on_fit(fitted: int) -> None:
        step(READING + FITTING * fitted / layers, f"Fitting {title}: {fitted} of {layers} layers")

    layouts = _fit(reduced, options, on_fit)
    coordinates = lay_together(layouts)

    preservation = np.empty(layers, dtype=np.float32)
    for layer in range(layers):
        done = READING + FITTING + (1 - READING - FITTING) * layer / layers
        step(done, f"Comparing neighbours at layer {layer}")
        X = _centre(stack, layer, sides, options)
        preservation[layer] = neighbourhood_preservation(X, coordinates[layer])
    if progress is not None:
        progress(1.0, "Done")
    return LayerLayout(coordinates, preservation, chance_preservation(points), options)


def lay_together(layouts: Sequence[Array], turn: bool = True) -> npt.NDArray[np.float32]:
    """Return layouts (n, 2) as one array (layers, n, 2), centred, of one size, turned to match.

    Each layer gets a root mean square radius of 1, then is rotated or reflected onto its neighbour
    (unless `turn` is False), from the middle outwards; one factor for all fits them to [-1, 1].
    """
    scaled = [_scale(layout) for layout in layouts]
    if turn:
        for layer, neighbour in _outwards(len(scaled), _varying(scaled)):
            if neighbour is not None:
                turning, _ = scipy.linalg.orthogonal_procrustes(scaled[layer], scaled[neighbour])
                scaled[layer] = scaled[layer] @ turning
    together = np.stack(scaled)
    return (together / max(np.abs(together).max(), np.finfo(np.float64).tiny)).astype(np.float32)


def mean_movement(coordinates: Array) -> Array:
    """Return how far the points move, on average, from each layer to the next: (layers - 1,).

    coordinates is (layers, n, 2); distances are in its units.
    """
    steps = np.diff(np.asarray(coordinates, dtype=np.float64), axis=0)
    return np.linalg.norm(steps, axis=2).mean(axis=1)


def _fit(
    reduced: Sequence[Array], options: ProjectionOptions, on_fit: Callable[[int], None]
) -> list[Array]:
    """The layouts, (n, 2) each, of layers reduced to their principal components."""
    if options.method == "pca":
        return list(reduced)
    layouts = [np.zeros((len(layer), 2)) for layer in reduced]
    varying = _varying(reduced)
    if options.method == "umap":
        on_fit(0)
        if varying:
            fitted = fit_umap([reduced[i] for i in varying], options.neighbours, options.seed)
            for layer, layout in zip(varying, fitted, strict=True):
                layouts[layer] = layout
        return layouts
    for done, (layer, neighbour) in enumerate(_outwards(len(reduced), varying)):
        on_fit(done)
        start = None
        if neighbour is not None:
            shared = neighbourhood_preservation(reduced[neighbour], reduced[layer])
            start = begin_at(layouts[neighbour], shared)
        layouts[layer] = fit_tsne(reduced[layer], start, options.perplexity, options.seed)
    return layouts


def _outwards(layers: int, varying: Sequence[int]) -> list[tuple[int, int | None]]:
    """The layers that vary, from the middle to both ends, each with the neighbour it follows."""
    if not varying:
        return []
    middle = min(varying, key=lambda layer: abs(layer - layers // 2))
    later = [layer for layer in varying if layer >= middle]
    earlier = [layer for layer in reversed(varying) if layer <= middle]
    followed = list(zip(later[1:], later, strict=False)) + list(
        zip(earlier[1:], earlier, strict=False)
    )
    return [(middle, None), *followed]


def _varying(layers: Sequence[Array]) -> list[int]:
    """The layers whose points are not all the same."""
    return [index for index, layer in enumerate(layers) if np.ptp(layer, axis=0).any()]


def _scale(layout: Array) -> Array:
    """The layout about its centre, at a root mean square radius of 1; a dot stays a dot."""
    centred = layout.astype(np.float64) - layout.mean(axis=0, dtype=np.float64)
    radius = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / radius if radius > 0 else centred


def _centre(stack: Stack, layer: int, sides: Array, options: ProjectionOptions) -> Array:
    """One layer (n, d) in double precision, each language's mean or the common one removed."""
    X = read_layer(stack[layer]).astype(np.float64)
    if len(X) != len(sides):
        raise IsoglossError(
            f"Layer {layer} has {len(X)} points, but the sides name {len(sides)}; "
            "give one side per point."
        )
    norm = np.linalg.norm(X)
    if not np.isfinite(norm):
        raise IsoglossError(
            f"Layer {layer} holds NaN or infinite values; extract it again, in float32."
        )
    if options.remove_language_means:
        for side in np.unique(sides):
            X[sides == side] -= X[sides == side].mean(axis=0)
    X -= X.mean(axis=0)
    return X if np.linalg.norm(X) > CONSTANT * norm else np.zeros_like(X)


def _fit_to_points(options: ProjectionOptions, points: int) -> ProjectionOptions:
    """The options with perplexity and neighbours no larger than the points allow."""
    method = METHODS[options.method]
    if points < method.fewest_points:
        advice = "add words" if method.name == "pca" else "add words or choose PCA"
        raise IsoglossError(
            f"{method.title} needs at least {method.fewest_points} points, not {points}; {advice}."
        )
    return replace(
        options,
        perplexity=max(PERPLEXITY.lowest, min(options.perplexity, (points - 1) // 3)),
        neighbours=max(NEIGHBOURS.lowest, min(options.neighbours, points - 1)),
    )


def _require_sides(sides: Array) -> Array:
    sides = np.asarray(sides)
    if sides.ndim != 1 or not np.isin(sides, (0, 1)).all():
        raise IsoglossError("The sides must be one number per point, 0 or 1, for its language.")
    return sides


def _require_range(parameter: Parameter, value: int) -> None:
    if not parameter.lowest <= value <= parameter.highest:
        raise IsoglossError(
            f"The {parameter.name} must lie between {parameter.lowest} and {parameter.highest}, "
            f"not {value}."
        )
