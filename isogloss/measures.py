"""The similarity measures, declared once for pages, command line, documentation and tests."""

from __future__ import annotations

from dataclasses import dataclass

BANDWIDTH = 0.4


@dataclass(frozen=True)
class Measure:
    """A similarity measure, as the pages, the command line and the documentation present it."""

    name: str
    title: str
    explanation: str
    formula: str
    paper: str
    lowest: float
    blind_to: str
    highest: float = 1.0


MEASURES: dict[str, Measure] = {
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
            blind_to="Rotations and scale: two sides may agree fully and share no direction. "
            "A few features of large variance can decide the value alone.",
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
            blind_to="Whatever the debiased form cannot see; and it rises with the width and falls "
            "with the number of sentences, so values from different corpora do not compare.",
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
            blind_to="Structure much wider than the bandwidth, and rotations and scale.",
        ),
        Measure(
            name="neuron_correlation",
            title="Average neuron-wise correlation",
            explanation="Does each feature do the same thing on both sides? "
            "Pearson's correlation feature by feature, then averaged.",
            formula=r"\frac1d \sum_{k=1}^d \mathrm{corr}(X_{\cdot k}, Y_{\cdot k})",
            paper="Del & Fishel 2022",
            lowest=-1.0,
            blind_to="Agreement after a rotation; so it asks for the same width, and between "
            "two separately trained models it reads zero. Every feature counts the same.",
        ),
        Measure(
            name="procrustes",
            title="Orthogonal Procrustes similarity",
            explanation="How closely can one side be rotated onto the other? "
            "The cosine of both sides after the best rotation.",
            formula=r"\frac{\lVert X^\top Y\rVert_*}{\lVert X\rVert_F\,\lVert Y\rVert_F}",
            paper="Schönemann 1966; as a similarity in Ding et al. 2021, Williams et al. 2021",
            lowest=0.0,
            blind_to="Chance: with fewer sentences than features the best rotation fits noise, "
            "so read it against its shuffled baseline only.",
        ),
    )
}
DEFAULT_MEASURE = "debiased_cka"
LINEAR_MEASURES = {"cka": False, "debiased_cka": True}
