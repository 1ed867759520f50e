r"""Do sentences have the same neighbours on both sides? Mutual k nearest neighbours, and CKNNA.

Each row has k nearest others by cosine on each side: a graph $A_{ij}$, 1 where j is among the k
nearest of i. Rows tied for the last place share it, so that no order of the rows matters.

- *Mutual k nearest neighbours* (Huh et al. 2024) is the share of neighbours in common,
  $\sum_{ij} A_{ij} B_{ij} / nk$, in [0, 1].
- *CKNNA* (Huh et al. 2024) weighs them: debiased CKA with both U-centred cosine kernels masked to
  neighbours, the cosine of $A \circ U^K$ and $B \circ U^L$, in [-1, 1]. Kernels are centred before
  they are masked, as the paper's formula has it; its authors' code masks first, which leaves
  kernels of many rows nearly uncentred.

A row's share counts an edge half at either end. With other sentences a neighbour that is missing
is replaced by the next, which a first-order interval does not know: it is up to half too wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isogloss.measures.nearest_neighbours import TIE
from isogloss.measures.similarity.contributions import Contributions, explain
from isogloss.measures.similarity.kernels import debiased_linear_kernel, squared_distances
from isogloss.measures.similarity.shuffling import (
    Baseline,
    GraphSums,
    graph_baseline,
    shuffle_matrices,
    shuffled_rows,
)
from isogloss.measures.similarity.streaming import slices
from isogloss.measures.stacks import Array, PreparedLayer, centre_directions

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NEIGHBOURS = 10
BLOCK = 512


def mutual_neighbours(
    a: Sequence[Array], b: Sequence[Array], neighbours: int = NEIGHBOURS
) -> Contributions:
    """Return each row's share in the neighbours that every pair of layers has in common."""
    return _contributions(a, b, neighbours, weighted=False)


def cknna(a: Sequence[Array], b: Sequence[Array], neighbours: int = NEIGHBOURS) -> Contributions:
    """Return each row's share in the centred kernel nearest-neighbour alignment of all pairs."""
    return _contributions(a, b, neighbours, weighted=True)


def _contributions(
    a: Sequence[Array], b: Sequence[Array], neighbours: int, weighted: bool
) -> Contributions:
    layers_a, layers_b = [centre_directions(x) for x in a], [centre_directions(y) for y in b]
    n = len(a[0])
    flaws_a, flaws_b = [x.flaw for x in layers_a], [y.flaw for y in layers_b]
    if n <= neighbours + 1:
        few = f"has {n} rows, all of them among the {neighbours} nearest"
        flaws_a, flaws_b = [few] * len(a), [few] * len(b)
        neighbours = 1
    graphs_a = [nearest_graph(x, neighbours, weighted) for x in layers_a]
    graphs_b = [nearest_graph(y, neighbours, weighted) for y in layers_b]
    rows = shuffled_rows(n)
    few_a, few_b = (
        [nearest_graph(centre_directions(layer[rows]), neighbours, weighted) for layer in side]
        for side in (a, b)
    )
    joint = np.zeros((n, len(a), len(b)))
    for i, j in np.ndindex(len(a), len(b)):
        joint[:, i, j] = _by_end(graphs_a[i] * graphs_b[j])
    return Contributions(
        joint,
        np.stack([_by_end(graph * graph) for graph in graphs_a], axis=1),
        np.stack([_by_end(graph * graph) for graph in graphs_b], axis=1),
        degree=2,
        reasons=explain(flaws_a, flaws_b),
        baseline=shuffle_matrices(
            _baseline(graphs_a, graphs_b),
            [graph.toarray() for graph in few_a],
            [graph.toarray() for graph in few_b],
            _baseline(few_a, few_b),
        ),
    )


def _baseline(graphs_a: Sequence[csr_array], graphs_b: Sequence[csr_array]) -> Baseline:
    return graph_baseline([_sums(x) for x in graphs_a], [_sums(y) for y in graphs_b])


def nearest_graph(layer: PreparedLayer, neighbours: int, weighted: bool = False) -> csr_array:
    """Return the graph (n, n) from each row to its nearest others, ties for the last place shared.

    Edges count 1, or as much as the U-centred kernel has there.
    """
    from scipy.sparse import csr_array, vstack

    kernel = debiased_linear_kernel(layer)
    features, squares, offsets = kernel.features, kernel.squares, kernel.offsets
    assert offsets is not None, "debiased kernels have them"
    parts = []
    for rows in slices(len(features), BLOCK):
        products = features[rows] @ features.T
        distances = squared_distances(products.copy(), squares[rows], squares)
        own = np.arange(len(distances)), np.arange(len(squares))[rows]
        distances[own] = np.inf
        reach = np.partition(distances, neighbours - 1, axis=1)[:, neighbours - 1, None]
        closer, tied = distances < reach - TIE, np.abs(distances - reach) <= TIE
        places = neighbours - closer.sum(1, keepdims=True)
        graph = closer + tied * (places / tied.sum(1, keepdims=True))
        if weighted:
            graph *= products + offsets[rows, None] + offsets
        parts.append(csr_array(graph))
    return csr_array(vstack(parts))


def _by_end(graph: csr_array) -> Array:
    """Return what each row's edges count, half of each at either end, (n,)."""
    return (graph.sum(0) + graph.sum(1)) / 2


def _sums(graph: csr_array) -> GraphSums:
    return GraphSums(
        outgoing=graph.sum(1),
        incoming=graph.sum(0),
        squares=float((graph * graph).sum()),
        returns=float((graph * graph.T).sum()),
    )
