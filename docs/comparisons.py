"""Our values and those of independent packages on the same arrays, side by side.

Each comparison calls ours and theirs; where theirs is made of several packages' parts, the parts
are put together here in a line or two, as the measure's definition has it.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from isogloss.links.aligners import align_words, score_alignments
from isogloss.measures.correlation import correlate
from isogloss.measures.evenness import hubness
from isogloss.measures.language_probe import FOLDS, RIDGE, probe_layers
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.cka import BANDWIDTH
from isogloss.measures.similarity.comparison import contributions
from isogloss.measures.similarity.neighbourhoods import NEIGHBOURS
from isogloss.measures.similarity.svcca import VARIANCE_KEPT
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


# Similarity


def unbiased_hsic(K: Array, L: Array) -> float:
    import torch
    from torch_cka import CKA

    first, second = (torch.from_numpy(kernel - np.diag(np.diag(kernel))) for kernel in (K, L))
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # it makes ones of the default
    try:
        return float(CKA._HSIC(SimpleNamespace(device="cpu"), first, second))
    finally:
        torch.set_default_dtype(usual)


def debiased_cka_of_kernels(K: Array, L: Array) -> float:
    return unbiased_hsic(K, L) / np.sqrt(unbiased_hsic(K, K) * unbiased_hsic(L, L))


def torch_debiased_cka(X: Array, Y: Array) -> float:
    return debiased_cka_of_kernels(X @ X.T, Y @ Y.T)


def radial_debiased_cka(X: Array, Y: Array) -> float:
    from sklearn.metrics.pairwise import rbf_kernel

    return debiased_cka_of_kernels(*(rbf_kernel(side, gamma=gamma(side)) for side in (X, Y)))


def gamma(X: Array) -> float:
    from scipy.spatial.distance import pdist

    return float(1 / (2 * (BANDWIDTH * np.median(pdist(X))) ** 2))


def rsatoolbox_with(kind: str, method: str) -> Callable[[Array, Array], float]:
    def value(X: Array, Y: Array) -> float:
        from rsatoolbox.data import Dataset
        from rsatoolbox.rdm import calc_rdm, compare

        first, second = (calc_rdm(Dataset(side), method=kind) for side in (X, Y))
        return float(compare(first, second, method=method).item())

    return value


def scipy_procrustes(X: Array, Y: Array) -> float:
    from scipy.spatial import procrustes

    if X.shape[1] < Y.shape[1]:
        X, Y = Y, X
    return float(np.sqrt(1 - procrustes(X, Y)[2]))


def components(X: Array) -> Array:
    """The principal components that hold 99 % of the variance, (n, r)."""
    from sklearn.decomposition import PCA

    found: Array = PCA(n_components=VARIANCE_KEPT, svd_solver="full").fit_transform(X)
    return found


def scipy_svcca(X: Array, Y: Array) -> float:
    from scipy.linalg import subspace_angles

    return float(np.cos(subspace_angles(components(X), components(Y))).mean())


def shared_neighbours(X: Array, Y: Array) -> float:
    from sklearn.neighbors import NearestNeighbors

    graphs = [
        NearestNeighbors(n_neighbors=NEIGHBOURS, metric="cosine").fit(side).kneighbors_graph()
        for side in (X, Y)
    ]
    return float(graphs[0].multiply(graphs[1]).sum() / graphs[0].sum())


def scipy_neuron_correlation(X: Array, Y: Array) -> float:
    from scipy.stats import pearsonr

    return float(np.mean(np.abs(pearsonr(X, Y, axis=0).statistic)))


def sklearn_mexa(X: Array, Y: Array) -> float:
    from sklearn.metrics.pairwise import cosine_similarity

    cosines = cosine_similarity(X, Y)
    others = np.where(np.eye(len(X), dtype=bool), -np.inf, cosines)
    return float(np.mean(np.diag(cosines) > np.maximum(others.max(0), others.max(1))))


# Collected by nacloos/similarity-repository; its package cannot be imported as a whole.


def collected(path: str) -> ModuleType:
    """One file of the package similarity-repository."""
    package = importlib.util.find_spec("similarity")
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).parent / "backend" / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def yuanli_cka(X: Array, Y: Array) -> float:
    return float(collected("yuanli2333/CKA.py").linear_CKA(X, Y))


def xfer_cka(X: Array, Y: Array) -> float:
    return float(collected("nn_similarity_index/sim_indices.py").SimIndex().cka(X @ X.T, Y @ Y.T))


def google_svcca(X: Array, Y: Array) -> float:
    core = collected("svcca/cca_core.py")
    found = core.get_cca_similarity(components(X).T, components(Y).T, verbose=False)
    return float(found["cca_coef1"].mean())


# Retrieval


def our_precision(inputs: Inputs) -> Array:
    ranks = [score_pairs(x, y, "cosine") for x, y in inputs.pairs]
    return np.array([[side.within(1).mean() for side in both] for both in ranks])


def our_ranks_forward(inputs: Inputs) -> Array:
    ranks = [score_pairs(x, y, "cosine")[0] for x, y in inputs.pairs]
    return np.array(
        [[*(each.within(k).mean() for k in (1, 5, 10)), each.reciprocal().mean()] for each in ranks]
    )


class Encoded:
    """What evaluators need of a model: vectors that are there already, by the sentence's name."""

    def __init__(self, X: Array, Y: Array) -> None:
        self.names = [f"s{i}" for i in range(len(X))], [f"t{i}" for i in range(len(Y))]
        self._vectors = dict(zip(chain(*self.names), np.concatenate([X, Y]), strict=True))
        self.model_card_data = self
        self.similarity_fn_name = "cosine"

    def encode(self, texts: Any, **options: Any) -> Any:
        import torch

        if in_batches := not isinstance(texts, list):
            texts = [text for batch in texts for text in batch["text"]]
        found = torch.from_numpy(np.stack([self._vectors[text] for text in texts]))
        return found if in_batches or options.get("convert_to_tensor") else list(found)

    encode_query = encode_document = encode

    def similarity(self, X: Any, Y: Any) -> Any:
        from sentence_transformers.util import cos_sim

        return cos_sim(X, Y)

    def set_evaluation_metrics(self, *_: Any) -> None:
        """An evaluator files its result in the model's card; there is none."""


def translation_evaluator(X: Array, Y: Array) -> list[float]:
    from sentence_transformers.sentence_transformer.evaluation import TranslationEvaluator

    model = Encoded(X, Y)
    found = TranslationEvaluator(*model.names, write_csv=False)(model)  # type: ignore[arg-type]
    return [found["src2trg_accuracy"], found["trg2src_accuracy"]]


def retrieval_evaluator(X: Array, Y: Array) -> list[float]:
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator
    from sentence_transformers.util import cos_sim

    model = Encoded(X, Y)
    queries, corpus = ({name: name for name in side} for side in model.names)
    right = {source: {target} for source, target in zip(*model.names, strict=True)}
    evaluator = InformationRetrievalEvaluator(
        queries,
        corpus,
        right,
        accuracy_at_k=[1, 5, 10],
        mrr_at_k=[len(X)],
        score_functions={"cosine": cos_sim},
        write_csv=False,
    )
    found = evaluator(model)  # type: ignore[arg-type]
    return [
        *(found[f"cosine_accuracy@{k}"] for k in (1, 5, 10)),
        found[f"cosine_mrr@{len(X)}"],
    ]


def mteb_evaluator(X: Array, Y: Array) -> list[float]:
    from datasets import Dataset
    from mteb._evaluators.text.bitext_mining_evaluator import BitextMiningEvaluator
    from mteb.timing import TimingStack

    model = Encoded(X, Y)
    evaluator = BitextMiningEvaluator(
        Dataset.from_dict(dict(zip(("source", "target"), model.names, strict=True))),
        task_metadata=None,
        hf_split="test",
        hf_subset="default",
        pair_columns=[("source", "target"), ("target", "source")],
        timer=TimingStack(),
    )
    found = evaluator(model, encode_kwargs={"batch_size": 32})
    return [
        float(np.mean([row["corpus_id"] == i for i, row in enumerate(rows)]))
        for rows in found.values()
    ]


def found_skewness(X: Array, Y: Array) -> float:
    from scipy.stats import skew
    from sklearn.neighbors import NearestNeighbors

    neighbours = NearestNeighbors(n_neighbors=10, metric="cosine").fit(Y)
    return float(skew(np.bincount(neighbours.kneighbors(X)[1].ravel(), minlength=len(Y))))


# Telling the languages apart, and curves


def our_probe(inputs: Inputs) -> Array:
    return probe_layers(inputs.a, inputs.b).accuracy


def cross_validated_ridge(X: Array, Y: Array) -> float:
    from sklearn.linear_model import RidgeClassifier
    from sklearn.model_selection import PredefinedSplit, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = np.tile(np.random.default_rng(0).permutation(len(X)) % FOLDS, 2)
    sides = np.repeat([0, 1], len(X))
    probe = make_pipeline(StandardScaler(), RidgeClassifier(alpha=RIDGE))
    vectors = np.concatenate([X, Y])
    found = cross_val_predict(probe, vectors, sides, cv=PredefinedSplit(folds))
    return float(np.mean(found == sides))


def curves(inputs: Inputs) -> tuple[Array, Array]:
    """Two of our own curves over the layers, and their rows, to correlate."""
    return our_similarity("debiased_cka")(inputs), our_precision(inputs).mean(1)


def our_correlations(inputs: Inputs) -> Array:
    found = correlate(*curves(inputs))
    return np.array([found.pearson, found.spearman], float)


def scipy_correlations(inputs: Inputs) -> Array:
    from scipy.stats import pearsonr, spearmanr

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
               our_similarity("debiased_cka"), by_layer(torch_debiased_cka), SINGLE),
    Comparison("Gaussian CKA, debiased", "the same with scikit-learn's `rbf_kernel`",
               ("torch_cka", "scikit-learn"),
               our_similarity("rbf_cka"), by_layer(radial_debiased_cka), SINGLE),
    Comparison("Linear CKA, plain", "whitened cosine of Euclidean dissimilarities (`cosine_cov`)",
               ("rsatoolbox",),
               our_similarity("cka"), by_layer(rsatoolbox_with("euclidean", "cosine_cov")), SINGLE),
    Comparison("Linear CKA, plain", "`linear_CKA` of yuanli2333, as collected", (COLLECTED,),
               our_similarity("cka"), by_layer(yuanli_cka), SINGLE),
    Comparison("Linear CKA, plain", "`SimIndex.cka` of amzn/xfer, as collected", (COLLECTED,),
               our_similarity("cka"), by_layer(xfer_cka), SINGLE),
    Comparison("RSA", "correlation distances compared by Spearman", ("rsatoolbox",),
               our_similarity("rsa"), by_layer(rsatoolbox_with("correlation", "spearman")), SINGLE),
    Comparison("SVCCA", "PCA of scikit-learn, principal angles of SciPy",
               ("scikit-learn", "scipy"),
               our_similarity("svcca"), by_layer(scipy_svcca), SINGLE),
    Comparison("SVCCA", "`cca_core` of google/svcca, as collected", (COLLECTED, "scikit-learn"),
               our_similarity("svcca"), by_layer(google_svcca), 1e-4),
    Comparison("Orthogonal Procrustes", "`scipy.spatial.procrustes`", ("scipy",),
               our_similarity("procrustes"), by_layer(scipy_procrustes), SINGLE),
    Comparison("Mutual nearest neighbours", "`NearestNeighbors` by cosine", ("scikit-learn",),
               our_similarity("mutual_neighbours"), by_layer(shared_neighbours), SINGLE),
    Comparison("Average neuron-wise correlation", "`pearsonr` of each feature", ("scipy",),
               our_similarity("neuron_correlation"), by_layer(scipy_neuron_correlation), SINGLE),
    Comparison("MEXA", "the formula on `cosine_similarity`", ("scikit-learn",),
               our_similarity("mexa"), by_layer(sklearn_mexa)),
    Comparison("Retrieval, found first, both directions", "`TranslationEvaluator`", (SBERT,),
               our_precision, by_layer(translation_evaluator)),
    Comparison("Retrieval, found first, both directions", "`BitextMiningEvaluator`", ("mteb",),
               our_precision, by_layer(mteb_evaluator)),
    Comparison("Retrieval, first 1, 5, 10 and mean reciprocal rank",
               "`InformationRetrievalEvaluator`", (SBERT,),
               our_ranks_forward, by_layer(retrieval_evaluator)),
    Comparison("Hubness", "`NearestNeighbors` by cosine, `skew`", ("scikit-learn", "scipy"),
               by_layer(hubness), by_layer(found_skewness)),
    Comparison("Telling the languages apart", "`cross_val_predict` on the same folds",
               ("scikit-learn",), our_probe, by_layer(cross_validated_ridge)),
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
