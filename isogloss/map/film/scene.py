"""What an animation shows, and the colours it is drawn in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError
from isogloss.map.payload import MapView, ScrubberData
from isogloss.map.pinned import pinned_lines, pinned_points, rank_text
from isogloss.map.point_colors import language_colors, legend_colors, point_colors
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES, SHAPES, Palette

Colour = tuple[int, int, int]
SWATCH = 2
"""The square among the palette's shapes."""


def _channels(colour: str) -> Colour:
    """Red, green and blue of a colour such as #0072b2."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def _palette(theme: str) -> Palette:
    return PALETTES["dark" if theme == "dark" else "light"]


def _sides(theme: str) -> tuple[Colour, Colour]:
    one, other = map(_channels, _palette(theme).sides)
    return one, other


@dataclass(frozen=True)
class LegendEntry:
    """A mark, in one of the palette's shapes, and what it means."""

    colour: Colour
    shape: int
    name: str


@dataclass(frozen=True)
class Theme:
    """The colours of a picture; the two sides differ in brightness too, for colour-blind eyes."""

    name: str
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
        name="light",
        paper=(253, 252, 249),
        panel=(243, 240, 233),
        ink=(28, 34, 39),
        muted=(99, 104, 107),
        hairline=(214, 208, 196),
        sides=_sides("light"),
        many=tuple(map(_channels, PALETTES["light"].many)),
        link_opacity=0.3,
    ),
    "dark": Theme(
        name="dark",
        paper=(17, 21, 26),
        panel=(26, 32, 39),
        ink=(233, 230, 223),
        muted=(152, 158, 163),
        hairline=(58, 67, 76),
        sides=_sides("dark"),
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
    1] under `score_name`, or None; `badge` says beside the number what it rests on. `names` call
    the stops in full where title and stop together do not. `notes` are written on the picture of
    their stop, mostly empty. `lines` says what links join, and `links_at` has the links of each
    stop where every stop has its own. `provenance` is the "how this was made" block.

    As one looks at it: `pinned` points are drawn larger, with their `pinned_links`, and labelled
    before others; `pairs` says at a stop how each pinned word stands to its translations, and
    `pairs_badge` by whose links. `colours` gives each point's colour in a theme at a stop, and
    `legend` what colours and shapes mean; left out, they tell the language. Without `shows_links`
    and `shows_words` neither is drawn, but for the pinned ones.
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
    pinned_links: Array | None = None
    pairs: Callable[[int], list[tuple[list[int], str]]] | None = None
    pairs_badge: str = ""
    colours: Callable[[str, int], Sequence[Colour]] | None = None
    legend: Callable[[str], Sequence[LegendEntry]] | None = None
    shows_links: bool = True
    shows_words: bool = True
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

    def colours_at(self, theme: Theme, stop: int) -> Sequence[Colour]:
        """The colour of each point."""
        if self.colours is not None:
            return self.colours(theme.name, stop)
        languages = theme.languages(len(self.languages))
        return [languages[side] for side in np.asarray(self.sides).tolist()]

    def legend_in(self, theme: Theme) -> Sequence[LegendEntry]:
        """What colours and shapes mean."""
        if self.legend is not None:
            return self.legend(theme.name)
        colours = theme.languages(len(self.languages))
        shape = 0 if self.shapes is not None else None
        return [
            LegendEntry(colours[side], side if shape is None else shape, language)
            for side, language in enumerate(self.languages)
        ]

    def provenance_line(self) -> str:
        """How this was made, on one line."""
        return " · ".join(f"{name}: {value}" for name, value in self.provenance.items())

    def lettering(self) -> tuple[str, ...]:
        """Everything written around the map."""
        score = self.score_name, self.badge, self.lines and f"Lines: {self.lines}"
        written = (self.caption, *score, self.title, *self.languages, *self.stops)
        written += (*(self.names or ()), *(self.notes or ()), self.pairs_badge)
        written += tuple(entry.name for entry in self.legend_in(THEMES["light"]))
        written += tuple(rank for _, rank in (self.pairs(0) if self.pairs else ()))
        return tuple(text for text in (*written, self.provenance_line()) if text)


def film_scene(data: ScrubberData, view: MapView | None = None) -> FilmScene:
    """The map that the scrubber shows, as films take it, with the view's pins and colours."""
    view = view or MapView()
    by_language = view.color_by == "language"
    pins = [pin for pin in view.pins if pin < data.marked]
    named = [pinned_points(data, [pin]) for pin in pins]

    def pairs(stop: int) -> list[tuple[list[int], str]]:
        ranks = (rank_text(int(data.ranks[stop, pin])) for pin in pins)
        return list(zip(named, ranks, strict=True))

    def colours(theme: str, stop: int) -> list[Colour]:
        return list(map(_channels, point_colors(data, view.color_by, stop, _palette(theme))))

    def legend(theme: str) -> list[LegendEntry]:
        return _legend(data, view.color_by, theme)

    return FilmScene(
        pinned=pinned_points(data, pins),
        pinned_links=pinned_lines(data, pins),
        pairs=pairs if pins else None,
        pairs_badge=data.ranks_rest_on and f"Ranks: {data.ranks_rest_on}" if pins else "",
        colours=None if by_language else colours,
        legend=legend,
        shows_links=view.links,
        shows_words=view.labels,
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
        lines=data.lines if view.links else "",
        links_at=data.links_at,
        notes=data.notes,
        shapes=data.shapes if data.shapes_of_topics else None,
        middles=data.middles,
    )


def _legend(data: ScrubberData, coloring: str, theme: str) -> list[LegendEntry]:
    """What the colours and shapes mean, as beside the map (`colors.js`)."""
    palette, ink = _palette(theme), THEMES[theme].ink
    of_languages = language_colors(data, palette)
    names = [language.name for language in data.languages]
    if not data.shapes_of_topics:
        by_language = coloring == "language"
        entries = [
            LegendEntry(_channels(of_languages[side]) if by_language else ink, side, name)
            for side, name in enumerate(names)
        ]
        marks = legend_colors(data, coloring, palette)
        return entries + [LegendEntry(_channels(colour), SWATCH, name) for colour, name in marks]
    entries = []
    if coloring == "language":
        entries = [
            LegendEntry(_channels(colour), 0, name)
            for colour, name in zip(of_languages, names, strict=True)
        ]
    kinds = palette.categories
    return entries + [
        LegendEntry(
            _channels(kinds[topic % len(kinds)]) if coloring == "topic" else ink,
            topic % len(SHAPES),
            name,
        )
        for topic, name in enumerate(data.topics)
    ]
