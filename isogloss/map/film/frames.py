"""Draws one moment of a moving map: the points, their links and names, and the panel beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.map.film.label_ink import LabelInk
from isogloss.map.film.labels import LabelBox, choose_candidates, plan_labels
from isogloss.map.film.panel import PANEL_WIDTH, PanelPainter
from isogloss.map.film.scene import THEMES, Colour, FilmScene
from isogloss.map.film.sprites import SUBPIXELS, make_sprites, mix, sprite_half
from isogloss.map.lettering.fonts import Fonts, fonts_for, printable
from isogloss.measures.stacks import Array

if TYPE_CHECKING:
    from PIL.Image import Image

LINK_OVERSAMPLING = 2


def choose_fonts(scene: FilmScene, texts: Sequence[str]) -> Fonts:
    """Return fonts for the words of each language and for all that is written around the map."""
    sides = [
        [text for text, own in zip(texts, scene.sides, strict=True) if text and own == side]
        for side in range(len(scene.languages))
    ]
    return fonts_for(sides, [printable(text) for text in scene.lettering()])


class FramePainter:
    """Draws a moving map at any position between its first and last stop."""

    def __init__(self, scene: FilmScene, size: tuple[int, int], theme: str) -> None:
        if theme not in THEMES:
            raise IsoglossError(f"There is no theme {theme!r}; choose {' or '.join(THEMES)}.")
        self.map, self.size, self.theme = scene, size, THEMES[theme]
        self.unit = min(size[0] / 1280, size[1] / 720)
        self.texts = [printable(text) for text in scene.texts]
        self.sides = np.asarray(scene.sides, dtype=int)
        self.links = np.asarray(scene.links, dtype=int).reshape(-1, 2)
        self.fonts = choose_fonts(scene, self.texts)
        self.font = self.fonts.main
        self.radius = self.unit * float(np.clip(120 / np.sqrt(len(self.texts)), 3.2, 7.0))
        self.panel = PanelPainter(scene, size, self.theme, self.fonts, self.unit)
        self.frame = self._map_frame()
        self.places = self._to_pixels(scene.coordinates)
        self.colours = self.theme.languages(len(scene.languages))
        shapes = self.sides if scene.shapes is None else np.asarray(scene.shapes, dtype=int)
        self.shapes: list[int] = shapes.tolist()
        self.marked = len(self.texts) - scene.middles
        candidates = list(scene.pinned)
        # Whole sentences are written where they are asked for.
        if scene.shows_words and not scene.middles:
            candidates = choose_candidates(self.texts, self.sides, self.links, scene.pinned)
        self.labels = self._label_inks(candidates)
        boxes = {point: self._label_box(point) for point in self.labels}
        self.plan = plan_labels(self.places, boxes, self.frame, scene.pinned)
        self.background = self._paint_background()

    def paint(self, position: float) -> Image:
        """Return the picture (RGB) at a position from 0 to stops - 1."""
        stop = min(int(position), max(len(self.places) - 2, 0))
        following = min(stop + 1, len(self.places) - 1)
        way = position - stop
        places = (1 - way) * self.places[stop] + way * self.places[following]
        image = self.background.copy()
        if self.map.shows_links:
            self._paint_links(image, places, self._links_at(round(position)))
        colours = self.map.colours_at(self.theme, round(position))
        self._paint_points(image, places, range(self.marked), colours)
        self._paint_pinned(image, places, colours)
        for point, opacity in self.plan.opacities(position).items():
            self._paint_label(image, point, places[point], opacity)
        self.panel.paint_moving(image, position)
        return image

    def _paint_background(self) -> Image:
        from PIL import Image as Images

        image = Images.new("RGB", self.size, self.theme.paper)
        self.panel.paint_still(image)
        return image

    def _map_frame(self) -> LabelBox:
        width, height = self.size
        gap = 20 * self.unit
        footer = gap + self.panel.provenance.height
        return LabelBox(PANEL_WIDTH * self.unit + gap, gap, width - gap, height - footer)

    def _to_pixels(self, coordinates: Array) -> Array:
        """The places (stops, n, 2) on the picture: one scale for all layers and both axes."""
        frame, room = self.frame, 3 * self.radius
        lowest, highest = coordinates.min(axis=(0, 1)), coordinates.max(axis=(0, 1))
        extent = np.maximum(highest - lowest, 1e-9)
        span = np.array([frame.right - frame.left, frame.bottom - frame.top]) - 2 * room
        scale = (span / extent).min()
        middle = np.array([frame.left + frame.right, frame.top + frame.bottom]) / 2
        return middle + (coordinates - (lowest + highest) / 2) * scale * (1, -1)

    def _links_at(self, stop: int) -> Array:
        """The links of all stops, or of this one where each has its own."""
        if self.map.links_at is None:
            return self.links
        return np.asarray(self.map.links_at[stop], dtype=int).reshape(-1, 2)

    def _paint_links(
        self, image: Image, places: Array, links: Array, opacity: float | None = None
    ) -> None:
        from PIL import Image as Images
        from PIL import ImageDraw

        if len(links) == 0:
            return
        enlarged = (self.size[0] * LINK_OVERSAMPLING, self.size[1] * LINK_OVERSAMPLING)
        mask = Images.new("L", enlarged)
        draw = ImageDraw.Draw(mask)
        ends = places[links].reshape(-1, 4) * LINK_OVERSAMPLING
        shade = round(255 * (opacity or self.theme.link_opacity))
        width = max(1, round(LINK_OVERSAMPLING * self.unit))
        for line in ends.tolist():
            draw.line(line, fill=shade, width=width)
        image.paste(self.theme.ink, mask=mask.reduce(LINK_OVERSAMPLING))

    def _paint_points(
        self,
        image: Image,
        places: Array,
        points: Sequence[int],
        colours: Sequence[Colour],
        rim: Colour | None = None,
        grown: float = 0,
    ) -> None:
        """Paint points in their colours, in a ring of the paper, or all within a ring of `rim`."""
        radius = self.radius + grown
        corners = places[points] - sprite_half(radius)
        whole = np.floor(corners).astype(int)
        within = np.floor((corners - whole) * SUBPIXELS).astype(int)
        for point, (x, y), (across, down) in zip(
            points, whole.tolist(), within.tolist(), strict=True
        ):
            colour = rim or colours[point]
            around = colour if grown else self.theme.paper
            sprites = make_sprites(self.shapes[point], colour, around, radius)
            sprite = sprites[down * SUBPIXELS + across]
            image.paste(sprite, (x, y), sprite)

    def _paint_pinned(self, image: Image, places: Array, colours: Sequence[Colour]) -> None:
        """Pinned words and their translations: larger, in a ring of ink, and joined."""
        if self.map.pinned_links is not None:
            self._paint_links(image, places, self.map.pinned_links, 0.85)
        shown = list(reversed(self.map.pinned))
        grown = 0.5 * self.radius + self.unit
        if shown:
            self._paint_points(image, places, shown, colours, self.theme.ink, grown + 2 * self.unit)
            self._paint_points(image, places, shown, colours, grown=grown)

    def _label_box(self, point: int) -> LabelBox:
        gap, pad = self.radius + 3 * self.unit, 3 * self.unit
        top, right, bottom = self.labels[point].extent
        if self._is_on_the_right(point):
            return LabelBox(-gap - right - pad, top - pad, -gap + pad, bottom + pad)
        return LabelBox(gap - pad, top - pad, gap + right + pad, bottom + pad)

    def _is_on_the_right(self, point: int) -> bool:
        """Whether its word is written at the left, where there is room on that side alone.

        So is the translation of a pinned word, which it may come to lie on.
        """
        middle = (self.frame.left + self.frame.right) / 2
        room = 0.8 * (self.frame.right - middle)
        across = self.places[:, point, 0]
        if point in self.map.pinned and self.sides[point] and across.min() > middle - room:
            return True
        return float(across.max()) > middle + room

    def _label_inks(self, points: Sequence[int]) -> dict[int, LabelInk]:
        """The words of the points that a font here can draw, in their order."""
        found = {p: self.fonts.of(self.texts[p], int(self.sides[p])) for p in points}
        size, rim = 15 * self.unit, 2 * self.unit
        return {p: LabelInk(self.texts[p], font, size, rim) for p, font in found.items() if font}

    def _paint_label(self, image: Image, point: int, place: Array, opacity: float) -> None:
        gap = self.radius + 3 * self.unit
        flipped = self._is_on_the_right(point)
        colour = mix(self.colours[self.sides[point]], self.theme.ink, 0.35)
        at = (place[0] - gap if flipped else place[0] + gap, place[1])
        self.labels[point].paint(image, at, flipped, colour, self.theme.paper, opacity)
