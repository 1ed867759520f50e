"""What an animation shows, and the colours it is drawn in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError
from isogloss.map.payload import ScrubberData
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES

Colour = tuple[int, int, int]


def _channels(colour: str) -> Colour:
    """Red, green and blue of a colour such as #0072b2."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


@dataclass(frozen=True)
class Theme:
    """The colours of a picture; the two sides differ in brightness too, for colour-blind eyes."""

    paper: Colour
    panel: Colour
    ink: Colour
    muted: Colour
    hairline: Colour
    sides: tuple[Colour, Colour]
    many: tuple[Colour, ...]
    link_opacity: float

    def languages(self, count: int) -> tuple[Colour, ...]:
        """A colour for each of so many languages."""
        colours = self.sides if count == 2 else self.many
        return tuple(colours[language % len(colours)] for language in range(count))


THEMES = {
    "light": Theme(
        paper=(253, 252, 249),
        panel=(243, 240, 233),
        ink=(28, 34, 39),
        muted=(99, 104, 107),
        hairline=(214, 208, 196),
        sides=((0, 114, 178), (213, 94, 0)),
        many=tuple(map(_channels, PALETTES["light"].many)),
        link_opacity=0.3,
    ),
    "dark": Theme(
        paper=(17, 21, 26),
        panel=(26, 32, 39),
        ink=(233, 230, 223),
        muted=(152, 158, 163),
        hairline=(58, 67, 76),
        sides=((88, 180, 242), (255, 154, 74)),
        many=tuple(map(_channels, PALETTES["dark"].many)),
        link_opacity=0.32,
    ),
}


@dataclass(frozen=True, eq=False)
class FilmScene:
    """What an animation shows: points of some languages at every stop, their links and scores.

    coordinates (stops, n, 2) with y upwards; texts and sides (n,), sides the index into
    `languages`; `shapes` (n,) if they tell something else; the last `middles` points have no
    marker; links (m, 2) pairs of points; `stops` the names of the layers; `scores` (stops,) in [0,
    1] under `score_name`, or None; `badge` says beside the number what it rests on. `pinned` points
    are labelled before others; `names` call the stops in full where title and stop together do not.
    `notes` are written on the picture of their stop, mostly empty. `lines` says what links join,
    and `links_at` has the links of each stop where every stop has its own. `provenance` is the "how
    this was made" block.
    """

    coordinates: npt.NDArray[np.float32]
    texts: Sequence[str]
    sides: Array
    links: Array
    stops: Sequence[str]
    languages: tuple[str, ...]
    scores: Sequence[float] | None = None
    score_name: str = ""
    badge: str = ""
    title: str = "Layer"
    caption: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)
    pinned: Sequence[int] = ()
    names: Sequence[str] | None = None
    lines: str = ""
    links_at: Sequence[Array] | None = None
    notes: Sequence[str] | None = None
    shapes: Array | None = None
    middles: int = 0

    def __post_init__(self) -> None:
        stops, points = len(self.stops), len(self.texts)
        if stops == 0 or points == 0:
            raise IsoglossError("There is nothing to animate: the map has no layers or no points.")
        if np.shape(self.coordinates) != (stops, points, 2) or len(self.sides) != points:
            raise IsoglossError("The map needs one text, side and place per point and layer.")
        if not np.isfinite(self.coordinates).all():
            raise IsoglossError("The map holds places that are not numbers; project it again.")
        if self.scores is not None and len(self.scores) != stops:
            raise IsoglossError("The map needs one score per layer.")

    def stop_name(self, stop: int) -> str:
        """A stop called in full."""
        return self.names[stop] if self.names else f"{self.title} {self.stops[stop]}"

    def provenance_line(self) -> str:
        """How this was made, on one line."""
        return " · ".join(f"{name}: {value}" for name, value in self.provenance.items())

    def lettering(self) -> tuple[str, ...]:
        """Everything written around the map."""
        score = self.score_name, self.badge, self.lines and f"Lines: {self.lines}"
        written = (self.caption, *score, self.title, *self.languages, *self.stops)
        written += (*(self.names or ()), *(self.notes or ()))
        return tuple(text for text in (*written, self.provenance_line()) if text)


def film_scene(data: ScrubberData) -> FilmScene:
    """The map that the scrubber shows, as films take it."""
    return FilmScene(
        coordinates=data.coordinates,
        texts=data.texts,
        sides=np.asarray(data.sides),
        links=np.asarray(data.links),
        stops=data.stops,
        languages=tuple(language.name for language in data.languages),
        scores=data.scores[0].values,
        score_name=data.scores[0].name,
        badge=data.scores[0].badge,
        title=data.title,
        names=data.stop_names,
        caption=data.caption,
        provenance=data.provenance,
        lines=data.lines,
        links_at=data.links_at,
        notes=data.notes,
        shapes=data.shapes if data.shapes_of_topics else None,
        middles=data.middles,
    )
