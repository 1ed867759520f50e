"""PCA, t-SNE and UMAP of one layer or all, with the settings that make them repeatable."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from isogloss.stacks import Array

# t-SNE and UMAP see this many principal components: what is left out is mostly noise to them.
REDUCED_WIDTH = 50
# Up to this width the covariance's eigenvectors are exact and quicker than the data's own SVD.
WIDEST_COVARIANCE = 1024
# Iterations and how much attraction is exaggerated meanwhile.
FIRST_SCHEDULE = ((250, 12.0), (500, 1.0))
NEXT_SCHEDULE = ((50, 2.0), (250, 1.0))
# Points find new neighbours more easily in a smaller picture. So the next layer begins at its
# neighbour's picture in full where the two share 60 % of their neighbourhoods or more, and at a
# fifth of its size where they share 35 % or less. On words in a 6-layer encoder, a layer that
# shares 35 % with its neighbour keeps 0.08 less from a full-size start than fitted alone; from a
# fifth it keeps as much.
SHARED, START_SIZE = (0.35, 0.6), (0.2, 1.0)
MOMENTUM = 0.8
JITTER = 1e-3


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


def fit_tsne(X: Array, start: Array | None, perplexity: float, seed: int) -> Array:
    """Return the t-SNE layout (n, 2) of X (n, d), begun at its neighbour's layout when given.

    Without a start it begins at the two principal components, tiny, and is exaggerated, as usual
    (Kobak & Berens 2019); with one the groups are there already, and a mild pull is enough.
    """
    from openTSNE import TSNEEmbedding, affinity, initialization

    affinities = affinity.PerplexityBasedNN(
        X, perplexity=perplexity, method="exact", n_jobs=1, random_state=seed
    )
    layout = initialization.rescale(X[:, :2]) if start is None else start
    # Points that lie on one line, or on one another, would never leave it.
    layout = initialization.jitter(layout.astype(np.float64), scale=JITTER, random_state=seed)
    embedding = TSNEEmbedding(layout, affinities, n_jobs=1, random_state=seed)
    for iterations, exaggeration in FIRST_SCHEDULE if start is None else NEXT_SCHEDULE:
        embedding.optimize(iterations, exaggeration=exaggeration, momentum=MOMENTUM, inplace=True)
    return np.asarray(embedding, dtype=np.float64)


def begin_at(layout: Array, shared: float) -> Array:
    """Return a neighbour's layout in the size to begin at, given the neighbourhoods shared."""
    return layout * np.interp(shared, SHARED, START_SIZE)


def fit_umap(layers: Sequence[Array], neighbours: int, seed: int) -> list[Array]:
    """Return the UMAP layouts, (n, 2) each, of layers (n, d) fitted together, point by point."""
    import umap

    settings = {"n_neighbors": neighbours, "random_state": seed, "transform_seed": seed}
    with warnings.catch_warnings():
        # A fixed seed means one thread, and UMAP warns of it every time.
        warnings.filterwarnings("ignore", message="n_jobs value")
        # Then it begins at random places, from the same seed.
        warnings.filterwarnings("ignore", message="Spectral initialisation failed")
        if len(layers) == 1:
            return [umap.UMAP(**settings).fit_transform(layers[0])]
        same_points = {row: row for row in range(len(layers[0]))}
        aligned = umap.AlignedUMAP(**settings)
        aligned.fit(list(layers), relations=[same_points] * (len(layers) - 1))
    return [np.asarray(layout) for layout in aligned.embeddings_]
