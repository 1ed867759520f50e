"""The similarity measures, declared once for pages, interface, command line, docs and tests.

To add one: a file beside this one with a function of two stacks that returns `Contributions`, and
a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isogloss.measures.similarity.cka import debiased_cka, linear_cka, radial_cka
from isogloss.measures.similarity.contributions import Contributions
from isogloss.measures.similarity.mexa import mexa
from isogloss.measures.similarity.neighbourhoods import cknna, mutual_neighbours
from isogloss.measures.similarity.neuron_correlation import neuron_correlation
from isogloss.measures.similarity.procrustes import procrustes
from isogloss.measures.similarity.rsa import rsa
from isogloss.measures.similarity.svcca import svcca
from isogloss.measures.stacks import Array


@dataclass(frozen=True)
class Measure:
    """A similarity measure, as the pages, the command line and the documentation present it.

    `compute` takes the layers of both sides, lists of (n, d) arrays with paired rows. `invariant`
    says what leaves a value as it is, `blind_to` what the measure can't tell. With `same_width`
    both sides must have as many features. `version` is raised when a change of the code changes
    its values, so that answers kept in a store are not taken for new ones.
    """

    name: str
    title: str
    explanation: str
    formula: str
    paper: str
    lowest: float
    invariant: str
    blind_to: str
    compute: Callable[[Sequence[Array], Sequence[Array]], Contributions]
    highest: float = 1.0
    same_width: bool = False
    version: int = 1


SIMILARITY_MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            name="debiased_cka",
            title="Linear CKA, debiased",
            explanation="Do the same pairs of sentences look alike on both sides? "
            "Corrected so that unrelated sides read zero however few sentences there are.",
            formula=r"\frac{\langle U^K, U^L\rangle}{\lVert U^K\rVert\,\lVert U^L\rVert},\quad "
            r"U^K = XX^\top \text{ off the diagonal, U-centred}",
            paper="Kornblith et al. 2019; unbiased HSIC of Song et al. 2012, "
            "as in Nguyen et al. 2021",
            lowest=-1.0,
            invariant="Rotation, scale and shift of either side.",
            blind_to="Rotations and scale: two sides may agree fully and share no direction. "
            "A few features of large variance can decide the value alone.",
            compute=debiased_cka,
        ),
        Measure(
            name="cka",
            title="Linear CKA, plain",
            explanation="The same question without the correction, as most papers report it; "
            "unrelated sides read far above zero when sentences are few.",
            formula=r"\frac{\lVert X^\top Y\rVert_F^2}"
            r"{\lVert X^\top X\rVert_F\,\lVert Y^\top Y\rVert_F}",
            paper="Kornblith et al. 2019; used across languages by Conneau et al. 2020",
            lowest=0.0,
            invariant="Rotation, scale and shift of either side.",
            blind_to="Whatever the debiased form cannot see; and it rises with the width and falls "
            "with the number of sentences, so values from different texts do not compare.",
            compute=linear_cka,
        ),
        Measure(
            name="rbf_cka",
            title="RBF CKA, debiased",
            explanation="Do the same sentences lie close together on both sides? "
            "A Gaussian kernel counts near neighbours and forgets far ones.",
            formula=r"K_{ij} = e^{-\lVert x_i - x_j\rVert^2 / 2\sigma^2},\quad "
            r"\sigma = 0.4\ \mathrm{median}_{i<j} \lVert x_i - x_j\rVert",
            paper="Kornblith et al. 2019; unbiased HSIC of Song et al. 2012",
            lowest=-1.0,
            invariant="Rotation, scale and shift of either side.",
            blind_to="Structure much wider than the bandwidth, and rotations and scale.",
            compute=radial_cka,
        ),
        Measure(
            name="mexa",
            title="MEXA",
            explanation="How many sentences are nearest to their own translation, and it to them, "
            "by cosine? The strict form of retrieval that predicts how a decoder does in a "
            "language.",
            formula=r"\frac1n \sum_i \big[ c_{ii} > \max_{j \ne i} \{ c_{ij}, c_{ji} \} \big],"
            r"\quad c_{ij} = \cos(x_i, y_j)",
            paper="Kargaran et al. 2024; there with weighted pooling, here with the mean unless "
            "that is chosen",
            lowest=0.0,
            invariant="One rotation of both sides together, and the length of every vector.",
            blind_to="Near misses: a translation that comes second counts nothing. The more "
            "sentences, the lower; so values compare at one number of sentences only.",
            compute=mexa,
            same_width=True,
        ),
        Measure(
            name="mutual_neighbours",
            title="Mutual nearest neighbours (k = 10)",
            explanation="Does a sentence have the same neighbours on both sides? The share of its "
            "ten nearest, by cosine, that are its translation's as well.",
            formula=r"\frac1{nk} \sum_i \lvert N_k(x_i) \cap N_k(y_i) \rvert",
            paper="Huh et al. 2024",
            lowest=0.0,
            invariant="Rotation of either side, and the length of every vector.",
            blind_to="How far neighbours are, and everything beyond them. The more sentences, the "
            "closer ten neighbours lie: values compare at one number of sentences only.",
            compute=mutual_neighbours,
        ),
        Measure(
            name="cknna",
            title="CKNNA (k = 10)",
            explanation="Debiased CKA that looks at each sentence's ten nearest only: the same "
            "neighbours, and as near on both sides?",
            formula=r"\frac{\langle A \circ U^K, B \circ U^L\rangle}"
            r"{\lVert A \circ U^K\rVert\,\lVert B \circ U^L\rVert},\quad "
            r"A_{ij} = [x_j \in N_k(x_i)]",
            paper="Huh et al. 2024",
            lowest=-1.0,
            invariant="Rotation of either side, and the length of every vector.",
            blind_to="Everything beyond the neighbours; and it changes with the number of "
            "sentences as mutual nearest neighbours do.",
            compute=cknna,
        ),
        Measure(
            name="neuron_correlation",
            title="Average neuron-wise correlation",
            explanation="Does each feature do the same thing on both sides? "
            "The size of Pearson's correlation feature by feature, averaged.",
            formula=r"\frac1d \sum_{k=1}^d "
            r"\lvert \mathrm{corr}(X_{\cdot k}, Y_{\cdot k}) \rvert",
            paper="Del & Fishel 2022",
            lowest=0.0,
            invariant="Scale, sign and shift of every feature.",
            blind_to="Agreement after a rotation: two separately trained models read chance, which "
            "is above zero. Every feature counts the same.",
            compute=neuron_correlation,
            same_width=True,
            version=2,
        ),
        Measure(
            name="rsa",
            title="RSA",
            explanation="Are the pairs of sentences that are far apart on one side far apart on "
            "the other? Spearman's correlation over all pairs.",
            formula=r"\rho_{i<j}\big(1 - \mathrm{corr}(x_i, x_j),\ 1 - \mathrm{corr}(y_i, y_j)"
            r"\big)",
            paper="Kriegeskorte et al. 2008",
            lowest=-1.0,
            invariant="Scale of every vector, and one number added to all its features.",
            blind_to="Sizes: only the order of dissimilarities counts, so a few close pairs "
            "weigh as little as any.",
            compute=rsa,
        ),
        Measure(
            name="svcca",
            title="SVCCA",
            explanation="How well are the directions of one side predicted from the other's? The "
            "mean canonical correlation of the components that hold 99 % of the variance.",
            formula=r"\frac1m \sum_{k=1}^{m} \rho_k(\hat X, \hat Y),\quad "
            r"\hat X \text{: components of } X \text{ with } 99\,\% \text{ of its variance}",
            paper="Raghu et al. 2017",
            lowest=0.0,
            invariant="Rotation, scale and shift of either side; among the components kept, any "
            "linear map.",
            blind_to="Chance: with fewer sentences than twice the components some fit perfectly "
            "whatever they say, so read it calibrated only. Strong and faint components count "
            "alike.",
            compute=svcca,
            version=2,
        ),
        Measure(
            name="procrustes",
            title="Orthogonal Procrustes similarity",
            explanation="How closely can one side be rotated onto the other? "
            "The cosine of both sides after the best rotation.",
            formula=r"\frac{\lVert X^\top Y\rVert_*}{\lVert X\rVert_F\,\lVert Y\rVert_F}",
            paper="Schönemann 1966; as a similarity in Ding et al. 2021, Williams et al. 2021",
            lowest=0.0,
            invariant="Rotation, scale and shift of either side.",
            blind_to="Chance: with fewer sentences than features the best rotation fits noise, "
            "so read it against its shuffled baseline only.",
            compute=procrustes,
        ),
    )
}
DEFAULT_MEASURE = "debiased_cka"
LINEAR_MEASURES = {"cka": False, "debiased_cka": True}
