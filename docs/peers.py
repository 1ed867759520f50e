"""What independent packages make of two arrays (n, d) whose rows are paired.

Where it is made of several packages' parts, they are put together here in a line or two, as the
measure's definition has it. Packages that need not be installed are imported where they are used.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from scipy.linalg import subspace_angles
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, skew
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from isogloss.measures.language_probe import FOLDS, RIDGE
from isogloss.measures.similarity.cka import BANDWIDTH
from isogloss.measures.similarity.neighbourhoods import NEIGHBOURS
from isogloss.measures.similarity.svcca import VARIANCE_KEPT
from isogloss.measures.stacks import Array


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
    gammas = (1 / (2 * (BANDWIDTH * np.median(pdist(side))) ** 2) for side in (X, Y))
    kernels = (rbf_kernel(side, gamma=g) for side, g in zip((X, Y), gammas, strict=True))
    return debiased_cka_of_kernels(*kernels)


def rsatoolbox_with(kind: str, method: str) -> Callable[[Array, Array], float]:
    def value(X: Array, Y: Array) -> float:
        from rsatoolbox.data import Dataset
        from rsatoolbox.rdm import calc_rdm, compare

        first, second = (calc_rdm(Dataset(side), method=kind) for side in (X, Y))
        return float(compare(first, second, method=method).item())

    return value


def scipy_procrustes(X: Array, Y: Array) -> float:
    if X.shape[1] < Y.shape[1]:
        X, Y = Y, X
    return float(np.sqrt(1 - procrustes(X, Y)[2]))


def components(X: Array) -> Array:
    """The principal components that hold 99 % of the variance, (n, r)."""

    found: Array = PCA(n_components=VARIANCE_KEPT, svd_solver="full").fit_transform(X)
    return found


def scipy_svcca(X: Array, Y: Array) -> float:
    return float(np.cos(subspace_angles(components(X), components(Y))).mean())


def shared_neighbours(X: Array, Y: Array) -> float:
    graphs = [
        NearestNeighbors(n_neighbors=NEIGHBOURS, metric="cosine").fit(side).kneighbors_graph()
        for side in (X, Y)
    ]
    return float(graphs[0].multiply(graphs[1]).sum() / graphs[0].sum())


def scipy_neuron_correlation(X: Array, Y: Array) -> float:
    return float(np.mean(np.abs(pearsonr(X, Y, axis=0).statistic)))


def sklearn_mexa(X: Array, Y: Array) -> float:
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
    queries, text = ({name: name for name in side} for side in model.names)
    right = {source: {target} for source, target in zip(*model.names, strict=True)}
    evaluator = InformationRetrievalEvaluator(
        queries,
        text,
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
        float(np.mean([row["text_id"] == i for i, row in enumerate(rows)]))
        for rows in found.values()
    ]


def found_skewness(X: Array, Y: Array) -> float:
    neighbours = NearestNeighbors(n_neighbors=10, metric="cosine").fit(Y)
    return float(skew(np.bincount(neighbours.kneighbors(X)[1].ravel(), minlength=len(Y))))


def cross_validated_ridge(X: Array, Y: Array) -> float:
    folds = np.tile(np.random.default_rng(0).permutation(len(X)) % FOLDS, 2)
    sides = np.repeat([0, 1], len(X))
    probe = make_pipeline(StandardScaler(), RidgeClassifier(alpha=RIDGE))
    vectors = np.concatenate([X, Y])
    found = cross_val_predict(probe, vectors, sides, cv=PredefinedSplit(folds))
    return float(np.mean(found == sides))
