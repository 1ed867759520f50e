"""What the layer scrubber shows, and its one binary form for the browser."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.map.tour import TourStep
from isogloss.measures.projection.framing import lay_flat
from isogloss.measures.projection.neighbourhoods import chance_preservation
from isogloss.options import Choice, option
from isogloss.palette import SHAPES
from isogloss.text.content_words import find_content_words

STEPS = 2**16 - 1
COLORINGS = {
    "language": Choice("Language"),
    "sentence": Choice("Sentence"),
    "topic": Choice("Topic"),
    "alignment": Choice("How well aligned"),
}


@dataclass(frozen=True)
class Language:
    """A language as shown: its code (for the browser's `lang`) and its name."""

    code: str
    name: str


@dataclass(frozen=True)
class Score:
    """A named value in [0, 1] for every stop, drawn as a line above the slider.

    `lower` and `upper` are a band around it, `chance` is what it would be if words lay anywhere,
    `random` is what a model of the same shape reads whose weights are random. `about` says in a
    sentence what is measured. A score that is not `drawn` can be switched on.
    `badge` stands beside the number wherever it stands: whose links it rests on.
    """

    name: str
    values: Sequence[float]
    lower: Sequence[float] | None = None
    upper: Sequence[float] | None = None
    chance: float | None = None
    random: Sequence[float] | None = None
    about: str = ""
    drawn: bool = True
    badge: str = ""

    @property
    def title(self) -> str:
        """The name with the badge, for where the two stand in one line."""
        return f"{self.name} ({self.badge})" if self.badge else self.name


@dataclass(frozen=True)
class MapView:
    """How the scrubber is looked at: the part of its state that a link can hold.

    `step` is the step of the tour that is on show; its layer and pins then come first. A view that
    `arrives` begins at the first stop and goes to its layer while one watches, once.
    """

    layer: float = 0.0
    pins: tuple[int, ...] = option((), "", title="Pinned words", least=0)
    color_by: str = option("language", "", title="Coloured by", address="color", choices=COLORINGS)
    links: bool = option(True, "", title="Lines between words", address="lines")
    labels: bool = option(True, "", title="Words on the map", address="words")
    curves: tuple[int, ...] = option((), "", title="Curves switched on or off", least=0)
    talk: bool = option(False, "", title="Talk mode")
    tour: tuple[TourStep, ...] = ()
    step: int | None = None
    arrives: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.color_by not in COLORINGS:
            raise ValueError(f"color_by is {self.color_by!r}; choose one of {', '.join(COLORINGS)}")


@dataclass(frozen=True, eq=False)
class ScrubberData:
    """Points of some languages laid out at every stop of an axis, with the links between them.

    Shapes, for S stops, P points and M links: `positions` float32 [S, P, 2] with y upwards;
    `ranks` uint16 [S, P], the rank of a point's partner among all points of the other language at
    that stop (1 = nearest, 0 = no partner, or a rank that is not known: where none is, the map
    offers nothing that needs ranks); `sides` [P] (the index into `languages`); `sentence_of` [P]
    and `topic_of` [P] (indices, topic -1 = none); `spans` [P, 2], the characters [start, end) of a
    point in its own sentence (start -1 = unknown; left out, the first occurrence is taken); `links`
    [M, 2] (side 0, side 1). `sentences` holds a row's sentence in each language, empty where there
    is none. The last `middles` points are middles of stars: they have no marker, and links join
    every other point to the middle of its own. `shapes_of_topics` has markers tell the topic, else
    they tell the language. `scores[0]` is the one that is drawn as an area. `title` names the axis
    and `stops` its ticks ("Step": "0", "50"); `names` call the stops in full where the two together
    ("Step 50") do not. `notes` are written on the picture, one a stop and mostly empty: what a
    viewer of that stop must know. `lines` says what links join and whose they are. Where every stop
    has its own, they are in `links_at`, and `links` is empty. `ranks_rest_on` says whose links the
    ranks are of. `of_languages` says a sentence of each language at each stop, for where all of its
    points and no others are chosen. Data of one `series` has the same points, links and names of
    scores: where one stands in a browser, another takes its place without disturbing what is on
    show.
    """

    positions: npt.NDArray[np.float32]
    ranks: npt.NDArray[np.uint16]
    texts: Sequence[str]
    sides: Sequence[int] | npt.NDArray[np.integer[Any]]
    sentence_of: Sequence[int] | npt.NDArray[np.integer[Any]]
    links: npt.NDArray[np.integer[Any]]
    sentences: Sequence[tuple[str, ...]]
    languages: tuple[Language, ...]
    stops: Sequence[str]
    scores: Sequence[Score] = ()
    topic_of: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None
    topics: Sequence[str] = ()
    spans: npt.NDArray[np.integer[Any]] | None = None
    title: str = "Layer"
    names: Sequence[str] | None = None
    notes: Sequence[str] | None = None
    lines: str = "translations"
    ranks_rest_on: str = ""
    of_languages: Sequence[Sequence[str]] = ()
    links_at: Sequence[npt.NDArray[np.integer[Any]]] | None = None
    caption: str = ""
    series: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)
    middles: int = 0
    shapes_of_topics: bool = False

    def __post_init__(self) -> None:
        stops, points = len(self.stops), len(self.texts)
        languages = len(self.languages)
        sizes = (len(self.sides), len(self.sentence_of))
        _require(stops > 0 and points > 0, "there is nothing to show: no stops or no points")
        _require(languages > 1, "two languages or more")
        _require(sizes == (points, points), "one side and one sentence per point")
        _require(0 <= self.middles < points, "middles are points, and not all of them")
        _require(np.shape(self.positions) == (stops, points, 2), "positions: [stops, points, 2]")
        _require(bool(np.isfinite(self.positions).all()), "positions must be finite")
        _require(np.shape(self.ranks) == (stops, points), "ranks must be [stops, points]")
        _require(_within(self.sides, languages), "sides must be languages")
        _require(_within(self.sentence_of, len(self.sentences)), "a sentence index does not exist")
        _require(self.links_at is None or len(self.links_at) == stops, "links_at: one a stop")
        for links in (self.links, *(self.links_at or ())):
            _require(np.ndim(links) == 2 and np.shape(links)[1] == 2, "links must be [m, 2]")
            _require(_within(links, points), "a link leads to a point that does not exist")
        if self.topic_of is not None:
            _require(len(self.topic_of) == points, "topic_of must have one index per point")
            _require(_within(np.asarray(self.topic_of) + 1, len(self.topics) + 1), "unknown topic")
        if self.spans is not None:
            _require(np.shape(self.spans) == (points, 2), "spans must be [points, 2]")
        for series in (
            s
            for score in self.scores
            for s in (score.values, score.lower, score.upper, score.random)
        ):
            _require(series is None or len(series) == stops, "a score needs one value a stop")
        for said in self.of_languages:
            _require(len(said) == stops, "of_languages: one a stop")
        for words, what in ((self.names, "names"), (self.notes, "notes")):
            _require(words is None or len(words) == stops, f"{what}: one a stop")

    @property
    def marked(self) -> int:
        """How many points have a marker: all but the middles of stars, which are the last."""
        return len(self.texts) - self.middles

    @property
    def shapes(self) -> npt.NDArray[np.integer[Any]]:
        """Which of the palette's shapes each point has, [P]."""
        if self.shapes_of_topics and self.topic_of is not None:
            return np.maximum(np.asarray(self.topic_of), 0) % len(SHAPES)
        return np.asarray(self.sides) % len(SHAPES)

    @property
    def stop_names(self) -> Sequence[str]:
        """The stops called in full."""
        return self.names or [f"{self.title} {stop}" for stop in self.stops]

    def links_of(self, stop: int) -> npt.NDArray[np.integer[Any]]:
        """The links that are drawn at a stop, [m, 2]."""
        links = self.links if self.links_at is None else self.links_at[stop]
        return np.asarray(links, dtype=int).reshape(-1, 2)

    @cached_property
    def blob(self) -> bytes:
        """The data for the browser: header section, positions and ranks as uint16.

        The positions are turned so that the layout lies flat; the browser scales it to the stage.
        They travel as 65,535ths of the box around each stop: half the bytes, and off by a few
        hundredths of a pixel at most.
        """
        steps, boxes = quantise(lay_flat(self.positions))
        header = {
            "title": self.title,
            "stops": list(self.stops),
            "boxes": boxes,
            "names": list(self.stop_names),
            "languages": [asdict(language) for language in self.languages],
            "texts": list(self.texts),
            "sides": _integers(self.sides),
            "sentence_of": _integers(self.sentence_of),
            "sentences": [list(pair) for pair in self.sentences],
            "topic_of": _integers(
                self.topic_of if self.topic_of is not None else [-1] * len(self.texts)
            ),
            "topics": list(self.topics),
            "content": [int(c) for c in find_content_words(self.texts, _integers(self.sides))],
            "spans": None if self.spans is None else _integers(self.spans),
            "shapes": _integers(self.shapes) if self.shapes_of_topics else None,
            "middles": self.middles,
            "links": _integers(self.links),
            "links_at": None
            if self.links_at is None
            else [_integers(links) for links in self.links_at],
            "lines": self.lines,
            "ranks_rest_on": self.ranks_rest_on,
            "scores": [
                asdict(score)
                | {
                    name: _floats(getattr(score, name))
                    for name in ("values", "lower", "upper", "random")
                }
                for score in self.scores
            ],
            **(
                {"of_languages": [[*each] for each in self.of_languages]}
                if self.of_languages
                else {}
            ),
            "notes": None if self.notes is None else list(self.notes),
            "caption": self.caption,
            "provenance": {name: str(value) for name, value in self.provenance.items()},
        }
        ranks = np.ascontiguousarray(self.ranks, dtype="<u2").tobytes()
        return section(header) + steps.tobytes() + ranks

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of the blob, by which the browser knows data it already shows."""
        return hashlib.sha256(self.blob).hexdigest()[:16]


def quantise(positions: npt.NDArray[np.float32]) -> tuple[np.ndarray, list[dict[str, float]]]:
    """Return positions (stops, n, 2) in steps of the box around each stop, and the boxes.

    The steps are little-endian uint16: 0 is left or bottom, 65,535 right or top.
    """
    places = np.asarray(positions, dtype=np.float64)
    low, high = places.min(axis=1, keepdims=True), places.max(axis=1, keepdims=True)
    extent = np.where(high > low, high - low, 1)
    steps = np.rint((places - low) / extent * STEPS).astype("<u2")
    boxes = [
        {"left": left, "right": right, "bottom": bottom, "top": top}
        for (left, bottom), (right, top) in zip(
            low[:, 0].tolist(), high[:, 0].tolist(), strict=True
        )
    ]
    return steps, boxes


def kept_neighbours(preservation: Sequence[float], points: int, kind: str = "word") -> Score:
    """How much of the true neighbourhoods a layout of so many points keeps at each stop."""
    return Score(
        "neighbours the picture keeps",
        list(preservation),
        chance=chance_preservation(points),
        about=f"Of each {kind}'s nearest neighbours in the full space, the share that are still "
        "among its nearest in the picture",
    )


def section(content: Mapping[str, Any]) -> bytes:
    """Return `uint32 length, UTF-8 JSON, zeros up to a multiple of 4`, little-endian."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    encoded = text.encode("utf-8", errors="replace")  # a lone surrogate has no UTF-8 form
    return len(encoded).to_bytes(4, "little") + encoded + bytes(-len(encoded) % 4)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(f"This map cannot be shown: {message}.")


def _within(indices: Sequence[int] | npt.NDArray[np.integer[Any]], size: int) -> bool:
    values = np.asarray(indices)
    return values.size == 0 or bool(values.min() >= 0 and values.max() < size)


def _integers(values: Sequence[int] | npt.NDArray[np.integer[Any]]) -> list[int]:
    return [int(value) for value in np.asarray(values).ravel()]


def _floats(values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else [round(float(value), 6) for value in values]
