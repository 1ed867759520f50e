"""PCA, t-SNE and UMAP of one layer, with the settings that make them repeatable."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from isogloss.measures.projection.near_points import NearPoints, find_near_points
from isogloss.measures.stacks import Array
from isogloss.settings import PROCESSORS
from isogloss.tasks import OnShare

"""Hears the share of a fit that is done, and ends the fit by raising."""

# Beyond `MOST_EXACT` points (layout.py), t-SNE and UMAP see so many of the largest principal
# components. With 50 the share of translations that are nearest in the picture falls from .27 to
# .17 at layer 0 of multilingual-e5-small; with 200 it stays.
REDUCED_WIDTH = 200
# Up to this width the covariance's eigenvectors are exact and quicker than the data's own SVD.
WIDEST_COVARIANCE = 1024
# Iterations and how much attraction is exaggerated meanwhile: of a layer that begins anew, and of
# one that begins at its neighbour's picture.
FIRST_SCHEDULE = ((250, 12.0), (500, 1.0))
NEXT_SCHEDULE = ((50, 2.0), (250, 1.0))
# The same of many points, where iterations are what takes long. On 45,558 words in
# multilingual-e5-small, layer 6 keeps .489 of its neighbours after these, .504 after half as many
# more on a grid twice as fine, which take three times as long; layer 7 begun there keeps .483, and
# 50 more iterations add nothing.
LARGE_FIRST_SCHEDULE = ((100, 12.0), (200, 1.0))
LARGE_NEXT_SCHEDULE = ((30, 2.0), (100, 1.0))
# The width of a cell of the grid on which many points push each other apart; openTSNE's own is 1.
# With 2 an iteration costs less than half, and the same words keep as many neighbours.
GRID_CELL = 2
# UMAP's epochs, few points and many.
FIRST_EPOCHS, NEXT_EPOCHS = (500, 200), (200, 80)
# And its learning rate from a neighbour's picture on: at the full one of 1, points that have no
# reason to move still do.
NEXT_PACE = 0.2
# The share of a large fit, roughly, that the search for neighbours takes.
SEARCHING = 0.3
# Points find new neighbours more easily in a smaller picture. So the next layer begins at its
# neighbour's picture in full where the two share 60 % of their neighbourhoods or more, and at a
# fifth of its size where they share 35 % or less. On words in a 6-layer encoder, a layer that
# shares 35 % with its neighbour keeps 0.08 less from a full-size start than fitted alone; from a
# fifth it keeps as much.
SHARED, START_SIZE = (0.35, 0.6), (0.2, 1.0)
MOMENTUM = 0.8
# So often a fit says how far it is, and can be stopped: several times a second.
TELL_EVERY = 10
JITTER = 1e-3
# How far from the middle UMAP begins, the size of its own beginnings.
REACH = 10.0

BLAS_UNTOUCHED = Lock()
"""Held while scikit-learn looks for neighbours: meanwhile it has all of the process multiply with
one thread, so of layers that are fitted at once, others must not multiply, nor look for theirs."""


def principal_components(X: Array, width: int, seed: int) -> Array:
    """Return the largest `width` principal components of centred X: (n, d) to (n, width) float32.

    Where X has fewer, the rest is zero. (Pearson 1901)
    """
    from sklearn.decomposition import PCA

    if not X.any():
        return np.zeros((len(X), width), dtype=np.float32)
    components = min(width, *X.shape)
    solver = "covariance_eigh" if X.shape[1] <= WIDEST_COVARIANCE else "auto"
    reduced = PCA(components, svd_solver=solver, random_state=seed).fit_transform(X)
    return np.pad(reduced, ((0, 0), (0, width - components))).astype(np.float32)


@dataclass(frozen=True)
class FitOptions:
    """How one layer is fitted; `large` finds neighbours by trees and takes every processor."""

    method: str
    perplexity: int
    neighbours: int
    seed: int
    large: bool


def fit_layer(X: Array, start: Array | None, options: FitOptions, tell: OnShare) -> Array:
    """Return the layout (n, 2) of X (n, d) by t-SNE or UMAP, begun at `start` when given."""
    if options.method == "tsne":
        return fit_tsne(X, start, options.perplexity, options.seed, tell, large=options.large)
    return fit_umap(X, start, options.neighbours, options.seed, tell, large=options.large)


def fit_tsne(
    X: Array,
    start: Array | None,
    perplexity: float,
    seed: int,
    tell: OnShare = lambda share: None,
    *,
    large: bool = False,
) -> Array:
    """Return the t-SNE layout (n, 2) of X (n, d), begun at its neighbour's layout when given.

    Without a start it begins at the two principal components, tiny, and is exaggerated, as usual
    (Kobak & Berens 2019); with one the groups are there already, and a mild pull is enough. From
    10,000 points on, openTSNE computes how they push each other apart by interpolation on a grid,
    in time linear in their number (Linderman et al. 2019).
    """
    from openTSNE import TSNEEmbedding, affinity, initialization
    from openTSNE.nearest_neighbors import Sklearn

    threads, searching = 1, 0.0
    count = min(len(X) - 1, int(3 * perplexity))
    near: NearPoints | Sklearn
    if large:
        threads, searching = processors(), SEARCHING
        near = find_near_points(X, count, seed, threads, lambda s: tell(SEARCHING * s))
    else:
        # Asked for by its name, openTSNE first imports pynndescent, which compiles itself for half
        # a minute after an installation.
        near = Sklearn(data=X, k=count, metric="euclidean", n_jobs=1, random_state=seed)
    with BLAS_UNTOUCHED:
        affinities = affinity.PerplexityBasedNN(
            knn_index=near, perplexity=perplexity, n_jobs=threads
        )
    layout = initialization.rescale(X[:, :2]) if start is None else start
    # Points that lie on one line, or on one another, would never leave it.
    layout = initialization.jitter(layout.astype(np.float64), scale=JITTER, random_state=seed)
    embedding = TSNEEmbedding(layout, affinities, n_jobs=threads, random_state=seed)
    if large:
        schedule = LARGE_FIRST_SCHEDULE if start is None else LARGE_NEXT_SCHEDULE
    else:
        schedule = FIRST_SCHEDULE if start is None else NEXT_SCHEDULE
    total = sum(iterations for iterations, _ in schedule)
    before = 0
    for iterations, exaggeration in schedule:
        embedding.optimize(
            iterations,
            exaggeration=exaggeration,
            momentum=MOMENTUM,
            ints_in_interval=GRID_CELL,
            inplace=True,
            callbacks=lambda done, *_, before=before: tell(
                searching + (1 - searching) * (before + done) / total
            ),
            callbacks_every_iters=TELL_EVERY,
        )
        before += iterations
    return np.asarray(embedding, dtype=np.float64)


def begin_at(layout: Array, shared: float) -> Array:
    """Return a neighbour's layout in the size to begin at, given the neighbourhoods shared."""
    return layout * np.interp(shared, SHARED, START_SIZE)


def fit_umap(
    X: Array,
    start: Array | None,
    neighbours: int,
    seed: int,
    tell: OnShare = lambda share: None,
    *,
    large: bool = False,
) -> Array:
    """Return the UMAP layout (n, 2) of X (n, d), begun at its neighbour's layout when given.

    A fixed seed means one thread for all but the search for neighbours.
    """
    import umap
    import umap.layouts

    known: tuple[Any, Any, None] = (None, None, None)
    searching = 0.0
    if large:
        searching = SEARCHING
        near = find_near_points(
            X, neighbours - 1, seed, processors(), lambda share: tell(SEARCHING * share)
        )
        # UMAP counts a point as its own first neighbour.
        own = np.arange(len(X))[:, None]
        distances = np.pad(near.distances, ((0, 0), (1, 0))).astype(np.float32)
        known = (np.hstack([own, near.indices]), distances, None)
    begin: str | Array
    if start is not None:
        begin = (REACH * start / np.abs(start).max()).astype(np.float32)
    else:  # the spectrum of a large graph takes longer than the fit
        begin = "pca" if large else "spectral"
    epochs = (FIRST_EPOCHS if start is None else NEXT_EPOCHS)[large]

    def counted(turns: range, **_: Any) -> Iterator[int]:
        for turn in turns:
            tell(searching + (1 - searching) * turn / epochs)
            yield turn

    with warnings.catch_warnings():
        # A fixed seed means one thread, and UMAP warns of it every time.
        warnings.filterwarnings("ignore", message="n_jobs value")
        # Then it begins at random places, from the same seed.
        warnings.filterwarnings("ignore", message="Spectral initialisation failed")
        # Words outside the map are never placed on it.
        warnings.filterwarnings("ignore", message=".*not an NNDescent object")
        umap.layouts.tqdm = counted  # with which it shows its epochs
        layout = umap.UMAP(
            n_neighbors=neighbours,
            init=begin,
            n_epochs=epochs,
            learning_rate=1.0 if start is None else NEXT_PACE,
            random_state=seed,
            transform_seed=seed,
            precomputed_knn=known,
        ).fit_transform(X)
    return np.asarray(layout, dtype=np.float64)


def processors() -> int:
    """Return how many processors this process may use; OMP_NUM_THREADS can lower it."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    asked = PROCESSORS.read()
    return max(1, (allowed or 1) if asked is None else min(allowed or 1, asked))
