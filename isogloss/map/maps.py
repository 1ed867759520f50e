"""The token map: points of two languages laid out at every layer, their links and their scores.

The layout is the costly part and does not depend on the links, so the two are separate stored
results of the study, and so is what the eye can read off the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.links.sources import MUTUAL
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates, coordinates_option
from isogloss.measures.linked_points import seen_in_picture
from isogloss.measures.projection.layout import (
    FittedLayers,
    LayerLayout,
    ProjectionOptions,
    project_layers,
)
from isogloss.measures.sentence_retrieval import RetrievalScores
from isogloss.measures.stacks import Array
from isogloss.options import check_options, option
from isogloss.store import Store
from isogloss.studies.links.points import (
    INDEPENDENT,
    LinkOptions,
    LinkScores,
    PointLinks,
    drawn_links,
    mutual_nearest,
    score_links,
    scored_links,
)
from isogloss.studies.pooling import POINTS, Points, PointTable, point_table, point_vectors
from isogloss.studies.questions import Question, Steps
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.study import Study, open_study
from isogloss.tasks import OnProgress, ShouldStop
from isogloss.text.parts import TextPart

Result = TypeVar("Result")
Asked = TypeVar("Asked", bound=Question[Any])

LINKING = 0.15
"""The share of the work, roughly, that links and their scores take; the rest is the layout."""
MOST_POINTS = 100_000


@dataclass(frozen=True)
class MapOptions:
    """What a map shows, in which coordinates, and how it is drawn."""

    points: Points = option("word", "what a point is", title="Points", choices=POINTS)
    part: TextPart = field(default_factory=TextPart)
    coordinates: Coordinates = coordinates_option()
    projection: ProjectionOptions = field(default_factory=ProjectionOptions)
    links: LinkOptions = field(default_factory=LinkOptions)

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True)
class TokenMap:
    """Everything the scrubber shows of a study.

    `seen` (layers,) is the share of linked points whose partner is nearest in the picture, to be
    read beside `scores.nearest_share`, the same in the full space. Where `scores` is None, no link
    is evidence: `sentences` stand in, and lines join the `mutual` nearest.
    """

    table: PointTable
    layout: LayerLayout
    words: LinksAndScores
    seen: Array
    options: MapOptions

    @property
    def drawn(self) -> PointLinks:
        return self.words.drawn

    @property
    def scored(self) -> PointLinks:
        return self.words.scored

    @property
    def scores(self) -> LinkScores | None:
        return self.words.scores

    @property
    def sentences(self) -> RetrievalScores | None:
        return self.words.sentences

    @property
    def lines(self) -> list[Array] | None:
        """Where each layer has lines of its own: the points they join, (m, 2) for every layer."""
        if self.scores is not None or self.options.links.method != INDEPENDENT:
            return None
        mutual = self.words.mutual
        return [mutual[mutual[:, 0] == layer, 1:] for layer in range(len(self.layout.positions))]

    @property
    def says_drawn(self) -> str:
        """What lines join, in a sentence."""
        if self.lines is not None:
            return f"Lines join words that are {MUTUAL}, right or wrong: they are not scored."
        return self.drawn.describe()


@dataclass(frozen=True)
class MapSoFar:
    """What can be shown of a map while later layers are fitted: no scores yet."""

    table: PointTable
    fitted: FittedLayers
    drawn: PointLinks
    options: MapOptions


@dataclass(frozen=True)
class _OfPicture(Question[Result]):
    """What is asked of a picture."""

    points: Points = "word"
    part: TextPart = field(default_factory=TextPart)
    coordinates: Coordinates = DEFAULT_COORDINATES
    projection: ProjectionOptions = field(default_factory=ProjectionOptions)


@dataclass(frozen=True)
class Layout(_OfPicture[LayerLayout]):
    """Where every point lies at every layer."""

    KIND: ClassVar[str] = "layout"
    VERSION: ClassVar[int] = 2
    ANSWER: ClassVar[type] = LayerLayout

    def compute(self, study: Study, store: Store, steps: Steps) -> LayerLayout:
        table = points_of(study, self.points, self.part)
        stack = [
            partial(point_vectors, study, layer, table, self.coordinates)
            for layer in range(study.n_states)
        ]
        return project_layers(stack, self.projection, steps.progress, steps.should_stop, steps.show)

    def record(self) -> dict[str, Any]:
        # UMAP's layers are fitted one after another now, and were fitted all at once before.
        changed = {"version": 3} if self.projection.method == "umap" else {}
        return super().record() | changed


@dataclass(frozen=True)
class LinksAndScores:
    """The links that are drawn, those that are scored, and how near they are at each layer.

    Where no link is evidence, `scores` is None, and there is what stands in: whether `sentences`
    find their translations (None of a single pair), which needs no links, and, to be drawn and
    never scored, the `mutual` nearest points (m, 3): layer, point, point.
    """

    drawn: PointLinks
    scored: PointLinks
    scores: LinkScores | None
    mutual: Array
    sentences: RetrievalScores | None = None


@dataclass(frozen=True)
class MapLinks(Question[LinksAndScores]):
    """Which points translate each other, and how near translations are at every layer."""

    points: Points = "word"
    part: TextPart = field(default_factory=TextPart)
    coordinates: Coordinates = DEFAULT_COORDINATES
    links: LinkOptions = field(default_factory=LinkOptions)

    KIND: ClassVar[str] = "links"
    VERSION: ClassVar[int] = 3
    ANSWER: ClassVar[type] = LinksAndScores

    def compute(self, study: Study, store: Store, steps: Steps) -> LinksAndScores:
        table = points_of(study, self.points, self.part)
        steps.reach(0, study.n_states, "Linking words")
        scored = scored_links(study, table)

        def on_layer(layer: int) -> None:
            steps.reach(layer, study.n_states, f"Ranking translations at layer {layer}")

        drawn = drawn_links(study, table, self.links, scored)
        if not scored.evidence:
            mutual = mutual_nearest(study, table, self.coordinates, on_layer)
            return LinksAndScores(drawn, scored, None, mutual, self._sentences(study, store))
        scores = score_links(study, table, scored, self.coordinates, on_layer)
        return LinksAndScores(drawn, scored, scores, np.zeros((0, 3), np.int32))

    def _sentences(self, study: Study, store: Store) -> RetrievalScores | None:
        if len(study.bitext) < 2:
            return None
        return SentenceRetrieval(self.study, coordinates=self.coordinates).answer(store)


@dataclass(frozen=True)
class SeenShares:
    """The share of linked points whose partner is nearest in the picture, (layers,)."""

    shares: Array


@dataclass(frozen=True)
class SeenInPicture(_OfPicture[SeenShares]):
    """Which translations the eye can see; kept, as opening a map has no time to search it."""

    KIND: ClassVar[str] = "seen in the picture"
    ANSWER: ClassVar[type] = SeenShares

    def compute(self, study: Study, store: Store, steps: Steps) -> SeenShares:
        table = points_of(study, self.points, self.part)
        pairs = scored_links(study, table).pairs
        layout = self._layout.answer(store)
        return SeenShares(seen_in_picture(layout.positions, table.side, pairs))

    def record(self) -> dict[str, Any]:
        made_from = {"layout": self._layout.record(), "links": MapLinks.VERSION}
        return {"kind": self.KIND, "version": self.VERSION, **made_from}

    @property
    def _layout(self) -> Layout:
        return Layout(self.study, self.points, self.part, self.coordinates, self.projection)


def find_map(study: Study, options: MapOptions) -> TokenMap | None:
    """The map if it has been computed before."""
    store = study.entry.store
    layout = _asked(Layout, study, options).find(store)
    links = links_of_map(study, options).find(store)
    seen = _asked(SeenInPicture, study, options).find(store)
    if layout is None or links is None or seen is None:
        return None
    table = points_of(study, options.points, options.part)
    return TokenMap(table, layout, links, seen.shares, options)


def make_map(
    study: Study,
    store: Store,
    options: MapOptions,
    progress: OnProgress = lambda share, message: None,
    should_stop: ShouldStop = lambda: False,
    show: Callable[[MapSoFar], None] = lambda part: None,
) -> TokenMap:
    """The map, computed and kept if it was not there.

    Of many points, `show` sees the layers that are there while later ones are fitted.
    """

    def part_of(begin: float, end: float) -> OnProgress:
        return lambda share, message: progress(begin + (end - begin) * share, message)

    drawn: list[PointLinks] = []

    def show_layers(fitted: FittedLayers) -> None:
        table = points_of(study, options.points, options.part)
        if not drawn:
            drawn.append(drawn_links(study, table, options.links, scored_links(study, table)))
        show(MapSoFar(table, fitted, drawn[0], options))

    layout = _asked(Layout, study, options).answer(
        store, part_of(0, 1 - LINKING), should_stop, show_layers
    )
    links = links_of_map(study, options).answer(store, part_of(1 - LINKING, 1), should_stop)
    seen = _asked(SeenInPicture, study, options).answer(store)
    table = points_of(open_study(store, study.key), options.points, options.part)
    return TokenMap(table, layout, links, seen.shares, options)


def links_of_map(study: Study, options: MapOptions) -> MapLinks:
    """The question whose answer is what a map of `study` rests on, links and scores."""
    return _asked(MapLinks, study, options)


def map_records(study: Study, options: MapOptions) -> list[dict[str, Any]]:
    """What decides a map, for results that are made from it."""
    questions = (_asked(Layout, study, options), links_of_map(study, options))
    return [question.record() | study.answer_record for question in questions]


def _asked(kind: type[Asked], study: Study, options: MapOptions) -> Asked:
    """The question of a kind, as a map with these options asks it."""
    names = [each.name for each in fields(kind) if each.name != "study"]
    return kind(study.key, **{name: getattr(options, name) for name in names})


def points_of(study: Study, points: Points, part: TextPart) -> PointTable:
    """The points on the map, up to `MOST_POINTS`; punctuation would only be in the way."""
    chosen = part.choose(study.bitext)
    table = point_table(study, points, chosen, punctuation=False)
    if len(table) > MOST_POINTS:
        fitting = len(chosen) * MOST_POINTS // len(table)
        raise IsoglossError(
            f"These {len(chosen):,} sentence pairs have {len(table):,} {points}s, and a map holds "
            f"{MOST_POINTS:,}: choose about {fitting:,} pairs."
        )
    return table
