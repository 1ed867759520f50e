"""The projection methods, declared once for pages, command line, documentation and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isogloss.options import option


@dataclass(frozen=True)
class Parameter:
    """A number the user may set, as widgets, command line and documentation present it."""

    name: str
    title: str
    explanation: str
    lowest: int
    highest: int
    default: int

    def option(self) -> Any:
        """The field that holds it."""
        bounds = {"least": self.lowest, "most": self.highest}
        return option(self.default, self.explanation, title=self.title, **bounds)


@dataclass(frozen=True)
class Projection:
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
    # At 10 the picture keeps translations together best.
    default=10,
)
NEIGHBOURS = Parameter(
    name="neighbours",
    title="Neighbours",
    explanation="How many neighbours each point is tied to; at most all the others.",
    lowest=2,
    highest=200,
    default=15,
)

PROJECTIONS: dict[str, Projection] = {
    method.name: method
    for method in (
        Projection(
            name="pca",
            title="PCA",
            explanation="The two directions in which the points vary most, seen straight on; "
            "each layer is turned onto the one before.",
            blind_to="Everything outside two directions, which is most of it: points that lie "
            "together in the picture may be far apart. A few large features can fill the picture.",
            paper="Pearson 1901; Hotelling 1933",
            fewest_points=2,
        ),
        Projection(
            name="tsne",
            title="t-SNE",
            explanation="Keeps near neighbours near; each layer starts from its neighbour's "
            "picture. Of many points, neighbours are found approximately.",
            blind_to="Distances between groups, sizes of groups and empty space: "
            "only who is next to whom means something.",
            paper="van der Maaten & Hinton 2008; as openTSNE, Poličar et al. 2024",
            fewest_points=5,
            parameters=(PERPLEXITY,),
        ),
        Projection(
            name="umap",
            title="UMAP",
            explanation="Keeps near neighbours near and groups compact; each layer starts from "
            "its neighbour's picture. Of many points, neighbours are found approximately.",
            blind_to="Distances between groups and how dense a group is; and since each layer "
            "starts from its neighbour, a sudden change between two looks gentler than it is.",
            paper="McInnes et al. 2018",
            fewest_points=5,
            parameters=(NEIGHBOURS,),
        ),
    )
}
DEFAULT_PROJECTION = "tsne"
