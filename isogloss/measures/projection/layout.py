r"""The map of tokens or words at every layer, laid out so that one layer flows into the next.

A projection has no natural position, orientation or size, so layers fitted alone jump from one to
the next for no reason in the model. Here t-SNE and UMAP begin each layer at its neighbour's picture
(t-SNE the smaller, the more of the neighbourhoods have changed), and every picture $Y_l$ is
centred, brought to one size and turned onto its neighbour by the orthogonal matrix

$$ Q_l = \arg\min_{Q^\top Q = I} \lVert Y_l Q - Y_{l \pm 1} \rVert_F $$

(Schönemann 1966). Movement between layers can then be compared, and with each layer comes its
`preservation`: how much of the full space's neighbourhoods the picture still shows.

Rows are scaled to length 1 first, so that distances rank neighbours as cosines do: the picture and
the scores beside it speak of the same geometry, in whatever coordinates the rows are given.

Few points are compared each with each, in all dimensions. Beyond `MOST_EXACT` that would cost more
than everything else: then neighbours are found by random trees among the largest principal
components, layers are read as they are fitted, from the middle outwards, and `on_layers` is shown
those that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from threading import Lock

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError, Stopped
from isogloss.measures.projection.fits import (
    BLAS_UNTOUCHED,
    REDUCED_WIDTH,
    FitOptions,
    begin_at,
    fit_layer,
    principal_components,
    processors,
)
from isogloss.measures.projection.fitting_process import FittingProcess
from isogloss.measures.projection.methods import (
    DEFAULT_PROJECTION,
    NEIGHBOURS,
    PERPLEXITY,
    PROJECTIONS,
)
from isogloss.measures.projection.neighbourhoods import (
    FEW_ANCHORS,
    MOST_ANCHORS,
    chance_preservation,
    neighbourhood_preservation,
)
from isogloss.measures.projection.turning import Order, lay_together, outwards, varying_layers
from isogloss.measures.stacks import CONSTANT, Array, Stack, read_layer, require_layers
from isogloss.options import check_options, option
from isogloss.store.results import stored_as
from isogloss.tasks import OnProgress, OnShare, ShouldStop

# Up to so many points every two are compared, in every dimension.
MOST_EXACT = 5_000
# The share of the work, roughly, that reading and fitting take; the rest is scoring.
READING, FITTING = 0.15, 0.7


@dataclass(frozen=True)
class ProjectionOptions:
    """How to project: the method, its numbers, and the seed."""

    method: str = option(
        DEFAULT_PROJECTION,
        "how many features are drawn in two",
        title="Projection",
        called="projection",
        choices=PROJECTIONS,
    )
    perplexity: int = PERPLEXITY.option()
    neighbours: int = NEIGHBOURS.option()
    seed: int = 0

    def __post_init__(self) -> None:
        check_options(self)
        if not 0 <= self.seed < 2**32:
            raise IsoglossError(f"The seed {self.seed} is not between 0 and {2**32 - 1}.")


@dataclass(frozen=True)
class LayerLayout:
    """Every point's place at every layer, and what each layer's picture can be trusted for.

    positions (layers, n, 2) float32 lie in [-1, 1], at one scale for all layers;
    preservation (layers,) float32 in [0, 1] is the share of each point's 10 nearest neighbours in
    the full space that the picture keeps, and `chance` what a random picture would keep.
    `options` are those used: few points lower the perplexity and the neighbours asked for.
    """

    positions: npt.NDArray[np.float32] = field(metadata=stored_as("coordinates"))
    preservation: npt.NDArray[np.float32]
    chance: float
    options: ProjectionOptions


@dataclass(frozen=True)
class FittedLayers:
    """The layers of a layout that are there so far: positions (layers, n, 2) from `first` on."""

    first: int
    positions: npt.NDArray[np.float32]


OnLayers = Callable[[FittedLayers], None]


def project_layers(
    stack: Stack,
    options: ProjectionOptions | None = None,
    progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    on_layers: OnLayers | None = None,
    most_exact: int = MOST_EXACT,
) -> LayerLayout:
    """Lay out the points of every layer in the plane, each layer flowing into the next.

    stack holds one (n, d) array per layer, of which one is in memory at a time, in the coordinates
    that are to be seen. `progress` hears the share done and what is being done; `should_stop` is
    asked several times a second, also within a fit, and Stopped is raised when it says so. Of more
    than `most_exact` points, `on_layers` sees what there is after the first layer and whenever it
    has doubled. The same points, options, library versions and number of processors give the same
    bytes. A layer whose points are all the same is a dot.
    """
    require_layers(stack)
    layers = len(stack)

    def step(share: float, message: str) -> None:
        if should_stop is not None and should_stop():
            raise Stopped("The projection was stopped; ask again to start it over.")
        if progress is not None:
            progress(share, message)

    X = _unit_rows(stack, 0)
    points = len(X)
    large = points > most_exact
    chosen = _fit_to_points(options or ProjectionOptions(), points)

    def reduce(layer: int, X: Array) -> Array:
        if len(X) != points:
            raise IsoglossError(
                f"Layer {layer} has {len(X)} points, but the first has {points}; "
                "every layer must have the same ones."
            )
        width = min(REDUCED_WIDTH, X.shape[1]) if large else X.shape[1]
        return principal_components(X, 2 if chosen.method == "pca" else width, chosen.seed)

    def on_fit(fitted: float) -> None:
        title = PROJECTIONS[chosen.method].title
        done = f"Fitting {title}: {int(fitted)} of {layers} layers"
        step(READING + FITTING * fitted / layers, done)

    read: Callable[[int], Array]
    if large and chosen.method != "pca":
        read = lru_cache(maxsize=2)(lambda layer: reduce(layer, _unit_rows(stack, layer)))
        varying = list(range(layers))
    else:
        reduced = []
        for layer in range(layers):
            step(READING * layer / layers, f"Reading layer {layer}")
            reduced.append(reduce(layer, X if layer == 0 else _unit_rows(stack, layer)))
        read, varying = reduced.__getitem__, varying_layers(reduced)
    del X

    def on_layouts(layouts: Mapping[int, Array]) -> None:
        if large and on_layers is not None:
            there = sorted(layouts)
            middle = layers // 2 - there[0]
            together = lay_together([layouts[layer] for layer in there], middle=middle)
            on_layers(FittedLayers(there[0], together))

    if chosen.method == "pca":
        layouts = {layer: read(layer) for layer in range(layers)}
        on_layouts(layouts)
    else:
        layouts = _fit(read, outwards(layers // 2, varying), chosen, large, on_fit, on_layouts)
    dot = np.zeros((points, 2))
    positions = lay_together([layouts.get(layer, dot) for layer in range(layers)])

    preservation = np.empty(layers, dtype=np.float32)
    for layer in range(layers):
        done = READING + FITTING + (1 - READING - FITTING) * layer / layers
        step(done, f"Comparing neighbours at layer {layer}")
        preservation[layer] = neighbourhood_preservation(_unit_rows(stack, layer), positions[layer])
    if progress is not None:
        progress(1.0, "Done")
    return LayerLayout(positions, preservation, chance_preservation(points), chosen)


def _fit(
    read: Callable[[int], Array],
    order: Order,
    options: ProjectionOptions,
    large: bool,
    on_fit: OnShare,
    on_layouts: Callable[[Mapping[int, Array]], None],
) -> dict[int, Array]:
    """The layouts, (n, 2) each, of layers in the given order, each begun at the one it follows.

    A fit of few points takes one processor, so the layers above the first one and those below it,
    which know nothing of each other, are fitted at once.
    """
    how = FitOptions(options.method, options.perplexity, options.neighbours, options.seed, large)
    layouts: dict[int, Array] = {}
    shares: dict[int, float] = {}
    lock = Lock()

    def tell(layer: int, share: float) -> None:
        with lock:
            shares[layer] = share
            on_fit(sum(shares.values()))

    def fit_all(fit: Callable[[Array, Array | None, OnShare], Array], order: Order) -> None:
        for layer, neighbour in order:
            tell(layer, 0)
            X, start = read(layer), None
            if not np.ptp(X, axis=0).any():
                layouts[layer] = np.zeros((len(X), 2))
                tell(layer, 1)
                continue
            if neighbour is not None and layouts[neighbour].any():
                start = layouts[neighbour]
                if options.method == "tsne":
                    anchors = FEW_ANCHORS if large else MOST_ANCHORS
                    with BLAS_UNTOUCHED:
                        shared = neighbourhood_preservation(
                            read(neighbour), X, most_anchors=anchors
                        )
                    start = begin_at(start, shared)
            layouts[layer] = fit(X, start, partial(tell, layer))
            tell(layer, 1)
            if len(layouts).bit_count() == 1:  # 1, 2, 4 and so on
                on_layouts(layouts)

    if large or options.method == "umap":
        with FittingProcess(how) as process:
            fit_all(process.fit, order)
        return layouts

    def fit_here(order: Order) -> None:
        fit_all(lambda X, start, tell: fit_layer(X, start, how, tell), order)

    fit_here(order[:1])
    above = [step for step in order[1:] if step[0] > order[0][0]]
    below = [step for step in order[1:] if step[0] < order[0][0]]
    with ThreadPoolExecutor(min(2, processors())) as pool:
        for _ in pool.map(fit_here, (above, below)):
            pass
    return layouts


def _unit_rows(stack: Stack, layer: int) -> Array:
    """One layer (n, d) in double precision, rows scaled to length 1 and the mean removed."""
    X = read_layer(stack[layer]).astype(np.float64)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise IsoglossError(
            f"Layer {layer} holds NaN or infinite values; extract it again, in float32."
        )
    X /= np.where(lengths > 0, lengths, 1)
    X -= X.mean(axis=0)
    return X if np.linalg.norm(X) > CONSTANT * np.sqrt(len(X)) else np.zeros_like(X)


def _fit_to_points(options: ProjectionOptions, points: int) -> ProjectionOptions:
    """The options with perplexity and neighbours no larger than the points allow."""
    method = PROJECTIONS[options.method]
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
