"""The projection methods, declared once for pages, command line, documentation and tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A number the user may set, as widgets, command line and documentation present it."""

    name: str
    title: str
    explanation: str
    lowest: int
    highest: int
    default: int


@dataclass(frozen=True)
class Method:
    """A way to draw many features in two, as pages, command line and documentation present it."""

    name: str
    title: str
    explanation: str
    blind_to: str
    paper: str
    fewest_points: int
    parameters: tuple[Parameter, ...] = ()


PERPLEXITY = Parameter(
    name="perplexity",
    title="Perplexity",
    explanation="How many neighbours each point listens to; lowered to a third of the points "
    "when there are few.",
    lowest=2,
    highest=100,
    default=30,
)
NEIGHBOURS = Parameter(
    name="neighbours",
    title="Neighbours",
    explanation="How many neighbours each point is tied to; at most all the others.",
    lowest=2,
    highest=200,
    default=15,
)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="pca",
            title="PCA",
            explanation="The two directions in which the points vary most, seen straight on; "
            "each layer is turned onto the one before.",
            blind_to="Everything outside two directions, which is most of it: points that lie "
            "together in the picture may be far apart. A few large features can fill the picture.",
            paper="Pearson 1901; Hotelling 1933",
            fewest_points=2,
        ),
        Method(
            name="tsne",
            title="t-SNE",
            explanation="Keeps near neighbours near, from the 50 largest principal components; "
            "each layer starts from its neighbour's picture.",
            blind_to="Distances between groups, sizes of groups and empty space: "
            "only who is next to whom means something.",
            paper="van der Maaten & Hinton 2008; as openTSNE, Poličar et al. 2024",
            fewest_points=5,
            parameters=(PERPLEXITY,),
        ),
        Method(
            name="umap",
            title="UMAP",
            explanation="Keeps near neighbours near, from the 50 largest principal components; "
            "all layers are fitted at once and held together.",
            blind_to="Distances between groups and how dense a group is; and since layers hold "
            "each other, a sudden change between two of them looks gentler than it is.",
            paper="McInnes et al. 2018; as AlignedUMAP, Dadu et al. 2023",
            fewest_points=5,
            parameters=(NEIGHBOURS,),
        ),
    )
}
DEFAULT_METHOD = "tsne"
