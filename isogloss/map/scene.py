"""A map as one looks at it, wherever Python draws it: what is shown, in which colours and fonts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isogloss.map.lettering.fonts import Fonts, fonts_for, printable
from isogloss.map.payload import MapView, Score, ScrubberData
from isogloss.measures.stacks import Array
from isogloss.palette import PALETTES, RANK_BOUNDS, RANK_NAMES, SHAPES, Palette


@dataclass(frozen=True)
class Theme:
    """The colours of a picture; the two sides differ in brightness too, for colour-blind eyes."""

    palette: Palette
    paper: str
    panel: str
    ink: str
    muted: str
    hairline: str
    link_opacity: float = 0.3


THEMES = {
    "light": Theme(PALETTES["light"], "#fdfcf9", "#f3f0e9", "#1c2227", "#63686b", "#d6d0c4"),
    "dark": Theme(PALETTES["dark"], "#11151a", "#1a2027", "#e9e6df", "#989ea3", "#3a434c", 0.32),
}
PRINT = Theme(
    PALETTES["light"], "#ffffff", "#ffffff", "#20242c", PALETTES["light"].quiet, "#d9dbde"
)


@dataclass(frozen=True)
class LegendEntry:
    """A mark and what it means; one without a shape says something of the colour alone."""

    color: str
    shape: int | None
    name: str


@dataclass(frozen=True, eq=False)
class Scene:
    """What is shown of a map, as in the browser: pins, colours (`colors.js`) and their legend."""

    data: ScrubberData
    view: MapView = field(default_factory=MapView)
    theme: Theme = PRINT

    # --- pinned words ------------------------------------------------------------------------

    @cached_property
    def pins(self) -> list[int]:
        return [pin for pin in self.view.pins if pin < self.data.marked]

    @cached_property
    def named(self) -> list[int]:
        """The pinned points and then their translations, each once."""
        return list(dict.fromkeys([*self.pins, *(p for pin in self.pins for p in self._with(pin))]))

    @cached_property
    def pinned_links(self) -> Array:
        """The links that pinned points have, [m, 2]."""
        return self._links[np.isin(self._links, self.pins).any(axis=1)]

    def pairs(self, stop: int) -> list[tuple[list[int], str]]:
        """Each pinned point with its translations, and how near they are at a stop if known."""
        ranks = (int(self.data.ranks[stop, pin]) for pin in self.pins)
        said = ("nearest" if rank == 1 else f"rank {rank}" if rank else "" for rank in ranks)
        return list(zip(map(self._with, self.pins), said, strict=True))

    @property
    def pairs_rest_on(self) -> str:
        """By whose links pinned pairs are ranked."""
        return f"Ranks: {self.data.ranks_rest_on}" if self.pins and self.data.ranks_rest_on else ""

    def _with(self, pin: int) -> list[int]:
        """A point with what it is linked with; middles of stars are not shown."""
        linked = self._links[(self._links == pin).any(axis=1)].ravel().tolist()
        return [p for p in dict.fromkeys([pin, *linked]) if p < self.data.marked]

    @cached_property
    def _links(self) -> Array:
        return np.asarray(self.data.links, dtype=int).reshape(-1, 2)

    # --- colours -----------------------------------------------------------------------------

    @cached_property
    def language_colors(self) -> list[str]:
        """The colour of each language: the two sides', or of more, one of many."""
        count = len(self.data.languages)
        offered = self.theme.palette.sides if count == 2 else self.theme.palette.many
        return [offered[i % len(offered)] for i in range(count)]

    def point_colors(self, stop: int) -> list[str]:
        """The colour of each point at a stop: by language, sentence, topic or how well aligned."""
        data, coloring, palette = self.data, self.view.color_by, self.theme.palette
        if coloring == "language":
            return [self.language_colors[side] for side in data.sides]
        if coloring == "alignment":
            steps = np.searchsorted(RANK_BOUNDS, data.ranks[stop])
            pairs = zip(data.ranks[stop], steps, strict=True)
            return [palette.aligned[step] if rank else palette.none for rank, step in pairs]
        groups = data.sentence_of if coloring == "sentence" else data.topic_of
        if groups is None:
            return [palette.none] * len(data.texts)
        kinds = palette.categories
        return [kinds[group % len(kinds)] if group >= 0 else palette.none for group in groups]

    def word_color(self, point: int) -> str:
        """The colour that the word of a point is written in."""
        return mixed(self.language_colors[int(self.data.sides[point])], self.theme.ink, 0.35)

    @cached_property
    def shape_legend(self) -> list[LegendEntry]:
        """What the shapes mean: languages, or topics where these have the shapes."""
        data, coloring, kinds = self.data, self.view.color_by, self.theme.palette.categories
        names, plain = [language.name for language in data.languages], [self.theme.ink]
        by_language = self.language_colors if coloring == "language" else plain
        if not data.shapes_of_topics:
            return _entries(by_language, names)
        colors = [
            LegendEntry(color, None, name)
            for color, name in zip(self.language_colors, names, strict=True)
        ]
        topics = _entries(kinds if coloring == "topic" else plain, data.topics)
        return [*(colors if coloring == "language" else ()), *topics]

    @cached_property
    def color_legend(self) -> list[LegendEntry]:
        """What the colours mean beyond that."""
        data, palette = self.data, self.theme.palette
        rows: list[tuple[str, str]] = []
        if self.view.color_by == "alignment":
            rows = list(zip(palette.aligned, RANK_NAMES, strict=True))
            rows += [] if data.ranks.all() else [(palette.none, "not scored")]
        elif self.view.color_by == "topic" and not data.shapes_of_topics:
            rows = list(zip(palette.categories, data.topics, strict=False))
        return [LegendEntry(color, None, name) for color, name in rows]

    @property
    def legend(self) -> list[LegendEntry]:
        return [*self.shape_legend, *self.color_legend]

    # --- words -------------------------------------------------------------------------------

    @property
    def score(self) -> Score | None:
        """The score that stands for the map."""
        return self.data.scores[0] if self.data.scores else None

    @property
    def provenance_line(self) -> str:
        """How this was made, on one line."""
        return " · ".join(f"{name}: {value}" for name, value in self.data.provenance.items())

    def fonts(self, words: dict[int, str], lettering: Iterable[str]) -> Fonts:
        """Fonts for the words of points, by language, and for all that is written around them."""
        sides: list[list[str]] = [[] for _ in self.data.languages]
        for point, word in words.items():
            sides[int(self.data.sides[point])].append(word)
        return fonts_for(sides, [printable(text) for text in lettering if text])


def _entries(colors: Sequence[str], names: Sequence[str]) -> list[LegendEntry]:
    """A shape for each name, the colours in turn."""
    return [
        LegendEntry(colors[i % len(colors)], i % len(SHAPES), name) for i, name in enumerate(names)
    ]


def mixed(one: str, other: str, share: float) -> str:
    """A colour such as #0072b2 this share of the way from one to another."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
