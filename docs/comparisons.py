"""Our values and those of independent packages on the same arrays, side by side.

Each comparison calls ours and theirs; `peers` has what is theirs of two arrays.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr

from docs import peers
from isogloss.links.aligners import align_words, score_alignments
from isogloss.measures.correlation import correlate
from isogloss.measures.evenness import hubness
from isogloss.measures.language_probe import probe_layers
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.stacks import Array
from isogloss.text.parallel import GoldAlignment

EXACT = 1e-9
"""Both sides compute in double precision."""
SINGLE = 5e-6
"""Single precision on at least one side."""


@dataclass(frozen=True)
class Inputs:
    """Layers of both sides, (n, d) each, and similarities of words with what was linked by hand."""

    name: str
    a: Sequence[Array]
    b: Sequence[Array]
    words: Sequence[Array]
    gold: Sequence[GoldAlignment]

    @property
    def pairs(self) -> list[tuple[Array, Array]]:
        """Each layer of one side with the same of the other, in double precision."""
        return [(x.astype(float), y.astype(float)) for x, y in zip(self.a, self.b, strict=True)]


Values = Callable[[Inputs], Array]


@dataclass(frozen=True)
class Comparison:
    """A measure by us and by `packages`, whose `what` is called; `within` bounds the difference."""

    measure: str
    what: str
    packages: tuple[str, ...]
    ours: Values
    theirs: Values
    within: float = EXACT

    def largest_difference(self, inputs: Inputs) -> tuple[float, int]:
        """How far any two values are apart, and how many were compared."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, of their own libraries
            ours, theirs = (np.asarray(side(inputs), float) for side in (self.ours, self.theirs))
        if ours.shape != theirs.shape or not (np.isfinite(ours) & np.isfinite(theirs)).all():
            raise ValueError(f"{self.measure}: {ours} and {theirs} do not compare.")
        return float(np.abs(ours - theirs).max()), ours.size


def our_similarity(measure: str) -> Values:
    def values(inputs: Inputs) -> Array:
        doubled = [[side[0] for side in inputs.pairs], [side[1] for side in inputs.pairs]]
        return np.diagonal(contributions(*doubled, measure).values())

    return values


def by_layer(measure: Callable[[Array, Array], Any]) -> Values:
    """A function of two arrays, called for each pair of layers."""
    return lambda inputs: np.array([measure(x, y) for x, y in inputs.pairs])


# Retrieval


def our_precision(inputs: Inputs) -> Array:
    ranks = [score_pairs(x, y, "cosine") for x, y in inputs.pairs]
    return np.array([[side.within(1).mean() for side in both] for both in ranks])


def our_ranks_forward(inputs: Inputs) -> Array:
    ranks = [score_pairs(x, y, "cosine")[0] for x, y in inputs.pairs]
    return np.array(
        [[*(each.within(k).mean() for k in (1, 5, 10)), each.reciprocal().mean()] for each in ranks]
    )


# Telling the languages apart, and curves


def our_probe(inputs: Inputs) -> Array:
    return probe_layers(inputs.a, inputs.b).accuracy


def curves(inputs: Inputs) -> tuple[Array, Array]:
    """Two of our own curves over the layers, and their rows, to correlate."""
    return our_similarity("debiased_cka")(inputs), our_precision(inputs).mean(1)


def our_correlations(inputs: Inputs) -> Array:
    found = correlate(*curves(inputs))
    return np.array([found.pearson, found.spearman], float)


def scipy_correlations(inputs: Inputs) -> Array:
    both = curves(inputs)
    return np.array([pearsonr(*both).statistic, spearmanr(*both).statistic])


# Word alignment: a cell for each pair of words of each sentence, 1 where they are linked


def our_links(method: str) -> Values:
    return lambda inputs: cells(inputs, [align_words(each, method) for each in inputs.words])


def cells(inputs: Inputs, links: Sequence[Any]) -> Array:
    found = [np.zeros(each.shape) for each in inputs.words]
    for mask, some in zip(found, links, strict=True):
        for link in some:
            mask[link] = 1
    return np.concatenate([mask.ravel() for mask in found])


def simalign_links(method: Callable[[Any, Array], Array]) -> Values:
    def values(inputs: Inputs) -> Array:
        from simalign import SentenceAligner

        return np.concatenate([method(SentenceAligner, each).ravel() for each in inputs.words])

    return values


def mutual_argmax(aligner: Any, similarities: Array) -> Array:
    forward, backward = aligner.get_alignment_matrix(similarities)
    found: Array = forward * backward
    return found


def summed(links: Values) -> Values:
    """What linked words' similarities sum to, by sentence: equally good matchings are equals."""

    def totals(inputs: Inputs) -> Array:
        similarities = np.concatenate([each.ravel() for each in inputs.words])
        ends = np.cumsum([each.size for each in inputs.words])
        return np.add.reduceat(links(inputs) * similarities, [0, *ends[:-1]])

    return totals


def our_error(inputs: Inputs) -> Array:
    links = [align_words(each, "argmax") for each in inputs.words]
    scores = score_alignments(links, inputs.gold)
    return np.array([scores.precision, scores.recall, scores.error_rate], float)


def nltk_error(inputs: Inputs) -> Array:
    from nltk.translate import Alignment
    from nltk.translate.metrics import alignment_error_rate

    # NLTK knows links of one pair: those of all are told apart by their sentence's number.
    def together(links: Sequence[Any]) -> Any:
        return Alignment({((s, i), (s, j)) for s, some in enumerate(links) for i, j in some})

    found = together([align_words(each, "argmax") for each in inputs.words])
    sure, possible = (
        together([getattr(gold, kind) for gold in inputs.gold]) for kind in ("sure", "possible")
    )
    precision = len(found & possible) / len(found)
    recall = len(found & sure) / len(sure)
    return np.array([precision, recall, alignment_error_rate(sure, found, possible)])


SBERT = "sentence-transformers"
COLLECTED = "similarity-repository"
COMPARISONS = (
    Comparison("Linear CKA, debiased", "the unbiased HSIC of torch_cka", ("torch_cka",),
               our_similarity("debiased_cka"), by_layer(peers.torch_debiased_cka), SINGLE),
    Comparison("Gaussian CKA, debiased", "the same with scikit-learn's `rbf_kernel`",
               ("torch_cka", "scikit-learn"),
               our_similarity("rbf_cka"), by_layer(peers.radial_debiased_cka), SINGLE),
    Comparison("Linear CKA, plain", "whitened cosine of Euclidean dissimilarities (`cosine_cov`)",
               ("rsatoolbox",),
               our_similarity("cka"), by_layer(peers.rsatoolbox_with("euclidean", "cosine_cov")),
               SINGLE),
    Comparison("Linear CKA, plain", "`linear_CKA` of yuanli2333, as collected", (COLLECTED,),
               our_similarity("cka"), by_layer(peers.yuanli_cka), SINGLE),
    Comparison("Linear CKA, plain", "`SimIndex.cka` of amzn/xfer, as collected", (COLLECTED,),
               our_similarity("cka"), by_layer(peers.xfer_cka), SINGLE),
    Comparison("RSA", "correlation distances compared by Spearman", ("rsatoolbox",),
               our_similarity("rsa"), by_layer(peers.rsatoolbox_with("correlation", "spearman")),
               SINGLE),
    Comparison("SVCCA", "PCA of scikit-learn, principal angles of SciPy",
               ("scikit-learn", "scipy"),
               our_similarity("svcca"), by_layer(peers.scipy_svcca), SINGLE),
    Comparison("SVCCA", "`cca_core` of google/svcca, as collected", (COLLECTED, "scikit-learn"),
               our_similarity("svcca"), by_layer(peers.google_svcca), 1e-4),
    Comparison("Orthogonal Procrustes", "`scipy.spatial.procrustes`", ("scipy",),
               our_similarity("procrustes"), by_layer(peers.scipy_procrustes), SINGLE),
    Comparison("Mutual nearest neighbours", "`NearestNeighbors` by cosine", ("scikit-learn",),
               our_similarity("mutual_neighbours"), by_layer(peers.shared_neighbours), SINGLE),
    Comparison("Average neuron-wise correlation", "`pearsonr` of each feature", ("scipy",),
               our_similarity("neuron_correlation"), by_layer(peers.scipy_neuron_correlation),
               SINGLE),
    Comparison("MEXA", "the formula on `cosine_similarity`", ("scikit-learn",),
               our_similarity("mexa"), by_layer(peers.sklearn_mexa)),
    Comparison("Retrieval, found first, both directions", "`TranslationEvaluator`", (SBERT,),
               our_precision, by_layer(peers.translation_evaluator)),
    Comparison("Retrieval, found first, both directions", "`BitextMiningEvaluator`", ("mteb",),
               our_precision, by_layer(peers.mteb_evaluator)),
    Comparison("Retrieval, first 1, 5, 10 and mean reciprocal rank",
               "`InformationRetrievalEvaluator`", (SBERT,),
               our_ranks_forward, by_layer(peers.retrieval_evaluator)),
    Comparison("Hubness", "`NearestNeighbors` by cosine, `skew`", ("scikit-learn", "scipy"),
               by_layer(hubness), by_layer(peers.found_skewness)),
    Comparison("Telling the languages apart", "`cross_val_predict` on the same folds",
               ("scikit-learn",), our_probe, by_layer(peers.cross_validated_ridge)),
    Comparison("Pearson's r and Spearman's rho of two curves", "`pearsonr`, `spearmanr`",
               ("scipy",), our_correlations, scipy_correlations),
    Comparison("Word links, itermax", "`iter_max`", ("simalign",),
               our_links("itermax"), simalign_links(lambda aligner, each: aligner.iter_max(each))),
    Comparison("Word links, mutual argmax", "`get_alignment_matrix`", ("simalign",),
               our_links("argmax"), simalign_links(mutual_argmax)),
    Comparison("Word links, best matching: summed similarity", "`get_max_weight_match`",
               ("simalign",), summed(our_links("match")),
               summed(simalign_links(lambda aligner, each: aligner.get_max_weight_match(each)))),
    Comparison("Alignment precision, recall and error rate", "`alignment_error_rate`", ("nltk",),
               our_error, nltk_error),
)  # fmt: skip
